"""Asking a model, and what its answer is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tflint_hf.knowledge import Task
from tflint_hf.static import attributes, calls, uses
from tflint_hf.static.library import hooks
from tflint_hf.static.library.encoder_calls import encoder_call
from tflint_hf.static.library.feeds import feed_of
from tflint_hf.static.library.hooks import method
from tflint_hf.static.library.keras_models import described, record_wrap
from tflint_hf.static.library.layers import joined, tensors_in
from tflint_hf.static.library.model_state import receiving_model
from tflint_hf.static.library.rows import note_encodings
from tflint_hf.static.library.training import compiled_by
from tflint_hf.static.library.training_loops import note_model_call, outside_tapes
from tflint_hf.static.values import (
    UNKNOWN,
    Const,
    Fact,
    Function,
    Instance,
    ListValue,
    ModelValue,
    Value,
    make_list,
    text_of,
)
from tflint_hf.trace.events import (
    LossCalled,
    PoolerAsked,
    Predicted,
)
from tflint_hf.trace.objects import (
    Loss,
    ModelOrigin,
    Output,
    Prediction,
    PredictionForm,
    Tensor,
)
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope


@method(ModelValue, "predict", "predict_on_batch", signature="keras.Model.predict")
def _predict(call: LibraryCall) -> Value:
    value = receiving_model(call)
    if value is None:
        return UNKNOWN
    call.machine.store.write(value.state, "built", Const(True))
    feed = feed_of(call.get("x"))
    note_encodings(call, call.path, call.get("x"), call.site.values.get("x"), described(value))
    form = prediction_form(value)
    if form is None:
        return UNKNOWN
    prediction = Prediction(described(value), form, call.site, feed, compiled=compiled_by(value, call.machine))
    call.machine.record(Predicted, call.site.callee, call.group, prediction=prediction)
    return Fact(prediction)


def prediction_form(value: ModelValue) -> PredictionForm | None:
    """An output object from the models of transformers, an array from Keras models."""
    if value.model.head is None:
        return None if value.model.origin is ModelOrigin.SUBCLASS else PredictionForm.ARRAY
    if "return_dict" in value.model.keywords or "**" in value.model.keywords:
        return None
    return PredictionForm.OUTPUT


@method(ModelValue, "__call__", "call")
def _call_model(call: LibraryCall) -> Value:
    if isinstance(call.receiver, Instance):
        member = attributes.class_member(call.receiver.cls, "call")
        if isinstance(member, Function):
            note_model_call(call, call.receiver.model)
            with outside_tapes(call.machine):
                return calls.call_function(
                    call.machine, member, [call.receiver, *call.rest], call.given, call.node, call.scope
                )
    value = receiving_model(call)
    if value is None:
        return UNKNOWN
    model = value.model
    arguments = make_list("list", [*call.rest, *call.given.values()])
    note_encodings(call, "a call of the model", arguments, None, described(value))
    tensors = tensors_in(arguments)
    symbolic = next((t for t in tensors if t.keras is not None and t.symbolic), None)
    if symbolic is not None and "transformers" in model.keywords:
        record_wrap(call.machine, model, symbolic.keras, "Input", call.place, call.group)
    call.machine.store.write(value.state, "built", Const(True))
    note_model_call(call, value)
    if model.head is None:
        tensor = joined(arguments)
        described_model = described(value)
        output = described_model.outputs[0] if len(described_model.outputs) == 1 else Output.UNKNOWN
        encoders = (*tensor.encoders, *described_model.encoders)
        return Fact(replace(tensor, output=output, encoders=encoders, layer=None))
    made = encoder_call(call, model)
    if symbolic is not None:
        record_wrap(call.machine, model, symbolic.keras, "Input", call.place, call.group, made)
    form = prediction_form(value)
    if form is None:
        return UNKNOWN
    return Fact(Prediction(model, form, call.site, call=made, compiled=compiled_by(value, call.machine)))


_OUTPUT_FIELDS = {
    "logits": PredictionForm.LOGITS,
    "start_logits": PredictionForm.LOGITS,
    "end_logits": PredictionForm.LOGITS,
    "prediction_logits": PredictionForm.LOGITS,
}


@hooks.attribute_of(Prediction)
def _prediction_attribute(machine: Machine, receiver: Fact, name: str, node: Any, scope: Scope) -> Value | None:
    prediction: Prediction = receiver.data
    if prediction.form is not PredictionForm.OUTPUT:
        return None
    if name in _OUTPUT_FIELDS:
        return Fact(replace(prediction, form=_OUTPUT_FIELDS[name]))
    if name in {"last_hidden_state", "pooler_output", "hidden_states", "encoder_last_hidden_state"}:
        if name == "pooler_output":
            machine.record(
                PoolerAsked, Place(scope.unit, node), machine.new_group(), prediction=prediction, spelling=f".{name}"
            )
        return Fact(_hidden(prediction, {"last_hidden_state": True, "pooler_output": False}.get(name)))
    return None


def _hidden(prediction: Prediction, sequence: bool | None) -> Tensor:
    calls = (prediction.call,) if prediction.call is not None else ()
    encoders = (prediction.model, *prediction.model.encoders)
    return Tensor(Output.HIDDEN_STATES, encoders=encoders, calls=calls, sequence=sequence)


@hooks.item_of(Prediction)
def _prediction_item(machine: Machine, receiver: Fact, key: Value, node: Any, scope: Scope) -> Value | None:
    prediction: Prediction = receiver.data
    if prediction.form is not PredictionForm.OUTPUT:
        return receiver
    name = text_of(key)
    if name is not None:
        return _prediction_attribute(machine, receiver, name, node, scope)
    head = prediction.model.head
    if isinstance(key, Const) and isinstance(key.value, int):
        if head is not None and head.task is Task.BASE:
            if key.value == 1:
                machine.record(
                    PoolerAsked, Place(scope.unit, node), machine.new_group(), prediction=prediction, spelling="[1]"
                )
            return Fact(_hidden(prediction, True if key.value == 0 else None))
        return Fact(replace(prediction, form=PredictionForm.LOGITS)) if key.value == 0 else UNKNOWN
    if isinstance(key, ListValue) and key.kind == "tuple":
        uses.used_as_array(machine, receiver, "an index for two axes", Place(scope.unit, node))
    return UNKNOWN


@hooks.iterated_as(Prediction)
def _prediction_rows(receiver: Fact) -> Value | None:
    return None if receiver.data.form is PredictionForm.OUTPUT else receiver


@method(Prediction, "numpy", "astype", "flatten", "reshape", "squeeze", "ravel", "tolist", "copy", "item")
def _prediction_kept(call: LibraryCall) -> Value:
    """Methods of an array that leave its numbers as they are."""
    if uses.used_as_array(call.machine, call.receiver, f".{call.path}()", call.site.callee, call.group):
        return UNKNOWN
    return call.receiver or UNKNOWN


@method(Prediction, "argmax", "argsort", "round")
def _prediction_read(call: LibraryCall) -> Value:
    if uses.used_as_array(call.machine, call.receiver, f".{call.path}()", call.site.callee, call.group):
        return UNKNOWN
    prediction = calls.fact(call.receiver)
    if call.path == "argsort":
        return UNKNOWN
    if call.path == "round":
        if call.rest or call.given:
            return call.receiver or UNKNOWN
        uses.read_as_probability(call.machine, call.receiver, call.node, call.scope)
    return Fact(replace(prediction, form=PredictionForm.CLASS_IDS))


@hooks.unpacked_as(Prediction)
def _prediction_parts(receiver: Fact, count: int) -> list[Value] | None:
    prediction: Prediction = receiver.data
    if prediction.form is not PredictionForm.OUTPUT:
        return None
    return [UNKNOWN] * count


@method(Loss, "__call__")
def _loss_called(call: LibraryCall) -> Value:
    """`loss_fn(labels, logits)` in a training loop."""
    loss = call.receiver.data if isinstance(call.receiver, Fact) else None
    assert isinstance(loss, Loss)
    predicted = call.get("y_pred") or (call.rest[1] if len(call.rest) > 1 else None)
    if isinstance(predicted, Fact) and isinstance(predicted.data, Prediction):
        call.machine.record(LossCalled, call.place, call.group, loss=loss, prediction=predicted.data)
    return UNKNOWN
