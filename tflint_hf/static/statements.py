"""Statements: executing blocks, branches and loops."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

import libcst as cst

from tflint_hf.static import attributes, calls, definitions, expressions, imports, items
from tflint_hf.static.scopes import Scope
from tflint_hf.static.syntax import ends_loop, source_text
from tflint_hf.static.truth import condition_key, truth
from tflint_hf.static.values import (
    UNKNOWN,
    Const,
    External,
    Instance,
    ListValue,
    StrategyScope,
    Tape,
    Value,
    join_all,
    make_union,
)
from tflint_hf.trace import objects as facts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tflint_hf.static.machine import Machine
    from tflint_hf.static.store import Changes
    from tflint_hf.trace.guards import Guards
    from tflint_hf.trace.objects import Missing, Strategy

MAX_UNROLLED = 16


class Flow(enum.Enum):
    """How a block ended."""

    NORMAL = "normal"
    RETURN = "return"
    RAISE = "raise"
    BREAK = "break"
    CONTINUE = "continue"


def execute(machine: Machine, suite: cst.BaseSuite, scope: Scope) -> Flow:
    """Execute the statements of a block."""
    return execute_all(machine, suite.body, scope)


def execute_all(machine: Machine, statements: Sequence[Any], scope: Scope) -> Flow:
    before = machine.guards
    try:
        for statement in statements:
            if machine.exhausted:
                return Flow.NORMAL
            flow = _statement(machine, statement, scope)
            if flow is not Flow.NORMAL:
                return flow
        return Flow.NORMAL
    finally:
        machine.guards = before


def _statement(machine: Machine, node: Any, scope: Scope) -> Flow:
    if isinstance(node, cst.SimpleStatementLine):
        for small in node.body:
            handler = _SMALL.get(type(small))
            flow = handler(machine, small, scope) if handler is not None else Flow.NORMAL
            if flow is not Flow.NORMAL:
                return flow
        return Flow.NORMAL
    # A block on the line of its `if` or `def` has its statements without lines of their own.
    handler = _COMPOUND.get(type(node)) or _SMALL.get(type(node))
    return handler(machine, node, scope) if handler is not None else Flow.NORMAL


# Simple statements


def _assign(machine: Machine, node: cst.Assign, scope: Scope) -> Flow:
    value = machine.evaluate(machine, node.value, scope)
    for target in node.targets:
        items.assign_target(machine, target.target, value, scope)
    return Flow.NORMAL


def _annotated(machine: Machine, node: cst.AnnAssign, scope: Scope) -> Flow:
    if node.value is not None:
        items.assign_target(machine, node.target, machine.evaluate(machine, node.value, scope), scope)
    return Flow.NORMAL


_AUGMENTED: dict[type[cst.BaseAugOp], cst.BaseBinaryOp] = {
    cst.AddAssign: cst.Add(),
    cst.SubtractAssign: cst.Subtract(),
    cst.MultiplyAssign: cst.Multiply(),
    cst.DivideAssign: cst.Divide(),
    cst.FloorDivideAssign: cst.FloorDivide(),
    cst.BitOrAssign: cst.BitOr(),
}


def _augmented(machine: Machine, node: cst.AugAssign, scope: Scope) -> Flow:
    left = machine.evaluate(machine, node.target, scope)
    right = machine.evaluate(machine, node.value, scope)
    op = _AUGMENTED.get(type(node.operator))
    if isinstance(left, ListValue) and isinstance(node.operator, cst.AddAssign):
        if isinstance(right, ListValue) and right.exact:
            for value in right.values:
                items.append(machine, left, value)
        else:
            items.blur_list(machine, left, items.element_of(machine, right))
        return Flow.NORMAL
    result = UNKNOWN
    if op is not None and not machine.open_loops:
        result = expressions.combine(machine, op, left, right, node, scope)
    items.assign_target(machine, node.target, result, scope)
    return Flow.NORMAL


def _expression(machine: Machine, node: cst.Expr, scope: Scope) -> Flow:
    before = machine.discarded
    machine.discarded = None if machine.modules.shows(scope.unit, node) else node.value
    value = machine.evaluate(machine, node.value, scope)
    machine.discarded = before
    ends = isinstance(node.value, cst.Call) and isinstance(value, External) and value.path == "sys.exit()"
    return Flow.RAISE if ends else Flow.NORMAL


def _return(machine: Machine, node: cst.Return, scope: Scope) -> Flow:
    value = Const(None) if node.value is None else machine.evaluate(machine, node.value, scope)
    if machine.frames:
        machine.frames[-1].returns.append((machine.guards, value))
    return Flow.RETURN


def _raise(_machine: Machine, _node: cst.Raise, _scope: Scope) -> Flow:
    return Flow.RAISE


def _break(_machine: Machine, _node: cst.Break, _scope: Scope) -> Flow:
    return Flow.BREAK


def _continue(_machine: Machine, _node: cst.Continue, _scope: Scope) -> Flow:
    return Flow.CONTINUE


def _delete(machine: Machine, node: cst.Del, scope: Scope) -> Flow:
    targets = [e.value for e in node.target.elements] if isinstance(node.target, cst.Tuple) else [node.target]
    for target in targets:
        if isinstance(target, cst.Name):
            machine.store.remove(scope.holder(target.value).names, target.value)
        elif isinstance(target, cst.Subscript):
            items.delete_item(machine, target, scope)
    return Flow.NORMAL


def _global(_machine: Machine, node: cst.Global, scope: Scope) -> Flow:
    for item in node.names:
        scope.outer[item.name.value] = scope.top
    return Flow.NORMAL


def _nonlocal(_machine: Machine, node: cst.Nonlocal, scope: Scope) -> Flow:
    for item in node.names:
        holder = scope.parent
        while holder is not None and item.name.value not in holder.names:
            holder = holder.parent
        if holder is not None:
            scope.outer[item.name.value] = holder
    return Flow.NORMAL


def _assert(machine: Machine, node: cst.Assert, scope: Scope) -> Flow:
    machine.evaluate(machine, node.test, scope)
    return Flow.NORMAL


def _import(machine: Machine, node: cst.Import, scope: Scope) -> Flow:
    imports.import_statement(machine, node, scope)
    return Flow.NORMAL


def _import_from(machine: Machine, node: cst.ImportFrom, scope: Scope) -> Flow:
    imports.import_from(machine, node, scope)
    return Flow.NORMAL


# Branches


def _if(machine: Machine, node: cst.If, scope: Scope) -> Flow:
    verdict = truth(machine.evaluate(machine, node.test, scope))
    if verdict is None:
        key, positive = condition_key(machine, node.test, scope)
        yes: Guards = frozenset({(key, int(positive))})
        no: Guards = frozenset({(key, int(not positive))})
        if not machine.possible(yes):
            verdict = False
        elif not machine.possible(no):
            verdict = True
    if verdict is True:
        return execute(machine, node.body, scope)
    otherwise = node.orelse
    if verdict is False:
        return Flow.NORMAL if otherwise is None else _else(machine, otherwise, scope)
    return run_branches(
        machine,
        scope,
        [
            (yes, lambda: execute(machine, node.body, scope)),
            (no, lambda: Flow.NORMAL if otherwise is None else _else(machine, otherwise, scope)),
        ],
    )


def _else(machine: Machine, node: cst.If | cst.Else, scope: Scope) -> Flow:
    return _if(machine, node, scope) if isinstance(node, cst.If) else execute(machine, node.body, scope)


def run_branches(machine: Machine, scope: Scope, branches: list[tuple[Guards, Callable[[], Flow]]]) -> Flow:
    """Execute branches of which exactly one is taken, and join what they leave."""
    done: list[tuple[Guards, Flow, Changes]] = []
    for guards, branch in branches:
        with machine.under(guards):
            flow, changes = machine.store.run(branch)
        done.append((guards, flow, changes))
    living = [entry for entry in done if entry[1] is not Flow.RAISE]
    if not living:
        return Flow.RAISE
    going_on = [entry for entry in living if entry[1] is not Flow.RETURN]
    local = id(scope.names)

    def skip(index: int, container: int) -> bool:
        # The local names of a branch that returned are gone; what it did to objects stays.
        return bool(going_on) and living[index][1] is Flow.RETURN and container == local

    machine.store.merge([(guards, changes) for guards, _, changes in living], skip)
    if len(going_on) == 1 and len(done) > 1:
        machine.guards |= going_on[0][0]
    if not going_on:
        return Flow.RETURN
    flows = {entry[1] for entry in going_on}
    if Flow.NORMAL in flows or len(flows) > 1:
        normal = [entry[0] for entry in going_on if entry[1] is Flow.NORMAL]
        if len(normal) == 1:
            machine.guards |= normal[0]
        return Flow.NORMAL if Flow.NORMAL in flows else Flow.CONTINUE
    return flows.pop()


def _try(machine: Machine, node: cst.Try | cst.TryStar, scope: Scope) -> Flow:
    handlers: list[Any] = list(node.handlers)
    names = " ".join(source_text(h.type) if h.type is not None else "Exception" for h in handlers)
    key = ("try", id(node), names)
    machine.kept.append(node)

    def body() -> Flow:
        flow = execute(machine, node.body, scope)
        if flow is Flow.NORMAL and node.orelse is not None:
            flow = execute(machine, node.orelse.body, scope)
        return flow

    with machine.under(frozenset({(key, 0)}) if handlers else frozenset()):
        body_flow, body_changes = machine.store.run(body)
    runs: list[tuple[Guards, Flow, Changes]] = []
    for number, handler in enumerate(handlers, 1):
        guards: Guards = frozenset({(key, number)})

        def handle(handler: Any = handler) -> Flow:
            if handler.name is not None:
                items.assign_target(machine, handler.name.name, UNKNOWN, scope)
            return execute(machine, handler.body, scope)

        with machine.under(guards):
            flow, changes = machine.store.run(handle)
        if flow is not Flow.RAISE:
            runs.append((guards, flow, changes))
    flow = _join_try(machine, scope, frozenset({(key, 0)}), body_flow, body_changes, runs)
    if node.finalbody is not None:
        final = execute(machine, node.finalbody.body, scope)
        if final is not Flow.NORMAL:
            return final
    return flow


def _join_try(
    machine: Machine,
    scope: Scope,
    body_guards: Guards,
    body_flow: Flow,
    body_changes: Changes,
    runs: list[tuple[Guards, Flow, Changes]],
) -> Flow:
    """The body's effects stand; a handler adds its values to the names that it writes itself."""
    if body_flow is Flow.RAISE and runs:
        machine.store.merge([(guards, changes) for guards, _, changes in runs])
        return runs[0][1]
    machine.store.keep(body_changes)
    local = id(scope.names)
    for guards, flow, changes in runs:
        if flow is Flow.RETURN:
            machine.store.keep(changes, lambda container: container != local)
            continue
        for (container_id, name), value in changes.after.items():
            container = changes.containers[container_id]
            current = container.get(name)
            if current is None or (container_id, name) not in body_changes.after:
                pairs = [(guards, value)] if current is None else [(body_guards, current), (guards, value)]
            else:
                pairs = [(body_guards, current), (guards, value)]
            if isinstance(value, Value):
                machine.store.write(container, name, make_union(pairs))
    return body_flow


# Loops


def _for(machine: Machine, node: cst.For, scope: Scope) -> Flow:
    iterated = machine.evaluate(machine, node.iter, scope)
    rounds, exact = items.iterate(machine, iterated, node.iter, scope)
    if len(rounds) > MAX_UNROLLED:
        rounds, exact = [join_all(rounds)], False
    if exact:
        for item in rounds:
            items.assign_target(machine, node.target, item, scope)
            flow = execute(machine, node.body, scope)
            if flow in (Flow.RETURN, Flow.RAISE):
                return flow
            if flow is Flow.BREAK:
                return Flow.NORMAL
    else:
        for item in rounds:
            items.assign_target(machine, node.target, item, scope)
            flow = _open_round(machine, node.body, scope)
            if flow is Flow.RETURN:
                return Flow.NORMAL
    return Flow.NORMAL if node.orelse is None else execute(machine, node.orelse.body, scope)


def _while(machine: Machine, node: cst.While, scope: Scope) -> Flow:
    if truth(machine.evaluate(machine, node.test, scope)) is False:
        return Flow.NORMAL
    _open_round(machine, node.body, scope)
    return Flow.NORMAL


def _open_round(machine: Machine, body: cst.BaseSuite, scope: Scope) -> Flow:
    """One round of a loop whose number of rounds is not known."""
    rounds = machine.rounds
    machine.open_loops += 1
    if not ends_loop(body):
        machine.rounds_begun += 1
        machine.rounds = (*rounds, machine.rounds_begun)
    try:
        return execute(machine, body, scope)
    finally:
        machine.open_loops -= 1
        machine.rounds = rounds


def _with(machine: Machine, node: cst.With, scope: Scope) -> Flow:
    tapes: list[Value] = []
    strategy = machine.strategy
    for item in node.items:
        value = machine.evaluate(machine, item.item, scope)
        if item.asname is not None:
            items.assign_target(machine, item.asname.name, _entered(machine, value, item.item, scope), scope)
        if isinstance(value, Tape):
            tapes.append(value)
        strategy = _strategy_of(value, strategy)
    outer, machine.tapes = machine.tapes, [*machine.tapes, *tapes]
    before, machine.strategy = machine.strategy, strategy
    try:
        return execute(machine, node.body, scope)
    finally:
        machine.tapes, machine.strategy = outer, before


def _strategy_of(value: Value, before: Strategy | Missing) -> Strategy | Missing:
    """The strategy in force inside a `with`; a context that is not known may bring one."""
    if isinstance(value, StrategyScope):
        return value.strategy
    return before if isinstance(value, Tape) else facts.UNKNOWN


def _entered(machine: Machine, value: Value, node: cst.CSTNode, scope: Scope) -> Value:
    """What `with value as name` binds: what a generator yields, what __enter__ gives, else the value itself."""
    if isinstance(value, ListValue):
        return items.element_of(machine, value)
    if isinstance(value, Instance) and attributes.class_member(value.cls, "__enter__") is not None:
        return calls.call_method(machine, value, "__enter__", [], node, scope)
    return value


def _match(machine: Machine, node: cst.Match, scope: Scope) -> Flow:
    machine.evaluate(machine, node.subject, scope)
    key = ("match", source_text(node.subject), id(node))
    machine.kept.append(node)
    branches: list[tuple[Guards, Callable[[], Flow]]] = []
    for number, case in enumerate(node.cases):
        branches.append((frozenset({(key, number)}), lambda c=case: execute(machine, c.body, scope)))  # type: ignore[misc]
    return run_branches(machine, scope, branches) if branches else Flow.NORMAL


# Definitions


def _function(machine: Machine, node: cst.FunctionDef, scope: Scope) -> Flow:
    definitions.define_function(machine, node, scope)
    return Flow.NORMAL


def _class(machine: Machine, node: cst.ClassDef, scope: Scope) -> Flow:
    definitions.define_class(machine, node, scope)
    return Flow.NORMAL


_SMALL: dict[type, Callable[[Machine, Any, Scope], Flow]] = {
    cst.Assign: _assign,
    cst.AnnAssign: _annotated,
    cst.AugAssign: _augmented,
    cst.Expr: _expression,
    cst.Return: _return,
    cst.Raise: _raise,
    cst.Break: _break,
    cst.Continue: _continue,
    cst.Del: _delete,
    cst.Global: _global,
    cst.Nonlocal: _nonlocal,
    cst.Assert: _assert,
    cst.Import: _import,
    cst.ImportFrom: _import_from,
}

_COMPOUND: dict[type, Callable[[Machine, Any, Scope], Flow]] = {
    cst.If: _if,
    cst.For: _for,
    cst.While: _while,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.With: _with,
    cst.Match: _match,
    cst.FunctionDef: _function,
    cst.ClassDef: _class,
}
