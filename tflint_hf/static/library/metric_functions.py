"""Metrics beside Keras: functions that a KerasMetricCallback calls, and the metrics of the evaluate library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from tflint_hf.static import calls, uses
from tflint_hf.static.amounts import amount_of, some_number
from tflint_hf.static.arguments import Arguments
from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.syntax import parameters, returned_values, source_text
from tflint_hf.static.values import UNKNOWN, Array, Bound, DictValue, Function, Partial, Value, make_list, text_of
from tflint_hf.trace.objects import MetricFunction
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall


def metric_function(call: LibraryCall) -> MetricFunction | None:
    """The function given as metric_fn, and what it does with the pair that the callback calls it with."""
    given = call.get("metric_fn")
    function, filled = _unwrapped(given)
    if given is None or function is None:
        return None
    node = function.node
    place = Place(function.unit, node.name if isinstance(node, cst.FunctionDef) else node)
    name = function.name if isinstance(node, cst.FunctionDef) else "the lambda"
    required = _required(function, filled)
    # One that wants two arguments is read as it was meant.
    pair: list[Value] = [UNKNOWN, Array(padded_with_ignored=True)]
    arguments = Arguments(pair if required is not None and required > 1 else [make_list("tuple", pair)])
    made = calls.call(call.machine, given, arguments, call.node, call.scope)
    keys = tuple(map(str, made.items)) if isinstance(made, DictValue) and not made.open else None
    return MetricFunction(name, place, required, keys, _number(function, made))


def _unwrapped(value: Value | None) -> tuple[Function | None, frozenset[int | str]]:
    """The function behind a method or a partial, and its parameters that are filled already, by position or name."""
    if isinstance(value, Function):
        return value, frozenset()
    if isinstance(value, Bound) and isinstance(value.function, Function) and not value.function.decorators:
        return value.function, frozenset({0})
    if isinstance(value, Partial):
        function, filled = _unwrapped(value.function)
        more = range(len(filled), len(filled) + len(value.positional))
        return function, filled | set(more) | set(value.keywords)
    return None, frozenset()


def _required(function: Function, filled: frozenset[int | str]) -> int | None:
    params = function.node.params
    if isinstance(params.star_arg, cst.Param):
        return None
    return sum(
        param.default is None and number not in filled and param.name.value not in filled
        for number, param in enumerate(parameters(params))
    )


def _number(function: Function, made: Value) -> Place | None:
    """Where a function returns a number, if that is all it returns."""
    if amount_of(made) is None:
        return None
    node = function.node
    values = [node.body] if isinstance(node, cst.Lambda) else returned_values(node.body)
    return Place(function.unit, values[0]) if len(values) == 1 else None


#: Metrics of the evaluate library whose result has their own name as its only key.
_ONE_VALUE = frozenset(
    {"accuracy", "exact_match", "f1", "matthews_correlation", "mae", "mse", "precision", "recall", "roc_auc"}
)


@dataclass(eq=False, slots=True)
class EvaluateMetric(Value):
    """A metric of the evaluate library, by its name if that is known."""

    name: str | None


@path("evaluate.load", "datasets.load_metric")
def _load(call: LibraryCall) -> Value:
    name = call.get("path") or (call.rest[0] if call.rest else UNKNOWN)
    return EvaluateMetric(text_of(name))


@method(EvaluateMetric, "compute")
def _compute(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, EvaluateMetric)
    name = call.receiver.name
    references = call.site.values.get("references")
    node = references.anchor if references is not None else None
    text = source_text(node) if isinstance(node, cst.CSTNode) else "the references"
    uses.compared(call.machine, call.get("predictions"), call.get("references"), text, call.site.callee, call.group)
    if name == "rouge":
        return DictValue({key: some_number(whole=False) for key in ("rouge1", "rouge2", "rougeL", "rougeLsum")})
    if name in _ONE_VALUE:
        return DictValue({name: some_number(whole=False)})
    return DictValue({}, {"open": UNKNOWN})


@method(EvaluateMetric, "*")
def _other(_call: LibraryCall) -> Value:
    return UNKNOWN
