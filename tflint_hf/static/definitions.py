"""Definitions of functions and classes, with their decorators."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from tflint_hf.static import calls
from tflint_hf.static.arguments import Arguments, evaluate_arguments
from tflint_hf.static.scopes import Scope
from tflint_hf.static.syntax import parameters
from tflint_hf.static.values import UNKNOWN, Class, Const, External, Function, Value

if TYPE_CHECKING:
    from tflint_hf.static.machine import Machine


def define_function(machine: Machine, node: cst.FunctionDef, scope: Scope) -> None:
    """Bind a function to its name, as its decorators leave it."""
    params = node.params
    defaults = {
        p.name.value: machine.evaluate(machine, p.default, scope)
        for p in [*parameters(params), *params.kwonly_params]
        if p.default is not None
    }
    decorators = tuple(_decorator(machine, d, scope) for d in node.decorators)
    _read_annotations(machine, node, scope)
    for decorator, applied in zip(node.decorators, decorators, strict=True):
        if isinstance(applied, External) and applied.path in {"click.option", "click.argument"}:
            defaults.update(_option(machine, decorator, scope))
    function = Function(node, scope, scope.unit, node.name.value, defaults, decorators)
    if not scope.is_class:
        machine.functions.append(function)
    value: Value = function
    for decorator, applied in zip(reversed(node.decorators), reversed(decorators), strict=True):
        if isinstance(applied, Function):
            value = _decorated(machine, decorator, applied, value, scope)
    machine.store.write(scope.holder(node.name.value).names, node.name.value, value)


def _option(machine: Machine, node: cst.Decorator, scope: Scope) -> dict[str, Value]:
    """The parameter that a click option gives, with its default; the command line may replace it."""
    if not isinstance(node.decorator, cst.Call):
        return {}
    arguments = evaluate_arguments(machine, node.decorator, scope)
    names = [v.value for v in arguments.positional if isinstance(v, Const) and isinstance(v.value, str)]
    plain = [n for n in names if not n.startswith("-")] or [n.lstrip("-") for n in names if n.startswith("--")]
    default = arguments.keywords.get("default", UNKNOWN)
    if isinstance(default, Const):
        default = UNKNOWN if default.value is None else Const(default.value, soft=True)
    return {plain[0].replace("-", "_"): default} if plain else {}


def _read_annotations(machine: Machine, node: cst.FunctionDef, scope: Scope) -> None:
    """Annotations are expressions that run at the definition, unless the module postpones them."""
    if "annotations" in scope.top.names:
        return
    params = node.params
    for param in [*parameters(params), *params.kwonly_params]:
        if param.annotation is not None:
            machine.evaluate(machine, param.annotation.annotation, scope)
    if node.returns is not None:
        machine.evaluate(machine, node.returns.annotation, scope)


def _decorator(machine: Machine, node: cst.Decorator, scope: Scope) -> Value:
    expression = node.decorator.func if isinstance(node.decorator, cst.Call) else node.decorator
    return machine.evaluate(machine, expression, scope)


def _decorated(machine: Machine, node: cst.Decorator, applied: Value, function: Value, scope: Scope) -> Value:
    """What a decorator of the program makes of a function; those of libraries are taken to leave it as it is."""
    if isinstance(node.decorator, cst.Call):
        applied = machine.evaluate(machine, node.decorator, scope)
    made = calls.call(machine, applied, Arguments([function]), node, scope)
    return made if isinstance(made, Function) else function


def define_class(machine: Machine, node: cst.ClassDef, scope: Scope) -> None:
    """Execute the body of a class and bind it to its name."""
    bases = tuple(machine.evaluate(machine, arg.value, scope) for arg in node.bases if arg.star == "")
    body = Scope(scope.unit, scope.module, scope, is_class=True, path=scope.path)
    decorators = tuple(_decorator(machine, d, scope) for d in node.decorators)
    cls = Class(node, scope.unit, node.name.value, bases, body.names, scope, decorators)
    machine.execute(machine, node.body, body)
    for member in body.names.values():
        if isinstance(member, Function) and member.owner is None:
            member.owner = cls
            member.scope = scope
    machine.classes.append(cls)
    machine.store.write(scope.holder(node.name.value).names, node.name.value, cls)
