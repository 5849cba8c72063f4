"""The numbers of a training in its log: progress bars of Keras 2 and 3, dictionaries of a Trainer or a History."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tflint_hf.diagnose.log import Log, LogLine

_NUMBER = r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)"
_EPOCH = re.compile(r"\s*Epoch (\d+)/\d+\s*$")
_BAR = re.compile(r"\s*(\d+)/(?:\d+|Unknown)\s*(?=\[[=>.\s]|━|-\s|\d+s)")
_BAR_VALUE = re.compile(rf"([A-Za-z_][\w/.@-]*): ({_NUMBER})(?=\s|$)", re.IGNORECASE)
_DICTIONARY = re.compile(r"\s*\{'.*\}\s*$")
_ITEM = re.compile(rf"'([\w/.@-]+)': '?({_NUMBER})'?(?=[,}}])", re.IGNORECASE)
_LIST = re.compile(rf"'([\w/.@-]+)': \[({_NUMBER}(?:, {_NUMBER})*)\]", re.IGNORECASE)
_INTERRUPTED = re.compile(r"warning|error|traceback", re.IGNORECASE)
_NOT_A_VALUE = frozenset({"ETA"})


@dataclass(slots=True)
class Epoch:
    """The values that were shown first in an epoch, and those at its end."""

    number: int
    line: LogLine
    first: dict[str, float] = field(default_factory=dict)
    last: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class Training:
    """The epochs of one call of fit."""

    epochs: list[Epoch] = field(default_factory=list)

    def series(self, name: str) -> list[float]:
        """The values of `name` at the end of the epochs that show it."""
        return [epoch.last[name] for epoch in self.epochs if name in epoch.last]

    def names(self) -> set[str]:
        return {name for epoch in self.epochs for name in epoch.last}


def shows_progress(text: str) -> bool:
    """Whether a line is a progress bar or the head of an epoch, and nothing was printed behind the bar."""
    return bool((_BAR.match(text) and not _INTERRUPTED.search(text)) or _EPOCH.match(text))


def trainings(log: Log) -> list[Training]:
    """Every training that a log shows numbers of, in order."""
    found: list[Training] = []
    step = 0
    evaluating = False
    for line in log.lines:
        if head := _EPOCH.match(line.text):
            number = int(head[1])
            if not found or (found[-1].epochs and number <= found[-1].epochs[-1].number):
                found.append(Training())
            found[-1].epochs.append(Epoch(number, line))
            step, evaluating = 0, False
        elif bar := _BAR.match(line.text):
            # Without the head of an epoch, a bar that starts again is that of evaluate or predict.
            evaluating = evaluating or int(bar[1]) < step
            step = int(bar[1])
            values = _values(_BAR_VALUE, line.text[bar.end() :])
            if values and not evaluating and found and found[-1].epochs:
                epoch = found[-1].epochs[-1]
                epoch.first = epoch.first or values
                epoch.last |= values
                epoch.line = line
        elif _DICTIONARY.match(line.text):
            _read_dictionary(line, found)
    return [training for training in found if any(epoch.last for epoch in training.epochs)]


def _values(pattern: re.Pattern[str], text: str) -> dict[str, float]:
    return {name: float(value) for name, value in pattern.findall(text) if name not in _NOT_A_VALUE}


def _read_dictionary(line: LogLine, found: list[Training]) -> None:
    """A History of lists is a training of its own; a step of a Trainer is one more point of its training."""
    if lists := {name: [float(v) for v in values.split(", ")] for name, values in _LIST.findall(line.text)}:
        if "loss" in lists and not any(_same(training, lists["loss"]) for training in found):
            found.append(Training(list(_epochs_of_lists(lists, line))))
        return
    values = _values(_ITEM, line.text)
    position = values.pop("epoch", None)
    if position is None or "loss" not in values:
        return
    if not found or not found[-1].epochs or found[-1].epochs[-1].number > position:
        found.append(Training())
    found[-1].epochs.append(Epoch(int(position), line, dict(values), dict(values)))


def _same(training: Training, losses: list[float]) -> bool:
    """Whether a History tells of a training whose bars were seen: bars show four digits."""
    shown = training.series("loss")
    return len(shown) == len(losses) and all(
        a != a or b != b or abs(a - b) <= 1e-3 * max(1.0, abs(b)) for a, b in zip(shown, losses, strict=True)
    )


def _epochs_of_lists(lists: dict[str, list[float]], line: LogLine) -> Iterator[Epoch]:
    for number in range(len(lists["loss"])):
        values = {name: values[number] for name, values in lists.items() if number < len(values)}
        yield Epoch(number + 1, line, values, dict(values))
