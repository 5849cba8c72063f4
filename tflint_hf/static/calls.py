"""Calls of functions and classes of the program, and the way into the models of libraries."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import libcst as cst

from tflint_hf.static import attributes, inputs
from tflint_hf.static.arguments import Arguments, bind_parameters, site
from tflint_hf.static.library import hooks
from tflint_hf.static.machine import MAX_CALL_DEPTH, Frame
from tflint_hf.static.scopes import Scope
from tflint_hf.static.syntax import contains_yield
from tflint_hf.static.values import (
    UNKNOWN,
    Bound,
    Class,
    Const,
    External,
    Fact,
    Function,
    Instance,
    Partial,
    Super,
    Union,
    Value,
    alternatives,
    join_all,
    list_of,
    make_union,
)
from tflint_hf.trace.guards import NO_GUARDS, Guards, compatible
from tflint_hf.trace.places import CallSite, Place

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tflint_hf.static.machine import Machine

MAX_FORKS = 6


@dataclass(eq=False, slots=True)
class LibraryCall:
    """A call of something of a library, with its arguments bound to the parameters' names.

    `given` maps parameter names to values. `open`: further arguments may have been given. `for_effect`: what the call
    does on the way may be all that it is for.
    """

    machine: Machine
    path: str
    receiver: Value | None
    callee: External | None
    given: dict[str, Value]
    rest: list[Value]
    open: bool
    site: CallSite
    node: cst.CSTNode
    scope: Scope
    group: int
    for_effect: bool = False

    def get(self, name: str, default: Value | None = None) -> Value | None:
        return self.given.get(name, default)

    @property
    def place(self) -> Place:
        return self.site.place


def call(machine: Machine, callee: Value, arguments: Arguments, node: cst.CSTNode, scope: Scope) -> Value:
    """The result of calling `callee`."""
    if isinstance(callee, Union):
        pairs = []
        for guards, one in alternatives(callee, machine.guards):
            with machine.under(guards):
                pairs.append((guards, call(machine, one, arguments, node, scope)))
        return make_union(pairs)
    if isinstance(callee, Partial):
        return call(machine, callee.function, arguments.behind(callee), node, scope)
    if isinstance(callee, Function):
        return _call_program(machine, callee, None, arguments, node, scope)
    if isinstance(callee, Class):
        return instantiate(machine, callee, arguments, node, scope)
    if isinstance(callee, Bound):
        if isinstance(callee.function, Function):
            return _call_program(machine, callee.function, callee.receiver, arguments, node, scope)
        name = callee.function if isinstance(callee.function, str) else ""
        return call_library(machine, name, callee.receiver, None, arguments, node, scope)
    if isinstance(callee, External):
        if callee.path == "builtins.super":
            return _super(arguments, scope)
        return call_library(machine, callee.path, None, callee, arguments, node, scope)
    if isinstance(callee, Instance):
        if attributes.class_member(callee.cls, "__call__") is not None and callee.model is None:
            member = attributes.class_member(callee.cls, "__call__")
            if isinstance(member, Function):
                return _call_program(machine, member, callee, arguments, node, scope)
        if callee.model is None:
            inputs.note_used(machine, *arguments.positional, *arguments.keywords.values())
            return UNKNOWN
    return call_library(machine, "__call__", callee, None, arguments, node, scope)


def _super(arguments: Arguments, scope: Scope) -> Value:
    current: Scope | None = scope
    while current is not None and current.owner is None:
        current = current.parent
    if current is None or current.owner is None or not isinstance(current.instance, Instance):
        return UNKNOWN
    return Super(current.instance, current.owner)


# Functions of the program


def _call_program(
    machine: Machine,
    function: Function,
    receiver: Value | None,
    arguments: Arguments,
    node: cst.CSTNode,
    scope: Scope,
) -> Value:
    positional = arguments.positional if receiver is None else [receiver, *arguments.positional]
    at: dict[int | str, Place] = {}
    for key in (*range(len(arguments.positional)), *arguments.keywords):
        place = arguments.place_of(key, scope)
        if place is not None:
            at[key if isinstance(key, str) or receiver is None else key + 1] = place[1]
    return call_function(
        machine, function, positional, arguments.keywords, node, scope, open_call=arguments.open, at=at
    )


def call_method(
    machine: Machine, receiver: Instance, name: str, positional: list[Value], node: cst.CSTNode, scope: Scope
) -> Value:
    member = attributes.class_member(receiver.cls, name)
    if not isinstance(member, Function):
        return UNKNOWN
    return call_function(machine, member, [receiver, *positional], {}, node, scope)


def call_function(
    machine: Machine,
    function: Function,
    positional: Sequence[Value],
    keywords: Mapping[str, Value],
    _node: cst.CSTNode,
    _scope: Scope,
    *,
    open_call: bool = False,
    at: Mapping[int | str, Place] = MappingProxyType({}),
) -> Value:
    """Execute a function of the program with these arguments; `at` says where their values are written."""
    running = sum(frame.node is function.node for frame in machine.frames)
    if machine.exhausted or running > 1 or len(machine.frames) >= MAX_CALL_DEPTH:
        inputs.note_used(machine, *positional, *keywords.values())
        return UNKNOWN
    machine.entered.add(id(function.node))
    inner = Scope(function.unit, function.scope.module, function.scope, path=function.scope.path)
    inner.owner = function.owner
    bind_parameters(function, positional, keywords, inner, open_call, at)
    if function.owner is not None and positional:
        inner.instance = positional[0]
    if isinstance(function.node, cst.Lambda):
        frame = Frame(inner, function.node)
        machine.frames.append(frame)
        try:
            return machine.evaluate(machine, function.node.body, inner)
        finally:
            machine.frames.pop()
    return _run_body(machine, function.node, inner)


def _run_body(machine: Machine, node: cst.FunctionDef, inner: Scope) -> Value:
    frame = Frame(inner, node)
    machine.frames.append(frame)
    guards, loops, depth = machine.guards, machine.open_loops, machine.depth
    variants, machine.variants = machine.variants, 1
    machine.depth = 0 if depth < 60 else depth
    try:
        machine.execute(machine, node.body, inner)
    finally:
        machine.frames.pop()
        machine.guards, machine.depth = guards, depth
        machine.open_loops, machine.variants = loops, variants
    if frame.yields or contains_yield(node.body):
        return list_of("list", join_all(frame.yields))
    if not frame.returns:
        return UNKNOWN
    return make_union([(g - guards, value) for g, value in frame.returns])


def instantiate(machine: Machine, cls: Class, arguments: Arguments, node: cst.CSTNode, scope: Scope) -> Value:
    """Make an object of a class of the program."""
    instance = Instance(cls)
    machine.instances[id(cls.node)] = instance
    hooks.subclass_made(machine, instance, node, scope)
    init = attributes.class_member(cls, "__init__")
    if isinstance(init, Function):
        _call_program(machine, init, instance, arguments, node, scope)
    elif is_data_class(cls):
        _fill_fields(cls, instance, arguments)
        after = attributes.class_member(cls, "__post_init__")
        if isinstance(after, Function):
            call_function(machine, after, [instance], {}, node, scope)
    elif cls.bases and attributes.external_base(cls) is not None:
        return hooks.library_subclass(machine, instance, arguments, node, scope)
    hooks.subclass_ready(machine, instance, node, scope)
    return instance


def is_data_class(cls: Class) -> bool:
    decorated = any(isinstance(d, External) and d.last in {"dataclass", "define", "attrs", "s"} for d in cls.decorators)
    base = attributes.external_base(cls)
    return decorated or (base is not None and base.last in {"NamedTuple", "BaseModel", "BaseSettings"})


def field_names(cls: Class) -> list[str]:
    """The fields of a data class in their order, those of its bases first."""
    names: list[str] = []
    for base in cls.bases:
        if isinstance(base, Class):
            names.extend(n for n in field_names(base) if n not in names)
    body = cls.node.body.body if isinstance(cls.node.body, cst.IndentedBlock) else []
    for statement in body:
        if isinstance(statement, cst.SimpleStatementLine):
            for small in statement.body:
                if isinstance(small, cst.AnnAssign) and isinstance(small.target, cst.Name):
                    names.append(small.target.value)
    return names


def _fill_fields(cls: Class, instance: Instance, arguments: Arguments) -> None:
    names = field_names(cls)
    for name in names:
        default = attributes.class_member(cls, name)
        instance.attributes[name] = UNKNOWN if default is None or arguments.open else default
    for name, value in zip(names, arguments.positional, strict=False):
        instance.attributes[name] = value
    for name, value in arguments.keywords.items():
        instance.attributes[name] = value


# Libraries


def call_library(
    machine: Machine,
    path: str,
    receiver: Value | None,
    callee: External | None,
    arguments: Arguments,
    node: cst.CSTNode,
    scope: Scope,
) -> Value:
    """Call something of a library; a union among the arguments becomes one call for each of its values."""
    group = machine.new_group()
    pairs: list[tuple[Guards, Value]] = []
    branches = []
    variants = list(_variants(machine, arguments))
    outer, machine.variants = machine.variants, len(variants)
    for guards, variant in variants:
        with machine.under(guards):
            if len(variants) == 1:
                pairs.append((guards, _call_once(machine, path, receiver, callee, variant, node, scope, group)))
                continue
            result, changes = machine.store.run(
                lambda v=variant: _call_once(machine, path, receiver, callee, v, node, scope, group)  # type: ignore[misc]
            )
            pairs.append((guards, result))
            branches.append((guards, changes))
    machine.variants = outer
    if branches:
        machine.store.merge(branches)
    return make_union(pairs)


def _variants(machine: Machine, arguments: Arguments) -> Iterator[tuple[Guards, Arguments]]:
    """The combinations of values that the arguments may have together."""
    slots: list[tuple[int | str, tuple[tuple[Guards, Value], ...]]] = []
    for index, value in enumerate(arguments.positional):
        if isinstance(value, Union):
            slots.append((index, alternatives(value, machine.guards)))
    for name, value in arguments.keywords.items():
        if isinstance(value, Union):
            slots.append((name, alternatives(value, machine.guards)))
    if not slots:
        yield NO_GUARDS, arguments
        return
    slots.sort(key=lambda slot: len(slot[1]))
    forks: list[tuple[Guards, dict[int | str, Value]]] = [(NO_GUARDS, {})]
    unknown: list[int | str] = []
    for slot, choices in slots:
        # Arguments that rest on the same decisions go together, so only what can meet counts against the limit.
        wider = [
            (guards | more, {**chosen, slot: value})
            for guards, chosen in forks
            for more, value in choices
            if compatible(guards, more)
        ]
        if wider and len(wider) <= MAX_FORKS:
            forks = wider
        else:
            unknown.append(slot)
    for guards, chosen in forks:
        chosen.update(dict.fromkeys(unknown, UNKNOWN))
        yield (
            guards,
            arguments.with_values(
                [chosen.get(i, v) for i, v in enumerate(arguments.positional)],
                {k: chosen.get(k, v) for k, v in arguments.keywords.items()},
            ),
        )


def _call_once(
    machine: Machine,
    path: str,
    receiver: Value | None,
    callee: External | None,
    arguments: Arguments,
    node: cst.CSTNode,
    scope: Scope,
    group: int,
) -> Value:
    inputs.note_arguments(machine, path, receiver, [*arguments.positional, *arguments.keywords.values()])
    handler, signature_name = hooks.find_handler(path, receiver)
    if handler is None:
        hooks.unknown_call(machine, path, receiver, arguments.positional, arguments.keywords, node, scope, group)
        return UNKNOWN
    names = hooks.parameter_names(machine, signature_name, keras_3=hooks.is_keras_3(callee, receiver))
    given = dict(zip(names, arguments.positional, strict=False))
    given.update(arguments.keywords)
    rest = arguments.positional[len(names) :]

    def is_there(place: Place, value: Value) -> bool:
        files = machine.modules.files
        if files.units[place.unit].source.path != files.units[scope.unit].source.path:
            return False
        return not isinstance(value, Const) or value.place in {None, *files.origins.all_of(place)}

    bound = LibraryCall(
        machine, path, receiver, callee, given, rest, arguments.open, site(node, scope, arguments, names, is_there),
        node, scope, group,
    )  # fmt: skip
    result = handler(bound)
    if node is machine.discarded and result is not None and result is not receiver:
        hooks.discarded(bound, result)
    return result if isinstance(result, Value) else UNKNOWN


def fact(value: Value | None) -> Any:
    """The frozen fact that a value carries, else None."""
    return value.data if isinstance(value, Fact) else None
