"""tf.data feeds: where they begin."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import libcst as cst

from tflint_hf.static import uses
from tflint_hf.static.calls import LibraryCall
from tflint_hf.static.library import hooks
from tflint_hf.static.library.array_labels import paired
from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.library.hub_data import DatasetDictValue, dataset_of, note_split_needed, receiver_node, strings
from tflint_hf.static.library.rows import note_encodings, note_rows_given
from tflint_hf.static.library.structures import structure_of
from tflint_hf.static.library.text import TokenizerValue, collator_of, literal, note_collator_padding, note_padding
from tflint_hf.static.names import name_of
from tflint_hf.static.values import (
    UNKNOWN,
    Array,
    Const,
    DictValue,
    EncodingValue,
    Fact,
    ListValue,
    ModelValue,
    Value,
    alternatives,
)
from tflint_hf.trace import objects as facts
from tflint_hf.trace.events import Collated, FeedLeft, FeedMade, TrainerMade
from tflint_hf.trace.objects import (
    ABSENT,
    Collator,
    Dataset,
    Feed,
    FeedMaker,
    LabelEncoding,
    Labels,
    Missing,
    Structure,
    Tokenizer,
)
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope

LABEL_KEYS = frozenset({"label", "labels", "label_ids", "start_positions", "end_positions", "next_sentence_label"})


def feed_of(value: Value | None) -> Feed | None:
    return value.data if isinstance(value, Fact) and isinstance(value.data, Feed) else None


@hooks.escape
def _feed_escapes(
    machine: Machine,
    _name: str,
    _receiver: Value | None,
    positional: Sequence[Value],
    keywords: Mapping[str, Value],
    node: cst.CSTNode,
    scope: Scope,
    _group: int,
) -> None:
    note_leaving(machine, [*positional, *keywords.values()], Place(scope.unit, node))


def note_leaving(machine: Machine, values: Iterable[Value], place: Place) -> None:
    """Record the feeds among `values`, and in the lists and dicts among them, that go where nobody follows them."""
    for value in values:
        inner = value.values if isinstance(value, ListValue) and value.exact else [value]
        inner = [*value.items.values()] if isinstance(value, DictValue) else inner
        for one in inner:
            for _, each in alternatives(one):
                feed = feed_of(each)
                if feed is not None:
                    machine.record(FeedLeft, place, machine.new_group(), feed=feed)


def _made(call: LibraryCall, feed: Feed) -> Value:
    feed = replace(feed, single=not call.machine.open_loops)
    call.machine.record(FeedMade, call.site.callee, call.group, feed=feed)
    note_padding(call, call.get("tokenizer"), call.site.values.get("tokenizer", call.site.callee))
    if isinstance(feed.collator, Collator):
        note_collator_padding(call, call.get("collate_fn"))
        call.machine.record(Collated, feed.collator.site.callee, call.group, collator=feed.collator)
    return Fact(feed)


def _names(value: Value | None, open_call: bool) -> tuple[str, ...] | Missing:
    if value is None or (isinstance(value, Const) and value.value is None):
        return facts.UNKNOWN if open_call and value is None else ABSENT
    return strings(value) or facts.UNKNOWN


@method(Dataset, "to_tf_dataset", signature="datasets.Dataset.to_tf_dataset")
def _to_tf_dataset(call: LibraryCall) -> Value:
    source = dataset_of(call.receiver)
    assert source is not None
    if source.is_dict is True:
        note_split_needed(call.machine, "to_tf_dataset", call.site.callee, call.group, receiver_node(call))
    columns, label_columns = _names(call.get("columns"), call.open), _names(call.get("label_cols"), call.open)
    shuffle = literal(call.get("shuffle"), facts.UNKNOWN if call.open else ABSENT)
    collator: Collator | Missing = collator_of(call.get("collate_fn"))
    if call.open and call.get("collate_fn") is None:
        collator = facts.UNKNOWN
    size = call.get("batch_size")
    batched = True if size is not None else None if call.open else False
    if isinstance(size, Const) and size.value is None:
        batched = False
    elif isinstance(size, ListValue):
        # The columns, as older releases took them: there are no batches of this size.
        batched = None
    keys = columns if isinstance(columns, tuple) else None
    return _made(
        call,
        Feed(
            FeedMaker.TO_TF_DATASET,
            call.site,
            call.site.callee,
            source,
            batched=batched,
            batch_size=_number(size),
            shuffled=_shuffled(source, shuffle, default=False),
            shuffle_place=call.site.values.get("shuffle"),
            columns=columns,
            label_columns=label_columns,
            collator=collator,
            keys=keys,
            has_targets=label_columns is not ABSENT if label_columns is not facts.UNKNOWN else None,
            labels=_collated_labels(_source_labels(source, columns, label_columns), source, collator),
            inputs=_by_name(columns, call.site.values.get("columns"), call.get("columns")),
            targets=_by_name(label_columns, call.site.values.get("label_cols")),
            shuffle_argument=shuffle if isinstance(shuffle, bool | Missing) else facts.UNKNOWN,
            split=source.split,
            drops_rows=literal(call.get("drop_remainder")) is True or None,
            tokenizer_name=_name_of_tokenizer(call.scope, source),
            rows_tokenizer=_tokenizer_of(source),
        ),
    )


def _by_name(names: tuple[str, ...] | Missing, place: Place | None, written: Value | None = None) -> Structure | None:
    """One column is an array, several are a dictionary. `written` is the list of their names."""
    if not isinstance(names, tuple) or not names:
        return None
    places: tuple[Place | None, ...] = ()
    if isinstance(written, ListValue) and written.place is not None:
        place, places = written.place, written.places
    return Structure("dict" if len(names) > 1 else "one", names, place, places=places)


def _number(value: Value | None) -> int | None:
    return value.value if isinstance(value, Const) and isinstance(value.value, int) else None


def _shuffled(source: Dataset, asked: Any, *, default: bool) -> bool | None:
    if asked is facts.UNKNOWN:
        return None
    if asked is True or (asked is ABSENT and default):
        return True
    return source.shuffled


def _source_labels(source: Dataset, columns: Any, label_columns: Any) -> Labels | None:
    """The labels that such a feed carries, by the columns asked for."""
    asked = [
        *(columns if isinstance(columns, tuple) else ()),
        *(label_columns if isinstance(label_columns, tuple) else ()),
    ]
    every = source.columns or {}
    wanted = (
        [n for n in asked if n in LABEL_KEYS or n in label_columns]
        if isinstance(label_columns, tuple)
        else [n for n in asked if n in LABEL_KEYS]
    )
    if not asked:
        wanted = [n for n in every if n in LABEL_KEYS]
    for name in wanted:
        for candidate in (name, "labels", "label", "label_ids"):
            column = every.get(candidate)
            if column is not None and (candidate == name or name in LABEL_KEYS):
                return column.labels
    return None


def _collated_labels(labels: Labels | None, source: Dataset | None, collator: Collator | Missing) -> Labels | None:
    """The labels after the collator: some make them of the inputs, some pad them with -100."""
    if not isinstance(collator, Collator):
        return labels
    name = collator.class_name
    ids = (source.columns or {}).get("input_ids") if source is not None else None
    if collator.masks is True:
        return Labels(LabelEncoding.TOKENS, ignored=-100, ignored_by=name)
    if collator.masks is False:
        padded = ids is not None and (ids.ragged is True or ids.padded is True)
        made = Labels(LabelEncoding.TOKENS, shift=0)
        return replace(made, ignored=-100, ignored_by=name) if padded else made
    mark = collator.pads_labels_with
    unmarked = labels is None or (labels.ignored is None and not labels.padding)
    if isinstance(mark, int) and mark < 0 and ids is not None and ids.ragged is True and unmarked:
        return replace(labels or Labels(), ignored=mark, ignored_by=name)
    return labels


@method(ModelValue, "prepare_tf_dataset", signature="transformers.TFPreTrainedModel.prepare_tf_dataset")
def _prepare_tf_dataset(call: LibraryCall) -> Value:
    source = dataset_of(call.get("dataset"))
    whole = call.site.values.get("dataset", call.site.callee)
    if (source is not None and source.is_dict is True) or isinstance(call.get("dataset"), DatasetDictValue):
        spelled = whole.anchor if isinstance(whole.anchor, cst.CSTNode) else None
        note_split_needed(call.machine, "prepare_tf_dataset", whole, call.group, spelled)
    shuffle = literal(call.get("shuffle"), facts.UNKNOWN if call.open else ABSENT)
    collator = collator_of(call.get("collate_fn"))
    tokenizer = _given_tokenizer(call)
    if call.open and call.get("collate_fn") is None:
        collator = facts.UNKNOWN
    asked: Any = shuffle
    shuffled: bool | None = None if asked is facts.UNKNOWN else asked is not False
    if shuffled is False and source is not None:
        shuffled = source.shuffled
    return _made(
        call,
        Feed(
            FeedMaker.PREPARE_TF_DATASET,
            call.site,
            call.site.callee,
            source,
            batched=True,
            batch_size=_number(call.get("batch_size")),
            shuffled=shuffled,
            shuffle_place=call.site.values.get("shuffle"),
            collator=collator,
            labels=_collated_labels(
                _source_labels(source, ABSENT, ABSENT) if source is not None else None, source, collator
            ),
            shuffle_argument=shuffle if isinstance(shuffle, bool | Missing) else facts.UNKNOWN,
            split=source.split if source is not None else facts.UNKNOWN,
            tokenizer=tokenizer,
            drops_rows=literal(call.get("drop_remainder")) is True or None,
            tokenizer_name=_name_of_tokenizer(call.scope, source),
            rows_tokenizer=_tokenizer_of(source),
        ),
    )


def _given_tokenizer(call: LibraryCall) -> Tokenizer | Missing:
    """The tokenizer that prepare_tf_dataset makes a padding collator of."""
    value = call.get("tokenizer")
    if value is None:
        return facts.UNKNOWN if call.open else ABSENT
    if isinstance(value, Const) and value.value is None:
        return ABSENT
    return value.tokenizer if isinstance(value, TokenizerValue) else facts.UNKNOWN


def _tokenizer_of(source: Dataset | None) -> Tokenizer | None:
    """The tokenizer that made the token ids of a data set."""
    ids = (source.columns or {}).get("input_ids") if source is not None else None
    return ids.encoding.tokenizer if ids is not None and ids.encoding is not None else None


def tokenizer_behind(inputs: Value) -> Tokenizer | None:
    """The tokenizer that made the token ids among the inputs of a model."""
    if isinstance(inputs, EncodingValue):
        if inputs.encoding is not None:
            return inputs.encoding.tokenizer
        inputs = inputs.columns
    if isinstance(inputs, DictValue):
        inputs = inputs.items.get("input_ids", UNKNOWN)
    if isinstance(inputs, ListValue) and inputs.exact:
        found = [tokenizer_behind(one) for one in inputs.values if isinstance(one, Array)]
        return found[0] if found and all(one is found[0] for one in found) else None
    column = inputs.column if isinstance(inputs, Array) else None
    return column.encoding.tokenizer if column is not None and column.encoding is not None else None


def _name_of_tokenizer(scope: Scope, source: Dataset | None) -> str:
    """The program's name, at this spot, for the tokenizer that made the rows."""
    tokenizer = _tokenizer_of(source)
    if tokenizer is None:
        return ""
    return name_of(scope, lambda value: isinstance(value, TokenizerValue) and value.tokenizer is tokenizer)


# tf.data


@path("tensorflow.data.Dataset.from_tensor_slices")
def _from_tensor_slices(call: LibraryCall) -> Value:
    value = call.get("tensors") or (call.rest[0] if call.rest else UNKNOWN)
    note_rows_given(call, "from_tensor_slices", {"tensors": value}, as_texts=False)
    place = next(iter(call.site.values.values()), None)
    found = note_encodings(call, "from_tensor_slices", value, place)
    inputs, targets, has_targets = inputs_and_targets(value)
    weighted = None if has_targets is None else isinstance(value, ListValue) and len(value.items) == 3
    source = _dataset_behind(inputs) or _dataset_behind(targets or UNKNOWN)
    feed = Feed(
        FeedMaker.FROM_TENSOR_SLICES,
        call.site,
        call.site.callee,
        source,
        batched=False if _is_row_wise(inputs) else None,
        shuffled=source.shuffled if source is not None else None,
        keys=keys_of(inputs),
        has_targets=has_targets,
        labels=_labels_of_pair(value, inputs, targets),
        split=source.split if source is not None else facts.UNKNOWN,
        weighted=weighted,
        label_source=uses.source_of(targets),
        element=structure_of(value, stacks_lists=True, place=call.site.values.get("tensors")),
        inputs=structure_of(inputs, stacks_lists=True),
        targets=structure_of(targets, stacks_lists=True),
        rows_tokenizer=tokenizer_behind(inputs),
        rows=(targets, *(encoding.texts.rows for encoding in found)),
    )
    return _made(call, feed)


def _labels_of_pair(pair: Value, inputs: Value, targets: Value | None) -> Labels | None:
    """The labels of (inputs, labels), with the place where they are put there."""
    if targets is None:
        return labels_inside(inputs)
    labels = paired(inputs, targets)
    if labels is None or labels.place is not None or not isinstance(pair, ListValue) or len(pair.places) < 2:
        return labels
    return replace(labels, place=pair.places[1])


def _is_row_wise(inputs: Value) -> bool:
    """Whether each slice is one row: what a tokenizer gave, or columns under the names that models take."""
    if isinstance(inputs, EncodingValue):
        return True
    if not isinstance(inputs, DictValue):
        return isinstance(inputs, Array) and inputs.column is not None and inputs.column.from_tokenizer
    arrays = [v for v in inputs.items.values() if isinstance(v, Array)]
    return "input_ids" in inputs.items and not any(a.reshaped for a in arrays)


def inputs_and_targets(value: Value) -> tuple[Value, Value | None, bool | None]:
    """Inputs and targets of what fit() or from_tensor_slices got."""
    if isinstance(value, ListValue) and value.kind == "tuple" and value.exact:
        parts = value.values
        if len(parts) in (2, 3):
            return parts[0], parts[1], True
        return (parts[0] if parts else UNKNOWN), None, False
    return value, None, False if value.known else None


def keys_of(value: Value) -> tuple[str, ...] | None:
    """The names in a dictionary of inputs, None if they are not known."""
    columns = value.columns if isinstance(value, EncodingValue) else value
    if isinstance(columns, DictValue) and (not columns.open or "tokenizer" in columns.facts):
        return tuple(k for k in columns.items if isinstance(k, str))
    return None


def labels_inside(value: Value) -> Labels | None:
    """The labels among the inputs."""
    columns = value.columns if isinstance(value, EncodingValue) else value
    if isinstance(columns, DictValue):
        for key, item in columns.items.items():
            if key in LABEL_KEYS:
                labels = paired(columns, item)
                return labels if labels is None or labels.place else replace(labels, place=columns.places.get(key))
    return None


def _dataset_behind(value: Value) -> Dataset | None:
    if isinstance(value, Array | EncodingValue):
        return value.dataset
    if isinstance(value, DictValue):
        for item in value.items.values():
            if isinstance(item, Array) and item.dataset is not None:
                return item.dataset
    return None


@path("transformers.TFTrainer")
def _trainer(call: LibraryCall) -> Value:
    order = ("model", "args", "train_dataset", "eval_dataset")
    given = {**dict(zip(order, call.rest, strict=False)), **call.given}
    model = given.get("model")
    feeds = (feed_of(given.get("train_dataset")), feed_of(given.get("eval_dataset")))
    if isinstance(model, ModelValue):
        known = tuple(feed for feed in feeds if feed is not None)
        call.machine.record(TrainerMade, call.site.callee, call.group, model=model.model, feeds=known)
    return UNKNOWN


@path(
    "tensorflow.data.Dataset.*",
    "tensorflow.data.TFRecordDataset",
    "tensorflow.data.TextLineDataset",
    "tensorflow.data.experimental.*",
)
def _other_beginning(call: LibraryCall) -> Value:
    if call.path.rpartition(".")[2][:1].islower() and ".Dataset." not in call.path:
        return UNKNOWN
    return Fact(Feed(FeedMaker.OTHER, call.site, call.site.callee, has_targets=None, batched=None))
