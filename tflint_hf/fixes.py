"""Fixes as rules plan them, in terms of places; whoever made the places turns them into edits of the text."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypeAlias, get_args

from tflint_hf.findings import Safety
from tflint_hf.trace.places import FilePlace, Place

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Replace:
    """Write `text` in place of what stands at `place`.

    No variable of the program is written over: the literal changes that it got its value from, if this is its only use,
    or `for_all_uses`.
    """

    place: Place
    text: str
    for_all_uses: bool = False


@dataclass(frozen=True, slots=True)
class AddArgument:
    """Add an argument at the end of a call."""

    call: Place
    text: str


@dataclass(frozen=True, slots=True)
class RemoveArgument:
    """Take an argument out of a call, with its comma."""

    call: Place
    argument: Place


@dataclass(frozen=True, slots=True)
class RenameKeyword:
    """Give the argument another keyword: `lr=2e-5` becomes `learning_rate=2e-5`."""

    argument: Place
    keyword: str


@dataclass(frozen=True, slots=True)
class InsertAfter:
    """Write `text` directly behind what stands at `place`: `outputs` becomes `outputs.logits`."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class InsertBefore:
    """Write `text` directly before what stands at `place`."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class RemoveStep:
    """Take the last call out of a chain: `rows.batch(8)` becomes `rows`."""

    call: Place


@dataclass(frozen=True, slots=True)
class InsertLines:
    """Write whole lines before the statement at `place`, which begins its line."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class AppendElement:
    """Add an element to the list or tuple that is written at `place`."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class ReplaceString:
    """Write another string for `old`, which is written at `place`, or is an element of the list, a key of the
    dictionary, or the subscript there."""

    place: Place
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class RemoveElement:
    """Take the string out of the list, tuple or dictionary that is written at `place`, as an element or a key."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class RemoveName:
    """Take a name out of a `from ... import a, b` statement, or the statement if it imports nothing else."""

    statement: Place
    name: str
    instead: str = ""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Write the expression at `place` into a text, for each `{text}` in it: `adam` becomes `copy(adam)`.

    `named`: only if it is a name, or an attribute of one, so that writing it twice does nothing twice.
    """

    place: Place
    template: str
    named: bool = False


@dataclass(frozen=True, slots=True)
class SwapSteps:
    """Change the order of two steps of a chain: `rows.batch(8).shuffle(100)` becomes `rows.shuffle(100).batch(8)`."""

    first: Place
    second: Place


@dataclass(frozen=True, slots=True)
class SwapElements:
    """Change the order of two elements of a list that is written in the program."""

    first: Place
    second: Place


@dataclass(frozen=True, slots=True)
class AddImport:
    """Take one more name from a library by its `from ... import` statement, to be used at a place behind it."""

    statement: Place
    name: str
    used_at: Place


@dataclass(frozen=True, slots=True)
class AddModule:
    """Write an import of a module above a `from ... import` statement, to be used at a place behind it."""

    statement: Place
    text: str
    used_at: Place


@dataclass(frozen=True, slots=True)
class InsertBehind:
    """Write a statement behind `name = call(...)`, for each `{name}` in it that name."""

    call: Place
    template: str


@dataclass(frozen=True, slots=True)
class RepeatCall:
    """Write the statement that is this method call again behind it, for another object: `model.save(x)`, `tok.save(x)`.

    Only if its one argument is a name or a string.
    """

    call: Place
    receiver: str


@dataclass(frozen=True, slots=True)
class NameElements:
    """Make a dictionary of the elements of a list or tuple that is written at `place`, or of the first of them.

    `[ids, mask]` becomes `{"input_ids": ids, "attention_mask": mask}`; with more elements than names, `(ids, y)`
    becomes `({"input_ids": ids}, y)`.
    """

    place: Place
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RenameMember:
    """Call another member of the same module: `metrics.Accuracy()`; not a name that was imported by itself."""

    callee: Place
    name: str


@dataclass(frozen=True, slots=True)
class AppendLine:
    """Write a line behind one of a list of requirements."""

    place: FilePlace
    text: str


PlannedEdit: TypeAlias = (
    Replace
    | AddArgument
    | RemoveArgument
    | RenameKeyword
    | InsertAfter
    | InsertBefore
    | InsertLines
    | RemoveStep
    | AppendElement
    | ReplaceString
    | RemoveElement
    | RemoveName
    | Rewrite
    | SwapSteps
    | SwapElements
    | AddImport
    | AddModule
    | InsertBehind
    | RepeatCall
    | NameElements
    | AppendLine
    | RenameMember
)


@dataclass(frozen=True, slots=True)
class PlannedFix:
    """What `--fix` does: all these edits, or nothing if the text does not allow one of them."""

    safety: Safety
    title: str
    edits: tuple[PlannedEdit, ...]

    def __post_init__(self) -> None:
        """Raises TypeError: what is wrong here would show far from the function that made it."""
        _require(self, {"safety": Safety, "title": str, "edits": tuple})
        if not self.edits:
            raise TypeError("`edits` of a PlannedFix is empty")
        for edit in self.edits:
            if type(edit) not in get_args(PlannedEdit):
                raise TypeError(f"`edits` of a PlannedFix has {edit!r}, which is no edit of tflint_hf.plugin.fixes")
            kinds = {"str": str, "Place": Place, "FilePlace": FilePlace}
            _require(edit, {one.name: kinds[str(one.type)] for one in fields(edit) if str(one.type) in kinds})


def _require(one: PlannedFix | PlannedEdit, kinds: Mapping[str, type]) -> None:
    for name, kind in kinds.items():
        value = getattr(one, name)
        if not isinstance(value, kind):
            raise TypeError(f"`{name}` of {type(one).__name__} is {value!r}, which is no {kind.__name__}")
