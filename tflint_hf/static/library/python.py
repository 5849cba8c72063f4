"""Built-ins and the standard library, as far as training programs rest on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tflint_hf.static import attributes, calls, items
from tflint_hf.static.calls import Arguments, LibraryCall
from tflint_hf.static.library import hooks
from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.values import (
    UNKNOWN,
    Array,
    Class,
    ClassId,
    Const,
    DictValue,
    EncodingValue,
    External,
    Instance,
    Length,
    ListValue,
    ModelValue,
    Partial,
    Value,
    join_all,
    list_of,
    make_list,
    text_of,
)

if TYPE_CHECKING:
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope


def first(call: LibraryCall) -> Value:
    """The first positional argument."""
    return call.rest[0] if call.rest else UNKNOWN


# Built-in functions


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
    numbers = [v.value if isinstance(v, Const) and not v.soft else None for v in call.rest]
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
    if isinstance(value, Array):
        return value
    if isinstance(value, Const) and isinstance(value.value, str):
        return make_list(kind, (Const(c) for c in value.value))
    if isinstance(value, DictValue) and not value.open:
        return make_list(kind, (Const(k) for k in value.items))
    if isinstance(value, ListValue):
        if not value.exact:
            return list_of(kind, value.element)
        values = value.values
        if name in {"set", "frozenset"}:
            known = {v.value for v in values if isinstance(v, Const) and isinstance(v.value, str | int | float)}
            return make_list(kind, map(Const, known)) if len(known) == len(values) else list_of(kind, value.element)
        if name == "reversed":
            values = values[::-1]
        return make_list(kind, values)
    rounds, exact = items.iterate(call.machine, value, call.node, call.scope)
    return make_list(kind, rounds) if exact else list_of(kind, join_all(rounds))


@path("builtins.dict")
def _dict(call: LibraryCall) -> Value:
    result = DictValue()
    if call.rest:
        source = first(call)
        if isinstance(source, EncodingValue):
            columns = DictValue({**source.columns.items, **call.given}, dict(source.columns.facts))
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
    if exact:
        return make_list("list", (make_list("tuple", [Const(i), v]) for i, v in enumerate(rounds)))
    return list_of("list", make_list("tuple", [UNKNOWN, join_all(rounds)]))


@path("builtins.zip")
def _zip(call: LibraryCall) -> Value:
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
    values = [calls.call(call.machine, call.rest[0], Arguments([v]), call.node, call.scope) for v in rounds]
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
            return Const(kind(value.value), value.soft)
        except (TypeError, ValueError, OverflowError):
            return UNKNOWN
    return value if isinstance(value, ClassId) else UNKNOWN


@path("builtins.str")
def _str(call: LibraryCall) -> Value:
    value = first(call)
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
        return UNKNOWN
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
        return DictValue(dict(value.names))
    return DictValue(dict(value.attributes)) if isinstance(value, Instance) else UNKNOWN


@path("builtins.next", "builtins.iter", "copy.copy", "copy.deepcopy")
def _pass_on(call: LibraryCall) -> Value:
    value = first(call)
    if call.path.endswith("next"):
        rounds, _ = items.iterate(call.machine, value, call.node, call.scope)
        return join_all(rounds[:1])
    return value


@path("builtins.print", "builtins.display", "builtins.isinstance", "builtins.hasattr", "builtins.type", "builtins.open")
def _read_only(_call: LibraryCall) -> Value:
    return UNKNOWN


@path("sys.exit", "builtins.exit", "builtins.quit", "os._exit")
def _exit(_call: LibraryCall) -> Value:
    return External("sys.exit()")


# Lists, dictionaries, strings


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
    if not receiver.exact or not receiver.items:
        return UNKNOWN
    wanted = first(call)
    if isinstance(wanted, Const):
        for position, value in enumerate(receiver.values):
            if isinstance(value, Const) and value.value == wanted.value:
                return Const(position)
    return ClassId(len(receiver.items), f"the {len(receiver.items)} names that labels are looked up in")


@method(ListValue, "copy", "sort", "reverse")
def _copy_list(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, ListValue)
    if call.path != "copy":
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
        call.machine.store.write(call.receiver.items, name, value)
    return Const(None)


@method(DictValue, "pop")
def _pop_key(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, DictValue)
    key = first(call)
    if isinstance(key, Const) and key.value in call.receiver.items:
        value = call.receiver.items[key.value]
        call.machine.store.remove(call.receiver.items, key.value)
        return value
    return UNKNOWN


@method(DictValue, "copy")
def _copy_dict(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, DictValue)
    return DictValue(dict(call.receiver.items), dict(call.receiver.facts))


@method(Const, "lower", "upper", "strip", "title", "format", "replace", "split", "join")
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


# functools, dataclasses, os, types


@path("functools.partial")
def _partial(call: LibraryCall) -> Value:
    if not call.rest or call.open:
        return UNKNOWN
    return Partial(call.rest[0], tuple(call.rest[1:]), dict(call.given))


@path("dataclasses.field", "attrs.field", "attr.ib", "pydantic.Field")
def _field(call: LibraryCall) -> Value:
    default = call.get("default") or (call.rest[0] if call.rest else None)
    if default is not None:
        return default
    factory = call.get("default_factory") or call.get("factory")
    if factory is None:
        return UNKNOWN
    return calls.call(call.machine, factory, Arguments(), call.node, call.scope)


@path("os.getenv", "os.environ.get")
def _getenv(call: LibraryCall) -> Value:
    default = call.rest[1] if len(call.rest) > 1 else call.get("default")
    return Const(default.value, soft=True) if isinstance(default, Const) and default.value is not None else UNKNOWN


def _set_environment(machine: Machine, key: Value, value: Value) -> None:
    if text_of(key) == "TF_USE_LEGACY_KERAS":
        machine.keras.environment(text_of(value))


@path("os.environ.setdefault", "os.putenv", "os.environ.__setitem__")
def _setdefault(call: LibraryCall) -> Value:
    if len(call.rest) == 2:
        _set_environment(call.machine, call.rest[0], call.rest[1])
    return UNKNOWN


@path("os.environ.update")
def _update_environment(call: LibraryCall) -> Value:
    source = first(call)
    pairs = dict(call.given)
    if isinstance(source, DictValue):
        pairs.update({str(k): v for k, v in source.items.items()})
    for key, value in pairs.items():
        _set_environment(call.machine, Const(key), value)
    return UNKNOWN


@hooks.set_item_of(External)
def _external_item(machine: Machine, receiver: External, key: Value, value: Value) -> None:
    if receiver.path == "os.environ":
        _set_environment(machine, key, value)


@hooks.item_of(External)
def _environment_item(_machine: Machine, _receiver: External, _key: Value, _node: Any, _scope: Scope) -> Value:
    return UNKNOWN


# argparse and its like


@dataclass(eq=False, slots=True)
class Parser(Value):
    """An ArgumentParser: the options it knows with their defaults, or the data classes it fills."""

    options: dict[str, Value] = field(default_factory=dict)
    classes: tuple[Value, ...] = ()


@dataclass(eq=False, slots=True)
class Namespace(Value):
    """What parse_args() gives, a SimpleNamespace, or a configuration object with attributes."""

    names: dict[str, Value] = field(default_factory=dict)


def soften(value: Value) -> Value:
    """A default that the command line may replace; None says nothing."""
    if isinstance(value, Const):
        return UNKNOWN if value.value is None else Const(value.value, soft=True)
    return value


@path("argparse.ArgumentParser")
def _parser(_call: LibraryCall) -> Value:
    return Parser()


@path("transformers.HfArgumentParser")
def _hf_parser(call: LibraryCall) -> Value:
    value = call.get("dataclass_types") or first(call)
    classes = value.values if isinstance(value, ListValue) and value.exact else [value]
    return Parser(classes=tuple(classes))


@method(Parser, "add_argument_group", "add_mutually_exclusive_group", "add_subparsers", "add_parser")
def _same_parser(call: LibraryCall) -> Value:
    return call.receiver or UNKNOWN


@method(Parser, "add_argument")
def _add_argument(call: LibraryCall) -> Value:
    parser = call.receiver
    assert isinstance(parser, Parser)
    flags = [text_of(v) or "" for v in call.rest]
    long = [f for f in flags if f.startswith("--")] or flags[:1]
    dest = text_of(call.get("dest") or UNKNOWN) or (long[0].lstrip("-").replace("-", "_") if long else "")
    if dest:
        call.machine.store.write(parser.options, dest, _option_default(call))
    return UNKNOWN


def _option_default(call: LibraryCall) -> Value:
    action = text_of(call.get("action") or UNKNOWN)
    if action in {"store_true", "store_false"} and call.get("default") is None:
        return Const(action == "store_false", soft=True)
    default = call.get("default")
    if default is None:
        return UNKNOWN
    kind = call.get("type")
    if isinstance(default, Const) and isinstance(default.value, str) and isinstance(kind, External):
        try:
            if kind.path == "builtins.int":
                return Const(int(default.value), soft=True)
            if kind.path == "builtins.float":
                return Const(float(default.value), soft=True)
        except ValueError:
            return UNKNOWN
    return soften(default)


@method(Parser, "set_defaults")
def _set_defaults(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, Parser)
    for name, value in call.given.items():
        call.machine.store.write(call.receiver.options, name, soften(value))
    return UNKNOWN


@method(Parser, "parse_args", "parse_intermixed_args")
def _parse_args(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, Parser)
    return Namespace(dict(call.receiver.options))


@method(Parser, "parse_known_args")
def _parse_known_args(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, Parser)
    return make_list("tuple", [Namespace(dict(call.receiver.options)), UNKNOWN])


@method(Parser, "parse_args_into_dataclasses", "parse_json_file", "parse_dict", "parse_yaml_file")
def _into_data_classes(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, Parser)
    made: list[Value] = []
    for cls in call.receiver.classes:
        if not isinstance(cls, Class):
            made.append(UNKNOWN)
            continue
        instance = Instance(cls)
        for name in calls.field_names(cls):
            default = attributes.class_member(cls, name)
            instance.attributes[name] = UNKNOWN if default is None else soften(default)
        made.append(instance)
    return make_list("tuple", made)


@path("types.SimpleNamespace", "argparse.Namespace", "easydict.EasyDict", "ml_collections.ConfigDict")
def _namespace(call: LibraryCall) -> Value:
    names = dict(call.given)
    source = first(call)
    if isinstance(source, DictValue):
        names.update({k: v for k, v in source.items.items() if isinstance(k, str)})
    return Namespace(names)


@hooks.attribute_of(Namespace)
def _namespace_attribute(_machine: Machine, receiver: Namespace, name: str, _node: Any, _scope: Scope) -> Value:
    return receiver.names.get(name, UNKNOWN)


@hooks.set_attribute_of(Namespace)
def _set_namespace(machine: Machine, receiver: Namespace, name: str, value: Value, _node: Any, _scope: Scope) -> None:
    machine.store.write(receiver.names, name, value)


@hooks.item_of(Namespace)
def _namespace_item(_machine: Machine, receiver: Namespace, key: Value, _node: Any, _scope: Scope) -> Value:
    return receiver.names.get(text_of(key) or "", UNKNOWN)


@hooks.escape
def _model_escapes(
    machine: Machine, _name: str, _receiver: Value | None, positional: Any, keywords: Any, *_rest: Any
) -> None:
    """Code that the reader does not know may compile or change a model that it gets."""
    for value in [*positional, *keywords.values()]:
        found = attributes.as_model(value)
        if isinstance(found, ModelValue):
            machine.store.write(found.state, "escaped", Const(True))
