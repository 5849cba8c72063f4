"""The lines of a finding with the exact range underlined, however wide their characters are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.report.style import BOLD, cells, printable_character

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tflint_hf.findings import Location
    from tflint_hf.report.style import Style

INDENTATION = "  "
MOST_LINES = 5
LEAST_ROOM = 6
ELLIPSIS = "…"


def excerpt(location: Location, lines: Sequence[str], style: Style, color: str) -> list[str]:
    """The numbered lines of `location` with carets below its range. Nothing for a place outside `lines`."""
    if not 1 <= location.line <= len(lines):
        return []
    last = max(location.line, min(location.end_line, len(lines)))
    # A range that ends before the first character of a line does not touch that line.
    if last > location.line and last == location.end_line and location.end_column <= 1:
        last -= 1
    numbers = list(range(location.line, last + 1))
    gutter = len(str(last))
    room = max(style.width - len(INDENTATION) - gutter - len(" | "), LEAST_ROOM)
    shown: list[str] = []
    for number in numbers:
        if len(numbers) > MOST_LINES and MOST_LINES - 2 <= number - location.line < len(numbers) - 1:
            if number - location.line == MOST_LINES - 2:
                shown.append(f"{' ' * gutter} | {ELLIPSIS}")
            continue
        line = lines[number - 1].rstrip("\r\n")
        start = location.column - 1 if number == location.line else _indentation(line)
        end = location.end_column - 1 if number == location.end_line else len(line.rstrip())
        text, carets = _underlined(line, start, end, room)
        shown.append(f"{number:>{gutter}} | {text}".rstrip())
        if carets:
            padding, marks = carets
            shown.append(f"{' ' * gutter} | {' ' * padding}{style.paint(marks, BOLD, color)}")
    return shown


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _underlined(line: str, start: int, end: int, room: int) -> tuple[str, tuple[int, str] | None]:
    """`line` as a terminal shows it, cut to `room` cells around characters start..end, and where the carets go."""
    start = max(0, min(start, len(line)))
    end = max(start, min(end, len(line)))
    # A caret behind the last character needs a cell of its own.
    first, stop = _window(line, start, end, room - (start == len(line)))
    before = ELLIPSIS if first else ""
    after = ELLIPSIS if stop < len(line) else ""
    prefix = before + _displayed(line[first:start])
    marked = _displayed(line[start : min(end, stop)])
    rest = _displayed(line[min(end, stop) : stop])
    text = prefix + marked + rest + after
    if not line.strip():
        return text, None
    padding = cells(prefix)
    return text, (padding, "^" * max(cells(prefix + marked) - padding, 1))


def _window(line: str, start: int, end: int, room: int) -> tuple[int, int]:
    """The characters of `line` that fit into `room` cells: all, or those around `start` and as much of the range."""
    widths = [cells(printable_character(character)) for character in line]
    if sum(widths) <= room and cells(_displayed(line)) <= room:
        return 0, len(line)
    room -= 2  # one ellipsis at each side
    lead = max((room - sum(widths[start:end])) // 2, room // 4)
    first, used = start, 0
    while first > 0 and used + widths[first - 1] <= lead:
        first -= 1
        used += widths[first]
    stop = start
    while stop < len(line) and used + widths[stop] <= room:
        used += widths[stop]
        stop += 1
    while first > 0 and used + widths[first - 1] <= room:
        first -= 1
        used += widths[first]
    # Characters can be wider together than one by one.
    while stop - first > 1 and cells(_displayed(line[first:stop])) > room:
        first, stop = (first + 1, stop) if first < start else (first, stop - 1)
    return first, stop


def _displayed(text: str) -> str:
    return text if text.isascii() and text.isprintable() else "".join(map(printable_character, text))
