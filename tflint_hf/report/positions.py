"""Places as other programs count them: lines of files where a report has lines of cells, columns in bytes or UTF-16."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tflint_hf.findings import Location, ScanResult


def utf8_units(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def lines_in_file(place: Location, result: ScanResult) -> tuple[int, int] | None:
    """The first and the last line of the file that a place stands on; None for a cell that is not found in its file.

    For a cell they are lines of the notebook's JSON, which is what services show in the changes of a commit.
    """
    if place.cell is None:
        return place.line, place.end_line
    known = result.file_lines.get((place.path, place.cell), ())
    return (known[place.line - 1], known[place.end_line - 1]) if max(place.line, place.end_line) <= len(known) else None


def columns(place: Location, result: ScanResult, units: Callable[[str], int]) -> tuple[int, int]:
    """Where a place begins and ends in its lines, from 1; in characters for a text that the result does not have."""
    lines = result.sources.get((place.path, place.cell), ())

    def converted(line: int, column: int) -> int:
        before = lines[line - 1][: column - 1] if line <= len(lines) else ""
        return column + units(before) - len(before)

    return converted(place.line, place.column), converted(place.end_line, place.end_column)
