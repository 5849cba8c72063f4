"""Models, their parts, and what they put out."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tflint_hf.trace.objects.basics import ABSENT, UNKNOWN, KerasOrigin, Missing, Output
from tflint_hf.trace.objects.data import Feed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tflint_hf.knowledge import TFClass
    from tflint_hf.trace.events import Compiled
    from tflint_hf.trace.places import CallSite, Place


@dataclass(frozen=True, eq=False, slots=True)
class Strategy:
    """A distribution strategy. `remote`: it trains on a TPU of another machine (None: not known)."""

    class_name: str
    site: CallSite
    remote: bool | None = None
    spelling: str = ""


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
