"""Data sets, collators and tf.data feeds."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, check
from tflint_hf.checks.imports import imported_from_transformers
from tflint_hf.checks.roles import is_evaluation_split, is_training_split, made_alike, spelled_split
from tflint_hf.findings import Safety, Severity
from tflint_hf.fixes import (
    AddArgument,
    AppendElement,
    PlannedEdit,
    PlannedFix,
    RemoveArgument,
    Replace,
    ReplaceString,
)
from tflint_hf.knowledge import Task
from tflint_hf.knowledge import checkpoint as known_checkpoint
from tflint_hf.target import Target
from tflint_hf.trace.events import Collated
from tflint_hf.trace.objects import ABSENT, UNKNOWN, Collator, Column, Feed, FeedMaker, Missing
from tflint_hf.trace.views import FeedUse, Trace

LABEL_NAMES = frozenset({"label", "labels", "label_ids"})


@check("TFD004")
def collator_returns_pytorch(collated: Collated, target: Target) -> Iterator[Fault]:
    """A collator left at its default of PyTorch tensors, in a TensorFlow feed."""
    collator = collated.collator
    absent = collator.return_tensors is ABSENT and collator.class_name != "default_data_collator"
    if absent or collator.return_tensors == "pt":
        # The numpy collators of datasets 1.17 to 2.2 cannot be used here.
        kind = "tf" if target.satisfies({"datasets": "<2.3"}) else "np"
        add: PlannedEdit = AddArgument(collator.site.place, f'return_tensors="{kind}"')
        if not absent:
            add = Replace(collator.site.values["return_tensors"], f'"{kind}"')
        yield Fault(
            collator.site.value_or_callee("return_tensors"),
            {"collator": collator.class_name},
            related=((collated.place, "it collates a TensorFlow feed here"),),
            fix=PlannedFix(Safety.SAFE, "Let it return arrays that TensorFlow reads", (add,)),
        )


@check("TFD008")
def unbatched_dataset(use: FeedUse) -> Iterator[Fault]:
    """A feed of single rows is given to fit(), evaluate() or predict()."""
    if any(model.is_transformers or model.encoders for model in use.models):
        yield Fault(use.feed.site.callee, {"method": use.feed.maker.value})


def _asked(feed: Feed) -> tuple[str, ...] | None:
    return feed.columns if isinstance(feed.columns, tuple) else None


def _source_column(feed: Feed, name: str) -> Column | None:
    return (feed.source.columns or {}).get(name) if feed.source is not None else None


@check("TFD010")
def columns_without_attention_mask(use: FeedUse, target: Target) -> Iterator[Fault]:
    """columns= names the token ids but not the mask, so that padding is attended to."""
    feed, columns = use.feed, _asked(use.feed)
    if feed.maker is not FeedMaker.TO_TF_DATASET or columns is None or "input_ids" not in columns:
        return
    drops = _drops_mask(feed, target)
    if "attention_mask" in columns or drops is None:
        return
    ids = _source_column(feed, "input_ids")
    if ids is None or not ids.from_tokenizer or (feed.source is not None and feed.source.columns is None):
        return
    place = feed.site.values["columns"]
    edits = (AppendElement(place, '"attention_mask"'),)
    fix = PlannedFix(Safety.UNSAFE, "Ask for the mask too", edits)
    yield Fault(place, {"columns": ", ".join(columns)}, fix=fix, rests_on=drops)


def _drops_mask(feed: Feed, target: Target) -> dict[str, str] | None:
    """The releases of datasets that leave the mask out here; None if this one does not."""
    for specifier, holds in (
        (">=2.5", True),
        (">=2.3,<2.5", feed.label_columns is not ABSENT),
        (">=1.13,<1.17", True),
    ):
        if holds and target.satisfies({"datasets": specifier}):
            return {"datasets": specifier}
    return None


@check("TFD011")
def columns_without_segment_ids(use: FeedUse) -> Iterator[Fault]:
    """columns= leaves out the ids that tell the texts of a pair apart."""
    columns, ids = _asked(use.feed), _source_column(use.feed, "input_ids")
    encoding = ids.encoding if ids is not None else None
    if columns is None or "input_ids" not in columns or "token_type_ids" in columns:
        return
    if use.feed.maker is not FeedMaker.TO_TF_DATASET or encoding is None or encoding.pair is not True:
        return
    if encoding.site.open or "return_token_type_ids" in encoding.site.arguments or not use.readers:
        return
    model = use.readers[0]
    family = _segments(model.checkpoint)
    checkpoints = (encoding.tokenizer.checkpoint, *(reader.checkpoint for reader in use.readers))
    if family is None or any(_segments(checkpoint) != family for checkpoint in checkpoints):
        return
    place = use.feed.site.values["columns"]
    append = AppendElement(place, '"token_type_ids"')
    fix = PlannedFix(Safety.UNSAFE, "Ask for the segment ids, too", (append,))
    yield Fault(place, {"model": model.class_name}, fix=fix)


def _segments(name: str | Missing) -> str | None:
    """The family of a checkpoint, if its models were pretrained with segments."""
    family = known_checkpoint(name).family if isinstance(name, str) else None
    return family if family in {"bert", "albert", "electra", "mobilebert"} else None


@check("TFD013")
def label_column_mismatch(use: FeedUse, target: Target) -> Iterator[Fault]:
    """The label column is asked for by a name that the data set does not have."""
    feed = use.feed
    source = feed.source
    if feed.maker is not FeedMaker.TO_TF_DATASET or source is None or source.columns is None or source.open:
        return
    exact = {"datasets": ">=2.3"}
    if not target.satisfies(exact) or feed.collator is UNKNOWN:
        return
    renamed = isinstance(feed.collator, Collator) and feed.collator.renames_label
    existing = (
        ["labels"] if renamed and LABEL_NAMES & set(source.columns) else sorted(LABEL_NAMES & set(source.columns))
    )
    accepted = {*existing, *(LABEL_NAMES if "labels" in existing and target.satisfies({"datasets": ">=2.5"}) else ())}
    for argument, names in (("columns", feed.columns), ("label_cols", feed.label_columns)):
        for name in names if isinstance(names, tuple) else ():
            if name not in LABEL_NAMES or name in accepted or not existing:
                continue
            place = feed.site.values.get(argument, feed.site.callee)
            edits = (ReplaceString(place, name, existing[0]),)
            fix = PlannedFix(Safety.SAFE, f"Ask for {existing[0]}", edits)
            # Among the inputs the model takes the labels by the name "labels" alone.
            taken = argument == "label_cols" or existing[0] == "labels"
            yield Fault(
                place,
                {"column": name, "existing": existing[0]},
                fix=fix if taken else None,
                rests_on=exact,
            )


@check("TFD014")
def ragged_rows_without_collator(use: FeedUse, target: Target, trace: Trace) -> Iterator[Fault]:
    """Rows of different length, and nothing that pads them."""
    feed = use.feed
    if feed.maker is not FeedMaker.TO_TF_DATASET or feed.collator is not ABSENT:
        return
    required = {"datasets": ">=1.17,<2.3"}
    if target.satisfies(required):
        yield Fault(feed.site.callee, {"method": "to_tf_dataset"}, rests_on=required)
        return
    stacks = {"datasets": ">=2.3"}
    ids = _source_column(feed, "input_ids")
    asked = _asked(feed)
    if not target.satisfies(stacks) or ids is None or ids.ragged is not True or use.made.batched is not True:
        return
    if feed.batch_size == 1 or (asked is None and feed.columns is not ABSENT):
        return
    if asked is None or "input_ids" in asked:
        fix = _padded_by_batch(use, trace) if target.satisfies({"datasets": ">=2.5"}) else None
        yield Fault(feed.site.callee, {"method": "to_tf_dataset"}, fix=fix, rests_on=stacks)


def _padded_by_batch(use: FeedUse, trace: Trace) -> PlannedFix | None:
    """A collator that pads what tokenizers make, where each row has one label and nothing else is asked for."""
    feed = use.feed
    asked, labels = _asked(feed), feed.label_columns if isinstance(feed.label_columns, tuple) else ()
    if not feed.tokenizer_name or asked is None or feed.label_columns is UNKNOWN:
        return None
    one_each = all(m.head is not None and m.head.task is Task.SEQUENCE_CLASSIFICATION for m in use.readers)
    for name in (*asked, *labels):
        column = _source_column(feed, name)
        if name in LABEL_NAMES:
            lists = column is not None and (column.ragged is True or column.word_tags)
            if lists or not (name == "label" or (use.readers and one_each)):
                return None
        elif column is None or not column.from_tokenizer:
            return None
    imports = imported_from_transformers(trace, "DataCollatorWithPadding", feed.site.place)
    if imports is None:
        return None
    collator = f'collate_fn=DataCollatorWithPadding({feed.tokenizer_name}, return_tensors="np")'
    return PlannedFix(Safety.SAFE, "Pad each batch", (*imports, AddArgument(feed.site.place, collator)))


@check("TFD015")
def old_to_tf_dataset_call(use: FeedUse, target: Target) -> Iterator[Fault]:
    """The argument order and names that to_tf_dataset had before datasets 2.3."""
    applies = {"datasets": ">=2.3"}
    site = use.feed.site
    if use.feed.maker is not FeedMaker.TO_TF_DATASET or not target.satisfies(applies):
        return
    position = "#0" if "#0" in site.literals else "batch_size"
    first = site.literals.get(position)
    if "dummy_labels" in site.arguments:
        fix = PlannedFix(
            Safety.SAFE, "Drop dummy_labels", (RemoveArgument(site.place, site.arguments["dummy_labels"]),)
        )
        yield Fault(site.arguments["dummy_labels"], {"argument": "dummy_labels"}, fix=fix, rests_on=applies)
    elif isinstance(first, tuple) and first and all(isinstance(name, str) for name in first):
        yield Fault(site.values[position], {"argument": "columns as its first argument"}, rests_on=applies)


@check("TFD023")
def prepare_without_padding(use: FeedUse, target: Target) -> Iterator[Fault]:
    """prepare_tf_dataset stacks rows of different length."""
    feed = use.feed
    applies = {"transformers": ">=4.20,<5"}
    if feed.maker is not FeedMaker.PREPARE_TF_DATASET or not target.satisfies(applies):
        return
    ids = _source_column(feed, "input_ids")
    if feed.collator is not ABSENT or feed.tokenizer is not ABSENT or ids is None or ids.ragged is not True:
        return
    if feed.batch_size == 1:
        return
    fix = None
    if feed.tokenizer_name:
        add = AddArgument(feed.site.place, f"tokenizer={feed.tokenizer_name}")
        fix = PlannedFix(Safety.SAFE, "Let it pad each batch", (add,))
    yield Fault(feed.site.callee, {}, fix=fix, rests_on=applies)


@check("TFD016")
def shuffled_evaluation_by_default(use: FeedUse, trace: Trace) -> Iterator[Fault]:
    """prepare_tf_dataset shuffles unless it is told not to, evaluation data too."""
    feed = use.feed
    if feed.maker is not FeedMaker.PREPARE_TF_DATASET or feed.shuffle_argument is not ABSENT or use.trained_on:
        return
    evaluates = use.validates or use.evaluated or use.predicted
    if not is_evaluation_split(feed.split) and not (evaluates and not is_training_split(feed.split)):
        return
    fix = None
    if made_alike(trace, feed.site.place, trained_on=False):
        add = AddArgument(feed.site.place, "shuffle=False")
        fix = PlannedFix(Safety.SAFE, "Keep the order of the rows", (add,))
    yield Fault(feed.site.callee, {"split": spelled_split(feed.split)}, fix=fix)


@check("TFD017")
def shuffled_evaluation_data(use: FeedUse, target: Target, trace: Trace) -> Iterator[Fault]:
    """Evaluation data is shuffled on purpose."""
    feed = use.feed
    if use.trained_on or use.last_shuffle is None or feed.shuffled is not True:
        return
    asked = feed.shuffle_argument is True and use.last_shuffle == feed.site.values.get("shuffle")
    stepped = feed.shuffle_argument is not True and use.last_shuffle != feed.site.values.get("shuffle")
    if not asked and not stepped:
        return
    evaluates = use.validates or use.evaluated or use.predicted
    if not is_evaluation_split(feed.split) and not evaluates:
        return
    if stepped and not evaluates:
        return
    drops_rows = feed.maker is FeedMaker.TO_TF_DATASET and target.satisfies({"datasets": "<2.3"})
    # Where code that is not seen gets the data, it may be for validation alone.
    only_scores = (evaluates or use.leaves) and not use.predicted and not drops_rows
    fix = None
    if asked and made_alike(trace, feed.site.place, trained_on=False):
        edits = (Replace(use.last_shuffle, "False"),)
        fix = PlannedFix(Safety.SAFE, "Keep the order of the rows", edits)
    yield Fault(
        use.last_shuffle,
        {"split": spelled_split(feed.split, "predicted" if use.predicted else "evaluation")},
        fix=fix,
        severity=Severity.INFO if only_scores else None,
    )


@check("TFD018")
def unshuffled_training_data(use: FeedUse, target: Target, trace: Trace) -> Iterator[Fault]:
    """Training data keeps the order of its source."""
    feed = use.feed
    source = feed.source
    if source is None or not use.trained_on:
        return
    if feed.shuffled is not False or not is_training_split(feed.split):
        return
    fix = None
    if feed.maker is FeedMaker.TO_TF_DATASET:
        if feed.shuffle_argument is ABSENT and not target.satisfies({"datasets": ">=2.3"}):
            return
        given = feed.site.values.get("shuffle")
        edit = AddArgument(feed.site.place, "shuffle=True") if given is None else Replace(given, "True")
        if made_alike(trace, feed.site.place, trained_on=True):
            fix = PlannedFix(Safety.UNSAFE, "Shuffle the training rows", (edit,))
    yield Fault(feed.site.value_or_callee("shuffle"), {"split": spelled_split(feed.split)}, fix=fix)
