"""Python fences of Markdown and MDX."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_OPENING = re.compile(
    r"(?P<before>[ \t]*(?:>[ \t]*)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(?P<fence>`{3,}|~{3,})(?P<info>.*)\Z"
)
_PYTHON_INFO = re.compile(r"[ \t]*\{?[ \t]*\.?(?:python3?|py3?|ipython3?|pycon)(?![\w+#-])", re.IGNORECASE)
_QUOTE = re.compile(r"[ \t]{0,3}>[ ]?")


@dataclass(frozen=True, slots=True)
class Fence:
    """The lines of a Python fence: as they stand in the file, the code in them, and the columns before that code."""

    first_line: int
    original: tuple[str, ...]
    code: tuple[str, ...]
    removed: tuple[int, ...]


def python_fences(lines: Sequence[str]) -> Iterator[Fence]:
    """The fences whose info string says Python, also indented (lists, MDX components) and in block quotes."""
    number = 0
    while number < len(lines):
        opening = _OPENING.match(lines[number])
        number += 1
        if opening is None or (opening["fence"][0] == "`" and "`" in opening["info"]):
            continue
        first = number
        quotes = opening["before"].count(">")
        indentation = len(opening["before"].rpartition(">")[2])
        if quotes and indentation:
            indentation -= 1  # one space belongs to the quote's mark
        closing = re.compile(rf"[ \t]*{re.escape(opening['fence'])}{re.escape(opening['fence'][0])}*[ \t]*\Z")
        removed: list[int] = []
        while number < len(lines):
            start = _quote_end(lines[number], quotes)
            if start is None or closing.match(lines[number], start):
                break
            removed.append(start + _indentation(lines[number], start, indentation))
            number += 1
        # A line outside of the quote ends the fence and may itself open one.
        if number < len(lines) and _quote_end(lines[number], quotes) is not None:
            number += 1
        if removed and _PYTHON_INFO.match(opening["info"]):
            original = tuple(lines[first : first + len(removed)])
            code = tuple(line[columns:] for line, columns in zip(original, removed, strict=True))
            yield Fence(first + 1, original, code, tuple(removed))


def _quote_end(line: str, quotes: int) -> int | None:
    """The column after `quotes` block quote marks, None if the line has fewer."""
    position = 0
    for _ in range(quotes):
        mark = _QUOTE.match(line, position)
        if mark is None:
            return None
        position = mark.end()
    return position


def _indentation(line: str, start: int, limit: int) -> int:
    """How many of the line's blanks from `start` belong to the fence's indentation."""
    end = start
    while end < len(line) and end - start < limit and line[end] in " \t":
        end += 1
    return end - start
