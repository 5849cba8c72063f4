"""What is known of labels, and of what a model is told about them."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.trace.objects.basics import Missing

if TYPE_CHECKING:
    from tflint_hf.trace.places import Place


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
    `unordered` is where the ids got the order of a set. `place` is where they are made. `supposed`: only how the
    program names and treats them tells that they are scores, or that the set is one of texts.
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
    supposed: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class LabelSetup:
    """num_labels and a label map as one call gave them. `label_map`: its argument, how many labels it names, where.

    `numbered` is where the ids in label2id got the order of a set.
    """

    num_labels: int | Missing
    label_map: tuple[str, int, Place] | None
    numbered: Place | None = None
