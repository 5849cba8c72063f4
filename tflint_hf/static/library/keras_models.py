"""Models built from Keras layers: functional, sequential, and subclasses written in the program."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import libcst as cst

from tflint_hf.static import attributes, calls, items
from tflint_hf.static.arguments import Arguments, site
from tflint_hf.static.calls import LibraryCall
from tflint_hf.static.inputs import inputs_in
from tflint_hf.static.library import hooks
from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.library.layers import encoders_in, joined, layer_of, tensors_in, through
from tflint_hf.static.values import (
    UNKNOWN,
    Class,
    DictValue,
    Fact,
    Function,
    Instance,
    ListValue,
    ModelValue,
    Value,
    make_list,
)
from tflint_hf.trace.events import (
    ModelMade,
    Wrapped,
)
from tflint_hf.trace.objects import (
    EncoderCall,
    KerasOrigin,
    Layer,
    Model,
    ModelOrigin,
    Output,
    Tensor,
    Wiring,
)

if TYPE_CHECKING:
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope
    from tflint_hf.trace.places import Place


@path("keras.Model", "keras.models.Model", "keras.engine.training.Model", "keras.Functional")
def _functional(call: LibraryCall) -> Value:
    outputs = call.get("outputs") or (call.rest[1] if len(call.rest) > 1 else None)
    origin = call.callee.origin if call.callee is not None else None
    if outputs is None:
        return UNKNOWN
    parts = outputs.values if isinstance(outputs, ListValue) and outputs.exact else [outputs]
    if isinstance(outputs, DictValue):
        parts = list(outputs.items.values())
    tensors = [joined(p) if tensors_in(p) else Tensor() for p in parts]
    whole = joined(make_list("list", [Fact(t) for t in tensors]))
    model = Model(
        ModelOrigin.FUNCTIONAL,
        "Model",
        call.site,
        outputs=tuple(t.output for t in tensors),
        output_names=tuple(t.name for t in tensors),
        last_layers=tuple(t.layer for t in tensors),
        encoders=whole.encoders,
        keras=origin,
        wiring=_wiring(call, tensors, whole),
        run=call.machine.run,
    )
    call.machine.record(ModelMade, call.site.callee, call.group, model=model)
    return ModelValue(model)


def _wiring(call: LibraryCall, outputs: list[Tensor], whole: Tensor) -> Wiring:
    given = call.get("inputs") or (call.rest[0] if call.rest else UNKNOWN)
    idle: dict[int, tuple[str, Place]] = {}
    for name, value in _named_inputs(given):
        for tensor in inputs_in(value):
            site = tensor.input_site
            if site is not None and id(site) not in call.machine.used_inputs:
                idle[id(site)] = (tensor.name or str(name), site.callee)
    return Wiring(tuple(idle.values()), whole.calls, tuple(t.sequence for t in outputs))


def _named_inputs(given: Value) -> list[tuple[str, Value]]:
    """The inputs of a functional model by their keys, or by the names that they have in a list of names."""
    if isinstance(given, DictValue):
        return [(str(key), value) for key, value in given.items.items()]
    if not isinstance(given, ListValue) or not given.exact or len(given.places) != len(given.items):
        return [("", given)]
    nodes = [place.anchor for place in given.places]
    names = [node.value if isinstance(node, cst.Name) else "" for node in nodes]
    return list(zip(names, given.values, strict=True))


@path("keras.Sequential", "keras.models.Sequential")
def _sequential(call: LibraryCall) -> Value:
    given = call.get("layers") or (call.rest[0] if call.rest else None)
    layers = given if isinstance(given, ListValue) else make_list("list", [])
    origin = call.callee.origin if call.callee is not None else None
    model = Model(ModelOrigin.SEQUENTIAL, "Sequential", call.site, keras=origin, run=call.machine.run)
    call.machine.record(ModelMade, call.site.callee, call.group, model=model)
    value = ModelValue(model, {"layers": layers})
    for layer in layers.values:
        _note_wrapped(call.machine, layer, value, call)
    return value


@method(ModelValue, "add")
def _add_layer(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, ModelValue)
    layers = call.receiver.state.get("layers")
    layer = call.rest[0] if call.rest else call.get("layer", UNKNOWN)
    if isinstance(layers, ListValue) and layer is not None:
        items.append(call.machine, layers, layer)
        _note_wrapped(call.machine, layer, call.receiver, call)
    return UNKNOWN


def _note_wrapped(machine: Machine, layer: Value, wrapper: ModelValue, call: LibraryCall) -> None:
    encoder = attributes.as_model(layer)
    if encoder is not None and encoder.model.head is not None:
        record_wrap(machine, encoder.model, wrapper.model.keras, "Sequential", call.place, call.group)


def record_wrap(
    machine: Machine,
    encoder: Model,
    origin: KerasOrigin | None,
    wrapper: str,
    place: Place,
    group: int,
    call: EncoderCall | None = None,
) -> None:
    machine.record(
        Wrapped,
        place,
        group,
        encoder=encoder,
        wrapper=wrapper,
        origin=origin,
        call=call,
    )


def described(value: ModelValue) -> Model:
    """The model with what its layers, as they are now, say about its outputs."""
    model = value.model
    layers = value.state.get("layers")
    if model.origin is not ModelOrigin.SEQUENTIAL or not isinstance(layers, ListValue):
        return model
    if not layers.exact or not layers.items:
        return replace(model, outputs=(Output.UNKNOWN,))
    tensor = Tensor()
    encoders: list[Model] = []
    for one in layers.values:
        layer, inner = layer_of(one), attributes.as_model(one)
        if layer is not None:
            tensor = through(layer, tensor)
        else:
            tensor = Tensor()
            if inner is not None:
                encoders.extend([inner.model, *inner.model.encoders])
    return replace(model, outputs=(tensor.output,), encoders=tuple(encoders), last_layers=(tensor.layer,))


_MODEL_BASES = frozenset(
    {"keras.Model", "keras.models.Model", "keras.Sequential", "keras.models.Sequential", "keras.layers.Layer"}
)
_OWN_TRAINING = ("train_step", "compute_loss", "fit", "compute_metrics", "test_step")


@hooks.subclass("made")
def _subclass_made(machine: Machine, instance: Instance, node: Any, scope: Scope) -> None:
    base = attributes.external_base(instance.cls)
    if base is None:
        return
    is_keras_model = base.path in _MODEL_BASES
    is_transformers = base.path.startswith("transformers.TF")
    if not is_keras_model and not is_transformers:
        return
    made_at = site(node, scope, Arguments())
    own = any(attributes.class_member(instance.cls, name) is not None for name in _OWN_TRAINING)
    model = Model(
        ModelOrigin.SUBCLASS,
        instance.cls.name,
        made_at,
        outputs=(Output.UNKNOWN,),
        keras=base.origin,
        own_training=own,
        keywords=frozenset({"transformers"} if is_transformers else ()),
        run=machine.run,
    )
    instance.model = ModelValue(model)


@hooks.subclass("ready")
def _subclass_ready(machine: Machine, instance: Instance, node: Any, scope: Scope) -> None:
    value = instance.model
    if value is None:
        return
    encoders = encoders_in(instance)
    outputs: tuple[Output, ...] = (Output.UNKNOWN,)
    layers: tuple[Layer | None, ...] = (None,)
    tensors: list[Tensor] = []
    wiring: Wiring | None = None
    member = attributes.class_member(instance.cls, "call")
    is_transformers = "transformers" in value.model.keywords
    if isinstance(member, Function) and not is_transformers:
        made = calls.call_function(machine, member, [instance, Fact(Tensor())], {}, node, scope)
        tensors = tensors_in(made)
        if len(tensors) == 1:
            outputs = (tensors[0].output,)
            layers = (tensors[0].layer,)
            wiring = Wiring((), tensors[0].calls, (tensors[0].sequence,))
    trained = tuple(encoders)
    if isinstance(member, Function) and not is_transformers and tensors:
        trained = tuple(e for t in tensors for e in t.encoders)
    value.model = replace(value.model, encoders=trained, outputs=outputs, last_layers=layers, wiring=wiring)
    machine.record(ModelMade, value.model.site.callee, machine.new_group(), model=value.model)
    for encoder in encoders:
        if encoder.head is not None and not is_transformers and id(encoder.site) not in machine.frozen:
            record_wrap(
                machine, encoder, value.model.keras, instance.cls.name, value.model.site.place, machine.new_group()
            )


@hooks.subclass("bare")
def _subclass_bare(machine: Machine, instance: Instance, _arguments: Any, node: Any, scope: Scope) -> Value:
    _subclass_ready(machine, instance, node, scope)
    return instance


@method(Class, "from_pretrained", "from_config")
def _class_from_pretrained(call: LibraryCall) -> Value:
    """A subclass of a transformers model, made by its class method."""
    cls = call.receiver
    if not isinstance(cls, Class):
        return UNKNOWN
    made = calls.instantiate(call.machine, cls, Arguments(open=True), call.node, call.scope)
    value = attributes.as_model(made)
    if value is not None:
        value.model = replace(value.model, keywords=value.model.keywords | {"pretrained"})
    return made
