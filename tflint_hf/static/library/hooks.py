"""The tables through which the reader reaches the models of libraries.

A handler is registered for a dotted path (`keras.Model.compile`), a path with a wildcard for its last part
(`keras.layers.*`), or a method of a kind of value. Handlers get a LibraryCall and return a value.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from tflint_hf.knowledge import signature
from tflint_hf.static.values import UNKNOWN, Bound, External, Fact, Instance, ModelValue, Part, Value
from tflint_hf.trace.objects import Keras

if TYPE_CHECKING:
    import libcst as cst

    from tflint_hf.static.arguments import Arguments
    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope

Handler = Callable[["LibraryCall"], Value | None]
H = TypeVar("H", bound=Callable[..., Any])

BUILTINS = frozenset(dir(builtins)) | {"display", "get_ipython"}

_PATHS: dict[str, tuple[Handler, str]] = {}
_METHODS: dict[tuple[type, str], tuple[Handler, str]] = {}
_ATTRIBUTES: dict[type, Callable[[Machine, Any, str, Any, Scope], Value | None]] = {}
_SET_ATTRIBUTES: dict[type, Callable[[Machine, Any, str, Value, Any, Scope], None]] = {}
_ITEMS: dict[type, Callable[[Machine, Any, Value, Any, Scope], Value | None]] = {}
_SET_ITEMS: dict[type, Callable[[Machine, Any, Value, Value], None]] = {}
_ITERATED: dict[type, Callable[[Any], Value | None]] = {}
_UNPACKED: dict[type, Callable[[Any, int], list[Value] | None]] = {}
_DISCARDED: dict[type, Callable[[LibraryCall, Value], None]] = {}
_ESCAPES: list[Callable[..., None]] = []
_SUBCLASS: dict[str, Callable[..., Any]] = {}


def path(*names: str, signature: str = "") -> Callable[[H], H]:
    """Register the handler of calls to these dotted paths."""

    def register(handler: H) -> H:
        for name in names:
            _PATHS[name] = (handler, signature or ("" if name.endswith("*") else name))
        return handler

    return register


def method(kind: type, *names: str, signature: str = "") -> Callable[[H], H]:
    """Register the handler of a method; `kind` is a value class or the class of a Fact's data."""

    def register(handler: H) -> H:
        for name in names:
            _METHODS[kind, name] = (handler, signature)
        return handler

    return register


def _table(table: dict[type, Any], kinds: tuple[type, ...]) -> Callable[[H], H]:
    def register(handler: H) -> H:
        for kind in kinds:
            table[kind] = handler
        return handler

    return register


def attribute_of(*kinds: type) -> Callable[[H], H]:
    return _table(_ATTRIBUTES, kinds)


def set_attribute_of(*kinds: type) -> Callable[[H], H]:
    return _table(_SET_ATTRIBUTES, kinds)


def item_of(*kinds: type) -> Callable[[H], H]:
    return _table(_ITEMS, kinds)


def set_item_of(*kinds: type) -> Callable[[H], H]:
    return _table(_SET_ITEMS, kinds)


def iterated_as(*kinds: type) -> Callable[[H], H]:
    return _table(_ITERATED, kinds)


def unpacked_as(*kinds: type) -> Callable[[H], H]:
    return _table(_UNPACKED, kinds)


def discarded_from(*kinds: type) -> Callable[[H], H]:
    """Register what happens when a statement is nothing but the call of a method of these kinds."""
    return _table(_DISCARDED, kinds)


def escape(handler: H) -> H:
    """Register what happens to values handed to code that the reader does not know."""
    _ESCAPES.append(handler)
    return handler


def subclass(stage: str) -> Callable[[H], H]:
    """Register what happens when a class of the program that derives from a library's is made."""

    def register(handler: H) -> H:
        _SUBCLASS[stage] = handler
        return handler

    return register


# Lookups


def _kind(value: Value | None) -> type:
    return type(value.data) if isinstance(value, Fact) else type(value)


def find_handler(name: str, receiver: Value | None) -> tuple[Handler | None, str]:
    """The handler of a call and the name that its parameters are looked up by."""
    if receiver is not None:
        if isinstance(receiver, Instance) and receiver.model is not None:
            receiver = receiver.model
        kind = _kind(receiver)
        return _METHODS.get((kind, name)) or _METHODS.get((kind, "*")) or (None, "")
    found = _PATHS.get(name)
    if found is not None:
        return found
    parent, _, last = name.rpartition(".")
    while parent:
        found = _PATHS.get(f"{parent}.*")
        if found is not None:
            return found[0], found[1] or name
        parent = parent.rpartition(".")[0]
    return None, last


def parameter_names(machine: Machine, name: str, *, keras_3: bool = False) -> tuple[str, ...]:
    """The positional parameters of a library call, for the target's versions."""
    if not name:
        return ()
    return signature(name, machine.versions_with_keras_3 if keras_3 else machine.versions)


def is_keras_3(callee: External | None, receiver: Value | None) -> bool:
    """Whether a call is one of Keras 3."""
    model = receiver.model if isinstance(receiver, Instance) else receiver
    origin = callee.origin if callee is not None else model.model.keras if isinstance(model, ModelValue) else None
    return origin is not None and origin.keras is Keras.KERAS_3


def get_attribute(machine: Machine, receiver: Value, name: str, node: cst.CSTNode, scope: Scope) -> Value:
    kind = _kind(receiver)
    handler = _ATTRIBUTES.get(kind)
    found = handler(machine, receiver, name, node, scope) if handler is not None else None
    if found is not None:
        return found
    return Bound(receiver, name) if receiver.known else UNKNOWN


def set_attribute(machine: Machine, receiver: Value, name: str, value: Value, node: Any, scope: Scope) -> None:
    handler = _SET_ATTRIBUTES.get(_kind(receiver))
    if handler is not None:
        handler(machine, receiver, name, value, node, scope)


def get_item(machine: Machine, receiver: Value, key: Value, node: cst.CSTNode, scope: Scope) -> Value:
    handler = _ITEMS.get(_kind(receiver))
    found = handler(machine, receiver, key, node, scope) if handler is not None else None
    return UNKNOWN if found is None else found


def set_item(machine: Machine, receiver: Value, key: Value, value: Value) -> None:
    handler = _SET_ITEMS.get(_kind(receiver))
    if handler is not None:
        handler(machine, receiver, key, value)


def iterated(value: Value) -> Value | None:
    """Any item of a library's iterable."""
    handler = _ITERATED.get(_kind(value))
    return handler(value) if handler is not None else None


def unpacked(value: Value, count: int) -> list[Value] | None:
    """The parts of a library's tuple."""
    handler = _UNPACKED.get(_kind(value))
    return handler(value, count) if handler is not None else None


def discarded(call: LibraryCall, result: Value) -> None:
    """Nobody keeps what a method returned."""
    handler = _DISCARDED.get(_kind(call.receiver))
    if handler is not None:
        handler(call, result)


def part_attribute(_machine: Machine, receiver: Part, name: str) -> Value:
    """`model.bert.encoder`: a part of a part, or a method of one."""
    return Part(receiver.owner, f"{receiver.path}.{name}" if receiver.path else name)


def unknown_call(
    machine: Machine,
    name: str,
    receiver: Value | None,
    positional: Sequence[Value],
    keywords: Mapping[str, Value],
    node: cst.CSTNode,
    scope: Scope,
    group: int,
) -> None:
    """Something the reader has no model of is called: its arguments may be read or changed there."""
    for handler in _ESCAPES:
        handler(machine, name, receiver, positional, keywords, node, scope, group)


def subclass_made(machine: Machine, instance: Instance, node: cst.CSTNode, scope: Scope) -> None:
    _SUBCLASS["made"](machine, instance, node, scope)


def subclass_ready(machine: Machine, instance: Instance, node: cst.CSTNode, scope: Scope) -> None:
    _SUBCLASS["ready"](machine, instance, node, scope)


def library_subclass(
    machine: Machine, instance: Instance, arguments: Arguments, node: cst.CSTNode, scope: Scope
) -> Value:
    """A class of the program without its own __init__, derived from a library's class."""
    result = _SUBCLASS["bare"](machine, instance, arguments, node, scope)
    return result if isinstance(result, Value) else instance
