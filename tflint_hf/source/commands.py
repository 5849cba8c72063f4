"""IPython's lines that are not Python (`!shell`, `%magic`, `help?`), replaced so that all else keeps its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

UNKNOWN_VALUE = "__shell__()"
"""Stands for the value of `!command` and `%magic`: a call that nobody knows."""

_MAY_HOLD_COMMAND = re.compile(
    r"^[ \t]*(?:[!%?]|(?:pip3?|conda|mamba|cd)\b)|=[ \t]*[!%]|\?[ \t]*(?:\#|$)", re.MULTILINE
)
_COMMAND = re.compile(r"[!%?]|(?:pip3?|conda|mamba)[ \t]+\w|cd[ \t]+[\w./~$\"'-]+[ \t]*$")
_HELP = re.compile(r"%{0,2}[\w.*\[\]]+\?{1,2}[ \t]*(?:#.*)?$")
_TIME = re.compile(r"%time[ \t]+(?=[^\s-])")
_INDENTATION = re.compile(r"[ \t\f]*")
_CODE_TOKEN = re.compile(r"\\.?|'''|\"\"\"|['\"#()\[\]{}]|=(?=[ \t]*[!%])")
_STRING_TOKEN = {quote: re.compile(rf"\\.?|{quote}") for quote in ("'''", '"""', "'", '"')}


@dataclass(frozen=True, slots=True)
class PythonLines:
    """Lines of Python, the columns taken away in front of each one's code, and the commands that stood there."""

    lines: tuple[str, ...]
    shifts: tuple[int, ...]
    commands: tuple[str, ...]


class _State(NamedTuple):
    """Where the scan stands between two lines."""

    depth: int = 0
    quote: str = ""
    continued: bool = False

    @property
    def statement_may_start(self) -> bool:
        return not (self.depth or self.quote or self.continued)


_ENVIRONMENT = re.compile(r"%(?:env|set_env)\s+(\w+)(?:\s*=\s*|\s+)([\w.,:/-]+)\s*$")
SET_VARIABLE = '__import__("os").environ.setdefault("{}", "{}")'


def replace_commands(lines: Sequence[str]) -> PythonLines:
    """Python for what IPython takes, line by line.

    A command becomes `pass` at its indentation, `%env` a call that sets the variable, an assigned one a call that
    nobody knows, and the lines that a backslash joins to it become empty. `%time` keeps the statement that it runs.
    Such text inside brackets and strings is Python and stays.
    """
    unchanged = PythonLines(tuple(lines), (0,) * len(lines), ())
    if not _MAY_HOLD_COMMAND.search("\n".join(lines)):
        return unchanged
    result: list[str] = []
    shifts = [0] * len(lines)
    commands: list[str] = []
    state = _State()
    in_command = False
    for number, line in enumerate(lines):
        if in_command:
            commands[-1] = commands[-1][:-1] + " " + line.strip()
            in_command = line.endswith("\\")
            result.append("")
            continue
        if state.statement_may_start:
            indentation = _INDENTATION.match(line).group()  # type: ignore[union-attr]  # it matches the empty text too
            code = line[len(indentation) :]
            timed = _TIME.match(code)
            if timed:
                shifts[number] = timed.end()
                line = indentation + code[timed.end() :]
            elif _COMMAND.match(code) or _HELP.match(code):
                commands.append(code)
                in_command = line.endswith("\\")
                variable = _ENVIRONMENT.match(code)
                result.append(indentation + (SET_VARIABLE.format(*variable.groups()) if variable else "pass"))
                continue
        state, assigned = _scan(line, state)
        if assigned is not None:
            commands.append(line[assigned:].lstrip())
            in_command = line.endswith("\\")
            line = f"{line[:assigned]} {UNKNOWN_VALUE}"
            state = _State()
        result.append(line)
    return PythonLines(tuple(result), tuple(shifts), tuple(commands))


def _scan(line: str, state: _State) -> tuple[_State, int | None]:
    """The state after `line`, and the column after the `=` of an assigned command if there is one."""
    depth, quote, _ = state
    position = 0
    while True:
        token = (_STRING_TOKEN[quote] if quote else _CODE_TOKEN).search(line, position)
        if token is None:
            # A plain string that is still open here is a fault of the program: it must not swallow the next line.
            return _State(depth, quote if len(quote) == 3 else ""), None
        position = token.end()
        text = token.group()
        if text == "\\":
            return _State(depth, quote, continued=True), None
        if text[0] == "\\":
            continue
        if quote:
            quote = ""
        elif text[0] in "'\"":
            quote = text
        elif text == "#":
            return _State(depth), None
        elif text == "=":
            if depth == 0:
                return _State(), position
        elif text in "([{":
            depth += 1
        else:
            depth = max(0, depth - 1)
