"""Functions that read what a model put out: argmax, softmax, scores."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import libcst as cst

from tflint_hf.static import uses
from tflint_hf.static.library import hooks
from tflint_hf.static.library.array_calls import argument_of, first_place
from tflint_hf.static.library.hooks import path
from tflint_hf.static.syntax import source_text
from tflint_hf.static.values import UNKNOWN, Array, Fact, Instance, Value
from tflint_hf.trace.objects import Output, Prediction, PredictionForm, Tensor
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope


READING = {
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
    value = argument_of(call)
    if uses.used_as_array(call.machine, value, READING[call.path], first_place(call), call.group):
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
    value = argument_of(call)
    use = READING.get(call.path, call.path.rpartition(".")[2])
    if uses.used_as_array(call.machine, value, use, first_place(call), call.group):
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
