"""The usual ways to put a fault into a call: a changed, missing, new or renamed argument, a step taken away."""

from __future__ import annotations

import ast
from collections.abc import Callable

from mutations.engine import Rewrite
from mutations.programs import Program
from mutations.syntax import (
    argument,
    expression,
    first,
    has_stars,
    with_argument,
    with_fields,
    with_position,
    without_argument,
)

When = Callable[[ast.Call, Program], bool]
NewValue = Callable[[ast.expr, Program], "ast.expr | str | None"]


def always(call: ast.Call, program: Program) -> bool:
    return True


def _parsed(new: ast.expr | str | None) -> ast.expr | None:
    return expression(new) if isinstance(new, str) else new


def on_call(change: Callable[[ast.Call, Program], ast.expr | str | None]) -> Rewrite:
    """A rewrite of calls, in terms of the call alone."""
    return lambda node, program: _parsed(change(node, program)) if isinstance(node, ast.Call) else None


def gives(name: str, new: NewValue | str, when: When = always) -> Rewrite:
    """Another value for a keyword argument that is there."""

    def rewrite(call: ast.Call, program: Program) -> ast.expr | None:
        old = argument(call, name)
        if old is None or not when(call, program):
            return None
        value = _parsed(new if isinstance(new, str) else new(old, program))
        return None if value is None else with_argument(call, name, value)

    return on_call(rewrite)


def gives_at(index: int, new: NewValue | str, when: When = always) -> Rewrite:
    """Another value for an argument given by position."""

    def rewrite(call: ast.Call, program: Program) -> ast.expr | None:
        if len(call.args) <= index or has_stars(call) or not when(call, program):
            return None
        value = _parsed(new if isinstance(new, str) else new(call.args[index], program))
        return None if value is None else with_position(call, index, value)

    return on_call(rewrite)


def adds(name: str, value: str, when: When = always) -> Rewrite:
    """An argument that was not there."""

    def rewrite(call: ast.Call, program: Program) -> ast.expr | None:
        if argument(call, name) is not None or has_stars(call) or not when(call, program):
            return None
        return with_argument(call, name, expression(value))

    return on_call(rewrite)


def drops(name: str, when: When = always) -> Rewrite:
    """A keyword argument less."""

    def rewrite(call: ast.Call, program: Program) -> ast.expr | None:
        there = argument(call, name) is not None and when(call, program)
        return without_argument(call, name) if there else None

    return on_call(rewrite)


def renames(name: str, new: str, when: When = always) -> Rewrite:
    """A keyword argument with another name."""

    def rewrite(call: ast.Call, program: Program) -> ast.expr | None:
        if argument(call, name) is None or not when(call, program):
            return None
        return with_fields(call, keywords=[ast.keyword(new, k.value) if k.arg == name else k for k in call.keywords])

    return on_call(rewrite)


def unwraps(when: When = always) -> Rewrite:
    """`x` for `f(x)`."""
    return on_call(lambda call, program: first(call) if len(call.args) == 1 and when(call, program) else None)


def skips_method(when: When = always) -> Rewrite:
    """`x` for `x.method(...)`."""

    def rewrite(call: ast.Call, program: Program) -> ast.expr | None:
        return call.func.value if isinstance(call.func, ast.Attribute) and when(call, program) else None

    return on_call(rewrite)


def drops_statement(when: When = always) -> Rewrite:
    """The statement left out that consists of a call."""

    def rewrite(node: ast.AST, program: Program) -> list[ast.stmt] | None:
        is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        return [] if is_call and when(node.value, program) else None  # type: ignore[attr-defined]

    return rewrite


def adds_after(text: Callable[[ast.Call, Program], str | None]) -> Rewrite:
    """Statements behind a statement that is a call, or keeps what one gives."""

    def rewrite(node: ast.AST, program: Program) -> list[ast.stmt] | None:
        value = node.value if isinstance(node, (ast.Expr, ast.Assign)) else None
        added = text(value, program) if isinstance(value, ast.Call) else None
        if added is None:
            return None
        assert isinstance(node, ast.stmt)
        return [node, *ast.parse(added).body]

    return rewrite


def adds_before(text: Callable[[ast.Call, Program], str | None]) -> Rewrite:
    """Statements in front of a statement that is a call, or keeps what one gives."""
    after = adds_after(text)

    def rewrite(node: ast.AST, program: Program) -> list[ast.stmt] | None:
        new = after(node, program)
        assert not isinstance(new, ast.expr)
        return None if new is None else [*new[1:], new[0]]

    return rewrite
