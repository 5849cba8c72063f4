"""Edits on a text: which of them go together, and what comes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.editing.document import newline_at
from tflint_hf.source import line_starts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tflint_hf.findings import Edit, Finding, Location


def disjoint(findings: Iterable[Finding]) -> tuple[list[Finding], list[Finding]]:
    """The findings whose fixes can be made at once, and those whose fix clashes with that of one before it.

    Fixes that want the same edit, as to import the same module, share it.
    """
    taken: dict[tuple[str, int | None], list[Edit]] = {}
    chosen: list[Finding] = []
    clashing: list[Finding] = []
    for finding in findings:
        edits = finding.fix.edits if finding.fix is not None else ()
        known = [taken.get((edit.location.path, edit.location.cell), ()) for edit in edits]
        if any(_clash(edit, other) for edit, others in zip(edits, known, strict=True) for other in others):
            clashing.append(finding)
            continue
        chosen.append(finding)
        for edit in edits:
            taken.setdefault((edit.location.path, edit.location.cell), []).append(edit)
    return chosen, clashing


def _clash(one: Edit, other: Edit) -> bool:
    """Whether both change the same text, or write at the same place, in an order that nobody knows."""
    if one == other:
        return False
    (start, end), (other_start, other_end) = _range(one.location), _range(other.location)
    if (start, end) == (other_start, other_end):
        return True
    return start < other_end and other_start < end


def _range(place: Location) -> tuple[tuple[int, int], tuple[int, int]]:
    return (place.line, place.column), (place.end_line, place.end_column)


def edited(text: str, edits: Sequence[Edit]) -> str:
    """The text after disjoint edits. What they write ends its lines as the text does."""
    starts = line_starts(text)
    pieces: list[str] = []
    at = 0
    for edit in sorted(set(edits), key=lambda one: _range(one.location)):
        place = edit.location
        start = _offset(starts, text, place.line, place.column)
        end = _offset(starts, text, place.end_line, place.end_column)
        pieces += (text[at:start], edit.text.replace("\n", newline_at(text, start)))
        at = end
    return "".join((*pieces, text[at:]))


def _offset(starts: Sequence[int], text: str, line: int, column: int) -> int:
    return min(starts[line - 1] + column - 1, len(text)) if line <= len(starts) else len(text)
