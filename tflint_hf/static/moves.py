"""Planned edits that take something from one place of the text to another, or look at the statements around it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import libcst as cst

from tflint_hf.static.positions import Span
from tflint_hf.static.syntax import dotted_name
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tflint_hf.findings import Edit
    from tflint_hf.fixes import (
        AddImport,
        AddModule,
        InsertBehind,
        NameElements,
        RenameMember,
        RepeatCall,
        SwapElements,
        SwapSteps,
    )
    from tflint_hf.static.edits import Resolver


def steps_swapped(resolver: Resolver, edit: SwapSteps) -> list[Edit] | None:
    """Two calls that follow each other in a chain, or as two statements on one name."""
    first, second = edit.first.anchor, edit.second.anchor
    if not isinstance(first, cst.Call) or not isinstance(second, cst.Call) or edit.first.unit != edit.second.unit:
        return None
    tree = resolver.tree(edit.first)
    if not isinstance(second.func, cst.Attribute) or second.lpar or first.lpar:
        return None
    if second.func.value is not first and not _next_statement(tree, first, second):
        return None
    return _swapped(resolver, _step_span(resolver, edit.first), _step_span(resolver, edit.second), edit.first)


def _step_span(resolver: Resolver, place: Place) -> Span | None:
    """The name of the method and its arguments."""
    call = place.anchor
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return None
    whole, name = resolver.span(place), resolver.span(Place(place.unit, call.func.attr))
    if whole is None or name is None:
        return None
    return Span(name.line, name.column, whole.end_line, whole.end_column)


def _swapped(resolver: Resolver, one: Span | None, other: Span | None, place: Place) -> list[Edit] | None:
    if one is None or other is None:
        return None
    texts = resolver.text(place, one), resolver.text(place, other)
    return [resolver.replaced(place, one, texts[1]), resolver.replaced(place, other, texts[0])]


def _next_statement(tree: cst.Module, first: cst.Call, second: cst.Call) -> bool:
    """Whether these are `x = x.first()` and, as the next statement, `x = x.second()`."""
    for body in _bodies(tree):
        for one, other in pairwise(body):
            name = _assigned(one, first)
            if name and _assigned(other, second) == name:
                assert isinstance(second.func, cst.Attribute)
                return dotted_name(second.func.value) == name
    return False


def _bodies(tree: cst.CSTNode) -> list[Sequence[cst.CSTNode]]:
    """The statements of the module and of each block in it."""
    found: list[Sequence[cst.CSTNode]] = []
    stack: list[cst.CSTNode] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.Module | cst.IndentedBlock):
            found.append(node.body)
        stack.extend(child for child in node.children if not isinstance(child, cst.BaseExpression))
    return found


def _assigned(statement: cst.CSTNode, value: cst.CSTNode) -> str:
    """The only name that a statement gives this value to, empty if it is no such statement."""
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return ""
    assign = statement.body[0]
    if not isinstance(assign, cst.Assign) or len(assign.targets) != 1 or assign.value is not value:
        return ""
    return dotted_name(assign.targets[0].target)


def elements_swapped(resolver: Resolver, edit: SwapElements) -> list[Edit] | None:
    """Two elements of one list or tuple as it is written."""
    if edit.first.unit != edit.second.unit:
        return None
    stack: list[cst.CSTNode] = [resolver.tree(edit.first)]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.List | cst.Tuple):
            values = [element.value for element in node.elements]
            if any(v is edit.first.anchor for v in values) and any(v is edit.second.anchor for v in values):
                return _swapped(resolver, resolver.span(edit.first), resolver.span(edit.second), edit.first)
        stack.extend(node.children)
    return None


def import_added(resolver: Resolver, edit: AddImport) -> list[Edit] | None:
    """A name more in a `from ... import a, b` of the same file, at its top level."""
    node = edit.statement.anchor
    if not isinstance(node, cst.ImportFrom) or isinstance(node.names, cst.ImportStar):
        return None
    if resolver.path(edit.statement) != resolver.path(edit.used_at) or edit.statement.unit > edit.used_at.unit:
        return None
    span, last = resolver.span(edit.statement), resolver.span(Place(edit.statement.unit, node.names[-1]))
    if span is None or last is None or span.column:
        return None
    named = [alias for alias in node.names if alias.evaluated_name == edit.name]
    if named:
        return [] if named[0].asname is None else None
    alias = node.names[-1]
    end = resolver.span(Place(edit.statement.unit, alias.asname.name if alias.asname is not None else alias.name))
    if end is None:
        return None
    behind = Span(end.end_line, end.end_column, end.end_line, end.end_column)
    return [resolver.replaced(edit.statement, behind, f", {edit.name}")]


def module_added(resolver: Resolver, edit: AddModule) -> list[Edit] | None:
    """A line of its own above a statement at the top level of the same file."""
    span = resolver.span(edit.statement)
    if resolver.path(edit.statement) != resolver.path(edit.used_at) or edit.statement.unit > edit.used_at.unit:
        return None
    if span is None or span.column:
        return None
    return [resolver.replaced(edit.statement, Span(span.line, 0, span.line, 0), f"{edit.text}\n")]


def inserted_behind(resolver: Resolver, edit: InsertBehind) -> list[Edit] | None:
    """A statement behind the one that gives a name to what a call returns."""
    if not isinstance(edit.call.anchor, cst.Call):
        return None
    for body in _bodies(resolver.tree(edit.call)):
        for statement in body:
            name = _assigned(statement, edit.call.anchor)
            if not name:
                continue
            assert isinstance(statement, cst.SimpleStatementLine)
            span = resolver.span(Place(edit.call.unit, statement.body[0]))
            if span is None:
                return None
            behind = Span(span.end_line, span.end_column, span.end_line, span.end_column)
            text = f"\n{resolver.indent(edit.call, span)}{edit.template.format(name=name)}"
            if statement.trailing_whitespace.comment:
                return None
            return [resolver.replaced(edit.call, behind, text, like=span.line)]
    return None


def elements_named(resolver: Resolver, edit: NameElements) -> list[Edit] | None:
    """A dictionary in place of a list, or of the first elements of a tuple."""
    node, unit = edit.place.anchor, edit.place.unit
    if not isinstance(node, cst.List | cst.Tuple) or len(node.elements) < len(edit.names):
        return None
    elements = node.elements[: len(edit.names)]
    if any(not isinstance(element, cst.Element) for element in elements):
        return None
    spans = [resolver.span(Place(unit, element.value)) for element in elements]
    items: list[str] = []
    for name, element, span in zip(edit.names, elements, spans, strict=True):
        if span is None or element.value.lpar:
            return None
        items.append(f'"{name}": {resolver.text(edit.place, span)}')
    first, last = spans[0], spans[-1]
    assert first is not None
    assert last is not None
    whole = Span(first.line, first.column, last.end_line, last.end_column)
    if len(elements) == len(node.elements):
        whole = resolver.span(edit.place) or whole
        if isinstance(node, cst.Tuple):
            return None
    return [resolver.replaced(edit.place, whole, f"{{{', '.join(items)}}}")]


def member_renamed(resolver: Resolver, edit: RenameMember) -> list[Edit] | None:
    """Only the last name of a dotted callee, which belongs to the module before it."""
    stack: list[cst.CSTNode] = [resolver.tree(edit.callee)]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.Attribute) and node.attr is edit.callee.anchor:
            span = resolver.span(edit.callee)
            return None if span is None else [resolver.replaced(edit.callee, span, edit.name)]
        stack.extend(node.children)
    return None


def call_repeated(resolver: Resolver, edit: RepeatCall) -> list[Edit] | None:
    """The statement once more, for another object."""
    call, unit = edit.call.anchor, edit.call.unit
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute) or len(call.args) != 1:
        return None
    given = call.args[0].value
    if call.args[0].star or not (isinstance(given, cst.SimpleString) or dotted_name(given)):
        return None
    for body in _bodies(resolver.tree(edit.call)):
        for statement in body:
            if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
                only = statement.body[0]
                whole, step = resolver.span(edit.call), _step_span(resolver, edit.call)
                found = isinstance(only, cst.Expr) and only.value is call
                if not found or whole is None or step is None or statement.trailing_whitespace.comment:
                    continue
                behind = Span(whole.end_line, whole.end_column, whole.end_line, whole.end_column)
                line = f"\n{resolver.indent(edit.call, whole)}{edit.receiver}.{resolver.text(edit.call, step)}"
                return [resolver.replaced(Place(unit, call), behind, line, like=whole.line)]
    return None
