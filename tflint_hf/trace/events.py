"""The events of a training program, in the order in which they happen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tflint_hf.trace.guards import Guards
    from tflint_hf.trace.objects import (
        Amount,
        Callback,
        Collator,
        EncoderCall,
        Encoding,
        Feed,
        ForeignModel,
        GivenLabels,
        Holder,
        KerasOrigin,
        Labels,
        LabelSetup,
        Loss,
        Metric,
        Missing,
        Model,
        ModelState,
        Optimizer,
        Prediction,
        SavedFile,
        Strategy,
        Structure,
        Taken,
        Tokenizer,
    )
    from tflint_hf.trace.places import CallSite, Place


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Event:
    """`order` counts the events of a trace; `guards` are the branches this event lies on.

    `group` is shared by the events that one call of the program stands for when its arguments have several possible
    values, `variants` of them: exactly one of a group happens. `loops` are the loops whose rounds it belongs to, the
    outer ones first; such an event happens once in each round. `run`
    is 0 in the program itself, and another number for each function that only other programs call: what happens in two
    runs has no known order.
    """

    place: Place
    order: int
    guards: Guards
    group: int
    variants: int
    loops: tuple[int, ...] = ()
    run: int = 0


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Imported(Event):
    """A name taken from a library: `from module import name`, or a whole module (`name` is empty).

    `statement` is the whole import statement, None where a name is reached through its module.
    """

    module: str
    name: str
    statement: Place | None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ModelMade(Event):
    model: Model


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class LabelsConfigured(Event):
    """A model or configuration is told about its labels."""

    setup: LabelSetup


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class OptimizerMade(Event):
    optimizer: Optimizer


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class CallbackMade(Event):
    callback: Callback


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class WeightDecayExcluded(Event):
    """An optimizer is told which weights it must not decay."""

    optimizer: Optimizer


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TokensDecoded(Event):
    """Token ids that hold -100 are decoded: `text`, as they are written, in the function `function`.

    `decoder` is how the tokenizer is written, `numpy` the program's name for numpy; both are empty if there is none.
    """

    tokenizer: Tokenizer
    text: str
    function: str
    decoder: str
    numpy: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class FeedMade(Event):
    """A to_tf_dataset or prepare_tf_dataset call, or the from_tensor_slices that begins a chain."""

    feed: Feed


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class FeedLeft(Event):
    """A feed that is handed to code the reader does not know, or returned to a caller it does not see."""

    feed: Feed


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Compiled(Event):
    """`names` maps the dotted path of a library's module to the program's own name for it at that spot.

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
    """`compiled` are the compile() calls that may have set this model up.

    `keys` are the names in the dictionary of inputs (None: not known), `has_targets` says whether labels are given
    beside the inputs, `weighted` whether weights are. `epochs`, `steps_per_epoch` and `batch_size` are ABSENT where
    fit() has its defaults. `callback_places` are the elements of the list of callbacks, empty if one of them is not
    known, or has no place. `own_callbacks`: some callback is of a class of the program; `validates`: there is
    validation data. `tokenizer` is the one that made the token ids.
    `rows` and `validation_rows` are equal where both are made of the same rows, None where that is not known.
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


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Evaluated(Event):
    """`rows` are equal to those of a fit() on the same rows, None where that is not known."""

    model: Model
    feed: Feed | None
    site: CallSite
    rows: object


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Predicted(Event):
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
class Wrapped(Event):
    """A model of transformers called on, or put into, something of a certain Keras."""

    encoder: Model
    wrapper: str
    origin: KerasOrigin | None
    call: EncoderCall | None = None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ResultDiscarded(Event):
    """A data set's or feed's method is called, and nobody keeps the new one that it returns.

    `receiver` is how the old one is written; `assignable`: it is a name to which the new one could be given.
    """

    method: str
    site: CallSite
    receiver: str
    assignable: bool


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Tokenized(Event):
    """A tokenizer is called on texts."""

    encoding: Encoding


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TokenizerAsked(Event):
    """Another method of a tokenizer is called."""

    method: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class EncodingUsed(Event):
    """What a tokenizer gave goes to something that wants arrays: `use` names it, `model` is the model that gets it.

    `whole`: it is the BatchEncoding itself and not a dictionary or a column of it. `lists`: its rows are still Python
    lists. `site` is the call that takes it; `written`: the event's place is the expression that stands for it.
    """

    encoding: Encoding
    use: str
    site: CallSite
    model: Model | None
    whole: bool
    lists: bool
    written: bool


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TargetsGiven(Event):
    """Labels handed to a model beside inputs that are arrays. `holder` is the kind of object that they are in.

    `spelling` is how they are written, `array` the program's own name for what makes an array of them.
    """

    model: Model
    holder: Holder | None
    spelling: str
    array: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RowsGiven(Event):
    """Values of many rows handed over in one object: `use` names what gets them, `spelling` is the argument.

    `as_texts`: as the texts that a tokenizer takes apart.
    """

    use: str
    as_texts: bool
    holder: Holder
    taken: Taken | None
    spelling: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PaddingAsked(Event):
    """A tokenizer is asked to pad, by a call, a collator or prepare_tf_dataset.

    `token_set`: the program gave it a padding token, or may have.
    """

    tokenizer: Tokenizer
    token_set: bool


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class WordsGiven(Event):
    """A tokenizer call that gets rows of words, and is not told that they are words.

    `supposed`: only the name of the column tells that its rows are lists of words.
    """

    site: CallSite
    column: str
    supposed: bool


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TokensAdded(Event):
    """Tokens that no vocabulary has by itself are added to a tokenizer."""

    tokenizer: Tokenizer
    tokens: tuple[str, ...]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SplitNeeded(Event):
    """Something is asked of a dictionary of splits that only a single split can do; `spelling` is the dictionary."""

    use: str
    spelling: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Collated(Event):
    """A collator used as the collate_fn of a TensorFlow feed."""

    collator: Collator


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
class Saved(Event):
    """A model is written to disk by `method`: save, save_model, save_weights or save_pretrained.

    `tokenizer_name` is the program's name for a tokenizer there, empty if it has none.
    """

    model: Model
    method: str
    file: SavedFile
    site: CallSite
    tokenizer_name: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SavedModelLoaded(Event):
    """keras.models.load_model reads a file; `told_classes`: it was given custom_objects, or compile=False."""

    file: SavedFile
    site: CallSite
    custom_objects: bool | None
    compiles: bool | None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class WeightsLoaded(Event):
    """load_weights of a model; `built`: its variables may exist by then."""

    model: Model
    file: SavedFile
    built: bool


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TokenizerMade(Event):
    tokenizer: Tokenizer


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class FolderFilled(Event):
    """The program writes `what` into a folder, whose name is known."""

    folder: str
    what: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class FolderCloned(Event):
    """The program clones a repository."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class HubCallbackMade(Event):
    """A PushToHubCallback, with the folder that it clones into."""

    folder: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TokenizerSaved(Event):
    """A tokenizer is written to disk, or handed to code that may do so."""

    tokenizer: Tokenizer


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


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RandomSplit(Event):
    """Rows are split at random, and nothing given decides how. `argument` would, "" where it is given as None."""

    site: CallSite
    argument: str
