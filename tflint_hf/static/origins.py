"""Where the values of variables were written, for fixes that change them there."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

import libcst as cst

from tflint_hf.static.syntax import child_nodes, dotted_name, names_in
from tflint_hf.static.values import Const, alternatives
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tflint_hf.static.values import Value

_BUILTIN = frozenset(dir(builtins))


class Origins:
    """For places where a value is used, the one place where it was written as a literal."""

    def __init__(self) -> None:
        self._found: dict[Place, Place | None] = {}

    def note(self, used: Place, value: Value) -> None:
        """The expression at `used` had this value in one execution."""
        written = {one.place for _, one in alternatives(value) if isinstance(one, Const)}
        if not written:
            return
        origin = written.pop() if len(written) == 1 else None
        if origin != used and self._found.setdefault(used, origin) != origin:
            self._found[used] = None

    def all_of(self, used: Place) -> tuple[Place, ...]:
        """The places where what stands at `used` may have been written: there, or where its one value was."""
        node = used.anchor.value if isinstance(used.anchor, cst.Arg) else used.anchor
        here = Place(used.unit, node)
        written = self._found.get(here)
        return (here,) if written is None else (here, written)

    def of(self, used: Place) -> Place | None:
        """Where the value was written, None if that is not one literal."""
        return self._found.get(used)


def holder_of(tree: cst.CSTNode, literal: object) -> cst.CSTNode | None:
    """What gets a literal as its whole value: a name, a parameter, an argument, a key of a dictionary.

    None for what is one of several in a list to go through, or part of a computation: that has a meaning of its own.
    """
    above = _above(tree, literal)
    if not above:
        return None
    if isinstance(above[-1], cst.Element) and len(above) > 2 and isinstance(above[-3], cst.Assign):
        named = isinstance(above[-2], cst.Tuple) and isinstance(above[-3].targets[0].target, cst.Tuple)
        return above[-1] if named else None
    holders = cst.Assign | cst.AnnAssign | cst.NamedExpr | cst.Param | cst.Arg | cst.DictElement
    return above[-1] if isinstance(above[-1], holders) else None


def used_once(holder: cst.CSTNode, use: object, trees: Iterable[cst.Module]) -> bool:
    """Whether a value is given to one name, and this use is the only mention of it."""
    if not isinstance(holder, cst.Assign) or len(holder.targets) != 1 or not isinstance(use, cst.Name):
        return False
    target = holder.targets[0].target
    return isinstance(target, cst.Name) and target.value == use.value and _mentions(use.value, trees) == 2


def _mentions(name: str, trees: Iterable[cst.Module]) -> int:
    stack: list[cst.CSTNode] = list(trees)
    count = 0
    while stack:
        node = stack.pop()
        count += isinstance(node, cst.Name) and node.value == name
        stack.extend(child_nodes(node))
    return count


def _above(tree: cst.CSTNode, wanted: object) -> list[cst.CSTNode]:
    """The nodes that a node lies in, from the outermost one."""
    stack: list[tuple[cst.CSTNode, int]] = [(tree, 0)]
    path: list[cst.CSTNode] = []
    while stack:
        node, depth = stack.pop()
        if node is wanted:
            return path[:depth]
        path[depth:] = [node]
        stack.extend((child, depth + 1) for child in child_nodes(node))
    return []


def variables(node: cst.CSTNode, libraries: frozenset[str]) -> frozenset[str]:
    """The names in an expression that the program gave something to; those of libraries are left out."""
    return frozenset(names_in(node)) - libraries - _BUILTIN


def library_names(tree: cst.Module, own: frozenset[str]) -> frozenset[str]:
    """The names that a text imports, but not from the program's own modules."""
    names: set[str] = set()
    stack: list[cst.CSTNode] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.Import):
            names.update(_bound(alias) for alias in node.names if own.isdisjoint(alias.evaluated_name.split(".")))
        elif isinstance(node, cst.ImportFrom):
            foreign = not node.relative and own.isdisjoint(dotted_name(node.module).split("."))
            if foreign and not isinstance(node.names, cst.ImportStar):
                names.update(_bound(a) for a in node.names if a.evaluated_name not in own)
        elif not isinstance(node, cst.BaseExpression):
            stack.extend(child_nodes(node))
    return frozenset(names)


def _bound(alias: cst.ImportAlias) -> str:
    return alias.evaluated_alias or alias.evaluated_name.partition(".")[0]
