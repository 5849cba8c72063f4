"""What happens to models, but for their training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.trace.events.base import Event

if TYPE_CHECKING:
    from tflint_hf.trace.objects import (
        EncoderCall,
        ForeignModel,
        KerasOrigin,
        LabelSetup,
        Model,
        Prediction,
    )


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ModelMade(Event):
    """A model is made: loaded, built of layers, or of a class of the program."""

    model: Model


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class LabelsConfigured(Event):
    """A model or configuration is told about its labels."""

    setup: LabelSetup


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Wrapped(Event):
    """A model of transformers called on, or put into, something of a certain Keras."""

    encoder: Model
    wrapper: str
    origin: KerasOrigin | None
    call: EncoderCall | None = None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TrainableSet(Event):
    """`trainable` of a model, or of a part of it, is set.

    `part` is the path of the part, "" for the whole model, with [] for every item of a list. `value` is None if it is
    not known.
    """

    model: Model
    part: str
    value: bool | None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class LayerApplied(Event):
    """A Keras layer is called on the output object of a model."""

    layer: str
    prediction: Prediction


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PoolerAsked(Event):
    """The pooled output of a base model is read; `spelling` is how."""

    prediction: Prediction
    spelling: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ForeignModelUsed(Event):
    """A PyTorch model is used as if it were a Keras one: `use` is the method."""

    model: ForeignModel
    use: str
