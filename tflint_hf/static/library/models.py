"""Models: how they are made, set up, trained and asked."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tflint_hf.knowledge import TFClass, Task, tf_class
from tflint_hf.static import attributes, calls, items, uses
from tflint_hf.static.calls import Arguments, LibraryCall
from tflint_hf.static.library import hooks
from tflint_hf.static.library.arrays import labels_of
from tflint_hf.static.library.feeds import feed_of
from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.library.keras_objects import (
    OptimizerPart,
    callbacks_of,
    losses_of,
    metrics_of,
    optimizer_of,
)
from tflint_hf.static.library.layers import encoders_in, joined, layer_of, tensors_in, through
from tflint_hf.static.library.text import is_collator_class, is_tokenizer_class, make_collator, make_tokenizer
from tflint_hf.static.values import (
    UNKNOWN,
    Bound,
    Class,
    CompiledRecord,
    Const,
    DictValue,
    External,
    Fact,
    Function,
    Instance,
    ListValue,
    ModelValue,
    Part,
    Union,
    Value,
    alternatives,
    make_list,
    text_of,
)
from tflint_hf.trace import objects as facts
from tflint_hf.trace.events import (
    Compiled,
    Evaluated,
    Fitted,
    LabelsConfigured,
    LossCalled,
    ModelMade,
    Predicted,
    Wrapped,
)
from tflint_hf.trace.objects import (
    ABSENT,
    Feed,
    Keras,
    KerasOrigin,
    Labels,
    LabelSetup,
    Loss,
    Missing,
    Model,
    ModelOrigin,
    ModelState,
    Output,
    Prediction,
    PredictionForm,
    Tensor,
)
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope

_HEADS_WITH_LOGITS = frozenset(
    {
        Task.SEQUENCE_CLASSIFICATION, Task.TOKEN_CLASSIFICATION, Task.MULTIPLE_CHOICE, Task.MASKED_LM, Task.CAUSAL_LM,
        Task.SEQ2SEQ_LM, Task.IMAGE_CLASSIFICATION, Task.NEXT_SENTENCE,
    }
)  # fmt: skip


# transformers


@path("transformers.*")
def _transformers(call: LibraryCall) -> Value:
    """Classes of transformers and their class methods."""
    parts = call.path.split(".")[1:]
    name, wanted = parts[0], parts[1] if len(parts) > 1 else ""
    if is_tokenizer_class(name):
        return make_tokenizer(call, name)
    if is_collator_class(name):
        return make_collator(call, name)
    if name == "AutoConfig" or name.endswith("Config"):
        return _config(call)
    head = tf_class(name)
    if head is None:
        return UNKNOWN
    if wanted == "from_pretrained":
        call.machine.keras.load_transformers()
        return _pretrained(call, head, name)
    call.machine.keras.load_transformers()
    if wanted in {"", "from_config", "_from_config"}:
        return _from_config(call, head, name)
    return UNKNOWN


@dataclass(eq=False, slots=True)
class ConfigValue(Value):
    """A model configuration: what the program gave or set on it."""

    given: dict[str, Value] = field(default_factory=dict)


def _config(call: LibraryCall) -> Value:
    given = dict(call.given)
    if call.open:
        given["num_labels"] = UNKNOWN
    _note_labels(call, given)
    return ConfigValue(given)


@hooks.attribute_of(ConfigValue)
def _config_attribute(_machine: Machine, receiver: ConfigValue, name: str, _node: Any, _scope: Scope) -> Value:
    return receiver.given.get(name, UNKNOWN)


@hooks.set_attribute_of(ConfigValue)
def _set_config(machine: Machine, receiver: ConfigValue, name: str, value: Value, _node: Any, _scope: Scope) -> None:
    machine.store.write(receiver.given, name, value)


def _pretrained(call: LibraryCall, head: TFClass, name: str) -> Value:
    checkpoint_value = call.get("pretrained_model_name_or_path") or (call.rest[0] if call.rest else UNKNOWN)
    checkpoint = text_of(checkpoint_value)
    return _model(call, head, name, ModelOrigin.PRETRAINED, checkpoint or facts.UNKNOWN)


def _from_config(call: LibraryCall, head: TFClass, name: str) -> Value:
    return _model(call, head, name, ModelOrigin.CONFIG, ABSENT)


def _model(
    call: LibraryCall, head: TFClass, name: str, origin: ModelOrigin, checkpoint: str | Missing
) -> Value:
    given = {k: v for k, v in call.given.items() if k != "pretrained_model_name_or_path"}
    config = given.get("config") or (call.rest[0] if origin is ModelOrigin.CONFIG and call.rest else None)
    model = Model(
        origin,
        name,
        call.site,
        head,
        checkpoint,
        num_labels=_num_labels(given, call.open),
        has_config=config is not None,
        outputs=_head_outputs(head),
        keywords=frozenset(given) | ({"**"} if call.open else set()),
    )
    call.machine.record(ModelMade, call.site.callee, call.group, model=model)
    _note_labels(call, given)
    return ModelValue(model)


def _note_labels(call: LibraryCall, given: dict[str, Value]) -> None:
    setup = LabelSetup(_num_labels(given, call.open), _label_map(call, given))
    call.machine.record(LabelsConfigured, call.site.callee, call.group, setup=setup)


def _num_labels(given: dict[str, Value], open_call: bool) -> int | Missing:
    value = given.get("num_labels")
    if value is not None:
        number = value.value if isinstance(value, Const) else None
        return number if isinstance(number, int) and not isinstance(number, bool) else facts.UNKNOWN
    return facts.UNKNOWN if open_call else ABSENT


def _label_map(call: LibraryCall, given: dict[str, Value]) -> tuple[str, int, Place] | None:
    """The id2label or label2id that was given, with its length, if that is known."""
    for name in ("id2label", "label2id"):
        value = given.get(name)
        if isinstance(value, DictValue) and not value.open and name in call.site.values:
            return name, len(value.items), call.site.values[name]
    return None


def _head_outputs(head: TFClass) -> tuple[Output, ...]:
    if head.task in _HEADS_WITH_LOGITS:
        return (Output.LOGITS,)
    if head.task is Task.QUESTION_ANSWERING:
        return (Output.LOGITS, Output.LOGITS)
    return (Output.HIDDEN_STATES,) if head.task is Task.BASE else (Output.UNKNOWN,)


# Keras models


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
        encoders=whole.encoders,
        keras=origin,
    )
    call.machine.record(ModelMade, call.site.callee, call.group, model=model)
    return ModelValue(model)


@path("keras.Sequential", "keras.models.Sequential")
def _sequential(call: LibraryCall) -> Value:
    given = call.get("layers") or (call.rest[0] if call.rest else None)
    layers = given if isinstance(given, ListValue) else make_list("list", [])
    origin = call.callee.origin if call.callee is not None else None
    model = Model(ModelOrigin.SEQUENTIAL, "Sequential", call.site, keras=origin)
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
        _record_wrap(machine, encoder.model, wrapper.model.keras, "Sequential", call.place, call.group)


def _record_wrap(
    machine: Machine, encoder: Model, origin: KerasOrigin | None, wrapper: str, place: Place, group: int
) -> None:
    machine.record(
        Wrapped,
        place,
        group,
        encoder=encoder,
        wrapper=wrapper,
        keras=origin.chosen_at if origin is not None else None,
        generation=(origin.keras if origin is not None else Keras.UNKNOWN).value,
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
    return replace(model, outputs=(tensor.output,), encoders=tuple(encoders))


# Subclasses written in the program

_OWN_TRAINING = ("train_step", "compute_loss", "fit", "compute_metrics", "test_step")


@hooks.subclass("made")
def _subclass_made(machine: Machine, instance: Instance, node: Any, scope: Scope) -> None:
    base = attributes.external_base(instance.cls)
    if base is None:
        return
    is_keras_model = base.path in {"keras.Model", "keras.models.Model", "keras.Sequential", "keras.models.Sequential"}
    is_transformers = base.path.startswith("transformers.TF")
    if not is_keras_model and not is_transformers:
        return
    site = calls.site(node, scope, Arguments())
    own = any(attributes.class_member(instance.cls, name) is not None for name in _OWN_TRAINING)
    model = Model(
        ModelOrigin.SUBCLASS,
        instance.cls.name,
        site,
        outputs=(Output.UNKNOWN,),
        keras=base.origin,
        own_training=own,
        keywords=frozenset({"transformers"} if is_transformers else ()),
    )
    instance.model = ModelValue(model)


@hooks.subclass("ready")
def _subclass_ready(machine: Machine, instance: Instance, node: Any, scope: Scope) -> None:
    value = instance.model
    if value is None:
        return
    encoders = encoders_in(instance)
    outputs: tuple[Output, ...] = (Output.UNKNOWN,)
    member = attributes.class_member(instance.cls, "call")
    is_transformers = "transformers" in value.model.keywords
    if isinstance(member, Function) and not is_transformers:
        made = calls.call_function(machine, member, [instance, Fact(Tensor())], {}, node, scope)
        tensors = tensors_in(made)
        if len(tensors) == 1:
            outputs = (tensors[0].output,)
    value.model = replace(value.model, encoders=tuple(encoders), outputs=outputs)
    machine.record(ModelMade, value.model.site.callee, machine.new_group(), model=value.model)
    for encoder in encoders:
        if encoder.head is not None and not is_transformers:
            _record_wrap(machine, encoder, value.model.keras, instance.cls.name, value.model.site.place, machine.new_group())


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
    return calls.instantiate(call.machine, cls, Arguments(open=True), call.node, call.scope)


# State


def _receiver(call: LibraryCall) -> ModelValue | None:
    return attributes.as_model(call.receiver) if call.receiver is not None else None


def state_of(value: ModelValue) -> ModelState:
    frozen = value.state.get("frozen")
    return ModelState(
        frozen=False if frozen is None else (frozen.value if isinstance(frozen, Const) else None),
        head_changed="head_changed" in value.state,
    )


def _encoder_frozen(machine: Machine, value: ModelValue) -> bool | None:
    """Whether the weights of the wrapped encoders were frozen."""
    for encoder in value.model.encoders:
        mark = machine.frozen.get(id(encoder))
        if mark is not None:
            frozen = mark.get("frozen")
            if frozen is not None and not (isinstance(frozen, Const) and frozen.value is False):
                return None
    return False


@hooks.attribute_of(ModelValue)
def _model_attribute(_machine: Machine, receiver: ModelValue, name: str, _node: Any, _scope: Scope) -> Value | None:
    if name == "optimizer":
        return OptimizerPart(receiver)
    if name == "config":
        return receiver.state.get("config", ConfigValue())
    if name in _MODEL_METHODS:
        return Bound(receiver, name)
    if name in {"name", "history", "metrics_names", "input", "output", "inputs", "outputs", "trainable_variables"}:
        return UNKNOWN
    if name in {"compute_loss", "hf_compute_loss"}:
        return Bound(receiver, name)
    return Part(receiver, name)


_MODEL_METHODS = frozenset(
    {"compile", "fit", "evaluate", "predict", "predict_on_batch", "train_on_batch", "test_on_batch", "add",
     "prepare_tf_dataset", "summary", "save", "save_weights", "load_weights", "save_pretrained", "push_to_hub", "generate",
     "resize_token_embeddings", "get_layer", "build", "call", "fit_generator", "set_weights", "get_weights"}
)  # fmt: skip


@hooks.set_attribute_of(ModelValue)
def _set_model(machine: Machine, receiver: ModelValue, name: str, value: Value, node: Any, scope: Scope) -> None:
    if name == "trainable":
        _set_trainable(machine, receiver, value, whole=True)
    elif name == "optimizer":
        machine.store.write(receiver.state, "escaped", Const(True))
    elif name not in {"config"} and receiver.model.origin is not ModelOrigin.SUBCLASS:
        machine.store.write(receiver.state, "head_changed", Const(True))


@hooks.set_attribute_of(Part)
def _set_part(machine: Machine, receiver: Part, name: str, value: Value, _node: Any, _scope: Scope) -> None:
    if name == "trainable":
        _set_trainable(machine, receiver.owner, value, whole=False)
    elif receiver.path == "config" or receiver.path.startswith("config."):
        machine.store.write(receiver.owner.state, "config_changed", Const(True))
    else:
        machine.store.write(receiver.owner.state, "head_changed", Const(True))


def _set_trainable(machine: Machine, owner: ModelValue, value: Value, *, whole: bool) -> None:
    """Freezing any part counts as frozen; only unfreezing the whole model takes it back."""
    if isinstance(value, Const) and value.value is True:
        if whole:
            machine.store.write(owner.state, "frozen", Const(False))
        return
    machine.store.write(owner.state, "frozen", Const(True) if isinstance(value, Const) else UNKNOWN)
    machine.frozen[id(owner.model)] = owner.state


@method(Part, "*")
def _part_method(call: LibraryCall) -> Value:
    return UNKNOWN


# compile


@method(ModelValue, "compile", signature="keras.Model.compile")
def _compile(call: LibraryCall) -> Value:
    value = _receiver(call)
    if value is None:
        return UNKNOWN
    model = described(value)
    state = state_of(value)
    if state.frozen is False:
        state = replace(state, frozen=_encoder_frozen(call.machine, value))
    here = call.site.callee
    losses, loss_given = losses_of(call.get("loss"), call.site.values.get("loss", here))
    if call.open and call.get("loss") is None:
        losses, loss_given = losses_of(UNKNOWN, here)
    event = call.machine.record(
        Compiled,
        here,
        call.group,
        model=model,
        state=state,
        site=call.site,
        optimizer=optimizer_of(
            call.get("optimizer"), call.site.values.get("optimizer", here), here, open_call=call.open
        ),
        losses=losses,
        metrics=metrics_of(call.get("metrics"), call.site.values.get("metrics", here)),
        loss_given=loss_given,
        names=library_names(call.machine, call.scope),
    )
    call.machine.store.write(value.state, "compiled", CompiledRecord(event))
    return Const(None)


def library_names(machine: Machine, scope: Scope) -> dict[str, str]:
    """The program's own names for modules of TensorFlow and Keras 2, by their dotted paths."""
    names: dict[str, str] = {}
    resolved = machine.keras.resolved
    for name, value in scope.top.names.items():
        if not isinstance(value, External) or "." in name:
            continue
        if value.path == "tensorflow" and (resolved is None or resolved.keras is not Keras.KERAS_3):
            names.setdefault("keras", f"{name}.keras")
        elif value.path == "tensorflow.keras" and (resolved is None or resolved.keras is not Keras.KERAS_3):
            names["keras"] = name
        elif value.path.startswith("keras") and value.origin is not None and value.origin.keras is not Keras.KERAS_3:
            names[value.path] = name
    return names


# fit, evaluate, predict


def _compiled(value: ModelValue, machine: Machine) -> tuple[Compiled, ...]:
    record = value.state.get("compiled")
    if record is None:
        return ()
    options = alternatives(record, machine.guards) if isinstance(record, Union) else ((frozenset(), record),)
    return tuple(v.event for _, v in options if isinstance(v, CompiledRecord))


def _labels(inputs: Value | None, targets: Value | None, feed: Feed | None) -> Labels | None:
    if feed is not None:
        return feed.labels
    found = labels_of(targets)
    if found is None and isinstance(inputs, DictValue):
        found = next((labels_of(v) for k, v in inputs.items.items() if k in {"labels", "label"}), None)
    return found


@method(ModelValue, "fit", "fit_generator", signature="keras.Model.fit")
def _fit(call: LibraryCall) -> Value:
    value = _receiver(call)
    if value is None:
        return UNKNOWN
    inputs = call.get("x") or call.get("generator")
    feed, validation = feed_of(inputs), feed_of(call.get("validation_data"))
    callbacks, known = callbacks_of(call.get("callbacks"))
    call.machine.record(
        Fitted,
        call.site.callee,
        call.group,
        model=described(value),
        state=state_of(value),
        site=call.site,
        compiled=_compiled(value, call.machine),
        feed=feed,
        validation=validation,
        labels=_labels(inputs, call.get("y"), feed),
        callbacks=callbacks,
        callbacks_known=known and not call.open,
    )
    return UNKNOWN


@method(ModelValue, "evaluate", "test_on_batch", signature="keras.Model.evaluate")
def _evaluate(call: LibraryCall) -> Value:
    value = _receiver(call)
    if value is not None:
        call.machine.record(
            Evaluated, call.site.callee, call.group, model=value.model, feed=feed_of(call.get("x"))
        )
    return UNKNOWN


@method(ModelValue, "predict", "predict_on_batch", signature="keras.Model.predict")
def _predict(call: LibraryCall) -> Value:
    value = _receiver(call)
    if value is None:
        return UNKNOWN
    feed = feed_of(call.get("x"))
    form = _prediction_form(value)
    if form is None:
        return UNKNOWN
    prediction = Prediction(value.model, form, call.site, feed)
    call.machine.record(Predicted, call.site.callee, call.group, prediction=prediction)
    return Fact(prediction)


def _prediction_form(value: ModelValue) -> PredictionForm | None:
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
            return calls.call_function(
                call.machine, member, [call.receiver, *call.rest], call.given, call.node, call.scope
            )
    value = _receiver(call)
    if value is None:
        return UNKNOWN
    model = value.model
    arguments = make_list("list", [*call.rest, *call.given.values()])
    tensors = tensors_in(arguments)
    if model.head is None:
        tensor = joined(arguments)
        described_model = described(value)
        output = described_model.outputs[0] if len(described_model.outputs) == 1 else Output.UNKNOWN
        return Fact(replace(tensor, output=output, encoders=(*tensor.encoders, *described_model.encoders)))
    symbolic = next((t for t in tensors if t.keras is not None and t.symbolic), None)
    if symbolic is not None:
        _record_wrap(call.machine, model, symbolic.keras, "Input", call.place, call.group)
    form = _prediction_form(value)
    return UNKNOWN if form is None else Fact(Prediction(model, form, call.site))


_OUTPUT_FIELDS = {
    "logits": PredictionForm.LOGITS,
    "start_logits": PredictionForm.LOGITS,
    "end_logits": PredictionForm.LOGITS,
    "prediction_logits": PredictionForm.LOGITS,
}


@hooks.attribute_of(Prediction)
def _prediction_attribute(
    machine: Machine, receiver: Fact, name: str, node: Any, scope: Scope
) -> Value | None:
    prediction: Prediction = receiver.data
    if prediction.form is not PredictionForm.OUTPUT:
        return None
    if name in _OUTPUT_FIELDS:
        return Fact(replace(prediction, form=_OUTPUT_FIELDS[name]))
    if name in {"last_hidden_state", "pooler_output", "hidden_states", "encoder_last_hidden_state"}:
        return Fact(_hidden(prediction))
    return None


def _hidden(prediction: Prediction) -> Tensor:
    return Tensor(Output.HIDDEN_STATES, encoders=(prediction.model, *prediction.model.encoders))


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
            return Fact(_hidden(prediction))
        return Fact(replace(prediction, form=PredictionForm.LOGITS)) if key.value == 0 else UNKNOWN
    if isinstance(key, ListValue) and key.kind == "tuple":
        uses.used_as_array(machine, receiver, "an index for two axes", Place(scope.unit, node))
    return UNKNOWN


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

