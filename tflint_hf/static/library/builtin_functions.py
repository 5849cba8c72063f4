"""Built-in functions, as far as training programs rest on them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from tflint_hf.static import amounts, attributes, calls, items, uses
from tflint_hf.static.arguments import Arguments
from tflint_hf.static.calls import LibraryCall
from tflint_hf.static.library.array_labels import labels_of
from tflint_hf.static.library.configuration import Namespace
from tflint_hf.static.library.containers import first
from tflint_hf.static.library.hooks import path
from tflint_hf.static.values import (
    UNKNOWN,
    Array,
    ClassId,
    Const,
    DictValue,
    EncodingValue,
    Ending,
    External,
    Instance,
    Length,
    ListValue,
    Part,
    Spot,
    Value,
    join_all,
    list_of,
    make_list,
    order_of_set,
    text_of,
    view_of,
)
from tflint_hf.trace.objects import LabelEncoding, Prediction


@path("builtins.len")
def _len(call: LibraryCall) -> Value:
    value = first(call)
    if isinstance(value, ListValue) and value.exact:
        return Const(len(value.items))
    if isinstance(value, DictValue) and not value.open:
        return Const(len(value.items))
    if isinstance(value, Const) and isinstance(value.value, str):
        return Const(len(value.value), value.soft)
    return Length(value)


@path("builtins.range")
def _range(call: LibraryCall) -> Value:
    numbers: list[Any] = [v.value if isinstance(v, Const) and not v.soft else None for v in call.rest]
    if numbers and all(isinstance(n, int) for n in numbers):
        rounds: range = range(*numbers)
        if len(rounds) <= 16:
            return make_list("list", (Const(n) for n in rounds))
    return list_of("list", UNKNOWN)


@path("builtins.list", "builtins.tuple", "builtins.set", "builtins.frozenset", "builtins.sorted", "builtins.reversed")
def _to_list(call: LibraryCall) -> Value:
    name = call.path.rpartition(".")[2]
    kind = name if name in {"list", "tuple", "set"} else "set" if name == "frozenset" else "list"
    if not call.rest:
        return make_list(kind, [])
    value = first(call)
    made = _as_list(call, name, kind, value)
    if isinstance(made, ListValue) and name in {"list", "tuple", "set", "frozenset"}:
        # Where a list is made of a set, that is the call to change.
        place = call.place if name in {"list", "tuple"} else call.site.place
        from_set = order_of_set(value, place)
        if kind == "set" and _holds_texts(value):
            made.facts["unordered"] = Spot(place)
        elif from_set is not None:
            made.facts["unordered"] = Spot(place, from_set.supposed)
    return made


def _holds_texts(value: Value) -> bool:
    """Whether there are texts in a list or column, and at least two of them."""
    if isinstance(value, Array):
        labels = labels_of(value)
        return labels is not None and labels.encoding is LabelEncoding.TEXT
    if not isinstance(value, ListValue) or not value.exact:
        return False
    return len({text for v in value.values if (text := text_of(v)) is not None}) > 1


def _as_list(call: LibraryCall, name: str, kind: str, value: Value) -> Value:
    if isinstance(value, Array):
        return list_of("set", UNKNOWN) if kind == "set" and _holds_texts(value) else replace(value, holder=None)
    if isinstance(value, Const) and isinstance(value.value, str):
        return make_list(kind, (Const(c) for c in value.value))
    if isinstance(value, DictValue) and not value.open:
        return make_list(kind, (Const(k) for k in value.items))
    if isinstance(value, ListValue):
        if not value.exact:
            return list_of(kind, value.element)
        values = value.values
        if name in {"set", "frozenset"}:
            constants = [v.value for v in values if isinstance(v, Const) and isinstance(v.value, str | int | float)]
            known = dict.fromkeys(constants)
            return make_list(kind, map(Const, known)) if len(constants) == len(values) else list_of(kind, value.element)
        if name == "reversed":
            values = values[::-1]
        if name == "sorted":
            return _sorted(call, values)
        return make_list(kind, values)
    rounds, exact = items.iterate(call.machine, value, call.node, call.scope)
    return make_list(kind, rounds) if exact else list_of(kind, join_all(rounds))


def _sorted(call: LibraryCall, values: list[Value]) -> Value:
    constants = [v.value for v in values if isinstance(v, Const)]
    if len(constants) != len(values) or call.given:
        return list_of("list", join_all(values)) if values else make_list("list", [])
    try:
        return make_list("list", map(Const, sorted(constants)))
    except TypeError:
        return list_of("list", join_all(values))


@path("builtins.dict")
def _dict(call: LibraryCall) -> Value:
    result = DictValue()
    if call.rest:
        source = first(call)
        if isinstance(source, EncodingValue):
            columns = DictValue(source.columns.items, dict(source.columns.facts))
            columns.items.update(call.given)
            return EncodingValue(columns, source.encoding, source.dataset, as_dict=True)
        if isinstance(source, ListValue):
            for pair in source.values:
                if isinstance(pair, ListValue) and pair.exact and len(pair.items) == 2:
                    items.set_item(call.machine, result, *pair.values)
            if not source.exact:
                element = source.element
                result.facts["open"] = UNKNOWN
                if isinstance(element, ListValue) and element.exact and len(element.items) == 2:
                    result.facts["element"] = element.values[1]
        else:
            items.update_dict(call.machine, result, source)
    for name, value in call.given.items():
        result.items[name] = value
        if name in call.site.arguments:
            result.places[name] = call.site.arguments[name]
    if call.open:
        result.facts["open"] = UNKNOWN
    return result


@path("builtins.enumerate")
def _enumerate(call: LibraryCall) -> Value:
    rounds, exact = items.iterate(call.machine, first(call), call.node, call.scope)
    spot = order_of_set(first(call), call.site.values.get("iterable") or call.site.values.get("#0"))
    if spot is not None:
        number = ClassId(len(rounds) if exact else None, "the numbers of a set", spot.place, spot.supposed)
        pairs = [make_list("tuple", [number, v]) for v in rounds]
        return make_list("list", pairs) if exact else list_of("list", join_all(pairs))
    if exact:
        return make_list("list", (make_list("tuple", [Const(i), v]) for i, v in enumerate(rounds)))
    return list_of("list", make_list("tuple", [UNKNOWN, join_all(rounds)]))


@path("builtins.zip")
def _zip(call: LibraryCall) -> Value:
    if call.open:
        return list_of("list", list_of("tuple", UNKNOWN))
    columns = [items.iterate(call.machine, v, call.node, call.scope) for v in call.rest]
    if columns and all(exact for _, exact in columns):
        rows = zip(*(rounds for rounds, _ in columns), strict=False)
        return make_list("list", (make_list("tuple", row) for row in rows))
    return list_of("list", make_list("tuple", (join_all(rounds) for rounds, _ in columns)))


@path("builtins.map")
def _map(call: LibraryCall) -> Value:
    if len(call.rest) < 2:
        return UNKNOWN
    rounds, exact = items.iterate(call.machine, call.rest[1], call.node, call.scope)
    if len(call.rest) > 2 or len(rounds) > 16:
        return list_of("list", UNKNOWN)
    loops, call.machine.open_loops = call.machine.open_loops, call.machine.open_loops + (not exact)
    values = [calls.call(call.machine, call.rest[0], Arguments([v]), call.node, call.scope) for v in rounds]
    call.machine.open_loops = loops
    return make_list("list", values) if exact else list_of("list", join_all(values))


@path("builtins.filter", "random.sample", "random.choices")
def _filter(call: LibraryCall) -> Value:
    value = call.rest[1] if len(call.rest) > 1 and call.path == "builtins.filter" else first(call)
    return list_of("list", items.element_of(call.machine, value))


@path("builtins.int", "builtins.float", "builtins.round", "builtins.abs")
def _number(call: LibraryCall) -> Value:
    value = first(call)
    if isinstance(value, Const) and isinstance(value.value, int | float | str):
        try:
            kind: Any = {"int": int, "float": float, "round": round, "abs": abs}[call.path.rpartition(".")[2]]
            number = kind(value.value)
            return value if type(number) is type(value.value) and number == value.value else Const(number, value.soft)
        except (TypeError, ValueError, OverflowError):
            return UNKNOWN
    if call.path in {"builtins.int", "builtins.round"} and len(call.rest) == 1:
        whole = amounts.rounded(value)
        if whole is not None:
            return whole
    if isinstance(value, ClassId) or (call.path == "builtins.float" and isinstance(calls.fact(value), Prediction)):
        return value
    if call.path == "builtins.round" and len(call.rest) == 1:
        uses.read_as_probability(call.machine, value, call.node, call.scope)
    return amounts.some_number(whole=False) if call.path == "builtins.float" else UNKNOWN


@path("math.ceil", "math.floor", "math.trunc")
def _whole_number(call: LibraryCall) -> Value:
    value = first(call)
    if isinstance(value, Const) and isinstance(value.value, int | float):
        return Const(getattr(math, call.path.rpartition(".")[2])(value.value), value.soft)
    return amounts.rounded(value) or UNKNOWN


@path("builtins.str")
def _str(call: LibraryCall) -> Value:
    value = first(call)
    if isinstance(value, Ending):
        return value
    return Const(str(value.value), value.soft) if isinstance(value, Const) else UNKNOWN


@path("builtins.bool")
def _bool(call: LibraryCall) -> Value:
    value = first(call)
    return Const(bool(value.value), value.soft) if isinstance(value, Const) else UNKNOWN


@path("builtins.min", "builtins.max")
def _extreme(call: LibraryCall) -> Value:
    values = call.rest if len(call.rest) > 1 else first(call).values if isinstance(first(call), ListValue) else []  # type: ignore[attr-defined]
    numbers = [v.value for v in values if isinstance(v, Const) and isinstance(v.value, int | float)]
    if not numbers or len(numbers) != len(values) or (len(call.rest) == 1 and not first(call).exact):  # type: ignore[attr-defined]
        return UNKNOWN
    return Const(min(numbers) if call.path.endswith("min") else max(numbers))


@path("builtins.getattr")
def _getattr(call: LibraryCall) -> Value:
    if len(call.rest) < 2:
        return UNKNOWN
    name = text_of(call.rest[1])
    if name is None:
        owner = attributes.as_model(call.rest[0])
        return UNKNOWN if owner is None else Part(owner, "?")
    return attributes.get_attribute(call.machine, call.rest[0], name, call.node, call.scope)


@path("builtins.setattr")
def _setattr(call: LibraryCall) -> Value:
    if len(call.rest) == 3:
        name = text_of(call.rest[1])
        if name is not None:
            attributes.set_attribute(call.machine, call.rest[0], name, call.rest[2], call.node, call.scope)
    return Const(None)


@path("builtins.vars")
def _vars(call: LibraryCall) -> Value:
    value = first(call)
    if isinstance(value, Namespace):
        return view_of(value.names)
    return view_of(value.attributes) if isinstance(value, Instance) else UNKNOWN


@path("builtins.next", "builtins.iter", "copy.copy", "copy.deepcopy")
def _pass_on(call: LibraryCall) -> Value:
    value = first(call)
    if call.path.endswith("next"):
        rounds, _ = items.iterate(call.machine, value, call.node, call.scope)
        return join_all(rounds[:1])
    return value


@path("builtins.isinstance", "builtins.hasattr")
def _kind_of(call: LibraryCall) -> Value:
    """The output object of a model is a dictionary with attributes; of other values nothing is said."""
    if len(call.rest) < 2 or uses.output_of(call.rest[0]) is None:
        return UNKNOWN
    asked = call.rest[1]
    if call.path.endswith("isinstance"):
        kinds = {"builtins.dict": True, "numpy.ndarray": False, "tensorflow.Tensor": False, "builtins.tuple": False}
        known = kinds.get(asked.path) if isinstance(asked, External) else None
        if isinstance(asked, External) and (asked.last.endswith("Output") or asked.last == "ModelOutput"):
            known = True
        return UNKNOWN if known is None else Const(known)
    return Const(True) if text_of(asked) == "logits" else UNKNOWN


@path("builtins.__import__", "importlib.import_module")
def _import_by_name(call: LibraryCall) -> Value:
    name = text_of(first(call))
    return External(name) if name is not None else UNKNOWN


@path("builtins.print", "builtins.display", "builtins.type", "builtins.open")
def _read_only(_call: LibraryCall) -> Value:
    return UNKNOWN


@path("sys.exit", "builtins.exit", "builtins.quit", "os._exit")
def _exit(_call: LibraryCall) -> Value:
    return External("sys.exit()")
