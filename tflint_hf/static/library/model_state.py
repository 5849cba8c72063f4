"""What a program does to a model besides training it: freezing, replacing its head, reaching for its parts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tflint_hf.knowledge import Task
from tflint_hf.static import attributes
from tflint_hf.static.library import hooks
from tflint_hf.static.library.encoder_calls import encoder_call
from tflint_hf.static.library.hooks import method
from tflint_hf.static.library.keras_models import record_wrap
from tflint_hf.static.library.layers import tensors_in
from tflint_hf.static.library.optimizers import OptimizerPart
from tflint_hf.static.library.pretrained import ConfigValue
from tflint_hf.static.values import (
    UNKNOWN,
    Array,
    Bound,
    Const,
    DictValue,
    EncodingValue,
    Fact,
    ListValue,
    ModelValue,
    Part,
    Value,
    make_list,
)
from tflint_hf.trace.events import TrainableSet
from tflint_hf.trace.objects import ModelOrigin, ModelState, Prediction, PredictionForm
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope


def receiving_model(call: LibraryCall) -> ModelValue | None:
    return attributes.as_model(call.receiver) if call.receiver is not None else None


def state_of(value: ModelValue) -> ModelState:
    frozen = value.state.get("frozen")
    return ModelState(
        frozen=False if frozen is None else (frozen.value if isinstance(frozen, Const) else None),
        head_changed="head_changed" in value.state,
        escaped="escaped" in value.state,
        pad_token=_marked(value, "pad_token" if _config_has(value, "pad_token_id") else "config_changed"),
        resized=_marked(value, "resized"),
    )


def _marked(value: ModelValue, mark: str) -> bool | None:
    """Whether the program did this to the model; None where code that is not known had the model."""
    if mark in value.state or mark == "pad_token":
        return True
    return None if "escaped" in value.state else False


def _config_has(value: ModelValue, name: str) -> bool:
    config = value.state.get("config")
    return config is not None and (not isinstance(config, ConfigValue) or name in config.given)


@method(ModelValue, "resize_token_embeddings")
def _resize(call: LibraryCall) -> Value:
    owner = receiving_model(call)
    if owner is not None:
        call.machine.store.write(owner.state, "resized", Const(True))
        call.machine.store.write(owner.state, "built", Const(True))
    return UNKNOWN


def encoders_frozen(machine: Machine, value: ModelValue) -> bool | None:
    """Whether the weights of the wrapped encoders were frozen."""
    for encoder in value.model.encoders:
        mark = machine.frozen.get(id(encoder.site))
        if mark is not None:
            frozen = mark.get("frozen")
            if frozen is not None and not (isinstance(frozen, Const) and frozen.value is False):
                return None
    return False


def frozen_parts(machine: Machine, value: ModelValue) -> frozenset[str] | None:
    """The parts of a model and of those inside it that are frozen by now; None if that is not known."""
    found: set[str] = set()
    for number, model in enumerate((value.model, *value.model.encoders)):
        for path, trainable in machine.frozen_parts.get(id(model.site), {}).items():
            if not isinstance(trainable, Const):
                return None
            if trainable.value is False:
                found.add(f"{number}:{path}")
    return frozenset(found)


@hooks.attribute_of(ModelValue)
def _model_attribute(machine: Machine, receiver: ModelValue, name: str, _node: Any, _scope: Scope) -> Value | None:
    if name == "optimizer":
        return OptimizerPart(receiver)
    if name == "config":
        if "config" not in receiver.state:
            machine.store.write(receiver.state, "config", ConfigValue())
        return receiver.state["config"]
    if name in _MODEL_METHODS:
        return Bound(receiver, name)
    if name in {"name", "history", "metrics_names", "input", "output", "inputs", "outputs"}:
        return UNKNOWN
    if name in {"compute_loss", "hf_compute_loss"}:
        return Bound(receiver, name)
    return Part(receiver, name)


_MODEL_METHODS = frozenset(
    {
        "compile",
        "fit",
        "evaluate",
        "predict",
        "predict_on_batch",
        "train_on_batch",
        "test_on_batch",
        "add",
        "prepare_tf_dataset",
        "summary",
        "save",
        "save_weights",
        "load_weights",
        "save_pretrained",
        "push_to_hub",
        "generate",
        "resize_token_embeddings",
        "get_layer",
        "build",
        "call",
        "fit_generator",
        "set_weights",
        "get_weights",
    }
)


@hooks.set_attribute_of(ModelValue)
def _set_model(machine: Machine, receiver: ModelValue, name: str, value: Value, node: Any, scope: Scope) -> None:
    if name == "trainable":
        note_trainable(machine, receiver, "", value, Place(scope.unit, node))
        _set_trainable(machine, receiver, value, "")
    elif name == "_trainable":
        _hide_from_tape(machine, receiver)
    elif name == "optimizer":
        machine.store.write(receiver.state, "escaped", Const(True))
    elif name != "config" and _replaces_layer(receiver, value):
        machine.store.write(receiver.state, "head_changed", Const(True))


def _replaces_layer(receiver: ModelValue, value: Value) -> bool:
    plain = (Const, ListValue, DictValue, Array, EncodingValue)
    return receiver.model.origin is not ModelOrigin.SUBCLASS and not isinstance(value, plain)


@hooks.set_attribute_of(Part)
def _set_part(machine: Machine, receiver: Part, name: str, value: Value, node: Any, scope: Scope) -> None:
    if name == "trainable":
        note_trainable(machine, receiver.owner, receiver.path, value, Place(scope.unit, node))
        _set_trainable(machine, receiver.owner, value, receiver.path)
    elif name == "_trainable":
        _hide_from_tape(machine, receiver.owner)
    elif receiver.path == "config" or receiver.path.startswith("config."):
        machine.store.write(receiver.owner.state, "config_changed", Const(True))
    elif name == "activation" or not isinstance(value, Const):
        machine.store.write(receiver.owner.state, "head_changed", Const(True))


def note_trainable(machine: Machine, owner: ModelValue, part: str, value: Value, place: Place) -> None:
    known = value.value if isinstance(value, Const) and isinstance(value.value, bool) and not value.soft else None
    machine.record(TrainableSet, place, machine.new_group(), model=owner.model, part=part, value=known)


def _set_trainable(machine: Machine, owner: ModelValue, value: Value, path: str) -> None:
    """Freezing any part counts as frozen; only unfreezing the whole model (no path) takes it back."""
    whole = not path
    parts = machine.frozen_parts.setdefault(id(owner.model.site), {})
    # What was never set is trainable, on the branches that do not set it too.
    parts.setdefault(path, Const(True))
    if whole:
        for name in list(parts):
            machine.store.write(parts, name, value)
    machine.store.write(parts, path, value)
    machine.kept.append(owner.model.site)
    if isinstance(value, Const) and value.value is True:
        if whole:
            machine.store.write(owner.state, "frozen", Const(False))
        return
    machine.store.write(owner.state, "frozen", Const(True) if isinstance(value, Const) else UNKNOWN)
    machine.frozen[id(owner.model.site)] = owner.state


def _hide_from_tape(machine: Machine, owner: ModelValue) -> None:
    """`w._trainable = False`: a variable that a tape does not watch stays as it is, though Keras counts it."""
    machine.store.write(owner.state, "frozen", UNKNOWN)
    machine.kept.append(owner.model.site)
    machine.frozen[id(owner.model.site)] = owner.state


@method(ModelValue, "get_layer")
def _get_layer(call: LibraryCall) -> Value:
    owner = receiving_model(call)
    return Part(owner, "get_layer") if owner is not None else UNKNOWN


@method(Part, "__call__")
def _call_part(call: LibraryCall) -> Value:
    """`model.bert(ids)`: the encoder inside a model, called by itself."""
    part = call.receiver
    assert isinstance(part, Part)
    model = part.owner.model
    arguments = make_list("list", [*call.rest, *call.given.values()])
    symbolic = next((t for t in tensors_in(arguments) if t.keras is not None and t.symbolic), None)
    call.machine.store.write(part.owner.state, "built", Const(True))
    if model.head is None or "." in part.path or "[" in part.path:
        return UNKNOWN
    made = encoder_call(call, model)
    if symbolic is not None:
        record_wrap(call.machine, model, symbolic.keras, "Input", call.place, call.group, made)
    base = replace(model.head, task=Task.BASE)
    return Fact(Prediction(replace(model, head=base), PredictionForm.OUTPUT, call.site, call=made))


@method(Part, "*")
def _part_method(call: LibraryCall) -> Value:
    return UNKNOWN


@hooks.escape
def _model_escapes(
    machine: Machine, _name: str, _receiver: Value | None, positional: Any, keywords: Any, *_rest: Any
) -> None:
    """Code that the reader does not know may compile or change a model that it gets."""
    for value in [*positional, *keywords.values()]:
        found = attributes.as_model(value)
        if isinstance(found, ModelValue):
            machine.store.write(found.state, "escaped", Const(True))
