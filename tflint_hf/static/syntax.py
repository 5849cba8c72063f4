"""Small questions to libcst nodes."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst

_EMPTY = cst.Module([])


_FORMATTING = (
    "whitespace",
    "lpar",
    "rpar",
    "leading_lines",
    "lines_",
    "comma",
    "semicolon",
    "equal",
    "header",
    "footer",
    "indent",
    "empty_lines",
    "trailing",
)


@functools.cache
def _meaningful_fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    return tuple(f.name for f in dataclasses.fields(kind) if not f.name.startswith(_FORMATTING))


def child_nodes(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The parts of a node that mean something: libcst's own `children` visits each space and comma, at ten times the
    cost."""
    for name in _meaningful_fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, tuple | list):
            yield from value
        elif isinstance(value, cst.CSTNode):
            yield value


def dotted_name(node: cst.BaseExpression | None) -> str:
    """`a.b.c` as text; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return ""
    parts.append(node.value)
    return ".".join(reversed(parts))


def source_text(node: cst.CSTNode, limit: int = 80) -> str:
    """The code of a node on one line, cut at `limit` characters; empty if it is nested too deeply to write."""
    try:
        text = " ".join(_EMPTY.code_for_node(node).split())
    except RecursionError:
        return ""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def callee_anchor(node: cst.Call) -> cst.CSTNode:
    """What to point at when a call lacks an argument: the last name of its callee."""
    return node.func.attr if isinstance(node.func, cst.Attribute) else node.func


def names_in(node: cst.CSTNode) -> tuple[str, ...]:
    """The names that an expression reads, in order, attributes left out."""
    names: list[str] = []
    stack: list[Any] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, cst.Name):
            names.append(current.value)
        elif isinstance(current, (cst.Attribute, cst.Arg)):
            stack.append(current.value)
        else:
            stack.extend(child_nodes(current))
    return tuple(sorted(set(names)))


def string_value(node: cst.SimpleString | cst.ConcatenatedString) -> str | bytes | None:
    """The value of a string literal; None for f-strings with expressions and for broken escapes."""
    try:
        value = node.evaluated_value
    except (ValueError, SyntaxError):
        return None
    return value if isinstance(value, str | bytes) else None


def parameters(params: cst.Parameters) -> Sequence[cst.Param]:
    """Positional parameters in order, positional-only ones first."""
    return [*params.posonly_params, *params.params]


@functools.lru_cache(maxsize=4096)
def contains_yield(body: cst.BaseSuite) -> bool:
    """Whether a function body yields, nested functions left out."""
    stack: list[cst.CSTNode] = [body]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.Yield):
            return True
        if isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            continue
        stack.extend(child_nodes(node))
    return False


def ends_loop(body: cst.BaseSuite) -> bool:
    """Whether a loop with this body has one round at most: it ends with `break` or `return`."""
    last = body.body[-1] if body.body else None
    small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) and last.body else last
    return isinstance(small, cst.Break | cst.Return | cst.Raise)


def inside_loop(tree: cst.CSTNode, wanted: cst.CSTNode) -> bool:
    """Whether a node lies in the body of a loop."""
    stack: list[tuple[cst.CSTNode, bool]] = [(tree, False)]
    while stack:
        node, inside = stack.pop()
        if node is wanted:
            return inside
        inside = inside or isinstance(node, cst.For | cst.While)
        stack.extend((child, inside) for child in node.children)
    return False


def returned_values(body: cst.BaseSuite) -> list[cst.BaseExpression]:
    """The expressions that a function body returns, nested functions left out."""
    found: list[cst.BaseExpression] = []
    stack: list[Any] = [body]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.Return) and node.value is not None:
            found.append(node.value)
        if not isinstance(node, cst.FunctionDef | cst.ClassDef | cst.BaseExpression):
            stack.extend(node.children)
    return found
