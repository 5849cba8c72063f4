"""Positions as an editor counts them, in its own units from 0, and as findings do, in characters from 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol.types import Position, PositionEncodingKind, Range

from tflint_hf.source.lines import NEWLINE

if TYPE_CHECKING:
    from tflint_hf.findings import Location


def units(text: str, encoding: str) -> int:
    """How many units of the editor's encoding a text has."""
    if encoding == PositionEncodingKind.Utf32 or text.isascii():
        return len(text)
    if encoding == PositionEncodingKind.Utf8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def characters(text: str, count: int, encoding: str) -> int:
    """How many characters of a text the first `count` units are; a unit in the midst of one stands before it."""
    if encoding == PositionEncodingKind.Utf32 or text.isascii():
        return min(count, len(text))
    passed = 0
    for number, character in enumerate(text):
        passed += units(character, encoding)
        if passed > count:
            return number
    return len(text)


class Lines:
    """A text by its lines. Only CR, LF and both together end a line, for the protocol as for Python."""

    def __init__(self, text: str, encoding: str) -> None:
        self.text = text
        self.encoding = encoding
        ends = [(match.start(), match.end()) for match in NEWLINE.finditer(text)]
        self._starts = [0, *(end for _, end in ends)]
        self._stops = [*(start for start, _ in ends), len(text)]

    def line(self, number: int) -> str:
        """The line without its end, counted from 0; empty behind the text."""
        return self.text[self._starts[number] : self._stops[number]] if number < len(self._starts) else ""

    def offset(self, position: Position) -> int:
        """Where in the text a position of the editor is, in characters."""
        if position.line >= len(self._starts):
            return len(self.text)
        return self._starts[position.line] + characters(self.line(position.line), position.character, self.encoding)

    def position(self, line: int, column: int) -> Position:
        """The editor's position of a place, with line and column from 1."""
        number = max(0, min(line, len(self._starts)) - 1)
        return Position(number, units(self.line(number)[: max(column - 1, 0)], self.encoding))

    def position_at(self, offset: int) -> Position:
        """The editor's position of a character of the text."""
        number = next(n for n in reversed(range(len(self._starts))) if self._starts[n] <= offset)
        return self.position(number + 1, offset - self._starts[number] + 1)

    def place(self, position: Position) -> tuple[int, int]:
        """Line and column from 1 of an editor's position."""
        line = self.line(position.line)
        return position.line + 1, characters(line, position.character, self.encoding) + 1

    def range(self, location: Location) -> Range:
        """The editor's range of a location in this text."""
        return Range(
            self.position(location.line, location.column), self.position(location.end_line, location.end_column)
        )
