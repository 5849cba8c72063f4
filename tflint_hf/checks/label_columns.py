"""Columns of labels in a data set."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, check
from tflint_hf.target import Target
from tflint_hf.trace.events import FeedMade
from tflint_hf.trace.objects import ABSENT, Feed, FeedMaker

_MAKERS = {"datasets.Dataset.from_pandas": "Dataset.from_pandas", "datasets.Dataset.from_csv": "Dataset.from_csv"}
_MAKERS |= {name: f'load_dataset("{name}")' for name in ("csv", "pandas")}
_BY_ITSELF = ("label", "labels", "label_ids")


@check("TFL032")
def label_ids_into_text_column(made: FeedMade, target: Target) -> Iterator[Fault]:
    """Numbers that map() writes into a column of texts, which keeps its type."""
    feed = made.feed
    if feed.source is None or feed.source.columns is None or _has_older_pandas(target):
        return
    for name in _label_columns(feed):
        column = feed.source.columns.get(name)
        if column is not None and column.kept_texts is not None:
            yield Fault(
                column.kept_texts,
                {"column": name, "source": _MAKERS.get(feed.source.name, feed.source.name)},
                related=((feed.site.callee, "the model gets the column here"),),
                rests_on={"pandas": ">=3"},
            )


def _has_older_pandas(target: Target) -> bool:
    """Whether pandas is older than 3, or is as old as a TensorFlow that no Python of pandas 3 can run."""
    pandas = target.version("pandas")
    return (pandas is not None and pandas.major < 3) or target.satisfies({"tensorflow": "<2.12"})


def _label_columns(feed: Feed) -> tuple[str, ...]:
    """The columns that reach the model as they are."""
    if feed.maker is FeedMaker.TO_TF_DATASET:
        groups = [names for names in (feed.label_columns, feed.columns) if isinstance(names, tuple)]
        return tuple(dict.fromkeys(name for names in groups for name in names))
    # The collator that prepare_tf_dataset takes by itself makes numbers of the texts.
    collates = feed.tokenizer is not ABSENT or feed.collator is not ABSENT
    return _BY_ITSELF if feed.maker is FeedMaker.PREPARE_TF_DATASET and collates else ()
