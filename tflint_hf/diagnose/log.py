"""What a program printed, line by line: from a text, the bytes of a file, or the stored outputs of a notebook."""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

# A log may be gigabytes of progress bars. What went wrong first and last is at its ends.
MAX_BYTES = 4_000_000
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_ERASED = re.compile(r"[^\x08]\x08")
_REDRAWN = re.compile(r"\r|\x08{2,}")


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line as it once stood on the screen: a progress bar leaves as many as it was drawn, with one `number`.

    `number` counts the lines of the log from 1, those of a notebook's cell from the first line that the cell printed.
    `cell` is the position of that cell among all cells of the notebook, from 1.
    """

    text: str
    number: int
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Log:
    """All lines of a log in order."""

    lines: tuple[LogLine, ...]
    is_notebook: bool = False


def read_log(data: bytes) -> Log:
    """The log in the bytes of a file or a pipe; those of a notebook are the outputs stored in it."""
    if data[:512].lstrip().startswith(b"{") and (notebook := _notebook(data)) is not None:
        return Log(tuple(_notebook_lines(notebook)), is_notebook=True)
    if len(data) > MAX_BYTES:
        data = data[: MAX_BYTES // 2] + b"\n" + data[-MAX_BYTES // 2 :]
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return log_of_text(data[len(mark) :].decode(encoding, "replace"))
    return log_of_text(data.decode("utf-8", "replace"))


def log_of_text(text: str) -> Log:
    """The log that `text` is, with its escape sequences, carriage returns and backspaces."""
    return Log(tuple(_screen_lines(text, None)))


def _screen_lines(text: str, cell: int | None) -> Iterator[LogLine]:
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if line.isprintable():
            if whole := line.rstrip():
                yield LogLine(whole, number, cell)
            continue
        for drawn in _REDRAWN.split(_ESCAPES.sub("", line)):
            while "\x08" in drawn and drawn != (shorter := _ERASED.sub("", drawn)):
                drawn = shorter
            if drawn := drawn.replace("\x08", "").rstrip():
                yield LogLine(drawn, number, cell)


def _notebook(data: bytes) -> list[Any] | None:
    """The cells of a notebook, None for anything else that begins with a brace."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict):
        return None
    if isinstance(cells := content.get("cells"), list):
        return cells
    sheets = content.get("worksheets")
    if not isinstance(sheets, list):
        return None
    return [cell for sheet in sheets if isinstance(sheet, dict) for cell in sheet.get("cells", [])]


def _notebook_lines(cells: list[Any]) -> Iterator[LogLine]:
    for number, cell in enumerate(cells, start=1):
        outputs = cell.get("outputs") if isinstance(cell, dict) else None
        if isinstance(outputs, list):
            yield from _screen_lines("".join(map(_printed, outputs)), number)


def _printed(output: Any) -> str:
    """The text of one output: a piece of a stream, a value, or an error with its traceback."""
    if not isinstance(output, dict):
        return ""
    if isinstance(output.get("traceback"), list):
        return "\n".join(part for part in output["traceback"] if isinstance(part, str)) + "\n"
    if "text" in output:  # a progress bar may go on in the next piece
        return _joined(output["text"])
    data = output.get("data")
    return _joined(data.get("text/plain")) + "\n" if isinstance(data, dict) else ""


def _joined(text: Any) -> str:
    if isinstance(text, list):
        return "".join(part for part in text if isinstance(part, str))
    return text if isinstance(text, str) else ""
