"""tf.data feeds: what each step of their chain does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tflint_hf.static import calls, uses
from tflint_hf.static.arguments import Arguments
from tflint_hf.static.calls import LibraryCall
from tflint_hf.static.library import hooks
from tflint_hf.static.library.array_labels import paired
from tflint_hf.static.library.feeds import feed_of, inputs_and_targets, keys_of, labels_inside
from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.library.structures import structure_of
from tflint_hf.static.library.text import literal
from tflint_hf.static.values import (
    UNKNOWN,
    Array,
    DictValue,
    EncodingValue,
    Fact,
    Length,
    ListValue,
    Value,
    make_list,
)
from tflint_hf.trace import objects as facts
from tflint_hf.trace.objects import Feed, FeedStep

if TYPE_CHECKING:
    from tflint_hf.static.machine import Machine


@dataclass(eq=False, slots=True)
class KeepsElements(Value):
    """What feed.apply() takes, and leaves each element as it is."""


@path("tensorflow.data.experimental.assert_cardinality", "tensorflow.data.experimental.ignore_errors")
def _keeps_elements(_call: LibraryCall) -> Value:
    return KeepsElements()


@method(Feed, "batch", "padded_batch", "ragged_batch", signature="tensorflow.data.Dataset.batch")
def _batch(call: LibraryCall) -> Value:
    drops = call.get("drop_remainder")
    changes = {} if drops is None else {"drops_rows": literal(drops) if isinstance(literal(drops), bool) else None}
    return _stepped(call, batched=True, **changes)


@method(Feed, "unbatch", signature="tensorflow.data.Dataset.unbatch")
def _unbatch(call: LibraryCall) -> Value:
    return _stepped(call, batched=False)


@method(Feed, "shuffle", signature="tensorflow.data.Dataset.shuffle")
def _shuffle(call: LibraryCall) -> Value:
    return _stepped(call, shuffled=True, shuffle_place=call.site.callee)


@method(Feed, "repeat", signature="tensorflow.data.Dataset.repeat")
def _repeat(call: LibraryCall) -> Value:
    return _stepped(call, repeated=True)


@method(
    Feed,
    "take",
    "skip",
    "prefetch",
    "cache",
    "with_options",
    "shard",
    "enumerate",
    "snapshot",
    "rebatch",
    "concatenate",
)
def _unchanged(call: LibraryCall) -> Value:
    if call.path in {"enumerate", "rebatch", "concatenate"}:
        return _stepped(call, batched=None, keys=None, has_targets=None, labels=None, shuffled=None)
    if call.path in {"take", "skip"}:
        # A part of a feed is a split of its own; whether it is shuffled on purpose is another question.
        return _stepped(call, split=facts.UNKNOWN, source=None, label_source=None)
    return _stepped(call)


@method(
    Feed, "map", "interleave", "flat_map", "filter", "apply", "window", "group_by_window", "bucket_by_sequence_length"
)
def _transformed(call: LibraryCall) -> Value:
    function = call.get("map_func") or (call.rest[0] if call.rest else None)
    if call.path == "filter" or (call.path == "apply" and isinstance(function, KeepsElements)):
        return _stepped(call)
    feed = feed_of(call.receiver)
    if feed is not None:
        feed = replace(feed, mapped=True)
        call.receiver = Fact(feed)
    if call.path == "map" and function is not None and feed is not None:
        row = _element(feed)
        parts = row.values if isinstance(row, ListValue) else [row]
        made = calls.call(call.machine, function, Arguments(parts), call.node, call.scope)
        if isinstance(made, ListValue | DictValue | EncodingValue):
            inputs, targets, has_targets = inputs_and_targets(made)
            labels = paired(inputs, targets) if targets is not None else labels_inside(inputs)
            weighted = isinstance(made, ListValue) and len(made.items) == 3
            return _stepped(
                call,
                keys=keys_of(inputs),
                has_targets=has_targets,
                labels=labels,
                weighted=weighted,
                element=structure_of(made),
                inputs=structure_of(inputs),
                targets=structure_of(targets),
            )
    changes: dict[str, Any] = {"keys": None, "has_targets": None, "labels": None, "weighted": None}
    changes.update(element=None, inputs=None, targets=None)
    if call.path != "map":
        changes.update(batched=None, shuffled=None)
    return _stepped(call, **changes)


def _stepped(call: LibraryCall, **changes: Any) -> Value:
    feed = feed_of(call.receiver)
    assert feed is not None
    step = FeedStep(call.path, call.site, feed.batched, feed.shuffled)
    return Fact(replace(feed, place=call.site.callee, steps=(*feed.steps, step), **changes))


def _element(feed: Feed) -> Value:
    """One element of a feed: inputs, or a pair of inputs and labels."""
    inputs: Value = UNKNOWN
    if feed.keys is None and feed.has_targets is False:
        return Array()
    if feed.keys is not None:
        inputs = DictValue({k: Array(name=k) for k in feed.keys})
    if feed.has_targets:
        return make_list("tuple", [inputs, Array(labels=feed.labels)])
    return inputs


@hooks.discarded_from(Feed)
def _feed_discarded(call: LibraryCall, result: Value) -> None:
    """Every method that gives a feed leaves the old one as it was."""
    if feed_of(result) is not None:
        uses.result_discarded(call)


@hooks.iterated_as(Feed)
def _iterated(receiver: Fact) -> Value:
    feed = feed_of(receiver)
    return UNKNOWN if feed is None else _element(feed)


@hooks.attribute_of(Feed)
def _feed_attribute(_machine: Machine, _receiver: Fact, name: str, _node: Any, _scope: Any) -> Value | None:
    return UNKNOWN if name in {"element_spec"} else None


@method(Feed, "cardinality", "as_numpy_iterator", "reduce")
def _read(call: LibraryCall) -> Value:
    return Length(call.receiver or UNKNOWN) if call.path == "cardinality" else UNKNOWN


@method(Length, "numpy")
def _plain_length(call: LibraryCall) -> Value:
    return call.receiver or UNKNOWN
