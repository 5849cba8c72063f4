"""Training, by fit() or by a loop of the program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.trace.events.base import Event

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tflint_hf.trace.objects import (
        Amount,
        Callback,
        Feed,
        KerasOrigin,
        Labels,
        Loss,
        Metric,
        Missing,
        Model,
        ModelState,
        Optimizer,
        Prediction,
        Strategy,
        Structure,
        Tokenizer,
    )
    from tflint_hf.trace.places import CallSite, Place


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class OptimizerMade(Event):
    """An optimizer is made, or named by a string."""

    optimizer: Optimizer


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class CallbackMade(Event):
    """A callback of Keras or transformers is made."""

    callback: Callback


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class WeightDecayExcluded(Event):
    """An optimizer is told which weights it must not decay."""

    optimizer: Optimizer


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Compiled(Event):
    """A compile() call.

    `names` maps the dotted path of a module of Keras 2 to the program's own name for it at that spot, as "keras" to
    "tf.keras".
    `tf_is_free`: a line `import tensorflow as tf` above would give that name the Keras of transformers.
    `strategy` is the one in whose scope it happens, ABSENT for none.
    """

    model: Model
    state: ModelState
    site: CallSite
    optimizer: Optimizer
    losses: tuple[Loss, ...]
    loss_names: tuple[str, ...]
    metrics: tuple[Metric, ...]
    weighted_metrics: tuple[Metric, ...]
    metric_names: tuple[str, ...]
    loss_given: bool
    jit_compile: bool | Missing
    names: Mapping[str, str]
    tf_is_free: bool
    strategy: Strategy | Missing


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Fitted(Event):
    """A fit() call.

    `compiled` are the compile() calls that may have set this model up.
    `keys` are the names in the dictionary of inputs (None: not known), `has_targets` says whether labels are given
    beside the inputs, `weighted` whether weights are. `epochs`, `steps_per_epoch` and `batch_size` are ABSENT where
    fit() has its defaults. `callback_places` are the elements of the list of callbacks, empty if one of them is not
    known, or has no place. `own_callbacks`: some callback is of a class of the program; `validates`: there is
    validation data. `tokenizer` is the one that made the token ids.
    `rows` and `validation_rows` are equal where both are made of the same rows, None where that is not known.
    `history_kept`: the program may read the History that fit() returns.
    """

    model: Model
    state: ModelState
    site: CallSite
    compiled: tuple[Compiled, ...]
    feed: Feed | None
    validation: Feed | None
    keys: tuple[str, ...] | None
    has_targets: bool | None
    weighted: bool | None
    inputs: Structure | None
    targets: Structure | None
    labels: Labels | None
    validation_labels: Labels | None
    callbacks: tuple[Callback, ...]
    callback_places: tuple[Place, ...]
    callbacks_known: bool
    own_callbacks: bool
    validates: bool | None
    epochs: Amount | Missing
    steps_per_epoch: Amount | Missing
    tokenizer: Tokenizer | None
    batch_size: int | Missing
    steps_count_rows: bool
    rows: object
    validation_rows: object
    history_kept: bool


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class LossCalled(Event):
    """A training loop applies a loss to what a model put out."""

    loss: Loss
    prediction: Prediction


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class LearningRateSet(Event):
    """The program sets the learning rate of a compiled model's optimizer by hand."""

    model: Model


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TrainerMade(Event):
    """The TFTrainer of older releases of transformers: a model, and the feeds whose batches it hands to it."""

    model: Model
    feeds: tuple[Feed, ...]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TorchTrainerMade(Event):
    """The Trainer of PyTorch is given a model of TensorFlow."""

    model: Model
    trainer: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ModelCalled(Event):
    """A model is called inside the block of a gradient tape that watches nothing by hand.

    `training_given`: it is told whether it trains (None: not known).
    """

    model: Model
    site: CallSite
    training_given: bool | None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class GradientsTaken(Event):
    """A gradient tape is asked for the gradients of a model's weights."""

    model: Model


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class GradientsApplied(Event):
    """A training loop of the program changes weights by gradients."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class DeviceConfigured(Event):
    """A setting of the devices that TensorFlow takes only before it has started: `setting` is the call."""

    setting: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PolicySet(Event):
    """A precision policy, as "mixed_float16", is set for all layers that this Keras makes from here on."""

    policy: str | Missing
    origin: KerasOrigin | None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SeedSet(Event):
    """`call` gives the generators of random numbers a seed: those of "python", "numpy" and "tensorflow".

    Code that is not known, and may do so by its name, counts for all of them. `function` is what is called.
    """

    call: str
    generators: frozenset[str]
    function: Place
