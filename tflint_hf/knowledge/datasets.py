"""Data sets of the Hub: their columns, labels and splits."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cache

from tflint_hf.knowledge.tables import table


class LabelKind(enum.Enum):
    """What the label column of a data set holds."""

    CLASS = "class"
    MULTI_LABEL = "multi_label"
    TOKEN_CLASSES = "token_classes"
    REGRESSION = "regression"
    NONE = "none"  # text to text, spans: no column of classes


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """One configuration of a data set. None or empty = not known.

    `columns` are those of the train split, `text_columns` those of them that a tokenizer gets. `label_values` are
    given where they are not 0, 1, 2 ... up to `classes`. `other_labels` are further label columns with their number
    of classes. `sorted_by_label` is about the train split: its rows come class by class. `unlabelled_splits` hold no
    labels (-1 throughout); `missing_labels` tells of single rows labelled -1 among the others. `long_texts` are the
    columns with texts of more than 500 words, each with a number of words that some of them have at least (None: there
    may be such texts).
    """

    path: str
    config: str | None
    kind: LabelKind
    columns: tuple[str, ...]
    text_columns: tuple[str, ...]
    label_column: str | None
    classes: int | None
    class_names: tuple[str, ...]
    label_values: tuple[int, ...]
    other_labels: tuple[tuple[str, int], ...]
    splits: tuple[str, ...]
    sorted_by_label: bool | None
    unlabelled_splits: tuple[str, ...]
    missing_labels: bool | None
    long_texts: tuple[tuple[str, int | None], ...]

    def classes_of(self, column: str) -> int | None:
        """The number of classes of a label column, None where it is none or not known."""
        return self.classes if column == self.label_column else dict(self.other_labels).get(column)

    def longest_text(self, column: str) -> int | None:
        """How many words some text of this column has at least: 0 if all are short, None if that is not known."""
        return dict(self.long_texts).get(column, 0) if column in self.text_columns else None


@cache
def dataset(path: str, config: str | None = None) -> DatasetInfo | None:
    """What is known of `load_dataset(path, config)`. Old and new ids (`imdb`, `stanfordnlp/imdb`) are the same.

    Without a configuration: the default one, None where the data set has several and none is the default.
    """
    name = _dataset_ids().get(path.lower())
    if name is None:
        return None
    record = table("datasets")[name]
    configs = record.get("configs")
    if configs is not None:
        config = config if config is not None else record.get("default")
        if config is None or config not in configs:
            return None
        record = {**record, **configs[config]}
    return DatasetInfo(
        path=name,
        config=config if configs is not None else None,
        kind=LabelKind(record["kind"]),
        columns=tuple(record.get("columns", ())),
        text_columns=tuple(record.get("text", ())),
        label_column=record.get("label"),
        classes=record.get("classes") or len(record.get("names", ())) or len(record.get("values", ())) or None,
        class_names=tuple(record.get("names", ())),
        label_values=tuple(record.get("values", ())),
        other_labels=tuple(record.get("also", {}).items()),
        splits=tuple(record.get("splits", ())),
        sorted_by_label=record.get("sorted"),
        unlabelled_splits=tuple(record.get("unlabelled", ())),
        missing_labels=record.get("missing_labels"),
        long_texts=tuple(record.get("long", {}).items()),
    )


@cache
def _dataset_ids() -> dict[str, str]:
    ids: dict[str, str] = {}
    for name, record in table("datasets").items():
        for each in (name, *record.get("aliases", ())):
            ids[each.lower()] = name
    return ids
