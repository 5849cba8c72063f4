"""The error that ended a program, as its log tells it: the last traceback, or the last line that names an exception."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tflint_hf.diagnose.log import Log, LogLine

_EXCEPTION = re.compile(r"([A-Za-z_][\w.]*(?:Error|Exception|Interrupt|SystemExit))(?:: ?(.*))?$")
_PREAMBLES = ("in user code:", "Graph execution error:")
_INNER_EXCEPTION = re.compile(r"\s+[A-Za-z_][\w.]*(?:Error|Exception): (.+)$")
_NODE = re.compile(r"\s*(?:\[\[|File \"|$)|Detected at node|\t")
_FRAMES = (
    re.compile(r'\s*File "(?P<path>[^"]+)", line (?P<line>\d+)'),
    re.compile(r"File (?P<path>\S+?):(?P<line>\d+),? in "),
    re.compile(r"(?P<path>Cell In\s?\[\d+\]), line (?P<line>\d+)"),
)
_ARROW = re.compile(r"-+> (?P<line>\d+) ")
_LIBRARY = re.compile(r"(?:site|dist)-packages|[\\/]lib[\\/]python\d|^<(?!ipython)|__autograph_generated_file")


@dataclass(frozen=True, slots=True)
class Frame:
    """A line of the user's own program that a traceback passes through."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class LoggedError:
    """`name` is the class of the exception without its module."""

    name: str
    message: str
    line: LogLine
    frames: tuple[Frame, ...]

    @property
    def place(self) -> Frame | None:
        """The user's line nearest to the error."""
        return self.frames[-1] if self.frames else None


def last_error(log: Log) -> LoggedError | None:
    """The error at the end of a log, None if it tells of none."""
    lines = log.lines
    heads = [place for place, line in enumerate(lines) if "Traceback (most recent call last)" in line.text]
    start = heads[-1] if heads else 0
    named = [(place, found) for place in range(start, len(lines)) if (found := _EXCEPTION.match(lines[place].text))]
    if not named:
        return None
    # What follows a traceback's own exception is printed by what caught it: the exception ends the traceback.
    place, found = named[0] if heads else named[-1]
    name = found[1].rsplit(".", 1)[-1]
    message = (found[2] or "").strip()
    return LoggedError(
        name, _inner_message(lines[place + 1 :], message), lines[place], user_frames(lines[start : place + 1])
    )


def _inner_message(after: Sequence[LogLine], message: str) -> str:
    """What the error of a graph or of a traced function says in the end, after the places it tells of first."""
    if message not in _PREAMBLES:
        return message
    inner = [found[1].strip() for line in after if (found := _INNER_EXCEPTION.match(line.text))]
    if inner:
        return inner[-1]
    said = [line.text.strip() for line in after if not _NODE.match(line.text)]
    return said[-1] if said else message


def user_frames(lines: Sequence[LogLine]) -> tuple[Frame, ...]:
    """The frames of a traceback that lie in no library, in its order."""
    frames = []
    for line in lines:
        for pattern in _FRAMES:
            if frame := pattern.match(line.text):
                if not _LIBRARY.search(frame["path"]):
                    frames.append(Frame(frame["path"], int(frame["line"])))
                break
    return tuple(dict.fromkeys(frames))
