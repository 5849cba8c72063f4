"""Arrays and tensors: numpy, pandas, scikit-learn and TensorFlow operations, as far as labels and outputs flow on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeGuard

import libcst as cst

from tflint_hf.static import items, uses
from tflint_hf.static.library import hooks, rows
from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.library.rows import taken
from tflint_hf.static.syntax import source_text
from tflint_hf.static.values import (
    UNKNOWN,
    Array,
    Bound,
    ClassId,
    Const,
    Cut,
    DictValue,
    EncodingValue,
    External,
    Fact,
    Instance,
    ListValue,
    Union,
    Value,
    one_of,
)
from tflint_hf.trace import objects as facts
from tflint_hf.trace.objects import Holder, LabelEncoding, Labels, Output, Prediction, PredictionForm, Tensor
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope


def _argument(call: LibraryCall) -> Value:
    """The array that an operation works on."""
    for name in ("input", "inputs", "x", "a", "value", "tensor", "logits", "features", "object", "data"):
        if name in call.given:
            return call.given[name]
    return call.rest[0] if call.rest else next(iter(call.given.values()), UNKNOWN)


def labels_of(value: Value | None) -> Labels | None:
    """What is known of a value as labels."""
    if isinstance(value, Array):
        found = value.labels or (value.column.labels if value.column is not None else None)
        written = value.state.get("written")
        if written is not None:
            marks = _marks(written)
            if marks is not None:
                return replace(found or Labels(), ignored=marks, ignored_by="the program", padding="", shift=None)
            # Other numbers are written over some of these: only the marks are sure to be left.
            return None if found is None or found.ignored is None else Labels(ignored=-100, ignored_by="the program")
        return found
    if isinstance(value, ClassId):
        return Labels(LabelEncoding.INDEX, value.classes, value.known_from, unordered=value.unordered)
    if isinstance(value, Union):
        # -100 marks positions without a label; -1 may.
        found_marks = [m for _, v in value.alternatives if (m := _marks(v)) is not None]
        found_all = [labels_of(v) for _, v in value.alternatives if not (isinstance(v, Const) and _negative(v.value))]
        known = found_all[0] if found_all and all(f is not None and f == found_all[0] for f in found_all) else None
        if not found_marks:
            return known
        return replace(known or Labels(), ignored=found_marks[0], ignored_by="the program", padding="", shift=None)
    if isinstance(value, ListValue):
        if not value.exact:
            return labels_of(value.element)
        if value.items and all(isinstance(v, ClassId) for v in value.values):
            return labels_of(value.values[0])
        if value.items and all(isinstance(v, ListValue) for v in value.values):
            rows = [labels_of(v) for v in value.values]
            marked = next((row for row in rows if row is not None and row.ignored is not None), None)
            return None if marked is None else Labels(ignored=marked.ignored, ignored_by=marked.ignored_by)
        return _literal_labels(value)
    return None


def _literal_labels(value: ListValue) -> Labels | None:
    """Class ids or scores written out in the program."""
    written = [v.value for v in value.values if isinstance(v, Const)]
    if len(written) < max(len(value.items), 1):
        return None
    if all(type(number) is int for number in written):
        lowest = min(written)
        if lowest < -1:
            return None
        known = "the labels written here"
        return Labels(LabelEncoding.INDEX, max(written) + 1, known, at_least=True, lowest=-1 if lowest < 0 else None)
    if all(type(number) in (int, float) for number in written) and any(number % 1 for number in written):
        return Labels(LabelEncoding.SCORE, known_from="the numbers written here")
    if all(isinstance(text, str) for text in written):
        return Labels(LabelEncoding.TEXT, known_from=f'"{written[0]}"')
    return None


def _marks(value: Value) -> int | None:
    """The value that marks what has no label, written out."""
    return value.value if isinstance(value, Const) and type(value.value) is int and value.value == -100 else None


def paired(inputs: Value, targets: Value | None, *, row: Value | None = None) -> Labels | None:
    """What is known of labels that belong to these inputs: how far they are shifted against them too.

    `row` are the columns that the inputs are added to, where they do not stand for themselves.
    """
    labels = labels_of(targets)
    if targets is None or (labels is not None and labels.ignored is not None):
        return labels
    shift, place = _shift(inputs, row, targets)
    if shift is None:
        return labels
    return replace(labels or Labels(LabelEncoding.TOKENS), shift=shift, place=place)


def columns_in(value: Value | None) -> Value | None:
    return value.columns if isinstance(value, EncodingValue) else value


def _shift(inputs: Value, row: Value | None, targets: Value) -> tuple[int | None, Place | None]:
    """How many tokens later than the inputs the labels begin, where both are cut from the same."""
    second, behind, end = _whole(targets)
    given, ids = columns_in(inputs), inputs
    if isinstance(given, DictValue):
        owners = [given, *([row] if isinstance(row, DictValue) and "input_ids" not in given.items else [])]
        ids = owners[-1].items.get("input_ids", UNKNOWN)
        if isinstance(second, Array) and any(second.state.get("of") is owner for owner in owners):
            ids = second
    first, ahead, first_end = _whole(ids)
    if first is None or second is None or not _same_numbers(first, second) or None in (ahead, behind, first_end, end):
        return None, None
    if (ahead, first_end) != (behind, end) and (ahead, first_end, behind, end) != (0, 1, 1, 0):
        return None, None
    cut = _cut_of(targets)
    return (behind or 0) - (ahead or 0), cut.place if cut is not None else None


def _same_numbers(left: Value, right: Value) -> bool:
    return left is right or (isinstance(left, Array) and isinstance(right, Array) and left.state is right.state)


def _cut_of(value: Value) -> Cut | None:
    if isinstance(value, Array):
        return value.cut
    found = value.facts.get("cut") if isinstance(value, ListValue) else None
    if isinstance(found, Cut):
        return found
    if isinstance(value, ListValue) and not value.exact:
        return _cut_of(value.element)
    return None


def _whole(value: Value) -> tuple[Value | None, int | None, int | None]:
    """What an array or list is a part of in the end, and how much of it is left out at both ends."""
    start: int | None = 0
    end: int | None = 0
    if isinstance(value, ListValue) and not value.exact and "cut" not in value.facts:
        value = value.element if _cut_of(value.element) is not None else value
    while True:
        if not isinstance(value, Array | ListValue) or (isinstance(value, Array) and "written" in value.state):
            return None, None, None
        cut = value.cut if isinstance(value, Array) else value.facts.get("cut")
        if not isinstance(cut, Cut):
            return value, start, end
        if cut.start is None or cut.end is None:
            return value, start, end
        start, end, value = (start or 0) + cut.start, (end or 0) + cut.end, cut.of


def _negative(value: object) -> bool:
    return isinstance(value, int) and value < 0


@path("tensorflow.stop_gradient")
def _stop_gradient(call: LibraryCall) -> Value:
    """Whatever lies before it is not trained."""
    value = _argument(call)
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
    value = _argument(call)
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
        one = receiver if call.path == "to_numpy" else one_of(receiver)
        return replace(one, holder=Holder.ARRAY if receiver.holder is not None else None)
    return receiver


_NO_NUMBERS = frozenset({LabelEncoding.SCORE, LabelEncoding.TEXT})


def _as_type(value: Array, kind: Value | None) -> Array:
    """Scores cut to whole numbers are scores no longer; class ids stay what they are."""
    labels = labels_of(value)
    if kind is None or labels is None or labels.encoding not in _NO_NUMBERS or _is_float(kind):
        return value
    return Array(name=value.name, holder=value.holder)


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
    if before is None or _marks(before) is None:
        machine.store.write(receiver.state, "written", value)


@path("numpy.full", "tensorflow.fill", "numpy.full_like")
def _filled(call: LibraryCall) -> Value:
    value = call.get("fill_value") or call.get("value") or (call.rest[1] if len(call.rest) > 1 else UNKNOWN)
    marks = _marks(value)
    return Array() if marks is None else Array(labels=Labels(ignored=marks, ignored_by="the program"))


@path("numpy.where", "tensorflow.where")
def _where(call: LibraryCall) -> Value:
    """`np.where(condition, ids, -100)`; of one argument it gives positions."""
    parts = [*call.rest, *call.given.values()]
    for value in parts:
        uses.used_as_array(call.machine, value, _READING.get(call.path, "tf.where"), _first_place(call), call.group)
    if len(parts) < 3:
        return UNKNOWN
    marks = next((m for m in map(_marks, parts[1:]) if m is not None), None)
    return Array() if marks is None else Array(labels=Labels(ignored=marks, ignored_by="the program"))


# Label encodings


@path("keras.utils.to_categorical", "keras.utils.np_utils.to_categorical", "tensorflow.one_hot", "pandas.get_dummies")
def _one_hot(call: LibraryCall) -> Value:
    count = call.get("num_classes") or call.get("depth")
    classes = count.value if isinstance(count, Const) and isinstance(count.value, int) else None
    if call.get("drop_first") is not None:
        return Array()
    return Array(labels=Labels(LabelEncoding.ONE_HOT, classes, "the one-hot encoding", place=call.site.callee))


@path("sklearn.preprocessing.LabelEncoder")
def _label_encoder(_call: LibraryCall) -> Value:
    return LabelEncoderValue()


@dataclass(eq=False, slots=True)
class LabelEncoderValue(Value):
    """scikit-learn's LabelEncoder, which numbers class names."""


@method(LabelEncoderValue, "fit_transform", "transform")
def _numbered(_call: LibraryCall) -> Value:
    return Array(labels=Labels(LabelEncoding.INDEX, known_from="LabelEncoder"))


@method(LabelEncoderValue, "*")
def _label_encoder_method(call: LibraryCall) -> Value:
    return (call.receiver or UNKNOWN) if call.path == "fit" else UNKNOWN


# Predictions


_READING = {
    "numpy.argmax": "np.argmax",
    "numpy.argsort": "np.argsort",
    "numpy.round": "np.round",
    "numpy.rint": "np.rint",
    "numpy.max": "np.max",
    "numpy.amax": "np.amax",
    "numpy.where": "np.where",
    "numpy.squeeze": "np.squeeze",
    "numpy.exp": "np.exp",
    "tensorflow.argmax": "tf.argmax",
    "tensorflow.math.argmax": "tf.math.argmax",
    "tensorflow.nn.softmax": "tf.nn.softmax",
    "tensorflow.nn.sigmoid": "tf.nn.sigmoid",
    "tensorflow.sigmoid": "tf.sigmoid",
    "tensorflow.math.sigmoid": "tf.math.sigmoid",
    "tensorflow.round": "tf.round",
    "tensorflow.nn.softmax_v2": "tf.nn.softmax",
    "scipy.special.softmax": "softmax",
    "scipy.special.expit": "expit",
}


@path(
    "numpy.argmax",
    "numpy.argsort",
    "numpy.round",
    "numpy.rint",
    "numpy.max",
    "numpy.amax",
    "numpy.exp",
    "tensorflow.argmax",
    "tensorflow.math.argmax",
    "tensorflow.round",
)
def _reading(call: LibraryCall) -> Value:
    value = _argument(call)
    if uses.used_as_array(call.machine, value, _READING[call.path], _first_place(call), call.group):
        return UNKNOWN
    if call.path == "numpy.where" and len(call.rest) == 3:
        return Array()
    if call.path.endswith(("round", "rint")) and len(call.rest) + len(call.given) == 1:
        uses.read_as_probability(call.machine, value, call.node, call.scope)
        return _class_ids(value)
    return _class_ids(value) if "arg" in call.path else UNKNOWN


def _class_ids(value: Value) -> Value:
    if isinstance(value, Fact) and isinstance(value.data, Prediction):
        return Fact(replace(value.data, form=PredictionForm.CLASS_IDS))
    return UNKNOWN


def _first_place(call: LibraryCall) -> Any:
    values = call.site.values
    for name in ("a", "input", "logits", "x", "#0"):
        if name in values:
            return values[name]
    return next(iter(values.values()), call.site.callee)


@path(
    "tensorflow.nn.softmax",
    "tensorflow.nn.sigmoid",
    "tensorflow.sigmoid",
    "tensorflow.math.sigmoid",
    "scipy.special.softmax",
    "scipy.special.expit",
    "keras.activations.softmax",
    "keras.activations.sigmoid",
)
def _activation(call: LibraryCall) -> Value:
    value = _argument(call)
    use = _READING.get(call.path, call.path.rpartition(".")[2])
    if uses.used_as_array(call.machine, value, use, _first_place(call), call.group):
        return UNKNOWN
    if isinstance(value, Fact) and isinstance(value.data, Prediction):
        return Fact(replace(value.data, form=PredictionForm.PROBABILITIES))
    if isinstance(value, Fact) and isinstance(value.data, Tensor):
        softmax = "softmax" in call.path
        return Fact(replace(value.data, output=Output.SOFTMAX if softmax else Output.SIGMOID, layer=None))
    return UNKNOWN


@path("sklearn.metrics.*")
def _score(call: LibraryCall) -> Value:
    name = call.path.rpartition(".")[2]
    for key, value in [*call.given.items(), *((f"#{i}", v) for i, v in enumerate(call.rest))]:
        uses.used_as_array(call.machine, value, name, call.site.values.get(key, call.site.callee), call.group)
    pair = [*call.rest, *(call.given[k] for k in ("y_true", "y_pred", "y_score", "y_prob") if k in call.given)][:2]
    places = [*call.site.values.values()]
    if len(pair) == 2:
        left, right = pair
        labels = next((i for i, one in enumerate(pair) if isinstance(one, Array)), 0)
        node = places[labels].anchor if labels < len(places) else None
        text = source_text(node) if isinstance(node, cst.CSTNode) else "the labels"
        uses.compared(call.machine, left, right, text, call.site.callee, call.group)
    return UNKNOWN


@hooks.item_of(EncodingValue)
def _encoding_item(machine: Machine, receiver: EncodingValue, key: Value, node: Any, scope: Scope) -> Value:
    found = items.get_item(machine, receiver.columns, key, node, scope)
    if isinstance(found, Array) and found.dataset is not None and found.taken is None:
        return replace(found, taken=taken(node, scope, found.name))
    if found.known or not isinstance(key, Const) or not isinstance(key.value, str):
        return found
    return Array(name=key.value)


@hooks.set_item_of(EncodingValue)
def _set_encoding_item(machine: Machine, receiver: EncodingValue, key: Value, value: Value) -> None:
    items.set_item(machine, receiver.columns, key, value)


@method(EncodingValue, "items", "keys", "values", "get", "pop", "update", "copy", "setdefault")
def _encoding_dict(call: LibraryCall) -> Value:
    receiver = call.receiver
    assert isinstance(receiver, EncodingValue)
    handler, _ = hooks.find_handler(call.path, receiver.columns)
    if handler is None:
        return UNKNOWN
    call.receiver = receiver.columns
    result = handler(call)
    return UNKNOWN if result is None else result


@hooks.attribute_of(EncodingValue)
def _encoding_attribute(machine: Machine, receiver: EncodingValue, name: str, node: Any, scope: Scope) -> Value | None:
    if name == "data":
        return EncodingValue(receiver.columns, receiver.encoding, receiver.dataset, as_dict=True)
    if name in {"input_ids", "attention_mask", "token_type_ids", "labels"}:
        return _encoding_item(machine, receiver, Const(name), node, scope)
    return Bound(receiver, name)


@hooks.iterated_as(EncodingValue)
def _encoding_keys(_receiver: EncodingValue) -> Value:
    return UNKNOWN


@hooks.escape
def _prediction_passed_on(
    machine: Machine,
    name: str,
    receiver: Value | None,
    _positional: Any,
    _keywords: Any,
    node: Any,
    scope: Scope,
    group: int,
) -> None:
    """An array's method called on the output object of a model."""
    if name in _ARRAY_METHODS and not isinstance(receiver, Instance):
        uses.used_as_array(machine, receiver, f".{name}()", Place(scope.unit, getattr(node, "func", node)), group)


_ARRAY_METHODS = frozenset(
    {"argmax", "round", "astype", "flatten", "reshape", "squeeze", "ravel", "numpy", "tolist", "argsort", "max", "mean"}
)
