"""Shapes of a training's numbers that a rule can name as its symptom: a loss that is nan, frozen, negative."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tflint_hf.diagnose.log import LogLine
    from tflint_hf.diagnose.progress import Training

# Bars show four digits: 0.6931 stands for all from 0.69305 to 0.69315.
SHOWN = 6e-5
MOST_CLASSES_FROZEN = 100
# ln 10 and ln 11 differ by 0.1, so that a loss near one of them still names the number of classes.
MOST_CLASSES_NEAR = 10
NEAR = 0.01
FEW_EPOCHS = 3


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape that was seen: its name, the numbers as a sentence, the line that shows it."""

    name: str
    seen: str
    line: LogLine


_JUDGES: dict[str, Callable[[Training], str | None]] = {}


def shapes(training: Training) -> Iterator[Shape]:
    """Every shape that the numbers of one training have."""
    for name, judge in _JUDGES.items():
        if seen := judge(training):
            yield Shape(name, seen, training.epochs[-1].line)


def _shape(name: str) -> Callable[[Callable[[Training], str | None]], Callable[[Training], str | None]]:
    def register(judge: Callable[[Training], str | None]) -> Callable[[Training], str | None]:
        _JUDGES[name] = judge
        return judge

    return register


@_shape("loss-nan-at-once")
def _loss_nan_at_once(training: Training) -> str | None:
    firsts = [epoch.first["loss"] for epoch in training.epochs if "loss" in epoch.first]
    if firsts and math.isnan(firsts[0]):
        return "loss: nan from the first batches on"
    # A bar that is not redrawn shows the mean of an epoch only: nan, if one of its batches was.
    losses = training.series("loss")
    return "loss: nan from the first epoch on" if losses and math.isnan(losses[0]) else None


@_shape("loss-nan-later")
def _loss_nan_later(training: Training) -> str | None:
    losses = training.series("loss")
    if not losses or math.isnan(losses[0]) or not math.isnan(losses[-1]):
        return None
    good = next(place for place, loss in enumerate(losses) if math.isnan(loss))
    return f"loss: {_number(losses[0])} in the first epoch, nan from epoch {training.epochs[good].number} on"


@_shape("loss-negative")
def _loss_negative(training: Training) -> str | None:
    losses = training.series("loss")
    if len(losses) < 2 or not (losses[-1] < 0 and losses[-1] < losses[0]):
        return None
    return f"loss: below zero and falling ({_way(losses)})"


@_shape("loss-zero")
def _loss_zero(training: Training) -> str | None:
    losses = training.series("loss")
    return "loss: 0.0 from the first epoch on" if losses and not any(losses) else None


@_shape("loss-frozen-at-ln-classes")
def _loss_frozen(training: Training) -> str | None:
    losses = training.series("loss")
    end = losses[-FEW_EPOCHS:]
    if len(end) < FEW_EPOCHS or not _steady(end):
        return None
    for classes in range(2, MOST_CLASSES_FROZEN + 1):
        if abs(end[-1] - math.log(classes)) <= SHOWN:
            since = training.epochs[_steady_since(losses)].number
            return f"loss: {_number(end[-1])} = ln({classes}) in every epoch from {since} on"
    return None


@_shape("loss-near-ln-classes")
def _loss_near(training: Training) -> str | None:
    losses = training.series("loss")
    end = losses[-FEW_EPOCHS:]
    if len(end) < FEW_EPOCHS or _loss_frozen(training):
        return None
    for classes in range(2, MOST_CLASSES_NEAR + 1):
        if all(abs(loss - math.log(classes)) <= NEAR for loss in end) and end[0] - end[-1] <= NEAR / 2:
            return f"loss: stays at {_number(end[-1])}, near ln({classes}) = {_number(math.log(classes))}"
    return None


@_shape("loss-constant")
def _loss_constant(training: Training) -> str | None:
    losses = training.series("loss")
    end = losses[-FEW_EPOCHS:]
    if len(end) < FEW_EPOCHS or not any(end) or not _steady(end) or _loss_frozen(training):
        return None
    since = training.epochs[_steady_since(losses)].number
    return f"loss: {_number(end[-1])} in every epoch from {since} on"


@_shape("accuracy-constant")
def _accuracy_constant(training: Training) -> str | None:
    return _accuracy(training, lambda shown: 0 < shown < 1)


@_shape("accuracy-zero")
def _accuracy_zero(training: Training) -> str | None:
    return _accuracy(training, lambda shown: shown == 0)


@_shape("learning-rate-zero")
def _learning_rate_zero(training: Training) -> str | None:
    for name in ("lr", "learning_rate"):
        rates = training.series(name)
        # A schedule that ends with the training has its zero in the last epoch.
        if 0 in rates[:-1]:
            return f"{name}: 0.0 from epoch {training.epochs[rates.index(0)].number} on, with epochs still to come"
    return None


@_shape("one-loss-of-two-outputs")
def _one_loss(training: Training) -> str | None:
    losses = {name for name in training.names() if name.endswith("_loss") and not name.startswith("val_")}
    heads = {"start_logits_loss", "end_logits_loss"}
    if losses and losses < heads:
        return f"{losses.pop()} is shown, {(heads - losses).pop()} is not"
    return None


SHAPES = frozenset(_JUDGES)


def _accuracy(training: Training, suspicious: Callable[[float], bool]) -> str | None:
    """A training accuracy that is the same in each epoch, though the loss falls by a fifth."""
    losses = training.series("loss")
    if len(losses) <= FEW_EPOCHS or not 0 < losses[-1] < 0.8 * losses[0]:
        return None
    for name in sorted(training.names()):
        shown = training.series(name)
        if not name.endswith(("accuracy", "acc")) or name.startswith("val_") or len(shown) != len(losses):
            continue
        if _steady(shown) and suspicious(shown[-1]):
            return f"{name}: {_number(shown[-1])} in every epoch, while the loss goes from {_way(losses)}"
    return None


def _steady(values: Sequence[float]) -> bool:
    return all(abs(value - values[-1]) <= SHOWN for value in values)


def _steady_since(values: Sequence[float]) -> int:
    """The place from which on the values are what the last one is."""
    place = len(values) - 1
    while place and abs(values[place - 1] - values[-1]) <= SHOWN:
        place -= 1
    return place


def _way(values: Sequence[float]) -> str:
    return f"{_number(values[0])} to {_number(values[-1])}"


def _number(value: float) -> str:
    return f"{value:.4f}"
