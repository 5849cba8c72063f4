"""What is done with a prediction: reading the output object of a model as if it were an array."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from tflint_hf.static import inputs
from tflint_hf.static.syntax import dotted_name, inside_loop, source_text
from tflint_hf.static.values import UNKNOWN, Array, ClassId, Const, Fact, Value
from tflint_hf.trace.events import PredictionCompared, PredictionUsed, ReadAsProbability, ResultDiscarded
from tflint_hf.trace.objects import GivenLabels, Prediction, PredictionForm, Tensor
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def read_as_probability(
    machine: Machine, value: Value | None, node: cst.CSTNode, scope: Scope, half: cst.CSTNode | None = None
) -> None:
    """Note that `node` takes what a model put out for probabilities, if that is what `value` is."""
    if isinstance(value, Fact) and isinstance(value.data, Prediction):
        prediction = value.data
        if prediction.form in (PredictionForm.LOGITS, PredictionForm.ARRAY):
            place = Place(scope.unit, node)
            use = source_text(node)
            at_half = None if half is None else Place(scope.unit, half)
            machine.record(ReadAsProbability, place, machine.new_group(), prediction=prediction, use=use, half=at_half)


def compared(
    machine: Machine, left: Value | None, right: Value | None, text: str, place: Place, group: int | None = None
) -> None:
    """Note that predictions are compared with labels, whichever of the two is which."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Fact) and isinstance(one.data, Prediction) and isinstance(other, Array):
            if one.data.form is PredictionForm.OUTPUT:
                return
            root, cut = _root(other)
            labels = GivenLabels(root.dataset, root.state, cut, text)
            used = machine.new_group() if group is None else group
            machine.record(PredictionCompared, place, used, prediction=one.data, labels=labels)
            return


def _root(array: Array) -> tuple[Array, bool]:
    """The array that another one is part of in the end, and whether it is a part at all."""
    cut = False
    while array.cut is not None and isinstance(array.cut.of, Array):
        cut = cut or (array.cut.start, array.cut.end) != (0, 0)
        array = array.cut.of
    return array, cut


def source_of(value: Value | None) -> object:
    """The same object for one array and all its copies."""
    return _root(value)[0].state if isinstance(value, Array) else None


def comparison(machine: Machine, node: cst.Comparison, left: Value, right: Value, scope: Scope) -> Value:
    """The result of comparing what a model put out with a bound or with labels."""
    part = node.comparisons[0]
    value, bound = (right, left) if isinstance(left, Const) else (left, right)
    if isinstance(part.operator, cst.Equal | cst.NotEqual):
        labels = node.left if isinstance(left, Array) else part.comparator
        compared(machine, left, right, source_text(labels), Place(scope.unit, node))
        named = isinstance(value, Array) and value.holder is None and bool(value.name)
        if named and isinstance(bound, Const) and isinstance(bound.value, str):
            note_text(machine, value, [bound])
            return ClassId(2, f'the comparison with "{bound.value}"')
        return UNKNOWN
    if not isinstance(value, Fact) or not isinstance(value.data, Prediction):
        return UNKNOWN
    if isinstance(bound, Const) and isinstance(bound.value, float) and 0 < bound.value < 1:
        written = node.left if bound is left else part.comparator
        machine.modules.files.origins.note(Place(scope.unit, written), bound)
        read_as_probability(machine, value, node, scope, written if bound.value == 0.5 else None)
    if value.data.form is PredictionForm.OUTPUT:
        return UNKNOWN
    return Fact(replace(value.data, form=PredictionForm.CLASS_IDS))


def note_text(machine: Machine, value: Value, compared: Iterable[Value]) -> None:
    """A value is looked up among others: where these are texts, it must be one."""
    if isinstance(value, Array) and value.name:
        others = list(compared)
        if others and all(isinstance(other, Const) and isinstance(other.value, str) for other in others):
            machine.read_as_texts.add(value.name)


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
