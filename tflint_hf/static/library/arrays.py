"""Arrays and tensors: numpy, pandas and TensorFlow operations, as far as labels and outputs flow on."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard

from tflint_hf.static import items, uses
from tflint_hf.static.library import hooks, rows
from tflint_hf.static.library.array_calls import argument_of, first_place
from tflint_hf.static.library.array_labels import labels_of, marks_in
from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.library.output_readers import READING
from tflint_hf.static.values import UNKNOWN, Array, Const, Cut, External, Fact, ListValue, Value, make_list, one_of
from tflint_hf.trace import objects as facts
from tflint_hf.trace.objects import Holder, LabelEncoding, Labels, Prediction, Tensor
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope


@path("tensorflow.stop_gradient")
def _stop_gradient(call: LibraryCall) -> Value:
    """Whatever lies before it is not trained."""
    value = argument_of(call)
    return Fact(Tensor(value.data.output, value.data.keras)) if _is_tensor(value) else UNKNOWN


def _is_tensor(value: Value) -> TypeGuard[Fact]:
    return isinstance(value, Fact) and isinstance(value.data, Tensor)


_RESHAPING = ("reshape", "squeeze", "expand_dims", "ravel")
_SHORT = {"numpy": "np", "tensorflow": "tf"}


@path(
    "numpy.array",
    "numpy.asarray",
    "numpy.ascontiguousarray",
    "tensorflow.constant",
    "tensorflow.convert_to_tensor",
    "tensorflow.cast",
    "tensorflow.identity",
    "tensorflow.squeeze",
    "tensorflow.reshape",
    "tensorflow.expand_dims",
    "numpy.squeeze",
    "numpy.reshape",
    "numpy.ravel",
    "numpy.copy",
    "numpy.ones",
    "numpy.full",
)
def _keep(call: LibraryCall) -> Value:
    value = argument_of(call)
    holder = Holder.ARRAY if call.path.startswith("numpy.") and not isinstance(value, Const) else None
    if isinstance(value, Array):
        rows.note_encodings(call, f"{_SHORT[call.path.partition('.')[0]]}.{call.path.rpartition('.')[2]}", value)
        kept = one_of(value) if call.path.endswith(_RESHAPING) else value
        if call.path.endswith(("cast", "array", "constant")):
            kept = _as_type(value, call.get("dtype"))
        return replace(kept, holder=holder)
    if _is_tensor(value):
        layer = None if call.path.endswith(_RESHAPING) else value.data.layer
        if layer is not None and call.path.endswith("cast"):
            layer = replace(layer, dtype=facts.UNKNOWN)
        return Fact(replace(value.data, layer=layer, input_site=None, sequence=None))
    if isinstance(value, Fact) and isinstance(value.data, Prediction):
        return value
    labels = labels_of(value)
    kind = call.get("dtype") or (call.rest[1] if len(call.rest) > 1 and not call.given else None)
    if labels is not None and labels.encoding is LabelEncoding.SCORE and kind is not None and not _is_float(kind):
        labels = None
    return Array(labels=labels, holder=holder)


@method(
    Array,
    "astype",
    "reshape",
    "ravel",
    "flatten",
    "squeeze",
    "to_numpy",
    "tolist",
    "to_list",
    "numpy",
    "copy",
    "fillna",
    "dropna",
    "values",
    "view",
    "cast",
    "detach",
)
def _array_method(call: LibraryCall) -> Value:
    receiver = call.receiver
    if not isinstance(receiver, Array):
        return receiver or UNKNOWN
    if call.path == "reshape":
        return Array(receiver.labels, None, None, receiver.name, reshaped=True, holder=receiver.holder)
    if call.path in {"copy", "fillna", "dropna"}:
        kept = 0 if call.path == "copy" else None
        return replace(receiver, labels=labels_of(receiver), cut=Cut(receiver, kept, kept, call.place), state={})
    if call.path == "astype":
        return _as_type(receiver, call.rest[0] if call.rest else call.get("dtype"))
    if call.path in {"tolist", "to_list"}:
        return replace(receiver, holder=Holder.LIST)
    if call.path in {"to_numpy", "ravel", "flatten", "squeeze"}:
        one = _as_type(receiver, call.get("dtype")) if call.path == "to_numpy" else one_of(receiver)
        return replace(one, holder=Holder.ARRAY if receiver.holder is not None else None)
    return receiver


_NO_NUMBERS = frozenset({LabelEncoding.SCORE, LabelEncoding.TEXT})


def _as_type(value: Array, kind: Value | None) -> Array:
    """Scores cut to whole numbers are scores no longer; class ids stay what they are."""
    labels = labels_of(value)
    if kind is not None and labels is None and _is_float(kind) and _names_scores(value):
        return replace(value, labels=Labels(LabelEncoding.SCORE, known_from=f'"{value.name}" as floats', supposed=True))
    if kind is None or labels is None or labels.encoding not in _NO_NUMBERS or _is_float(kind):
        return value
    return Array(name=value.name, holder=value.holder)


def _names_scores(value: Array) -> bool:
    """Whether a column of a table is called a score."""
    return value.taken is not None and re.search(r"(?:^|_)(?:scores?|similarity)$", value.name.lower()) is not None


def _is_float(kind: Value) -> bool:
    name = kind.value if isinstance(kind, Const) else kind.last if isinstance(kind, External) else ""
    return isinstance(name, str) and name.startswith(("float", "double", "f4", "f8", "half", "bfloat"))


@method(Array, "head", "tail", "sample", "reset_index", "drop_duplicates", "isna", "isnull", "notna", "notnull",
        "isin", "duplicated", "between")  # fmt: skip
def _series_method(call: LibraryCall) -> Value:
    """Methods of a Series alone: a part of it, or a mask for its rows."""
    series = call.receiver
    assert isinstance(series, Array)
    return Array(holder=Holder.SERIES) if series.holder is Holder.SERIES and not call.given else UNKNOWN


@hooks.attribute_of(Array)
def _array_attribute(_machine: Machine, receiver: Array, name: str, _node: Any, _scope: Scope) -> Value | None:
    if name in {"values", "T", "str", "array"}:
        series = name in {"values", "array"} and receiver.holder is not None
        return replace(receiver, holder=Holder.ARRAY if series else receiver.holder if name == "T" else None)
    return UNKNOWN if name in {"shape", "dtype", "size", "ndim", "columns"} else None


@hooks.item_of(Array)
def _array_item(_machine: Machine, receiver: Array, key: Value, node: Any, scope: Scope) -> Value:
    if isinstance(key, Const) and isinstance(key.value, str):
        return Array(name=key.value)
    cut = items.cut(receiver, key, Place(scope.unit, node))
    whole = replace(receiver, labels=labels_of(receiver), cut=cut, state={})
    if isinstance(key, items.SliceValue) or (isinstance(key, Array | ListValue) and key is not receiver):
        # A slice of a lazy Column is a list; a part of a series or an array is another one.
        lasting = receiver.holder in {Holder.SERIES, Holder.ARRAY}
        many = isinstance(key, items.SliceValue) or (isinstance(key, Array) and key.holder is not None)
        part = whole if isinstance(key, items.SliceValue) else one_of(whole)
        return replace(part, holder=receiver.holder if lasting and many else None)
    return one_of(whole)


@hooks.set_item_of(Array)
def _set_array_item(machine: Machine, receiver: Array, _key: Value, value: Value) -> None:
    """`labels[labels == pad] = -100`: what was written last, if it is a mark, else whatever it is."""
    before = receiver.state.get("written")
    if before is None or marks_in(before) is None:
        machine.store.write(receiver.state, "written", value)


#: The most numbers of arange() that are told one by one.
_MOST_COUNTED = 256


@path("numpy.arange", "tensorflow.range")
def _counted(call: LibraryCall) -> Value:
    """`np.arange(3)`: the numbers 0, 1 and 2, one a row."""
    bounds = [*call.rest, *call.given.values()]
    numbers = [v.value for v in bounds if isinstance(v, Const) and type(v.value) is int]
    if call.open or len(numbers) != len(bounds) or len(numbers) not in (1, 2):
        return Array(holder=Holder.ARRAY) if call.path.startswith("numpy.") else Array()
    written = range(*numbers)
    if not 0 < len(written) <= _MOST_COUNTED:
        return UNKNOWN
    labels = labels_of(make_list("list", map(Const, written)))
    return Array(labels=labels, holder=Holder.ARRAY if call.path.startswith("numpy.") else None)


@path("numpy.load")
def _loaded(call: LibraryCall) -> Value:
    """One array of a .npy file; an .npz file holds several by their names."""
    file = call.get("file") or (call.rest[0] if call.rest else UNKNOWN)
    is_array = isinstance(file, Const) and isinstance(file.value, str) and file.value.endswith(".npy")
    return Array(holder=Holder.ARRAY) if is_array else UNKNOWN


@path("numpy.full", "tensorflow.fill", "numpy.full_like")
def _filled(call: LibraryCall) -> Value:
    value = call.get("fill_value") or call.get("value") or (call.rest[1] if len(call.rest) > 1 else UNKNOWN)
    marks = marks_in(value)
    return Array() if marks is None else Array(labels=Labels(ignored=marks, ignored_by="the program"))


@path("numpy.where", "tensorflow.where")
def _where(call: LibraryCall) -> Value:
    """`np.where(condition, ids, -100)`; of one argument it gives positions."""
    parts = [*call.rest, *call.given.values()]
    for value in parts:
        uses.used_as_array(call.machine, value, READING.get(call.path, "tf.where"), first_place(call), call.group)
    if len(parts) < 3:
        return UNKNOWN
    marks = next((m for m in map(marks_in, parts[1:]) if m is not None), None)
    return Array() if marks is None else Array(labels=Labels(ignored=marks, ignored_by="the program"))
