"""Items of containers: reading, writing, iterating, and assignment to any target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import libcst as cst

from tflint_hf.static import attributes, calls, uses
from tflint_hf.static.library import hooks
from tflint_hf.static.values import (
    UNKNOWN,
    Array,
    ClassId,
    Const,
    Cut,
    DictValue,
    EncodingValue,
    Instance,
    ListValue,
    Part,
    Union,
    Value,
    alternatives,
    join_all,
    list_of,
    make_list,
    make_union,
    one_of,
)
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope


@dataclass(eq=False, slots=True)
class SliceValue(Value):
    """`a:b:c` inside a subscript; a bound that is not given is None."""

    bounds: tuple[Value, ...]

    @property
    def numbers(self) -> tuple[int | None, int | None, int | None] | None:
        """The bounds as numbers, None if one is not known."""
        found: list[Any] = [b.value if isinstance(b, Const) and not b.soft else UNKNOWN for b in self.bounds]
        if any(not (n is None or isinstance(n, int)) for n in found):
            return None
        return found[0], found[1], found[2]

    @property
    def whole(self) -> bool:
        return self.numbers == (None, None, None)

    def apply(self, values: list[Value]) -> list[Value] | None:
        """The chosen items, None if the bounds are not known."""
        numbers: list[Any] = [b.value if isinstance(b, Const) else UNKNOWN for b in self.bounds]
        if any(not (n is None or isinstance(n, int)) for n in numbers):
            return None
        return values[slice(*numbers)]


def element_of(machine: Machine, value: Value) -> Value:
    """Any one item of a container."""
    if isinstance(value, ListValue):
        return value.element if value.items or not value.exact else UNKNOWN
    if isinstance(value, DictValue):
        return join_all(Const(k) for k in value.items) if value.items and not value.open else UNKNOWN
    if isinstance(value, Union):
        return join_all(element_of(machine, v) for _, v in value.alternatives)
    if isinstance(value, Array):
        return one_of(value)
    return UNKNOWN


def iterate(machine: Machine, value: Value, node: cst.CSTNode, scope: Scope) -> tuple[list[Value], bool]:
    """The items that a loop over `value` sees, and whether these are exactly its rounds."""
    if isinstance(value, ListValue):
        return (value.values, True) if value.exact else ([value.element], False)
    if isinstance(value, DictValue):
        return ([UNKNOWN], False) if value.open else ([Const(k) for k in value.items], True)
    if isinstance(value, Part):
        return [Part(value.owner, value.path + "[]")], False
    if isinstance(value, Instance):
        method = attributes.class_member(value.cls, "__iter__")
        if method is not None:
            produced = calls.call_method(machine, value, "__iter__", [], node, scope)
            return [element_of(machine, produced)], False
        return [UNKNOWN], False
    hooked = hooks.iterated(value)
    if hooked is not None:
        return [hooked], False
    return [element_of(machine, value)], False


def get_item(machine: Machine, receiver: Value, key: Value, node: cst.Subscript, scope: Scope) -> Value:
    """`receiver[key]`."""
    if isinstance(receiver, Union):
        pairs = []
        for guards, value in alternatives(receiver, machine.guards):
            with machine.under(guards):
                pairs.append((guards, get_item(machine, value, key, node, scope)))
        return make_union(pairs)
    if isinstance(receiver, ListValue):
        part = _list_item(receiver, key)
        if isinstance(key, SliceValue) and isinstance(part, ListValue) and not part.exact:
            part.facts["cut"] = cut(receiver, key, Place(scope.unit, node))
        return part
    if isinstance(receiver, DictValue):
        if not receiver.open:
            uses.note_text(machine, key, map(Const, receiver.items))
        found = _dict_item(receiver, key)
        # Whatever else a dictionary may hold, this is what models and tokenizers call the token ids.
        is_ids = isinstance(key, Const) and key.value == "input_ids" and key.value not in receiver.items
        return Array(name="input_ids", state={"of": receiver}) if is_ids and receiver.open else found
    if isinstance(receiver, Part):
        return Part(receiver.owner, f"{receiver.path}[{key.value if isinstance(key, Const) else '?'}]")
    if isinstance(receiver, Instance):
        if attributes.class_member(receiver.cls, "__getitem__") is not None:
            return calls.call_method(machine, receiver, "__getitem__", [key], node, scope)
        return UNKNOWN
    return hooks.get_item(machine, receiver, key, node, scope)


def cut(receiver: Value, key: Value, place: Place) -> Cut:
    """What part of an array `receiver[key]` is, along its last axis."""
    last = key
    if isinstance(key, ListValue) and key.exact and key.items:
        *before, last = key.values
        if not all(isinstance(k, SliceValue) and k.whole for k in before):
            return Cut(receiver, None, None, place)
    bounds = last.numbers if isinstance(last, SliceValue) else None
    given = key.bounds if isinstance(key, SliceValue) else ()
    if bounds is None or bounds[2] not in (None, 1):
        return Cut(receiver, None, None, place, given)
    start, end = bounds[0] or 0, bounds[1]
    if start < 0 or (end is not None and end >= 0):
        return Cut(receiver, None, None, place, given)
    return Cut(receiver, start, -end if end is not None else 0, place, given)


def _list_item(receiver: ListValue, key: Value) -> Value:
    if isinstance(key, Const) and isinstance(key.value, int) and not isinstance(key.value, bool):
        if not receiver.exact:
            return receiver.element
        values = receiver.values
        try:
            return values[key.value]
        except IndexError:
            return UNKNOWN
    if isinstance(key, SliceValue):
        chosen = key.apply(receiver.values) if receiver.exact else None
        return list_of(receiver.kind, receiver.element) if chosen is None else make_list(receiver.kind, chosen)
    return receiver.element if receiver.items or not receiver.exact else UNKNOWN


def _dict_item(receiver: DictValue, key: Value) -> Value:
    if isinstance(key, Const) and key.soft and len(receiver.items) > 1:
        # Another run may ask for another key.
        return join_all([*receiver.items.values(), *receiver.facts.values()])
    if isinstance(key, Const):
        found = receiver.items.get(key.value)
        if found is not None:
            return found
        return receiver.facts.get("element", UNKNOWN)
    if receiver.items and "open" not in receiver.facts:
        return join_all(receiver.items.values())
    return receiver.facts.get("element", UNKNOWN)


def set_item(machine: Machine, receiver: Value, key: Value, value: Value) -> None:
    """`receiver[key] = value`."""
    if isinstance(receiver, DictValue):
        if isinstance(key, Const) and _hashable(key.value):
            machine.store.write(receiver.items, key.value, value)
            receiver.places.pop(key.value, None)
        else:
            machine.store.write(receiver.facts, "open", UNKNOWN)
            element = receiver.facts.get("element")
            machine.store.write(receiver.facts, "element", value if element is None else join_all([element, value]))
    elif isinstance(receiver, ListValue):
        if (
            isinstance(key, Const)
            and isinstance(key.value, int)
            and receiver.exact
            and 0 <= key.value < len(receiver.items)
        ):
            machine.store.write(receiver.items, key.value, value)
        else:
            blur_list(machine, receiver, value)
    else:
        hooks.set_item(machine, receiver, key, value)


def append(machine: Machine, receiver: ListValue, value: Value) -> None:
    """Add one item; in a loop of unknown length the list's length becomes unknown."""
    if receiver.exact and not machine.open_loops:
        machine.store.write(receiver.items, max(receiver.items, default=-1) + 1, value)
    else:
        blur_list(machine, receiver, value)


def blur_list(machine: Machine, receiver: ListValue, value: Value) -> None:
    """Let `value` be among the items, the length be unknown."""
    known = [receiver.facts["element"]] if not receiver.exact else receiver.values
    element = join_all([*known, value]) if known else value
    machine.store.write(receiver.facts, "element", element)
    for index in list(receiver.items):
        machine.store.remove(receiver.items, index)


def update_dict(machine: Machine, target: DictValue, source: Value) -> None:
    """`target.update(source)` or `**source` inside a dictionary display."""
    if isinstance(source, EncodingValue):
        source = source.columns
    if isinstance(source, DictValue):
        for key, value in source.items.items():
            target.places.pop(key, None)
            if key not in source.unsure:
                machine.store.write(target.items, key, value)
                if key in source.places:
                    target.places[key] = source.places[key]
            elif key not in target.items:
                machine.store.write(target.items, key, value)
                machine.store.may_lack(target.items, key)
            else:
                machine.store.write(target.items, key, join_all([target.items[key], value]))
        for name, value in source.facts.items():
            machine.store.write(target.facts, name, value)
    elif isinstance(source, Union):
        # One of several dictionaries: what they agree on is there, the rest may be.
        dicts = [v for _, v in source.alternatives if isinstance(v, DictValue)]
        if len(dicts) != len(source.alternatives):
            machine.store.write(target.facts, "open", UNKNOWN)
        for one in dicts:
            for key, value in one.items.items():
                if all(key in other.items for other in dicts):
                    machine.store.write(target.items, key, value)
                else:
                    machine.store.write(target.facts, "open", UNKNOWN)
    else:
        # Any key may have been added, and any value replaced.
        machine.store.write(target.facts, "open", UNKNOWN)
        for key in list(target.items):
            machine.store.write(target.items, key, UNKNOWN)


def contains(container: Value, item: Value) -> bool | None:
    """`item in container`, None if it is not decided."""
    if not isinstance(item, Const) or item.soft:
        return None
    if isinstance(container, DictValue):
        if _hashable(item.value) and item.value in container.items:
            return True
        return None if container.open else False
    if isinstance(container, ListValue) and container.exact:
        values = container.values
        if all(isinstance(v, Const) and not v.soft for v in values):
            return any(isinstance(v, Const) and v.value == item.value for v in values)
    if isinstance(container, Const) and isinstance(container.value, str) and isinstance(item.value, str):
        return None if container.soft else item.value in container.value
    return None


def _hashable(value: Any) -> bool:
    return isinstance(value, str | int | float | bool | bytes) or value is None


def assign_target(machine: Machine, target: cst.BaseExpression, value: Value, scope: Scope) -> None:
    """Bind a value to a name, attribute, item, or a pattern of them."""
    if isinstance(target, cst.Name):
        machine.store.write(scope.holder(target.value).names, target.value, value)
    elif isinstance(target, cst.Tuple | cst.List):
        _unpack(machine, target, value, scope)
    elif isinstance(target, cst.Attribute):
        receiver = machine.evaluate(machine, target.value, scope)
        machine.modules.files.origins.note(Place(scope.unit, target), value)
        attributes.set_attribute(machine, receiver, target.attr.value, value, target, scope)
    elif isinstance(target, cst.Subscript):
        receiver = machine.evaluate(machine, target.value, scope)
        machine.modules.files.origins.note(Place(scope.unit, target), value)
        index = target.slice[0].slice if len(target.slice) == 1 else None
        key = machine.evaluate(machine, index.value, scope) if isinstance(index, cst.Index) else UNKNOWN
        for _, one in alternatives(receiver, machine.guards):
            set_item(machine, one, key, value)
            named = one.columns if isinstance(one, EncodingValue) else one
            if isinstance(named, DictValue) and isinstance(key, Const) and isinstance(key.value, str):
                named.places[key.value] = Place(scope.unit, target)


def delete_item(machine: Machine, target: cst.Subscript, scope: Scope) -> None:
    """`del receiver[key]`."""
    receiver = machine.evaluate(machine, target.value, scope)
    index = target.slice[0].slice if len(target.slice) == 1 else None
    key = machine.evaluate(machine, index.value, scope) if isinstance(index, cst.Index) else UNKNOWN
    for _, one in alternatives(receiver, machine.guards):
        named = one.columns if isinstance(one, EncodingValue) else one
        if isinstance(named, DictValue):
            remove_key(machine, named, key)


def remove_key(machine: Machine, receiver: DictValue, key: Value) -> None:
    """Take a key out of a dictionary; one that is not known may be any of them."""
    if isinstance(key, Const) and not key.soft:
        if _hashable(key.value) and key.value in receiver.items:
            machine.store.remove(receiver.items, key.value)
        return
    for name in list(receiver.items):
        machine.store.remove(receiver.items, name)
    if "tokenizer" in receiver.facts:
        machine.store.remove(receiver.facts, "tokenizer")
    machine.store.write(receiver.facts, "open", UNKNOWN)


def _unpack(machine: Machine, target: cst.Tuple | cst.List, value: Value, scope: Scope) -> None:
    elements = target.elements
    starred = [i for i, e in enumerate(elements) if isinstance(e, cst.StarredElement)]
    parts = _parts(machine, value, len(elements))
    if starred and isinstance(value, ListValue) and value.exact and len(value.items) >= len(elements) - 1:
        before, after = starred[0], len(elements) - starred[0] - 1
        values = value.values
        middle = make_list("list", values[before : len(values) - after])
        parts = [*values[:before], middle, *values[len(values) - after :]]
    elif starred:
        parts = [list_of("list", UNKNOWN) if i in starred else UNKNOWN for i in range(len(elements))]
    for element, part in zip(elements, parts, strict=True):
        assign_target(machine, element.value, part, scope)


def _parts(machine: Machine, value: Value, count: int) -> list[Value]:
    if isinstance(value, Union):
        rows = [_parts(machine, v, count) for _, v in value.alternatives]
        guards = [g for g, _ in value.alternatives]
        return [make_union(zip(guards, column, strict=True)) for column in zip(*rows, strict=True)]
    if isinstance(value, ListValue):
        if value.exact and len(value.items) == count:
            return value.values
        return [value.element if not value.exact else UNKNOWN] * count
    if isinstance(value, DictValue) and not value.open and len(value.items) == count:
        return [Const(k) for k in value.items]
    hooked = hooks.unpacked(value, count)
    if hooked is not None:
        return hooked
    if isinstance(value, Array):
        return [one_of(value)] * count
    return [value if isinstance(value, ClassId) else UNKNOWN] * count
