"""Classes of transformers: models from checkpoints and configurations, tokenizers, collators."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tflint_hf.knowledge import Task, TFClass, tf_class
from tflint_hf.static.library import hooks
from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.library.precision import policy_in_force
from tflint_hf.static.library.text import is_collator_class, is_tokenizer_class, make_collator, make_tokenizer
from tflint_hf.static.values import (
    UNKNOWN,
    ClassId,
    Const,
    DictValue,
    Fact,
    ModelValue,
    Value,
    text_of,
)
from tflint_hf.trace import objects as facts
from tflint_hf.trace.events import (
    ForeignModelUsed,
    LabelsConfigured,
    ModelMade,
    TorchTrainerMade,
)
from tflint_hf.trace.objects import (
    ABSENT,
    ForeignModel,
    LabelSetup,
    Missing,
    Model,
    ModelOrigin,
    Output,
)
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope


_HEADS_WITH_LOGITS = frozenset(
    {
        Task.SEQUENCE_CLASSIFICATION, Task.TOKEN_CLASSIFICATION, Task.MULTIPLE_CHOICE, Task.MASKED_LM, Task.CAUSAL_LM,
        Task.SEQ2SEQ_LM, Task.IMAGE_CLASSIFICATION, Task.NEXT_SENTENCE,
    }
)  # fmt: skip


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
        return _foreign(call, name, wanted)
    if wanted == "from_pretrained":
        call.machine.keras.load_transformers()
        return _pretrained(call, head, name)
    call.machine.keras.load_transformers()
    if wanted in {"", "from_config", "_from_config"}:
        return _from_config(call, head, name)
    return UNKNOWN


_TORCH_CLASS = re.compile(r"(?!TF|Flax)(?:AutoModel\w*|[A-Z]\w*(?:For[A-Z]\w+|LMHeadModel|Model))\Z")


def _foreign(call: LibraryCall, name: str, wanted: str) -> Value:
    """A class that is made with PyTorch: its name lacks the TF in front."""
    is_model = _TORCH_CLASS.match(name) and not name.endswith(("Output", "PreTrainedModel")) and tf_class(f"TF{name}")
    if is_model and wanted in {"from_pretrained", "from_config"}:
        return Fact(ForeignModel(name, call.site))
    return UNKNOWN


@method(ForeignModel, "fit", "compile", "train_on_batch", signature="keras.Model.compile")
def _foreign_used(call: LibraryCall) -> Value:
    model = call.receiver.data if isinstance(call.receiver, Fact) else None
    assert isinstance(model, ForeignModel)
    # nn.Module has a compile() of its own, without these arguments.
    if call.path != "compile" or {"optimizer", "loss", "metrics"} & call.given.keys():
        call.machine.record(ForeignModelUsed, call.site.callee, call.group, model=model, use=call.path)
    return UNKNOWN


@path("transformers.Trainer", "transformers.Seq2SeqTrainer")
def _trainer(call: LibraryCall) -> Value:
    given = call.get("model") or (call.rest[0] if call.rest else None)
    if isinstance(given, ModelValue) and given.model.head is not None:
        place = call.site.values.get("model", call.site.values.get("#0", call.site.callee))
        trainer = call.path.rpartition(".")[2]
        call.machine.record(TorchTrainerMade, place, call.group, model=given.model, trainer=trainer)
    return UNKNOWN


@dataclass(eq=False, slots=True)
class ConfigValue(Value):
    """A model configuration: what the program gave or set on it, and where."""

    given: dict[str, Value] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)


def _config(call: LibraryCall) -> Value:
    given = dict(call.given)
    if call.open:
        given["num_labels"] = UNKNOWN
    _note_labels(call, given)
    return ConfigValue(given, dict(call.site.values))


@hooks.attribute_of(ConfigValue)
def _config_attribute(_machine: Machine, receiver: ConfigValue, name: str, _node: Any, _scope: Scope) -> Value:
    return receiver.given.get(name, UNKNOWN)


@hooks.set_attribute_of(ConfigValue)
def _set_config(machine: Machine, receiver: ConfigValue, name: str, value: Value, node: Any, scope: Scope) -> None:
    machine.store.write(receiver.given, name, value)
    receiver.places[name] = Place(scope.unit, node)


def _pretrained(call: LibraryCall, head: TFClass, name: str) -> Value:
    checkpoint_value = call.get("pretrained_model_name_or_path") or (call.rest[0] if call.rest else UNKNOWN)
    checkpoint = text_of(checkpoint_value)
    return _model(call, head, name, ModelOrigin.PRETRAINED, checkpoint or facts.UNKNOWN)


def _from_config(call: LibraryCall, head: TFClass, name: str) -> Value:
    return _model(call, head, name, ModelOrigin.CONFIG, ABSENT)


def _model(call: LibraryCall, head: TFClass, name: str, origin: ModelOrigin, checkpoint: str | Missing) -> Value:
    given = {k: v for k, v in call.given.items() if k != "pretrained_model_name_or_path"}
    config = given.get("config") or (call.rest[0] if origin is ModelOrigin.CONFIG and call.rest else None)
    model = Model(
        origin,
        name,
        call.site,
        head,
        checkpoint,
        num_labels=_head_labels(given, config, call.open),
        has_config=config is not None,
        local_checkpoint=isinstance(checkpoint, str) and checkpoint in call.machine.saved,
        outputs=_head_outputs(head),
        output_names=("start_logits", "end_logits") if head.task is Task.QUESTION_ANSWERING else (),
        labels_place=call.site.values.get("num_labels", _config_place(config, "num_labels")),
        problem_type=_problem_type(given, config),
        problem_place=call.site.values.get("problem_type", _config_place(config, "problem_type")),
        return_dict=_return_dict(given, config),
        run=call.machine.run,
        strategy=call.machine.strategy,
        policy=policy_in_force(call.machine, None),
        keywords=frozenset(_telling(given)) | ({"**"} if call.open else set()) | _output_settings(config),
    )
    call.machine.record(ModelMade, call.site.callee, call.group, model=model)
    _note_labels(call, given)
    return ModelValue(model)


def _head_labels(given: dict[str, Value], config: Value | None, open_call: bool) -> int | Missing:
    """How many labels the head is made for: told by their number or their names, to the model or its configuration."""
    sources = [given, *([config.given] if isinstance(config, ConfigValue) else [])]
    for source in sources:
        value = source.get("num_labels")
        if value is not None:
            return facts.UNKNOWN if isinstance(value, Const) and value.soft else _num_labels(source, False)
        for name in ("id2label", "label2id"):
            value = source.get(name)
            if value is not None:
                return len(value.items) if isinstance(value, DictValue) and not value.open else facts.UNKNOWN
    if open_call or (config is not None and not isinstance(config, ConfigValue)):
        return facts.UNKNOWN
    return ABSENT


def _problem_type(given: dict[str, Value], config: Value | None) -> str | Missing:
    value = given.get("problem_type")
    if value is None and isinstance(config, ConfigValue):
        value = config.given.get("problem_type")
    if value is None or (isinstance(value, Const) and value.value is None):
        return ABSENT
    return text_of(value) or facts.UNKNOWN


def _config_place(config: Value | None, name: str) -> Place | None:
    return config.places.get(name) if isinstance(config, ConfigValue) else None


def _telling(given: dict[str, Value]) -> set[str]:
    """The arguments; a configuration counts only if it may say something of the labels."""
    config = given.get("config")
    silent = isinstance(config, ConfigValue) and not {"num_labels", "id2label"} & config.given.keys()
    return given.keys() - {"config"} if silent else set(given)


def _output_settings(config: Value | None) -> frozenset[str]:
    """Settings of a configuration that change what kind of object the model puts out."""
    return frozenset({"return_dict"} & config.given.keys()) if isinstance(config, ConfigValue) else frozenset()


def _return_dict(given: dict[str, Value], config: Value | None) -> bool | Missing:
    """The setting return_dict, as the model or its configuration was told."""
    value = given.get("return_dict")
    if value is None and isinstance(config, ConfigValue):
        value = config.given.get("return_dict")
    if value is None:
        return ABSENT
    known = isinstance(value, Const) and isinstance(value.value, bool)
    return value.value if known and isinstance(value, Const) else facts.UNKNOWN


def _note_labels(call: LibraryCall, given: dict[str, Value]) -> None:
    setup = LabelSetup(_num_labels(given, call.open), _label_map(call, given), _numbered(given.get("label2id")))
    call.machine.record(LabelsConfigured, call.site.callee, call.group, setup=setup)


def _numbered(label2id: Value | None) -> Place | None:
    """Where the ids of a label map got the order of a set."""
    if not isinstance(label2id, DictValue):
        return None
    ids = [*label2id.items.values(), label2id.facts.get("element", UNKNOWN)]
    return next((one.unordered for one in ids if isinstance(one, ClassId)), None)


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
