"""What data is used for: what the name of a split says, and what the other data of the same call is for."""

from __future__ import annotations

import re

from tflint_hf.trace.objects import Missing
from tflint_hf.trace.places import Place
from tflint_hf.trace.views import Trace

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


def made_alike(trace: Trace, place: Place, *, trained_on: bool) -> bool:
    """Whether all feeds that this call makes are for training, or none is: a fix of it changes them all.

    A call in a function of the program may make several, one for each split.
    """
    made = [use for use in trace.feed_uses if use.feed.site.place == place]
    return all((use.trained_on or is_training_split(use.feed.split)) is trained_on for use in made)
