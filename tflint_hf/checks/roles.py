"""What the name of a split says about its use."""

from __future__ import annotations

import re

from tflint_hf.trace.objects import Missing

_EVALUATION = re.compile(
    r"^(validation|valid|val|dev|test|eval|evaluation|heldout|held_out|holdout)(_|-|\d|$|\[)", re.I
)
_TRAINING = re.compile(r"^(train|training)(_|-|\d|$|\[)", re.I)


def is_evaluation_split(split: str | Missing) -> bool:
    return isinstance(split, str) and bool(_EVALUATION.match(split))


def is_training_split(split: str | Missing) -> bool:
    return isinstance(split, str) and bool(_TRAINING.match(split))


def spelled_split(split: str | Missing, otherwise: str = "evaluation") -> str:
    return split if isinstance(split, str) else otherwise
