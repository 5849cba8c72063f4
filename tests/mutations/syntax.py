"""Small questions about syntax, and calls with one argument changed. Nodes are shared, never changed in place."""

from __future__ import annotations

import ast
import copy
from typing import TypeVar

Node = TypeVar("Node", bound=ast.AST)


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def statements(text: str) -> list[ast.stmt]:
    return ast.parse(text).body


def code(node: ast.AST) -> str:
    return ast.unparse(node)


def last_name(node: ast.AST) -> str:
    """`Adam` of `tf.keras.optimizers.Adam`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def callee(node: ast.AST) -> str:
    return last_name(node.func) if isinstance(node, ast.Call) else ""


def receiver(call: ast.Call) -> ast.expr | None:
    """`model` of `model.fit(...)`."""
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def argument(call: ast.Call, name: str) -> ast.expr | None:
    """The value of a keyword argument."""
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def first(call: ast.Call) -> ast.expr | None:
    return call.args[0] if call.args else None


def has_stars(call: ast.Call) -> bool:
    return any(k.arg is None for k in call.keywords) or any(isinstance(arg, ast.Starred) for arg in call.args)


def is_constant(node: ast.AST | None, value: object) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is type(value) and node.value == value


def whole_numbers(node: ast.AST | None) -> list[int] | None:
    """The numbers of a list display of whole numbers."""
    if not isinstance(node, ast.List) or not node.elts:
        return None
    numbers = [item.value for item in node.elts if isinstance(item, ast.Constant) and type(item.value) is int]
    return numbers if len(numbers) == len(node.elts) else None


def with_fields(node: Node, **fields: object) -> Node:
    """A copy of the node alone, with other fields."""
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def with_argument(call: ast.Call, name: str, value: ast.expr) -> ast.Call:
    """The call with this keyword argument, in its old place or added at the end."""
    if argument(call, name) is None:
        return with_fields(call, keywords=[*call.keywords, ast.keyword(name, value)])
    changed = [ast.keyword(name, value) if k.arg == name else k for k in call.keywords]
    return with_fields(call, keywords=changed)


def without_argument(call: ast.Call, *names: str) -> ast.Call:
    return with_fields(call, keywords=[k for k in call.keywords if k.arg not in names])


def with_position(call: ast.Call, index: int, value: ast.expr) -> ast.Call:
    args = list(call.args)
    args[index] = value
    return with_fields(call, args=args)
