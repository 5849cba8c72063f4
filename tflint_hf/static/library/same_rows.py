"""Which data sets, feeds and arrays hold the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from tflint_hf.static.syntax import source_text
from tflint_hf.trace.objects import Dataset, Feed, FeedMaker

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.machine import Machine

_TEXT_LIMIT = 1000
#: Steps of a feed that leave rows out.
_CHOOSING = frozenset({"take", "skip", "shard", "filter", "concatenate", "interleave", "flat_map", "apply", "window"})


def new_rows(machine: Machine) -> object:
    """What stands for the rows of a data set made here; nothing does in a loop, where it is one for each round."""
    return None if machine.open_loops else object()


def rows_of_dataset(data: Dataset | None) -> object:
    """Equal for data sets with the same rows, None where the rows are not known to be those of one data set."""
    if data is None or data.rows is None or data.renamed or data.is_dict is not False:
        return None
    return (data.rows, data.split)


def rows_of_feed(feed: Feed | None) -> object:
    """Equal for feeds of the same rows, whatever their order."""
    if feed is None or not feed.single:
        return None
    steps = tuple((step.method, id(step.site)) for step in feed.steps if step.method in _CHOOSING)
    if feed.maker in (FeedMaker.TO_TF_DATASET, FeedMaker.PREPARE_TF_DATASET):
        begun = rows_of_dataset(feed.source)
        return None if begun is None else (begun, steps)
    return (id(feed.site), steps) if feed.maker is FeedMaker.FROM_TENSOR_SLICES else None


def validates_on_training_data(call: LibraryCall) -> bool:
    """Whether `fit(x, y, validation_data=(x, y))` is written with the same names."""
    nodes = {name: place.anchor for name, place in call.site.values.items()}
    held, given = nodes.get("validation_data"), [nodes.get("x"), nodes.get("y")]
    if given[1] is None:
        return _are_same(given[0], held)
    if not isinstance(held, cst.Tuple) or len(held.elements) < 2:
        return False
    parts = [element.value for element in held.elements[:2] if isinstance(element, cst.Element)]
    return len(parts) == 2 and all(_are_same(one, other) for one, other in zip(given, parts, strict=True))


def _are_same(one: object, other: object) -> bool:
    """Whether two arguments of one call are written alike, and mean the same whenever they are evaluated."""
    if not isinstance(one, cst.BaseExpression) or not isinstance(other, cst.BaseExpression):
        return False
    if isinstance(one, cst.Call) and isinstance(other, cst.Call):
        # A copy of a dictionary is that dictionary.
        copies = source_text(one.func) == source_text(other.func) == "dict"
        alone = len(one.args) == len(other.args) == 1 and one.args[0].keyword is None
        return copies and alone and _are_same(one.args[0].value, other.args[0].value)
    text = source_text(one, _TEXT_LIMIT)
    return bool(text) and _is_path(one) and text == source_text(other, _TEXT_LIMIT)


def _is_path(node: cst.BaseExpression) -> bool:
    """`data`, `self.data`, `data["train"]`: a name, and literal steps from there."""
    while True:
        if isinstance(node, cst.Attribute):
            node = node.value
        elif isinstance(node, cst.Subscript):
            index = node.slice[0].slice if len(node.slice) == 1 else None
            if not isinstance(index, cst.Index) or not isinstance(index.value, cst.SimpleString | cst.Integer):
                return False
            node = node.value
        else:
            return isinstance(node, cst.Name)
