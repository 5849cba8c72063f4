"""What a training is set up with: optimizers and their schedules, losses, metrics, callbacks."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.trace.objects.basics import ABSENT, Form, KerasOrigin, Missing, Reads
from tflint_hf.trace.objects.data import Dataset, Feed
from tflint_hf.trace.objects.saving import SavedFile

if TYPE_CHECKING:
    from tflint_hf.trace.places import CallSite, Place


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
