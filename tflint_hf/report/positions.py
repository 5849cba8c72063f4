"""Columns in the units of other programs: a report counts characters, they count bytes or UTF-16 units."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tflint_hf.findings import Location, ScanResult


def utf8_units(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def columns(place: Location, result: ScanResult, units: Callable[[str], int]) -> tuple[int, int]:
    """Where a place begins and ends in its lines, from 1; in characters for a text that the result does not have."""
    lines = result.sources.get((place.path, place.cell), ())

    def converted(line: int, column: int) -> int:
        before = lines[line - 1][: column - 1] if line <= len(lines) else ""
        return column + units(before) - len(before)

    return converted(place.line, place.column), converted(place.end_line, place.end_column)
