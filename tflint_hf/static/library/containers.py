"""Methods of lists, dictionaries and strings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.static import items, uses
from tflint_hf.static.library.hooks import method
from tflint_hf.static.values import (
    UNKNOWN,
    ClassId,
    Const,
    DictValue,
    ListValue,
    Value,
    list_of,
    make_list,
    order_of_set,
)

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall


def first(call: LibraryCall) -> Value:
    """The first positional argument."""
    return call.rest[0] if call.rest else UNKNOWN


@method(ListValue, "append", "add")
def _append(call: LibraryCall) -> Value:
    if isinstance(call.receiver, ListValue) and call.rest:
        items.append(call.machine, call.receiver, call.rest[0])
    return Const(None)


@method(ListValue, "extend", "update")
def _extend(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, ListValue)
    source = first(call)
    if isinstance(source, ListValue) and source.exact:
        for value in source.values:
            items.append(call.machine, call.receiver, value)
    else:
        items.blur_list(call.machine, call.receiver, items.element_of(call.machine, source))
    return Const(None)


@method(ListValue, "insert", "pop", "remove", "clear", "discard")
def _shorten(call: LibraryCall) -> Value:
    receiver = call.receiver
    assert isinstance(receiver, ListValue)
    element = receiver.element if receiver.items or not receiver.exact else UNKNOWN
    if call.path == "pop" and receiver.exact and receiver.items and not call.rest and not call.machine.open_loops:
        last = max(receiver.items)
        value = receiver.items[last]
        call.machine.store.remove(receiver.items, last)
        return value
    items.blur_list(call.machine, receiver, call.rest[1] if call.path == "insert" and len(call.rest) > 1 else element)
    return element if call.path == "pop" else Const(None)


@method(ListValue, "index")
def _index(call: LibraryCall) -> Value:
    """`NAMES.index(x)` of class names gives a class id."""
    receiver = call.receiver
    assert isinstance(receiver, ListValue)
    spot = order_of_set(receiver)
    if spot is not None:
        count = len(receiver.items) if receiver.exact else None
        return ClassId(count, "a list made of a set", spot.place, spot.supposed)
    if not receiver.exact or not receiver.items:
        return UNKNOWN
    wanted = first(call)
    uses.note_text(call.machine, wanted, receiver.values)
    if isinstance(wanted, Const):
        for position, value in enumerate(receiver.values):
            if isinstance(value, Const) and value.value == wanted.value:
                return Const(position)
    return ClassId(len(receiver.items), f"the {len(receiver.items)} names that labels are looked up in")


@method(ListValue, "copy", "sort", "reverse")
def _copy_list(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, ListValue)
    if call.path != "copy":
        if call.path == "sort":
            call.machine.store.remove(call.receiver.facts, "unordered")
        return Const(None)
    return ListValue(call.receiver.kind, dict(call.receiver.items), dict(call.receiver.facts))


@method(DictValue, "get", "setdefault")
def _get(call: LibraryCall) -> Value:
    receiver = call.receiver
    assert isinstance(receiver, DictValue)
    key = first(call)
    default = call.rest[1] if len(call.rest) > 1 else Const(None)
    if isinstance(key, Const) and key.value in receiver.items:
        return receiver.items[key.value]
    if call.path == "setdefault":
        items.set_item(call.machine, receiver, key, default)
        return default
    return UNKNOWN if receiver.open or not isinstance(key, Const) else default


@method(DictValue, "items")
def _items(call: LibraryCall) -> Value:
    receiver = call.receiver
    assert isinstance(receiver, DictValue)
    if receiver.open:
        return list_of("list", make_list("tuple", [UNKNOWN, receiver.facts.get("element", UNKNOWN)]))
    return make_list("list", (make_list("tuple", [Const(k), v]) for k, v in receiver.items.items()))


@method(DictValue, "values")
def _values(call: LibraryCall) -> Value:
    receiver = call.receiver
    assert isinstance(receiver, DictValue)
    if receiver.open:
        return list_of("list", receiver.facts.get("element", UNKNOWN))
    return make_list("list", receiver.items.values())


@method(DictValue, "keys")
def _keys(call: LibraryCall) -> Value:
    receiver = call.receiver
    assert isinstance(receiver, DictValue)
    return list_of("list", UNKNOWN) if receiver.open else make_list("list", map(Const, receiver.items))


@method(DictValue, "update")
def _update(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, DictValue)
    if call.rest:
        items.update_dict(call.machine, call.receiver, call.rest[0])
    for name, value in call.given.items():
        items.set_item(call.machine, call.receiver, Const(name), value)
        if name in call.site.values:
            call.receiver.places[name] = call.site.values[name]
    return Const(None)


@method(DictValue, "pop")
def _pop_key(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, DictValue)
    key = first(call)
    if isinstance(key, Const) and key.value in call.receiver.items:
        value = call.receiver.items[key.value]
        items.remove_key(call.machine, call.receiver, key)
        return value
    items.remove_key(call.machine, call.receiver, key)
    return UNKNOWN


@method(DictValue, "copy")
def _copy_dict(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, DictValue)
    return DictValue(call.receiver.items, dict(call.receiver.facts))


@method(
    Const,
    "lower",
    "upper",
    "strip",
    "title",
    "format",
    "replace",
    "split",
    "join",
    "startswith",
    "endswith",
    "removeprefix",
    "removesuffix",
    "lstrip",
    "rstrip",
    "capitalize",
    "isdigit",
)
def _text(call: LibraryCall) -> Value:
    value = call.receiver
    if not isinstance(value, Const) or not isinstance(value.value, str):
        return UNKNOWN
    arguments = [v.value if isinstance(v, Const) else None for v in call.rest]
    if any(a is None for a in arguments) or call.given or call.path == "join":
        return UNKNOWN
    try:
        result = getattr(value.value, call.path)(*arguments)
    except (TypeError, ValueError, IndexError, KeyError):
        return UNKNOWN
    return make_list("list", map(Const, result)) if isinstance(result, list) else Const(result, value.soft)
