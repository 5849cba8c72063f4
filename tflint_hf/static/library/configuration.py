"""Where settings come from: argparse and its like, data classes, the environment, functools.partial."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tflint_hf.static import attributes, calls
from tflint_hf.static.arguments import Arguments
from tflint_hf.static.calls import LibraryCall
from tflint_hf.static.library import hooks
from tflint_hf.static.library.containers import first
from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.values import (
    UNKNOWN,
    Class,
    Const,
    DictValue,
    External,
    Instance,
    ListValue,
    Partial,
    Value,
    make_list,
    text_of,
)

if TYPE_CHECKING:
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope
    from tflint_hf.trace.places import Place


@path("functools.partial")
def _partial(call: LibraryCall) -> Value:
    if not call.rest or call.open:
        return UNKNOWN
    site = call.site
    places: dict[int | str, tuple[Place, Place]] = {}
    for name, whole in site.arguments.items():
        number = name.removeprefix("#")
        key = name if number == name else int(number) - 1
        if key != -1:
            places[key] = (whole, site.values[name])
    return Partial(call.rest[0], tuple(call.rest[1:]), dict(call.given), places)


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
        return UNKNOWN if value.value is None else Const(value.value, True, value.place)
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
                return Const(int(default.value), True, default.place)
            if kind.path == "builtins.float":
                return Const(float(default.value), True, default.place)
        except ValueError:
            return UNKNOWN
    return soften(default)


@method(Parser, "set_defaults")
def _set_defaults(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, Parser)
    for name, value in call.given.items():
        call.machine.store.write(call.receiver.options, name, soften(value))
    return UNKNOWN


@method(Parser, "parse_args", "parse_intermixed_args", "parse_known_args")
def _parse_args(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, Parser)
    given = call.get("args") or (call.rest[0] if call.rest else None)
    options = dict(call.receiver.options)
    if given is not None and not (isinstance(given, Const) and given.value is None):
        options = _overridden(options, given)
    parsed = Namespace(options)
    return make_list("tuple", [parsed, UNKNOWN]) if call.path == "parse_known_args" else parsed


def _overridden(options: dict[str, Value], given: Value) -> dict[str, Value]:
    """The options after a list of arguments written in the program, as notebooks do."""
    words = [text_of(v) for v in given.values] if isinstance(given, ListValue) and given.exact else None
    if words is None or any(word is None for word in words):
        return dict.fromkeys(options, UNKNOWN)
    for position, word in enumerate(words):
        if word is not None and word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            following = words[position + 1] if position + 1 < len(words) else None
            if not equals:
                value = following if following is not None and not following.startswith("--") else "True"
            options[name.replace("-", "_")] = _read_literal(value)
    return options


def _read_literal(text: str) -> Value:
    for read in (int, float):
        try:
            return Const(read(text))
        except ValueError:
            continue
    return Const({"True": True, "False": False}.get(text, text))


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


@path("json.loads", "yaml.safe_load")
def _parse_text(call: LibraryCall) -> Value:
    """A configuration written as a JSON text in the program."""
    text = text_of(first(call))
    if text is None:
        return UNKNOWN
    try:
        return _of_json(json.loads(text))
    except (ValueError, RecursionError):
        return UNKNOWN


def _of_json(data: Any) -> Value:
    if isinstance(data, dict):
        return DictValue({key: _of_json(item) for key, item in data.items()})
    if isinstance(data, list):
        return make_list("list", map(_of_json, data))
    return Const(data)


@path("subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen",
      "os.system", "os.popen")  # fmt: skip
def _shell(call: LibraryCall) -> Value:
    """A program that installs what it needs says for which releases it is."""
    command = call.get("args") or call.get("command") or first(call)
    words = [text_of(v) or "python" for v in command.values] if isinstance(command, ListValue) and command.exact else []
    text = text_of(command) or " ".join(words)
    if "pip" in text and "install" in text:
        call.machine.installs.append(text)
    return UNKNOWN
