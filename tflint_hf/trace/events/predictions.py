"""What models put out, and what is made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.trace.events.base import Event

if TYPE_CHECKING:
    from tflint_hf.trace.objects import (
        Feed,
        GivenLabels,
        Model,
        Prediction,
    )
    from tflint_hf.trace.places import CallSite, Place


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Evaluated(Event):
    """An evaluate() call.

    `rows` are equal to those of a fit() on the same rows, None where that is not known.
    """

    model: Model
    feed: Feed | None
    site: CallSite
    rows: object


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Predicted(Event):
    """A predict() call, or a call of a model, whose result may be used later."""

    prediction: Prediction


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PredictionUsed(Event):
    """A prediction handed to something that reads an array: `use` names it, as a person would.

    `operand` is where the prediction itself is written, None where it has no place of its own.
    """

    prediction: Prediction
    use: str
    operand: Place | None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ReadAsProbability(Event):
    """What a model put out is compared with a share, rounded, or written as a percentage: `use`, as it is written.

    `half` is the bound of a comparison, if that is 0.5.
    """

    prediction: Prediction
    use: str
    half: Place | None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PredictionCompared(Event):
    """Predictions are compared with labels, row by row."""

    prediction: Prediction
    labels: GivenLabels
