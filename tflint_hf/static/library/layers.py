"""Keras layers and the tensors that pass through them: what the numbers at a model's end are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tflint_hf.static import attributes
from tflint_hf.static.inputs import note_used
from tflint_hf.static.library import hooks
from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.library.precision import policy_in_force
from tflint_hf.static.library.text import literal
from tflint_hf.static.values import (
    UNKNOWN,
    Const,
    DictValue,
    EncodingValue,
    External,
    Fact,
    Instance,
    ListValue,
    Value,
    make_list,
    text_of,
)
from tflint_hf.trace import objects as facts
from tflint_hf.trace.events import LayerApplied
from tflint_hf.trace.objects import (
    ABSENT,
    KerasOrigin,
    Layer,
    Missing,
    Model,
    Output,
    Prediction,
    PredictionForm,
    Tensor,
)

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope

#: Layers whose output has the range of their input.
_KEEPING = frozenset({"Dropout", "Flatten", "Reshape", "Permute", "SpatialDropout1D", "InputLayer", "RepeatVector"})
_DROPPING = frozenset({"Dropout", "SpatialDropout1D", "InputLayer"})
_DENSE = frozenset({"Dense", "Conv1D", "Conv2D", "EinsumDense"})
_LINEAR = frozenset({"linear", "None"})
#: Layers that treat every token by itself, so that their output has as many of them.
_TOKENWISE = frozenset(
    {"Dense", "Dropout", "Activation", "Softmax", "LayerNormalization", "BatchNormalization", "ReLU"}
)


@path("keras.layers.*")
def _layer(call: LibraryCall) -> Value:
    name = call.path.rpartition(".")[2]
    if name == "Input":
        return _input(call)
    if name[:1].islower():
        return _functional_layer(call, name)
    activation = _activation(call, name)
    units = literal(call.get("units"), facts.UNKNOWN)
    label = text_of(call.get("name") or UNKNOWN) or ""
    origin = call.callee.origin if call.callee is not None else None
    size = units if isinstance(units, int) else facts.UNKNOWN
    layer = Layer(name, origin, call.site, activation, size, label, _precision(call, origin))
    inner = call.get("layer") or (call.rest[0] if call.rest else None)
    if name == "TimeDistributed" and isinstance(inner, Fact) and isinstance(inner.data, Layer):
        layer = replace(inner.data, site=call.site)
    return Fact(layer)


def _activation(call: LibraryCall, name: str) -> str | Missing:
    if name == "Softmax":
        return "softmax"
    value = call.get("activation")
    if value is None:
        return facts.UNKNOWN if call.open else ABSENT
    if isinstance(value, Const) and value.value is None:
        return ABSENT
    text = text_of(value)
    if text is not None:
        return ABSENT if text in _LINEAR else text
    if isinstance(value, External):
        return ABSENT if value.last == "linear" else value.last
    return facts.UNKNOWN


def _functional_layer(call: LibraryCall, name: str) -> Value:
    """`keras.layers.concatenate([...])` and its like."""
    value = call.rest[0] if call.rest else next(iter(call.given.values()), UNKNOWN)
    loose = replace(joined(value), output=Output.UNKNOWN, layer=None, input_site=None, sequence=None)
    return Fact(loose) if name else UNKNOWN


@path("keras.Input", "keras.layers.Input", "keras.engine.input_layer.Input")
def _input(call: LibraryCall) -> Value:
    origin = call.callee.origin if call.callee is not None else None
    name = text_of(call.get("name") or UNKNOWN) or ""
    return Fact(
        Tensor(
            keras=origin,
            name=name,
            inputs=frozenset({name} if name else ()),
            symbolic=True,
            input_site=call.site,
            dtype=_dtype(call),
        )
    )


def _precision(call: LibraryCall, origin: KerasOrigin | None) -> str | Missing:
    """The type that a layer is told to compute in, or the policy that decides it."""
    if call.open or call.get("dtype") is not None:
        return _dtype(call)
    return policy_in_force(call.machine, origin)


def _dtype(call: LibraryCall) -> str | Missing:
    value = call.get("dtype")
    if value is None or (isinstance(value, Const) and value.value is None):
        told = call.open or call.get("tensor") is not None or call.get("type_spec") is not None
        return facts.UNKNOWN if told else ABSENT
    if isinstance(value, External):
        return value.last
    return text_of(value) or facts.UNKNOWN


def tensors_in(value: Value) -> list[Tensor]:
    """All tensors in a value: itself, or the items of a list or dictionary."""
    if isinstance(value, Fact):
        if isinstance(value.data, Tensor):
            return [value.data]
        if isinstance(value.data, Prediction):
            return [_of_prediction(value.data)]
        return []
    if isinstance(value, ListValue):
        inner = value.values if value.exact else [value.element]
    elif isinstance(value, DictValue):
        inner = list(value.items.values()) or [value.facts.get("element", UNKNOWN)]
    elif isinstance(value, EncodingValue):
        return []
    else:
        return []
    return [tensor for one in inner for tensor in tensors_in(one)]


def _of_prediction(prediction: Prediction) -> Tensor:
    output = {
        PredictionForm.LOGITS: Output.LOGITS if prediction.model.head is not None else Output.UNKNOWN,
        PredictionForm.OUTPUT: Output.UNKNOWN,
    }.get(prediction.form, Output.UNKNOWN)
    calls = (prediction.call,) if prediction.call is not None else ()
    return Tensor(output=output, encoders=(prediction.model, *prediction.model.encoders), calls=calls)


def joined(value: Value) -> Tensor:
    """One tensor for all of a value: their encoders and inputs together."""
    tensors = tensors_in(value)
    if len(tensors) == 1:
        return tensors[0]
    encoders: dict[int, Model] = {id(e): e for t in tensors for e in t.encoders}
    origin = next((t.keras for t in tensors if t.keras is not None), None)
    names = frozenset(n for t in tensors for n in t.inputs)
    symbolic = any(t.symbolic for t in tensors)
    made = {id(c): c for t in tensors for c in t.calls}
    return Tensor(
        keras=origin, encoders=tuple(encoders.values()), inputs=names, symbolic=symbolic, calls=tuple(made.values())
    )


@method(Layer, "__call__")
def _call_layer(call: LibraryCall) -> Value:
    layer = call.receiver.data if isinstance(call.receiver, Fact) else None
    assert isinstance(layer, Layer)
    value = call.rest[0] if call.rest else next(iter(call.given.values()), UNKNOWN)
    if isinstance(value, Fact) and isinstance(value.data, Prediction):
        call.machine.record(LayerApplied, call.place, call.group, layer=layer.class_name, prediction=value.data)
    return Fact(through(layer, joined(value), value.known))


def through(layer: Layer, tensor: Tensor, _known: bool = True) -> Tensor:
    """What a layer makes of a tensor."""
    origin: KerasOrigin | None = tensor.keras or layer.origin
    tensor = replace(tensor, input_site=None, sequence=tensor.sequence if layer.class_name in _TOKENWISE else None)
    if layer.class_name in _KEEPING:
        same_shape = layer.class_name in _DROPPING
        return replace(tensor, keras=origin, layer=tensor.layer if same_shape else None)
    if layer.class_name == "Lambda":
        return replace(tensor, output=Output.UNKNOWN, keras=origin, layer=None)
    if layer.class_name in {"Activation", "Softmax"}:
        layer = replace(layer, units=tensor.layer.units if tensor.layer is not None else facts.UNKNOWN)
    if layer.class_name == "Activation":
        output = tensor.output if layer.activation is ABSENT else output_of_activation(layer.activation)
    elif layer.class_name in _DENSE or layer.class_name == "Softmax":
        output = output_of_activation(layer.activation)
    elif layer.class_name in {"ReLU", "LeakyReLU", "LSTM", "GRU", "BatchNormalization", "LayerNormalization"}:
        output = Output.BOUNDED
    else:
        output = Output.UNKNOWN
    return replace(tensor, output=output, keras=origin, name=layer.name, layer=layer)


def output_of_activation(activation: str | Missing) -> Output:
    if activation is facts.UNKNOWN:
        return Output.UNKNOWN
    if activation is ABSENT:
        return Output.LOGITS
    return {"softmax": Output.SOFTMAX, "sigmoid": Output.SIGMOID}.get(str(activation), Output.BOUNDED)


@hooks.set_attribute_of(Layer)
def _set_layer(machine: Machine, _receiver: Fact, _name: str, _value: Value, _node: Any, _scope: Scope) -> None:
    """A layer that is changed after it was made: what the models built with it put out is not known any more."""
    machine.layers_changed = True


@hooks.item_of(Tensor)
def _tensor_item(machine: Machine, receiver: Fact, _key: Value, _node: Any, _scope: Scope) -> Value:
    note_used(machine, receiver)
    return Fact(replace(receiver.data, layer=None, input_site=None, sequence=None))


@hooks.unpacked_as(Tensor)
def _tensor_parts(receiver: Fact, count: int) -> list[Value]:
    loose = replace(receiver.data, output=Output.UNKNOWN, layer=None, input_site=None, sequence=None)
    return [Fact(loose)] * count


@hooks.attribute_of(Tensor)
def _tensor_attribute(machine: Machine, receiver: Fact, name: str, _node: Any, _scope: Scope) -> Value | None:
    note_used(machine, receiver)
    return UNKNOWN if name in {"shape", "dtype", "name"} else None


@method(Tensor, "numpy", "ref")
def _tensor_method(call: LibraryCall) -> Value:
    return call.receiver or UNKNOWN


@path(
    "tensorflow.reduce_mean",
    "tensorflow.reduce_max",
    "tensorflow.reduce_sum",
    "tensorflow.concat",
    "tensorflow.matmul",
    "tensorflow.math.reduce_mean",
    "tensorflow.math.reduce_sum",
    "tensorflow.gather",
    "tensorflow.transpose",
    "tensorflow.divide",
    "tensorflow.multiply",
    "tensorflow.nn.relu",
    "tensorflow.nn.tanh",
    "tensorflow.maximum",
    "tensorflow.stack",
    "tensorflow.nn.dropout",
    "tensorflow.concat_v2",
)
def _operation(call: LibraryCall) -> Value:
    values = make_list("list", [*call.rest, *call.given.values()])
    tensor = joined(values)
    loose = replace(tensor, output=Output.UNKNOWN, layer=None, input_site=None, sequence=None)
    return Fact(loose) if tensors_in(values) else UNKNOWN


def layer_of(value: Value) -> Layer | None:
    return value.data if isinstance(value, Fact) and isinstance(value.data, Layer) else None


def encoders_in(value: Value) -> list[Model]:
    """The models that an object of the program holds in its attributes."""
    found: list[Model] = []
    if isinstance(value, Instance):
        for attribute in value.attributes.values():
            model = attributes.as_model(attribute)
            if model is not None and model is not value.model:
                found.append(model.model)
    return found
