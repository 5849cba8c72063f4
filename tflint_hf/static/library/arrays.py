"""Arrays and tensors: numpy, pandas, scikit-learn and TensorFlow operations, as far as labels and outputs flow on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard

from tflint_hf.static import items, uses
from tflint_hf.static.library import hooks
from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.values import (
    UNKNOWN,
    Array,
    Bound,
    ClassId,
    Const,
    EncodingValue,
    Fact,
    Instance,
    ListValue,
    Union,
    Value,
    list_of,
    make_list,
    one_of,
)
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
        return value.labels or (value.column.labels if value.column is not None else None)
    if isinstance(value, ClassId):
        return Labels(LabelEncoding.INDEX, value.classes, value.known_from)
    if isinstance(value, Union):
        # -100 and its like mark positions without a label.
        found = [labels_of(v) for _, v in value.alternatives if not (isinstance(v, Const) and _negative(v.value))]
        return found[0] if found and all(f is not None and f == found[0] for f in found) else None
    if isinstance(value, ListValue):
        if not value.exact:
            return labels_of(value.element)
        if value.items and all(isinstance(v, ClassId) for v in value.values):
            return labels_of(value.values[0])
        return _literal_labels(value)
    return None


def _literal_labels(value: ListValue) -> Labels | None:
    """Class ids written out in the program."""
    ids = [v.value for v in value.values if isinstance(v, Const) and type(v.value) is int and v.value >= 0]
    if len(ids) < max(len(value.items), 1):
        return None
    return Labels(LabelEncoding.INDEX, max(ids) + 1, "the labels written here", at_least=True)


def _negative(value: object) -> bool:
    return isinstance(value, int) and value < 0


@path("tensorflow.stop_gradient")
def _stop_gradient(call: LibraryCall) -> Value:
    """Whatever lies before it is not trained."""
    value = _argument(call)
    return Fact(Tensor(value.data.output, value.data.keras)) if _is_tensor(value) else UNKNOWN


def _is_tensor(value: Value) -> TypeGuard[Fact]:
    return isinstance(value, Fact) and isinstance(value.data, Tensor)


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
        kept = one_of(value) if call.path.endswith(("squeeze", "reshape", "expand_dims", "ravel")) else value
        return replace(kept, holder=holder)
    if isinstance(value, Fact) and isinstance(value.data, Tensor | Prediction):
        return value
    return Array(labels=labels_of(value), holder=holder)


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
    if call.path == "reshape" and isinstance(call.receiver, Array):
        return Array(call.receiver.labels, None, None, call.receiver.name, reshaped=True, holder=call.receiver.holder)
    if isinstance(call.receiver, Array):
        if call.path in {"tolist", "to_list"}:
            return replace(call.receiver, holder=None)
        if call.path in {"to_numpy", "ravel", "flatten", "squeeze"}:
            kept = call.receiver if call.path == "to_numpy" else one_of(call.receiver)
            return replace(kept, holder=Holder.ARRAY if call.receiver.holder is not None else None)
    return call.receiver or UNKNOWN


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
def _array_item(_machine: Machine, receiver: Array, key: Value, _node: Any, _scope: Scope) -> Value:
    if isinstance(key, Const) and isinstance(key.value, str):
        return Array(name=key.value)
    if isinstance(key, items.SliceValue) or (isinstance(key, Array | ListValue) and key is not receiver):
        # A slice of a lazy Column is a list; a part of a series or an array is another one.
        lasting = receiver.holder in {Holder.SERIES, Holder.ARRAY}
        many = isinstance(key, items.SliceValue) or (isinstance(key, Array) and key.holder is not None)
        part = receiver if isinstance(key, items.SliceValue) else one_of(receiver)
        return replace(part, holder=receiver.holder if lasting and many else None)
    return one_of(receiver)


# Label encodings


@path("keras.utils.to_categorical", "keras.utils.np_utils.to_categorical", "tensorflow.one_hot", "pandas.get_dummies")
def _one_hot(call: LibraryCall) -> Value:
    count = call.get("num_classes") or call.get("depth")
    classes = count.value if isinstance(count, Const) and isinstance(count.value, int) else None
    return Array(labels=Labels(LabelEncoding.ONE_HOT, classes, "the one-hot encoding"))


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
    "numpy.where",
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
        return Fact(replace(value.data, output=Output.SOFTMAX if softmax else Output.SIGMOID))
    return UNKNOWN


@path("sklearn.metrics.*")
def _score(call: LibraryCall) -> Value:
    name = call.path.rpartition(".")[2]
    for key, value in [*call.given.items(), *((f"#{i}", v) for i, v in enumerate(call.rest))]:
        uses.used_as_array(call.machine, value, name, call.site.values.get(key, call.site.callee), call.group)
    return UNKNOWN


@path("sklearn.model_selection.train_test_split")
def _split(call: LibraryCall) -> Value:
    arrays = [v for v in call.rest if v.known]
    parts = [
        Array(labels_of(v), v.column, None, v.name, holder=_split_holder(v), taken=v.taken)
        if isinstance(v, Array)
        else _blurred(call.machine, v)
        for v in call.rest
    ]
    if not arrays:
        return UNKNOWN
    return make_list("tuple", [part for part in parts for _ in range(2)])


def _split_holder(array: Array) -> Holder | None:
    """Parts of a series are series, parts of an array arrays."""
    return array.holder if array.holder in {Holder.SERIES, Holder.ARRAY} else None


def _blurred(machine: Machine, value: Value) -> Value:
    if isinstance(value, ListValue):
        return list_of(value.kind, items.element_of(machine, value))
    return UNKNOWN


@hooks.item_of(EncodingValue)
def _encoding_item(machine: Machine, receiver: EncodingValue, key: Value, node: Any, scope: Scope) -> Value:
    found = items.get_item(machine, receiver.columns, key, node, scope)
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
