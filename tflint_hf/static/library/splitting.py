"""Splits of rows by scikit-learn: folds are arrays of row numbers, parts are of the kind that was split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.static import items
from tflint_hf.static.library.array_labels import labels_of
from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.library.seeds import note_split
from tflint_hf.static.library.tables import Table
from tflint_hf.static.values import UNKNOWN, Array, ListValue, Value, list_of, make_list
from tflint_hf.trace.objects import Holder

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.machine import Machine


@dataclass(eq=False, slots=True)
class Splitter(Value):
    """A KFold and its like."""


@path("sklearn.model_selection.*")
def _splitter(call: LibraryCall) -> Value:
    name = call.path.rpartition(".")[2]
    return Splitter() if name.endswith(("Fold", "Split", "ShuffleSplit")) else UNKNOWN


@method(Splitter, "split")
def _split(_call: LibraryCall) -> Value:
    return list_of("list", make_list("tuple", [Array(holder=Holder.ARRAY), Array(holder=Holder.ARRAY)]))


@path("sklearn.model_selection.train_test_split")
def _parts(call: LibraryCall) -> Value:
    note_split(call, "random_state")
    if not any(value.known for value in call.rest):
        return UNKNOWN
    return make_list("tuple", [_part(call.machine, value) for value in call.rest for _ in range(2)])


def _part(machine: Machine, value: Value) -> Value:
    """Some rows of `value`."""
    if isinstance(value, Array):
        return Array(labels_of(value), value.column, None, value.name, holder=_holder(value), taken=value.taken)
    if isinstance(value, Table):
        return Table({name: _part(machine, column) for name, column in value.columns.items()}, value.complete)
    if isinstance(value, ListValue):
        return list_of(value.kind, items.element_of(machine, value))
    return UNKNOWN


def _holder(array: Array) -> Holder | None:
    """Parts of a series are series, parts of an array arrays."""
    return array.holder if array.holder in {Holder.SERIES, Holder.ARRAY, Holder.LIST} else None
