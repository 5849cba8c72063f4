"""The objects of a training program, with the facts that rules ask for.

A fact that cannot be read is `Missing.UNKNOWN`; an argument that was not given is `Missing.ABSENT`. Rules stay silent
on what is unknown.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tflint_hf.knowledge import TFClass
    from tflint_hf.trace.events import Compiled
    from tflint_hf.trace.places import CallSite, Place


class Missing(enum.Enum):
    """Why a fact has no value."""

    ABSENT = "absent"
    UNKNOWN = "unknown"


ABSENT = Missing.ABSENT
UNKNOWN = Missing.UNKNOWN


class Keras(enum.Enum):
    """The Keras that an object belongs to."""

    KERAS_2 = "Keras 2"
    TF_KERAS = "tf-keras"
    KERAS_3 = "Keras 3"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class KerasOrigin:
    """Which Keras a name led to, and the import (or first use of `tf.keras`) that decided it.

    `first_import` is the first import that loads TensorFlow: TF_USE_LEGACY_KERAS counts only before it.
    """

    keras: Keras
    chosen_at: Place | None = None
    spelling: str = ""
    first_import: Place | None = None


class Form(enum.Enum):
    """How an argument of compile() was written."""

    ABSENT = "absent"
    NONE = "None"
    STRING = "string"
    FUNCTION = "function"
    CLASS = "class"
    OBJECT = "object"
    METHOD = "method"
    PAIR = "optimizer and schedule"
    SCHEDULE = "schedule"
    UNKNOWN = "unknown"


class Output(enum.Enum):
    """What the numbers that a model puts out are."""

    LOGITS = "logits"
    SOFTMAX = "softmax probabilities"
    SIGMOID = "sigmoid probabilities"
    HIDDEN_STATES = "hidden states"
    BOUNDED = "values of another activation"
    UNKNOWN = "unknown"


class Reads(enum.Enum):
    """What a loss takes its second argument for."""

    PROBABILITIES = "probabilities"
    LOGITS = "logits"
    VALUES = "values"
    UNKNOWN = "unknown"


class LabelEncoding(enum.Enum):
    """How labels are written."""

    INDEX = "class ids"
    ONE_HOT = "one-hot rows"
    SEQUENCE = "one class id for each token"
    SCORE = "float scores"
    TEXT = "text"
    TOKENS = "token ids"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Labels:
    """Facts about labels: how they are written, how many classes there are, and where that is known from.

    `at_least`: only some rows are known, so there may be more classes than `classes`. `lowest` is the smallest value
    that is known to occur, where it is below 0; `missing_in` are the splits that have no labels at all. `ignored` is
    the value that marks a place without a label, `ignored_by` who writes it. `padding` is the tokenizer's argument that
    padded these token ids; `shift` says how many tokens later than the inputs they begin, None if that is not known.
    `unordered` is where the ids got the order of a set. `place` is where they are made.
    """

    encoding: LabelEncoding = LabelEncoding.UNKNOWN
    classes: int | None = None
    known_from: str = ""
    at_least: bool = False
    lowest: int | None = None
    missing_in: tuple[str, ...] = ()
    ignored: int | None = None
    ignored_by: str = ""
    padding: str = ""
    shift: int | None = None
    unordered: Place | None = None
    place: Place | None = None


class Unit(enum.Enum):
    """What an amount counts."""

    ROWS = "rows"
    BATCHES = "batches"
    NUMBER = "nothing in particular"


@dataclass(frozen=True, eq=False, slots=True)
class Amount:
    """A number of things: `number` times the `unit`s of a data set or feed (`of`), or a plain number.

    `whole`: whether it is an int (None: not known). `soft`: another run may have another number. `literal` is the
    same object for all uses of one number of the program. `text` is how it is written where it is used.
    """

    unit: Unit
    number: float | None
    whole: bool | None
    of: Dataset | Feed | None = None
    soft: bool = False
    literal: object = None
    text: str = ""

    def is_same_number(self, other: Amount) -> bool:
        """Whether both are one number of the program, not two that happen to be equal."""
        return self.literal is not None and self.literal is other.literal


@dataclass(frozen=True, eq=False, slots=True)
class Schedule:
    """A learning-rate schedule. `initial` is the rate that it starts from, None if that is not known.

    `steps` is how long it decays, `warmup` how long it climbs before that: None if it is not known. `feeds` are those
    that have a name where it is made, each with that name.
    """

    class_name: str
    origin: KerasOrigin | None
    site: CallSite
    initial: float | None = None
    steps: Amount | None = None
    warmup: Amount | None = None
    feeds: tuple[tuple[Feed, str], ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Optimizer:
    """An optimizer as compile() got it.

    `learning_rate` is per step, ABSENT when the class's own default holds. `origin` is None for the optimizers of
    transformers, which belong to whatever Keras its models use. `schedule` is what create_optimizer makes beside it.
    """

    form: Form
    place: Place
    class_name: str = ""
    spelling: str = ""
    learning_rate: float | Schedule | Missing = ABSENT
    default_learning_rate: float | None = None
    origin: KerasOrigin | None = None
    legacy: bool = False
    site: CallSite | None = None
    schedule: Schedule | None = None
    weight_decay: float | Missing = ABSENT

    @property
    def follows(self) -> Schedule | None:
        """The schedule that gives this optimizer its learning rate."""
        return self.learning_rate if isinstance(self.learning_rate, Schedule) else self.schedule


@dataclass(frozen=True, eq=False, slots=True)
class Loss:
    """A loss as compile() or a training loop got it; `class_name` is the Keras class it amounts to.

    `ignore_class` is the label that it leaves out, ABSENT for none.
    """

    form: Form
    place: Place
    class_name: str = ""
    spelling: str = ""
    from_logits: bool | Missing = ABSENT
    origin: KerasOrigin | None = None
    site: CallSite | None = None
    reads: Reads = Reads.UNKNOWN
    ignore_class: int | Missing = ABSENT


@dataclass(frozen=True, eq=False, slots=True)
class Metric:
    """A metric as compile() got it. `name` is what it is called in the logs of fit(), empty if that is not known."""

    form: Form
    place: Place
    class_name: str = ""
    origin: KerasOrigin | None = None
    site: CallSite | None = None
    name: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class MetricFunction:
    """A function of the program that a KerasMetricCallback calls with one pair.

    `required` are the positional arguments that it cannot do without (None: it takes any number); `keys` what is in
    the dictionary that it returns (None: not known); `number` is where it returns a number instead.
    """

    name: str
    place: Place
    required: int | None
    keys: tuple[str, ...] | None = None
    number: Place | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Callback:
    """A callback; `own`: the program derives its class from this one.

    `monitor` is the value of the logs that it follows, `only_best` whether it saves for a better value only. `metric`
    is the function of a KerasMetricCallback. `is_class`: no object was made of the class.
    """

    class_name: str
    origin: KerasOrigin | None
    site: CallSite
    own: bool = False
    monitor: str | Missing = ABSENT
    only_best: bool | Missing = ABSENT
    metric: MetricFunction | None = None
    is_class: bool = False
    saved_file: SavedFile | None = None


@dataclass(frozen=True, slots=True)
class SavedFile:
    """A file that the program writes or reads. `path` is its name, or only the end of it unless it is `whole`.

    `weights_only`: it holds the weights and not the model (None: not known).
    """

    path: str
    whole: bool
    weights_only: bool | None = False

    @property
    def is_hdf5(self) -> bool:
        return self.path.lower().endswith((".h5", ".hdf5", ".hdf"))


class Holder(enum.Enum):
    """What kind of object keeps the values of many rows together."""

    COLUMN = "a lazy Column"
    SERIES = "a pandas Series"
    ARRAY = "a numpy array"
    LIST = "a Python list"


@dataclass(frozen=True, slots=True)
class Taken:
    """Where the program takes a column out of a data set or table: `films["text"]`, `of` it, as both are spelled."""

    place: Place
    spelling: str
    of: str
    column: str


@dataclass(frozen=True, eq=False, slots=True)
class Strategy:
    """A distribution strategy. `remote`: it trains on a TPU of another machine (None: not known)."""

    class_name: str
    site: CallSite
    remote: bool | None = None
    spelling: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Tokenizer:
    """A tokenizer; `keywords` are the arguments that it was made with."""

    class_name: str
    checkpoint: str | Missing
    site: CallSite
    keywords: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False, slots=True)
class Texts:
    """What a tokenizer call reads: the first texts of each pair, if they are pairs.

    `many`: several texts and not one (None: not known). `words`: how many words each has, where they are written in the
    program. `dataset` or `column`, of a table, is where they come from. `rows` is the object that holds them.
    `longest`: some of them have at least so many words; 0 where all are known to be short, None if that is not known.
    """

    many: bool | None = None
    words: tuple[int, ...] | None = None
    dataset: Dataset | None = None
    column: str = ""
    rows: object = None
    longest: int | None = None

    @property
    def source(self) -> str:
        """Where the texts come from, for people; empty if they are not known to come from elsewhere."""
        return self.dataset.name if self.dataset is not None else self.column and f"the column {self.column}"


@dataclass(frozen=True, eq=False, slots=True)
class Encoding:
    """What a tokenizer call gave. `ragged`: rows of different length (None: not known).

    `single`: it stands in the function of a map() that gives it one row at a time. `pair`: its rows are pairs of texts.
    `method` is the method that was called. `maximum_set`: the program told the tokenizer how long a row may be.
    """

    tokenizer: Tokenizer
    site: CallSite
    ragged: bool | None
    padded: bool | None
    return_tensors: str | Missing = ABSENT
    single: bool = False
    texts: Texts = field(default_factory=Texts)
    pair: bool | None = None
    method: str = "__call__"
    maximum_set: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Collator:
    """A data collator. `masks`: it hides tokens and makes labels of them (False: the labels are the inputs)."""

    class_name: str
    return_tensors: str | Missing
    site: CallSite
    pads_labels_with: int | Missing = ABSENT
    masks: bool | Missing = ABSENT

    @property
    def renames_label(self) -> bool:
        """Collators of transformers turn `label` and `label_ids` into `labels`."""
        return self.class_name.startswith(("DataCollator", "DefaultDataCollator", "default_data_collator"))


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a data set. `ragged`: its rows differ in length (None: not known).

    `padded_to_longest`: a tokenizer padded the rows that it got together, and cut them at no fixed length.
    `encoding` is the tokenizer call that gave it, as long as it is what that call gave. `words`: each row is a list of
    words; `word_tags`: of a class id for each word. `taken` is where it was taken over from another column. `longest`
    is about its texts, as in Texts.
    """

    labels: Labels | None = None
    ragged: bool | None = None
    padded: bool | None = None
    padded_to_longest: bool = False
    from_tokenizer: bool = False
    encoding: Encoding | None = None
    words: bool = False
    word_tags: bool = False
    taken: Taken | None = None
    longest: int | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Dataset:
    """A data set of the datasets library, or a dictionary of its splits (`is_dict`).

    `columns` is None when the schema is not known; `open` says that there may be more columns than these. `split` is
    the name it was taken out of a dictionary by. `shuffled` counts any shuffle on the way here. `splits` are all that
    a dictionary has, None if they are not known; `renamed`: it was put into a dictionary by another name.
    """

    name: str
    site: CallSite | None = None
    is_dict: bool | None = None
    split: str | Missing = UNKNOWN
    columns: dict[str, Column] | None = None
    open: bool = True
    shuffled: bool | None = False
    sorted_by_label: bool | None = None
    splits: tuple[str, ...] | None = None
    renamed: bool = False


@dataclass(frozen=True, slots=True)
class Structure:
    """How inputs, labels or whole elements are put together.

    `kind` is "dict", "list", "tuple" or "one" (a single array). `names` are the keys of a dictionary, or what the
    arrays in order are known as, "" where that is not known. `open`: a dictionary may have more keys.
    """

    kind: str
    names: tuple[str, ...]
    place: Place | None = None
    open: bool = False

    @property
    def is_sequence(self) -> bool:
        return self.kind in {"list", "tuple"} and len(self.names) > 1


class FeedMaker(enum.Enum):
    """The call a tf.data feed began with."""

    TO_TF_DATASET = "to_tf_dataset"
    PREPARE_TF_DATASET = "prepare_tf_dataset"
    FROM_TENSOR_SLICES = "from_tensor_slices"
    OTHER = "other"


@dataclass(frozen=True, eq=False, slots=True)
class FeedStep:
    """One step of a feed's chain: the method, and what the feed was before it.

    Feeds that branch off one another share their first steps.
    """

    method: str
    site: CallSite
    batched: bool | None
    shuffled: bool | None


@dataclass(frozen=True, eq=False, slots=True)
class Feed:
    """A tf.data dataset. `place` is the last call of its chain, `site` the call that began it, `steps` all in between.
    `rows` are the objects that held the rows at first.

    `keys` are the names in the input dictionary (None: not a dictionary, or not known), `label_keys` those of them
    that are labels; `has_targets`: its elements are (inputs, labels) pairs, `weighted`: with a weight as third element.
    None means not known. `tokenizer` is the one that prepare_tf_dataset was given. `rows_tokenizer` is the one that
    made the token ids, `tokenizer_name` the program's name for it, where it has one. `mapped`: a function of the
    program changes its elements. `label_source` is the same object for one array of labels; `drops_rows`: a last batch
    that is not full is left out.
    """

    maker: FeedMaker
    site: CallSite
    place: Place
    source: Dataset | None = None
    batched: bool | None = None
    batch_size: int | None = None
    shuffled: bool | None = None
    shuffle_place: Place | None = None
    repeated: bool | None = False
    columns: tuple[str, ...] | Missing = ABSENT
    label_columns: tuple[str, ...] | Missing = ABSENT
    collator: Collator | Missing = ABSENT
    keys: tuple[str, ...] | None = None
    has_targets: bool | None = None
    labels: Labels | None = None
    shuffle_argument: bool | Missing = ABSENT
    split: str | Missing = UNKNOWN
    weighted: bool | None = False
    element: Structure | None = None
    inputs: Structure | None = None
    targets: Structure | None = None
    steps: tuple[FeedStep, ...] = ()
    rows: tuple[object, ...] = ()

    def steps_after(self, step: FeedStep) -> tuple[FeedStep, ...]:
        """The steps behind one of them."""
        return self.steps[self.steps.index(step) + 1 :]

    tokenizer: Tokenizer | Missing = ABSENT
    tokenizer_name: str = ""
    rows_tokenizer: Tokenizer | None = None
    mapped: bool = False
    label_source: object = None
    drops_rows: bool | None = None

    @property
    def reordered(self) -> bool:
        """Whether the feed itself gives its rows in another order than its source, a new one in each pass."""
        by_default = self.maker is FeedMaker.PREPARE_TF_DATASET and self.shuffle_argument is ABSENT
        return self.shuffle_argument is True or by_default or any(step.method == "shuffle" for step in self.steps)


class ModelOrigin(enum.Enum):
    """How a model came to be."""

    PRETRAINED = "from_pretrained"
    CONFIG = "from a configuration"
    FUNCTIONAL = "functional"
    SEQUENTIAL = "sequential"
    SUBCLASS = "subclass"


@dataclass(frozen=True, eq=False, slots=True)
class Model:
    """A model. `head` holds the facts of a TF class of transformers; `encoders` the models wrapped inside this one.

    `outputs` has an entry for each output of the model, in order; `last_layers` are the layers that gave them, where
    these are known. `own_training`: the class defines how it trains. `problem_type` is what the model or its
    configuration was told, `problem_place` where; `labels_place` is where num_labels was given. `policy` is the
    precision policy in force when it was made, ABSENT for none.
    """

    origin: ModelOrigin
    class_name: str
    site: CallSite
    head: TFClass | None = None
    checkpoint: str | Missing = ABSENT
    num_labels: int | Missing = ABSENT
    has_config: bool = False
    outputs: tuple[Output, ...] = ()
    output_names: tuple[str, ...] = ()
    encoders: tuple[Model, ...] = ()
    keras: KerasOrigin | None = None
    own_training: bool = False
    keywords: frozenset[str] = frozenset()
    local_checkpoint: bool = False
    last_layers: tuple[Layer | None, ...] = ()
    problem_type: str | Missing = ABSENT
    problem_place: Place | None = None
    labels_place: Place | None = None
    wiring: Wiring | None = None
    return_dict: bool | Missing = ABSENT
    run: int = 0
    strategy: Strategy | Missing = ABSENT
    policy: str | Missing = UNKNOWN

    @property
    def is_transformers(self) -> bool:
        return self.head is not None

    @property
    def pretrained_parts(self) -> tuple[Model, ...]:
        """The models with pretrained weights that training this one would change."""
        own = (self,) if self.origin is ModelOrigin.PRETRAINED or "pretrained" in self.keywords else ()
        return own + tuple(e for e in self.encoders if e.origin is ModelOrigin.PRETRAINED)


@dataclass(frozen=True, slots=True)
class ModelState:
    """What had been done to a model by the time of an event. None: not known.

    `frozen` is about anything in it, `frozen_parts` are the parts that are frozen by now, by their paths. `pad_token`:
    its configuration was given a padding token; `resized`: its embeddings were.
    """

    frozen: bool | None = False
    head_changed: bool = False
    frozen_parts: frozenset[str] | None = frozenset()
    escaped: bool = False
    pad_token: bool | None = False
    resized: bool | None = False


class PredictionForm(enum.Enum):
    """What a prediction is at the moment: the output object of a model, its logits, or a plain array."""

    OUTPUT = "output object"
    LOGITS = "logits"
    ARRAY = "array"
    PROBABILITIES = "probabilities"
    CLASS_IDS = "class ids"


@dataclass(frozen=True, eq=False, slots=True)
class Prediction:
    """What a model put out; `compiled` are the compile() calls that may have set it up before."""

    model: Model
    form: PredictionForm
    site: CallSite
    feed: Feed | None = None
    call: EncoderCall | None = None
    compiled: tuple[Compiled, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class EncoderCall:
    """A model of transformers called on tensors: `inputs` are what it got, by the names of its arguments.

    `complete`: nothing else was given to it.
    """

    encoder: Model
    site: CallSite
    inputs: Mapping[str, Tensor | None]
    complete: bool


@dataclass(frozen=True, eq=False, slots=True)
class Wiring:
    """How a model is wired: its inputs that nothing inside reads, with their places, and the encoders it calls.

    `sequences` says for each output whether it has a value for every token of a row (None: not known).
    """

    idle_inputs: tuple[tuple[str, Place], ...]
    calls: tuple[EncoderCall, ...]
    sequences: tuple[bool | None, ...]


@dataclass(frozen=True, eq=False, slots=True)
class ForeignModel:
    """A model of a class of transformers that is made with PyTorch."""

    class_name: str
    site: CallSite


@dataclass(frozen=True, eq=False, slots=True)
class GivenLabels:
    """Labels as a program holds them: the data set that they are a column of, or the same object for one array.

    `cut`: only a part of them; `text` is how they are written.
    """

    dataset: Dataset | None
    source: object
    cut: bool
    text: str


@dataclass(frozen=True, eq=False, slots=True)
class Layer:
    """A Keras layer. `activation` is its name, ABSENT for none, UNKNOWN when it cannot be read.

    `dtype` is the type or policy that it was given, else the policy in force when it was made, ABSENT for neither.
    """

    class_name: str
    origin: KerasOrigin | None
    site: CallSite
    activation: str | Missing = ABSENT
    units: int | Missing = UNKNOWN
    name: str = ""
    dtype: str | Missing = UNKNOWN


@dataclass(frozen=True, eq=False, slots=True)
class Tensor:
    """A tensor and what its numbers are; `encoders` are the models it passed through, `layer` the last layer.

    `symbolic`: it began as a Keras Input; `inputs` are the names of those that have one. `input_site` is there as
    long as it is that Input itself. `calls` are the calls of encoders it came out of, `sequence` says whether it still
    has a value for every token (None: not known).
    """

    output: Output = Output.UNKNOWN
    keras: KerasOrigin | None = None
    encoders: tuple[Model, ...] = ()
    name: str = ""
    inputs: frozenset[str] = field(default_factory=frozenset)
    symbolic: bool = False
    layer: Layer | None = None
    input_site: CallSite | None = None
    dtype: str | Missing = UNKNOWN
    calls: tuple[EncoderCall, ...] = ()
    sequence: bool | None = None


@dataclass(frozen=True, eq=False, slots=True)
class LabelSetup:
    """num_labels and a label map as one call gave them. `label_map`: its argument, how many labels it names, where."""

    num_labels: int | Missing
    label_map: tuple[str, int, Place] | None
