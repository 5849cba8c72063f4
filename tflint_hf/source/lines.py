"""Lines as Python and editors count them: CR, LF or both together end one, a form feed or U+2028 does not."""

from __future__ import annotations

import re

NEWLINE = re.compile(r"\r\n|\r|\n")
_WITH_END = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


def split_lines(text: str) -> list[str]:
    """The lines without their ends; one more than the text has ends."""
    return NEWLINE.split(text) if "\r" in text else text.split("\n")


def lines_with_ends(text: str) -> list[str]:
    """The lines with their ends, which make the text again; none for an empty text."""
    return _WITH_END.findall(text)


def line_starts(text: str) -> list[int]:
    """The offset of each line."""
    return [0, *(match.end() for match in NEWLINE.finditer(text))]
