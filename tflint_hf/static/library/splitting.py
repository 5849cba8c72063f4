"""Splits of rows by scikit-learn: folds are arrays of row numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.values import UNKNOWN, Array, Value, list_of, make_list
from tflint_hf.trace.objects import Holder

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall


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
