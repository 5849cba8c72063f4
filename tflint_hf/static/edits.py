"""From places to the user's text: locations, and planned edits as replacements of ranges."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import libcst as cst

from tflint_hf.findings import Edit, Fix, Location
from tflint_hf.fixes import (
    AddArgument,
    AddImport,
    AddModule,
    AppendElement,
    AppendLine,
    InsertAfter,
    InsertBefore,
    InsertBehind,
    InsertLines,
    NameElements,
    PlannedFix,
    RemoveArgument,
    RemoveElement,
    RemoveName,
    RemoveStep,
    RenameKeyword,
    RenameMember,
    RepeatCall,
    Replace,
    ReplaceString,
    Rewrite,
    SwapElements,
    SwapSteps,
)
from tflint_hf.source import SourceKind, split_lines
from tflint_hf.static.modules import own_names
from tflint_hf.static.moves import (
    call_repeated,
    elements_named,
    elements_swapped,
    import_added,
    inserted_behind,
    member_renamed,
    module_added,
    steps_swapped,
)
from tflint_hf.static.origins import Origins, holder_of, library_names, used_once, variables
from tflint_hf.static.positions import Span, Spans
from tflint_hf.static.syntax import dotted_name
from tflint_hf.trace.places import FilePlace, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tflint_hf.fixes import PlannedEdit
    from tflint_hf.static.parsing import Unit


#: Lists with one requirement a line. Other files have a syntax of their own.
_REQUIREMENTS = re.compile(r"requirements[^/]*\.(txt|in)$|(^|/)requirements/[^/]*\.(txt|in)$")


def _alias_text(alias: cst.ImportAlias) -> str:
    return f"{alias.evaluated_name} as {alias.evaluated_alias}" if alias.asname is not None else alias.evaluated_name


def _binds_tightly(node: object) -> bool:
    """Whether what is written behind an expression belongs to all of it."""
    return isinstance(node, cst.Name | cst.Attribute | cst.Call | cst.Subscript | cst.List | cst.Dict)


def _strings_at(place: Place) -> list[cst.BaseExpression]:
    """The expressions at a place that may be the string to change: elements, keys, a subscript."""
    node = place.anchor
    if isinstance(node, cst.List | cst.Tuple):
        return [element.value for element in node.elements]
    if isinstance(node, cst.Dict):
        return [element.key for element in node.elements if isinstance(element, cst.DictElement)]
    if isinstance(node, cst.Subscript):
        return [part.slice.value for part in node.slice if isinstance(part.slice, cst.Index)]
    return [node] if isinstance(node, cst.BaseExpression) else []


class _NotPossible(Exception):  # noqa: N818  # no error: the text has no room for this edit
    """An edit would lose something of the user's, or change what it is not about."""


def _value_of(node: object) -> object:
    """What stands for the value alone: without the keyword of an argument, and without the name that `:=` gives it."""
    if isinstance(node, cst.Arg):
        if node.star:
            raise _NotPossible
        node = node.value
    return node.value if isinstance(node, cst.NamedExpr) else node


def _names_something(node: object) -> bool:
    """Whether a `:=` inside would be lost with the expression."""
    return isinstance(node, cst.CSTNode) and any(isinstance(one, cst.NamedExpr) for one in _nodes(node))


def _nodes(top: cst.CSTNode) -> Iterator[cst.CSTNode]:
    stack = [top]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(node.children)


class Resolver:
    """Resolves the places of one program. The first place in a text costs one walk of it."""

    def __init__(self, units: list[Unit], origins: Origins) -> None:
        self._units = units
        self._origins = origins
        self._spans: dict[int, Spans] = {}
        self._functions: dict[int, frozenset[int]] = {}
        self._libraries: dict[Path, frozenset[str]] = {}
        self.other_files: dict[str, tuple[str, ...]] = {}

    def path(self, place: Place | FilePlace) -> str | None:
        """The file that a place stands in, as displayed; None for a place of another program."""
        if isinstance(place, FilePlace):
            return place.path
        return self._units[place.unit].source.display if place.unit < len(self._units) else None

    def location(self, place: Place | FilePlace) -> Location:
        """The user's place. Whole texts (no node, or one that the text does not hold) are their first character."""
        if isinstance(place, FilePlace):
            lines = self._lines(place)
            text = lines[place.line - 1] if place.line <= len(lines) else ""
            start = len(text) - len(text.lstrip()) + 1
            return Location(place.path, place.cell, place.line, start, place.line, max(len(text.rstrip()) + 1, start))
        if place.unit >= len(self._units):
            raise ValueError("its place is not in this program")
        unit = self._units[place.unit]
        span = self.span(place) or Span(1, 0, 1, 0)
        return unit.source.location(unit.fragment, span.line, span.column, span.end_line, span.end_column)

    def _lines(self, place: FilePlace) -> tuple[str, ...]:
        """The text that a line of a file stands in; that of a file outside the program is kept for the report."""
        for unit in self._units:
            if unit.source.display == place.path:
                return unit.source.text_lines(place.cell)
        if place.path not in self.other_files:
            try:
                text = Path(place.path).read_text(encoding="utf-8", errors="replace")
            except OSError:
                text = ""
            self.other_files[place.path] = tuple(split_lines(text))
        return self.other_files[place.path]

    def span(self, place: Place) -> Span | None:
        """The range of a place in its fragment, None if it has none."""
        if not isinstance(place.anchor, cst.CSTNode):
            return None
        if place.unit not in self._spans:
            self._spans[place.unit] = Spans(self._units[place.unit].tree)
        return self._spans[place.unit].of(place.anchor)

    def fix(self, planned: PlannedFix) -> Fix | None:
        """The fix as edits of the text; None if the text does not allow it."""
        edits: list[Edit] = []
        for one in planned.edits:
            try:
                made = self._edits(one)
            except _NotPossible:
                return None
            if made is None:
                return None
            edits.extend(made)
        return Fix(planned.safety, planned.title, tuple(edits))

    def _edits(self, edit: PlannedEdit) -> list[Edit] | None:
        if isinstance(edit, SwapSteps):
            return steps_swapped(self, edit)
        if isinstance(edit, SwapElements):
            return elements_swapped(self, edit)
        if isinstance(edit, AddImport):
            return import_added(self, edit)
        if isinstance(edit, AddModule):
            return module_added(self, edit)
        if isinstance(edit, AppendLine):
            return self._line_appended(edit)
        if isinstance(edit, RepeatCall):
            return call_repeated(self, edit)
        if isinstance(edit, NameElements):
            return elements_named(self, edit)
        if isinstance(edit, RenameMember):
            return member_renamed(self, edit)
        if isinstance(edit, InsertBehind):
            return inserted_behind(self, edit)
        made = self._edit(edit)
        return None if made is None else [made]

    def tree(self, place: Place) -> cst.Module:
        """The text that a place stands in, parsed."""
        return self._units[place.unit].tree

    def text(self, place: Place, span: Span) -> str:
        """What is written in a range of the text that a place stands in."""
        lines = self._units[place.unit].text.split("\n")[span.line - 1 : span.end_line]
        lines[-1] = lines[-1][: span.end_column]
        lines[0] = lines[0][span.column :]
        return "\n".join(lines)

    def indent(self, place: Place, span: Span) -> str:
        """What the line is indented with that a range of the text at a place begins in."""
        line = self._units[place.unit].text.split("\n")[span.line - 1]
        return line[: len(line) - len(line.lstrip())]

    def replaced(self, place: Place, span: Span, text: str, *, like: int | None = None) -> Edit:
        """The edit that writes `text` over a range. No comment of the user's is written over.

        More lines than one begin as the line `like` of the same text does, by default the last one of the range.
        """
        unit = self._units[place.unit]
        before = self.text(place, span)
        if "\n" in before and "#" in before and before not in text:
            raise _NotPossible
        where = unit.source.location(unit.fragment, span.line, span.column, span.end_line, span.end_column)
        if "\n" in text:
            start = self._line_start(unit, like or span.end_line)
            if text.endswith("\n") and (span.line, span.column) == (span.end_line, span.end_column) and not span.column:
                where = replace(where, column=len(start) + 1, end_column=len(start) + 1)
            first, *others = text.split("\n")
            text = "\n".join(
                [first, *(start + line if line else start.rstrip() for line in others[:-1]), start + others[-1]]
            )
        return Edit(where, text)

    def _line_start(self, unit: Unit, line: int) -> str:
        """What stands before the code of a line and belongs to no statement: a prompt, the margin of a block."""
        fragment = unit.source.fragments[unit.fragment]
        removed = fragment.original[line - 1][: fragment.indents[line - 1] if fragment.indents else 0]
        margin, feed, _void = removed.partition("\f")
        # What a form feed follows is void for Python; only a block of Markdown has a margin there as well.
        return "" if feed and unit.source.kind is not SourceKind.MARKDOWN else margin.partition("%")[0]

    def _edit(self, edit: PlannedEdit) -> Edit | None:
        if isinstance(edit, Replace):
            place = self._value_place(edit.place, edit.text)
            if _names_something(place.anchor):
                return None
            if self._loses_a_variable(place, edit.text):
                place = self._origin(place, edit)
            return self._replacement(place, self.span(place), edit.text)
        if isinstance(edit, RenameKeyword):
            keyword = edit.argument.anchor.keyword if isinstance(edit.argument.anchor, cst.Arg) else None
            if keyword is None:
                return None
            place = Place(edit.argument.unit, keyword)
            return self._replacement(place, self.span(place), edit.keyword)
        if isinstance(edit, InsertAfter):
            return self._inserted_after(edit)
        if isinstance(edit, Rewrite):
            return self._rewritten(edit)
        if isinstance(edit, InsertLines):
            return self._lines_before(edit)
        if isinstance(edit, AppendElement):
            return self._appended(edit)
        if isinstance(edit, ReplaceString):
            return self._string_replaced(edit)
        if isinstance(edit, RemoveName):
            return self._name_removed(edit)
        if isinstance(edit, RemoveElement):
            return self._element_removed(edit)
        if isinstance(edit, InsertBefore):
            place = self._value_place(edit.place, edit.text)
            span = self.span(place)
            start = None if span is None else Span(span.line, span.column, span.line, span.column)
            return self._replacement(place, start, edit.text)
        if isinstance(edit, RemoveStep):
            return self._step_removed(edit)
        if isinstance(edit, AddArgument) and isinstance(edit.call.anchor, cst.Call):
            return self._added(edit, edit.call.anchor)
        if isinstance(edit, RemoveArgument) and isinstance(edit.call.anchor, cst.Call):
            return self._removed(edit, edit.call.anchor)
        return None

    def _line_appended(self, edit: AppendLine) -> list[Edit] | None:
        place, lines = edit.place, self._lines(edit.place)
        line = lines[place.line - 1] if place.line <= len(lines) else ""
        if (
            place.cell is not None
            or not _REQUIREMENTS.search(place.path)
            or not line
            or line.endswith("\\")
            or "--hash" in line
        ):
            return None
        end = len(line) + 1
        return [Edit(Location(place.path, None, place.line, end, place.line, end), f"\n{edit.text}")]

    def _replacement(self, place: Place, span: Span | None, text: str) -> Edit | None:
        return None if span is None else self.replaced(place, span, text)

    def _inserted_after(self, edit: InsertAfter) -> Edit | None:
        """What is got from an expression: written behind one with operators, it belongs to the last operand alone."""
        place = edit.place if edit.text.startswith("(") else self._value_place(edit.place, edit.text)
        node = place.anchor
        if edit.text.startswith((".", "[")) and not _binds_tightly(node):
            return None
        if edit.text.startswith("(") and not isinstance(node, cst.Name | cst.Attribute):
            return None
        return self._at_end(place, edit.text)

    def _value_place(self, place: Place, text: str) -> Place:
        """Where a value stands. A function that is called there is none: the value was bound to it elsewhere."""
        value = _value_of(place.anchor)
        if "(" in text and id(value) in self._called(place.unit):
            raise _NotPossible
        return Place(place.unit, value) if isinstance(value, cst.CSTNode) else place

    def _loses_a_variable(self, place: Place, text: str) -> bool:
        """Whether something of the user's is in the expression at a place that is not in its new text."""
        if not isinstance(place.anchor, cst.CSTNode):
            return False
        path = self._units[place.unit].source.path
        if path not in self._libraries:
            own = own_names(unit.source.path for unit in self._units)
            found = (library_names(tree, own) for tree in self._trees_beside(place))
            self._libraries[path] = frozenset().union(*found)
        return not variables(place.anchor, self._libraries[path]) <= set(re.findall(r"\w+", text))

    def _trees_beside(self, place: Place) -> list[cst.Module]:
        """All texts of the file that a place is in."""
        path = self._units[place.unit].source.path
        return [unit.tree for unit in self._units if unit.source.path == path]

    def _origin(self, used: Place, edit: Replace) -> Place:
        """Where the value of a variable was written, in the same file, for nothing but to be this value."""
        origin = self._origins.of(used)
        if origin is None or self.path(origin) != self.path(used) or "(" in edit.text:
            raise _NotPossible
        holder = holder_of(self.tree(origin), origin.anchor)
        if holder is None or not (edit.for_all_uses or used_once(holder, used.anchor, self._trees_beside(used))):
            raise _NotPossible
        return origin

    def _called(self, unit: int) -> frozenset[int]:
        """The identities of the functions of all calls of a text, which one walk finds for all its fixes."""
        if unit not in self._functions:
            tree = self._units[unit].tree
            self._functions[unit] = frozenset(id(node.func) for node in _nodes(tree) if isinstance(node, cst.Call))
        return self._functions[unit]

    def _rewritten(self, edit: Rewrite) -> Edit | None:
        place = self._value_place(edit.place, edit.template)
        span, node = self.span(place), place.anchor
        if span is None or (edit.named and not (isinstance(node, cst.BaseExpression) and dotted_name(node))):
            return None
        text = self.text(place, span)
        alone = _binds_tightly(node) or isinstance(node, cst.Integer | cst.Float)
        return self.replaced(place, span, edit.template.format(text=text if alone else f"({text})"))

    def _at_end(self, place: Place, text: str) -> Edit | None:
        span = self.span(place)
        if span is None:
            return None
        return self._replacement(place, Span(span.end_line, span.end_column, span.end_line, span.end_column), text)

    def _lines_before(self, edit: InsertLines) -> Edit | None:
        span = self.span(edit.place)
        if span is None or span.column:
            return None
        return self._replacement(edit.place, Span(span.line, 0, span.line, 0), edit.text)

    def _appended(self, edit: AppendElement) -> Edit | None:
        node = edit.place.anchor
        if not isinstance(node, cst.List | cst.Tuple) or not node.elements:
            return None
        return self._at_end(Place(edit.place.unit, node.elements[-1].value), f", {edit.text}")

    def _string_replaced(self, edit: ReplaceString) -> Edit | None:
        for one in _strings_at(edit.place):
            if isinstance(one, cst.SimpleString) and one.evaluated_value == edit.old:
                place = Place(edit.place.unit, one)
                text = one.prefix + one.quote + edit.new + one.quote
                return self._replacement(place, self.span(place), text)
        return None

    def _element_removed(self, edit: RemoveElement) -> Edit | None:
        """With the comma and the space before what follows it; the last one with the comma before it."""
        node = edit.place.anchor
        if not isinstance(node, cst.List | cst.Tuple | cst.Dict) or len(node.elements) < 2:
            return None
        names = [e.key if isinstance(e, cst.DictElement) else getattr(e, "value", None) for e in node.elements]
        at = next(
            (i for i, n in enumerate(names) if isinstance(n, cst.SimpleString) and n.evaluated_value == edit.text), None
        )
        if at is None or (isinstance(node, cst.Tuple) and len(node.elements) == 2):
            return None
        spans = [self.span(Place(edit.place.unit, element)) for element in node.elements]
        own, following = spans[at], spans[at + 1] if at + 1 < len(spans) else None
        before = spans[at - 1] if at else None
        if own is not None and following is not None:
            return self._replacement(edit.place, Span(own.line, own.column, following.line, following.column), "")
        if own is not None and before is not None:
            gone = Span(before.end_line, before.end_column, own.end_line, own.end_column)
            return self._replacement(edit.place, gone, "")
        return None

    def _name_removed(self, edit: RemoveName) -> Edit | None:
        """With `instead`, a statement of its own takes the place of the name."""
        node = edit.statement.anchor
        if not isinstance(node, cst.ImportFrom) or isinstance(node.names, cst.ImportStar) or node.lpar is not None:
            return None
        left = [alias for alias in node.names if alias.evaluated_name != edit.name]
        if len(left) == len(node.names) or any(alias.comma is None for alias in left):
            return None
        span = self.span(edit.statement)
        names = ", ".join(_alias_text(alias) for alias in left)
        indent = "" if span is None else self.indent(edit.statement, span)
        module = f"from {dotted_name(node.module)} import {names}" if left else ""
        return self._replacement(edit.statement, span, f"\n{indent}".join(t for t in (module, edit.instead) if t))

    def _step_removed(self, edit: RemoveStep) -> Edit | None:
        call = edit.call.anchor
        if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute) or call.lpar:
            return None
        whole, kept = self.span(edit.call), self.span(Place(edit.call.unit, call.func.value))
        if whole is None or kept is None:
            return None
        behind = Span(kept.end_line, kept.end_column, whole.end_line, whole.end_column)
        return self._replacement(edit.call, behind, "")

    def _added(self, edit: AddArgument, call: cst.Call) -> Edit | None:
        """Behind the last argument, on a line of its own where the arguments stand on lines of their own."""
        whole = self.span(edit.call)
        if whole is None or any(arg.star == "**" for arg in call.args):  # which may have the argument already
            return None
        if not call.args:
            end = Span(whole.end_line, whole.end_column - 1, whole.end_line, whole.end_column - 1)
            return self._replacement(edit.call, end, edit.text)
        last = self.span(Place(edit.call.unit, call.args[-1]))
        if last is None:
            return None
        comma = isinstance(call.args[-1].comma, cst.Comma)
        if not comma:
            end = Span(last.end_line, last.end_column, last.end_line, last.end_column)
            return self._replacement(edit.call, end, f", {edit.text}")
        behind = self._units[edit.call.unit].text.split("\n")[last.end_line - 1][last.end_column :]
        column = last.end_column + behind.find(",") + 1
        end = Span(last.end_line, column, last.end_line, column)
        if whole.end_line == last.end_line:
            return self._replacement(edit.call, end, f" {edit.text}")
        text = f"\n{self.indent(edit.call, last)}{edit.text},"
        return self.replaced(edit.call, end, text, like=whole.end_line)

    def _removed(self, edit: RemoveArgument, call: cst.Call) -> Edit | None:
        removed = edit.argument.anchor
        index = next((i for i, arg in enumerate(call.args) if arg is removed), None)
        if index is None or not isinstance(removed, cst.Arg) or removed.star:
            return None
        spans = [self.span(Place(edit.call.unit, arg)) for arg in call.args]
        own = spans[index]
        following_args = call.args[index + 1 :]
        if own is None or (removed.keyword is None and any(a.keyword is None for a in following_args)):
            # The positional arguments behind it would move to other parameters.
            return None
        if index + 1 < len(spans):
            following = spans[index + 1]
            if following is None:
                return None
            return self._replacement(edit.call, Span(own.line, own.column, following.line, following.column), "")
        if index > 0:
            before = spans[index - 1]
            if before is None:
                return None
            return self._replacement(
                edit.call, Span(before.end_line, before.end_column, own.end_line, own.end_column), ""
            )
        return self._replacement(edit.call, own, "")
