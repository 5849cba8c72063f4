"""How a report for people may look: its colours and its width."""

from __future__ import annotations

from dataclasses import dataclass

from tflint_hf.findings import Outcome, Severity

RED, GREEN, YELLOW, CYAN, BOLD, DIM = "31", "32", "33", "36", "1", "2"
DEFAULT_WIDTH = 120
NARROW = 40
"""Terminals below this width break lines badly by themselves."""
SEVERITY_COLORS = {Severity.ERROR: RED, Severity.WARNING: YELLOW, Severity.INFO: CYAN}
OUTCOME_COLORS = {
    Outcome.CONFIRMED: RED,
    Outcome.REFUTED: GREEN,
    Outcome.UNDECIDED: YELLOW,
    Outcome.NOT_REACHED: YELLOW,
}


@dataclass(frozen=True, slots=True)
class Style:
    """`summary` adds the closing line that counts the findings."""

    color: bool = False
    width: int = DEFAULT_WIDTH
    summary: bool = True

    def paint(self, text: str, *codes: str) -> str:
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.color else text


def printable(text: str) -> str:
    """`text` without characters that steer a terminal or hide what is there (escapes, bidirectional overrides)."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(printable_character, text))


def printable_character(character: str) -> str:
    if character.isprintable() or character in _KEPT or (character.isspace() and character not in _LINE_BREAKS):
        return "    " if character == "\t" else character
    code = ord(character)
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\u{code:04x}" if code > 0xFF else f"\\x{code:02x}"


_KEPT = "\u200c\u200d"  # joiners: without them scripts and emoji fall apart
_LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029"


def cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def wrapped(text: str, width: int) -> list[str]:
    """A text on lines of `width` columns, broken between words, and in them where one is longer than a line."""
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if cells(joined) <= width:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        for character in word:
            if lines[-1] and cells(lines[-1] + character) > width:
                lines.append("")
            lines[-1] += character
    return lines
