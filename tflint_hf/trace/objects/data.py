"""Data on its way to a model: texts and tokenizers, data sets and their columns, feeds."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tflint_hf.trace.objects.basics import ABSENT, UNKNOWN, Missing
from tflint_hf.trace.objects.labels import Labels

if TYPE_CHECKING:
    from tflint_hf.trace.places import CallSite, Place


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
    is about its texts, as in Texts. `lists`: each row is a list of its own, as the program made it. `kept_texts` is
    where numbers were written into it that its type turns into texts again.
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
    lists: bool = False
    kept_texts: Place | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Dataset:
    """A data set of the datasets library, or a dictionary of its splits (`is_dict`).

    `columns` is None when the schema is not known; `open` says that there may be more columns than these. `split` is
    the name it was taken out of a dictionary by. `shuffled` counts any shuffle on the way here. `splits` are all that
    a dictionary has, None if they are not known; `renamed`: it was put into a dictionary by another name.
    `from_tables`: pandas made its columns. `rows` is the same object for all that hold the same rows, split by split;
    None where it may stand for several.
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
    from_tables: bool = False
    rows: object = None


@dataclass(frozen=True, slots=True)
class Structure:
    """How inputs, labels or whole elements are put together.

    `kind` is "dict", "list", "tuple" or "one" (a single array). `names` are the keys of a dictionary, or what the
    arrays in order are known as, "" where that is not known. `open`: a dictionary may have more keys. `places` says for
    each key where the program put it in, as far as that is known; `unsure` are the keys that may be missing.
    """

    kind: str
    names: tuple[str, ...]
    place: Place | None = None
    open: bool = False
    places: tuple[Place | None, ...] = ()
    unsure: frozenset[str] = frozenset()

    def place_of(self, name: str) -> Place | None:
        """Where the program put this key in, else where the whole is written."""
        at = self.names.index(name)
        return (self.places[at] if at < len(self.places) else None) or self.place

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
    that is not full is left out. `single`: the call that began it stands for one call of the program, and not for each
    of several.
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
    single: bool = False

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


@dataclass(frozen=True, eq=False, slots=True)
class GivenLabels:
    """Labels as a program holds them: the data set that they are a column of, or the same object for one array.

    `cut`: only a part of them; `text` is how they are written.
    """

    dataset: Dataset | None
    source: object
    cut: bool
    text: str
