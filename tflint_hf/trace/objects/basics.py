"""What facts are made of: missing values, the Kerases, how things are written and what numbers mean.

A fact that cannot be read is `Missing.UNKNOWN`; an argument that was not given is `Missing.ABSENT`. Rules stay silent
on what is unknown.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tflint_hf.trace.places import Place


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
