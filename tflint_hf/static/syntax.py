"""Small questions to libcst nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

if TYPE_CHECKING:
    from collections.abc import Sequence

_EMPTY = cst.Module([])


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
            stack.extend(current.children)
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


def contains_yield(body: cst.BaseSuite) -> bool:
    """Whether a function body yields, nested functions left out."""
    stack: list[cst.CSTNode] = [body]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.Yield):
            return True
        if isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            continue
        stack.extend(node.children)
    return False
