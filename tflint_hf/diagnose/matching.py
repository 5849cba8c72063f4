"""Which rules have a symptom that a log shows."""

from __future__ import annotations

import bisect
import functools
import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.diagnose.curves import shapes
from tflint_hf.diagnose.log import log_of_text
from tflint_hf.diagnose.progress import shows_progress, trainings
from tflint_hf.rule_files import load_rules
from tflint_hf.rules import STRENGTHS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tflint_hf.diagnose.log import Log, LogLine
    from tflint_hf.rules import Rule, Symptom

EXCERPT = 300
MAX_TEXT = 1_000_000


@dataclass(frozen=True, slots=True)
class Recognised:
    """A symptom of a rule that a log shows: what the log says, and its line (of the cell, in a notebook's outputs).

    `strength` is certain (nothing else says this), likely, possible (other faults of rules say it as well), or vague
    (programs without any of these faults say it too).
    """

    code: str
    strength: str
    excerpt: str
    line: int
    cell: int | None = None
    kind: str = "error"
    note: str | None = None

    @property
    def rank(self) -> tuple[int, int]:
        """Smaller is the better clue: how strong it is, then what speaks."""
        return (STRENGTHS.index(self.strength), _KINDS.index(self.kind))


_KINDS = ("error", "curve", "warning", "log")


def recognise(text: str, rules: Iterable[Rule] | None = None) -> list[Recognised]:
    """The rules (of these, else of those of the tool) whose symptom a log shows, the strongest clue first, each once.

    `text` may be no more than the message of an exception, but some messages say enough only with their traceback.
    """
    return recognise_in(log_of_text(text), rules)


def recognise_in(log: Log, rules: Iterable[Rule] | None = None) -> list[Recognised]:
    """The rules whose symptom a log shows, the strongest clue first, each rule once with its strongest clue."""
    found: dict[str, Recognised] = {}
    for clue in _clues(log, tuple(load_rules() if rules is None else rules)):
        known = found.get(clue.code)
        if known is None or clue.rank < known.rank:
            found[clue.code] = clue
    return sorted(found.values(), key=lambda clue: (clue.rank, clue.code))


def _clues(log: Log, rules: tuple[Rule, ...]) -> Iterator[Recognised]:
    text = _Text(_worth_reading(log))
    curves = [shape for training in trainings(log) for shape in shapes(training)]
    for rule in rules:
        for symptom in rule.symptoms:
            if symptom.pattern is not None:
                if (match := text.first(symptom)) is not None:
                    yield _recognised(rule, symptom, text.excerpt(match), text.line(match))
            else:
                yield from (_recognised(rule, symptom, s.seen, s.line) for s in curves if s.name == symptom.curve)


def _worth_reading(log: Log) -> list[LogLine]:
    """The lines that say something: neither progress bars nor what the line before said; of very many the ends."""
    lines: list[LogLine] = []
    for line in log.lines:
        if not shows_progress(line.text) and (not lines or lines[-1].text != line.text):
            lines.append(line)
    if sum(len(line.text) for line in lines) <= MAX_TEXT:
        return lines
    head = _fitting(lines)
    return lines[:head] + lines[max(head, len(lines) - _fitting(lines[::-1])) :]


def _fitting(lines: list[LogLine]) -> int:
    """How many lines from the start are within half of what is read."""
    sizes = itertools.accumulate(len(line.text) for line in lines)
    return sum(1 for _ in itertools.takewhile(lambda size: size <= MAX_TEXT // 2, sizes))


def _recognised(rule: Rule, symptom: Symptom, excerpt: str, line: LogLine) -> Recognised:
    return Recognised(rule.code, symptom.strength, excerpt, line.number, line.cell, symptom.kind, symptom.note)


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


class _Text:
    """The lines of a log as one text, in which a place leads back to its line."""

    def __init__(self, lines: list[LogLine]) -> None:
        self.lines = lines
        self.whole = "\n".join(line.text for line in lines)
        self.starts = [0]
        for line in lines:
            self.starts.append(self.starts[-1] + len(line.text) + 1)

    def first(self, symptom: Symptom) -> re.Match[str] | None:
        """The first place that shows a symptom of text."""
        matches = _compiled(symptom.pattern or "").finditer(self.whole)
        return next(filter(symptom.holds, matches), None)

    def line(self, match: re.Match[str]) -> LogLine:
        """The line that the match ends in: what leads there may be lines above."""
        return self.lines[bisect.bisect_right(self.starts, max(match.end() - 1, match.start())) - 1]

    def excerpt(self, match: re.Match[str]) -> str:
        text = self.line(match).text.strip()
        return text if len(text) <= EXCERPT else text[: EXCERPT - 3].rstrip() + "..."
