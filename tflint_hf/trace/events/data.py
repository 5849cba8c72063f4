"""Rows, data sets and feeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.trace.events.base import Event

if TYPE_CHECKING:
    from tflint_hf.trace.objects import (
        Collator,
        Feed,
        Holder,
        Model,
        Taken,
    )
    from tflint_hf.trace.places import CallSite


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class FeedMade(Event):
    """A to_tf_dataset or prepare_tf_dataset call, or the from_tensor_slices that begins a chain."""

    feed: Feed


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class FeedLeft(Event):
    """A feed that is handed to code the reader does not know, or returned to a caller it does not see."""

    feed: Feed


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
class SplitNeeded(Event):
    """Something is asked of a dictionary of splits that only a single split can do; `spelling` is the dictionary."""

    use: str
    spelling: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RandomSplit(Event):
    """Rows are split at random, and nothing given decides how. `argument` would, which may be `given` as None."""

    site: CallSite
    argument: str
    given: bool


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Collated(Event):
    """A collator used as the collate_fn of a TensorFlow feed."""

    collator: Collator
