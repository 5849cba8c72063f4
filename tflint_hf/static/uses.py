"""What is done with a prediction: reading the output object of a model as if it were an array."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from tflint_hf.static import inputs
from tflint_hf.static.syntax import dotted_name, inside_loop, source_text
from tflint_hf.static.values import UNKNOWN, Array, Const, Fact, Value
from tflint_hf.trace.events import PredictionUsed, ResultDiscarded
from tflint_hf.trace.objects import Prediction, PredictionForm, Tensor
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope


def output_of(value: Value | None) -> Prediction | None:
    """The prediction, if the value is still the output object of a model."""
    if isinstance(value, Fact) and isinstance(value.data, Prediction) and value.data.form is PredictionForm.OUTPUT:
        return value.data
    return None


def used_as_array(machine: Machine, value: Value | None, use: str, place: Place, group: int | None = None) -> bool:
    """Note that `value` is read as an array, if it is the output object of a model."""
    prediction = output_of(value)
    if prediction is None:
        return False
    machine.record(
        PredictionUsed,
        place,
        machine.new_group() if group is None else group,
        prediction=prediction,
        use=use,
        operand=place if isinstance(place.anchor, cst.Name | cst.Call) else None,
    )
    return True


def result_discarded(call: LibraryCall) -> None:
    """Note that a method of a data set gave a new one that nobody keeps."""
    if not isinstance(call.node, cst.Call) or not isinstance(call.node.func, cst.Attribute):
        return
    machine, receiver = call.machine, call.node.func.value
    loop = inside_loop(machine.modules.files.units[call.scope.unit].tree, call.node)
    machine.record(
        ResultDiscarded,
        call.site.callee,
        call.group,
        method=call.path,
        site=call.site,
        receiver=source_text(receiver),
        assignable=bool(dotted_name(receiver)) and not loop,
    )


def operator_used(machine: Machine, left: Value, right: Value, node: cst.CSTNode, scope: Scope) -> None:
    """An arithmetic operator or comparison is applied to two values."""
    place = Place(scope.unit, node)
    inputs.note_used(machine, left, right)
    if not used_as_array(machine, left, "an operator", place):
        used_as_array(machine, right, "an operator", place)


def arithmetic_result(left: Value, right: Value) -> Value:
    """What an operator on arrays or tensors gives, as far as it keeps their facts."""
    for value in (left, right):
        if isinstance(value, Fact) and isinstance(value.data, Tensor):
            return Fact(Tensor(keras=value.data.keras, encoders=value.data.encoders, calls=value.data.calls))
    if isinstance(left, Array) and isinstance(right, Array | Const):
        return Array(dataset=left.dataset)
    return UNKNOWN


def is_none(left: Value, right: Value, *, negated: bool) -> Value:
    """`left is right`, decided where one side is None and the other certainly is not."""
    pair = (left, right)
    if any(isinstance(v, Const) and v.value is None for v in pair):
        other = right if isinstance(left, Const) and left.value is None else left
        if other.known and not isinstance(other, Const):
            return Const(negated)
        if isinstance(other, Const) and not other.soft:
            return Const((other.value is None) is not negated)
    return UNKNOWN
