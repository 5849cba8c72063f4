"""Keras objects that a model is set up with: optimizers, schedules, losses, metrics, callbacks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tflint_hf import knowledge
from tflint_hf.knowledge import LossKind
from tflint_hf.static import attributes
from tflint_hf.static.amounts import written
from tflint_hf.static.library import hooks
from tflint_hf.static.library.hooks import path
from tflint_hf.static.library.metric_functions import metric_function
from tflint_hf.static.library.text import literal
from tflint_hf.static.names import named_feeds
from tflint_hf.static.syntax import source_text
from tflint_hf.static.values import (
    UNKNOWN,
    Bound,
    Class,
    Const,
    DictValue,
    External,
    Fact,
    Function,
    Instance,
    ListValue,
    ModelValue,
    Value,
    ending_of,
    make_list,
    text_of,
)
from tflint_hf.trace import objects as facts
from tflint_hf.trace.events import CallbackMade, LearningRateSet, OptimizerMade, WeightDecayExcluded
from tflint_hf.trace.objects import (
    ABSENT,
    Amount,
    Callback,
    Form,
    KerasOrigin,
    Loss,
    Metric,
    Missing,
    Optimizer,
    Reads,
    SavedFile,
    Schedule,
)
from tflint_hf.trace.places import CallSite, Place

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall

_INTERNAL_LOSSES = frozenset({"auto", "auto_with_warning", "passthrough"})
_CROSSENTROPIES = frozenset(
    {LossKind.SPARSE_CROSSENTROPY, LossKind.CATEGORICAL_CROSSENTROPY, LossKind.BINARY_CROSSENTROPY}
)


def _origin(call: LibraryCall) -> KerasOrigin | None:
    return call.callee.origin if call.callee is not None else None


def _class_name(call: LibraryCall) -> str:
    return call.path.rpartition(".")[2]


# Optimizers and schedules


@path("keras.optimizers.*", "keras.mixed_precision.LossScaleOptimizer")
def _optimizer(call: LibraryCall) -> Value:
    if ".schedules." in call.path:
        rate = literal(call.get("initial_learning_rate") or (call.rest[0] if call.rest else None))
        initial = float(rate) if isinstance(rate, int | float) and not isinstance(rate, bool) else None
        steps, feeds = _amount(call, "decay_steps"), named_feeds(call.scope)
        return Fact(Schedule(_class_name(call), _origin(call), call.site, initial, steps, feeds=feeds))
    name = _class_name(call)
    if name == "LossScaleOptimizer":
        return call.get("inner_optimizer") or call.get("optimizer") or (call.rest[0] if call.rest else UNKNOWN)
    if name[:1].islower():
        return _optimizer_by_name(call) if name == "get" else UNKNOWN
    info = knowledge.optimizer(name)
    return _made(call, Optimizer(
        Form.OBJECT,
        call.site.callee,
        name,
        name,
        _learning_rate(call),
        info.default_learning_rate if info is not None else None,
        _origin(call),
        legacy=".legacy." in call.path,
        site=call.site,
        weight_decay=_weight_decay(call, "weight_decay"),
    ))  # fmt: skip


def _amount(call: LibraryCall, name: str) -> Amount | None:
    return written(call.get(name), call.site.values.get(name))


def _optimizer_by_name(call: LibraryCall) -> Value:
    name = call.get("identifier") or (call.rest[0] if call.rest else UNKNOWN)
    return name if text_of(name) else UNKNOWN


def _made(call: LibraryCall, optimizer: Optimizer) -> Value:
    call.machine.record(OptimizerMade, call.site.callee, call.group, optimizer=optimizer)
    return OptimizerValue(optimizer)


@dataclass(eq=False, slots=True)
class OptimizerValue(Value):
    """An optimizer object; `state` holds a learning rate that the program set on it later."""

    optimizer: Optimizer
    state: dict[str, Value] = field(default_factory=dict)

    @property
    def now(self) -> Optimizer:
        """The optimizer with the rate that it has by now."""
        rate = self.state.get("learning_rate")
        if rate is None:
            return self.optimizer
        number = literal(rate)
        known = isinstance(number, int | float) and not isinstance(number, bool)
        return replace(self.optimizer, learning_rate=float(number) if known else facts.UNKNOWN)


@hooks.set_attribute_of(OptimizerValue)
def _set_optimizer(machine: Any, receiver: OptimizerValue, name: str, value: Value, _node: Any, _scope: Any) -> None:
    if name in {"learning_rate", "lr"}:
        machine.store.write(receiver.state, "learning_rate", value)


@hooks.attribute_of(OptimizerValue)
def _optimizer_attribute(_machine: Any, receiver: OptimizerValue, name: str, _node: Any, _scope: Any) -> Value | None:
    return OptimizerRate(receiver) if name in {"learning_rate", "lr"} else None


@dataclass(eq=False, slots=True)
class OptimizerRate(Value):
    """`optimizer.learning_rate`."""

    owner: OptimizerValue


@hooks.method(OptimizerRate, "assign")
def _assign(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, OptimizerRate)
    value = call.rest[0] if call.rest else call.get("value", UNKNOWN)
    call.machine.store.write(call.receiver.owner.state, "learning_rate", value or UNKNOWN)
    return UNKNOWN


@hooks.method(OptimizerValue, "exclude_from_weight_decay")
def _exclude(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, OptimizerValue)
    call.machine.record(WeightDecayExcluded, call.site.callee, call.group, optimizer=call.receiver.optimizer)
    return UNKNOWN


@hooks.method(OptimizerValue, "*")
def _optimizer_method(_call: LibraryCall) -> Value:
    return UNKNOWN


def _learning_rate(call: LibraryCall) -> float | Schedule | Missing:
    value = call.get("learning_rate") or (call.rest[0] if call.rest else None)
    if value is None:
        return facts.UNKNOWN if call.open else ABSENT
    if isinstance(value, Fact) and isinstance(value.data, Schedule):
        return value.data
    rate = literal(value)
    return float(rate) if isinstance(rate, int | float) and not isinstance(rate, bool) else facts.UNKNOWN


def _weight_decay(call: LibraryCall, name: str) -> float | Missing:
    value = call.get(name)
    if value is None or (isinstance(value, Const) and value.value is None):
        return facts.UNKNOWN if call.open and value is None else ABSENT
    rate = literal(value)
    return float(rate) if isinstance(rate, int | float) and not isinstance(rate, bool) else facts.UNKNOWN


@path("transformers.create_optimizer")
def _create_optimizer(call: LibraryCall) -> Value:
    rate = literal(call.get("init_lr"), facts.UNKNOWN)
    schedule = Schedule(
        "create_optimizer",
        None,
        call.site,
        steps=_amount(call, "num_train_steps"),
        warmup=_amount(call, "num_warmup_steps"),
        feeds=named_feeds(call.scope),
    )
    optimizer = Optimizer(
        Form.OBJECT,
        call.site.callee,
        "create_optimizer",
        "create_optimizer",
        float(rate) if isinstance(rate, int | float) else facts.UNKNOWN,
        site=call.site,
        schedule=schedule,
        weight_decay=_weight_decay(call, "weight_decay_rate"),
    )
    return make_list("tuple", [_made(call, optimizer), Fact(schedule)])


@path("transformers.AdamWeightDecay", "transformers.optimization_tf.AdamWeightDecay")
def _adam_weight_decay(call: LibraryCall) -> Value:
    rate = _learning_rate(call)
    lr = literal(call.get("lr"))
    if isinstance(lr, float):
        rate = lr
    return _made(
        call,
        Optimizer(
            Form.OBJECT,
            call.site.callee,
            "AdamWeightDecay",
            "AdamWeightDecay",
            rate,
            1e-3,
            site=call.site,
            weight_decay=_weight_decay(call, "weight_decay_rate"),
        ),
    )


@path("transformers.WarmUp", "transformers.optimization_tf.WarmUp")
def _warm_up(call: LibraryCall) -> Value:
    return Fact(Schedule("WarmUp", None, call.site))


def optimizer_of(value: Value | None, place: Place, absent: Place, *, open_call: bool) -> Optimizer:
    """The optimizer that compile() got."""
    if value is None:
        if open_call:
            return Optimizer(Form.UNKNOWN, absent)
        return Optimizer(Form.ABSENT, absent, "RMSprop", "", ABSENT, 1e-3)
    if isinstance(value, OptimizerValue):
        return value.now
    text = text_of(value)
    if text is not None:
        info = knowledge.optimizer(text)
        if info is None:
            return Optimizer(Form.UNKNOWN, place, spelling=text)
        return Optimizer(Form.STRING, place, info.class_name, text, ABSENT, info.default_learning_rate)
    if isinstance(value, External) and value.path.startswith(("keras.", "transformers.")):
        return Optimizer(Form.CLASS, place, value.last, value.last, origin=value.origin)
    pair = value.values if isinstance(value, ListValue) and value.exact and value.kind == "tuple" else []
    first = pair[0] if len(pair) == 2 else None
    if isinstance(first, OptimizerValue) and first.optimizer.schedule is not None:
        return Optimizer(Form.PAIR, place, "create_optimizer", site=first.optimizer.site)
    if isinstance(value, Fact) and isinstance(value.data, Schedule) and value.data.class_name == "create_optimizer":
        return Optimizer(Form.SCHEDULE, place, "create_optimizer", site=value.data.site)
    return Optimizer(Form.UNKNOWN, place)


# Losses


@path("keras.losses.*", "keras.metrics.sparse_categorical_crossentropy", "keras.metrics.categorical_crossentropy",
      "keras.backend.sparse_categorical_crossentropy", "keras.backend.categorical_crossentropy")  # fmt: skip
def _loss(call: LibraryCall) -> Value:
    name = _class_name(call)
    if name == "get":
        return call.rest[0] if call.rest else call.get("identifier", UNKNOWN) or UNKNOWN
    if name[:1].islower():
        return UNKNOWN
    info = knowledge.loss(name)
    from_logits = _from_logits(call)
    kind = info.kind if info is not None else None
    return Fact(Loss(
        Form.OBJECT,
        call.site.callee,
        name,
        f"{name}()",
        from_logits,
        _origin(call),
        call.site,
        _reads(kind, from_logits),
        _ignored_class(call),
    ))  # fmt: skip


def _from_logits(call: LibraryCall) -> bool | Missing:
    value = literal(call.get("from_logits"), facts.UNKNOWN if call.open else ABSENT)
    return value if isinstance(value, bool | Missing) else facts.UNKNOWN


def _ignored_class(call: LibraryCall) -> int | Missing:
    value = literal(call.get("ignore_class"), facts.UNKNOWN if call.open else ABSENT)
    if value is None:
        return ABSENT
    return value if isinstance(value, int | Missing) else facts.UNKNOWN


def _reads(kind: LossKind | None, from_logits: bool | Missing) -> Reads:
    if kind is None or from_logits is facts.UNKNOWN:
        return Reads.UNKNOWN
    if kind not in _CROSSENTROPIES:
        return Reads.VALUES if kind is LossKind.REGRESSION else Reads.UNKNOWN
    return Reads.LOGITS if from_logits is True else Reads.PROBABILITIES


def loss_of(value: Value, place: Place) -> Loss:
    """One loss that compile() got."""
    if isinstance(value, Fact) and isinstance(value.data, Loss):
        return value.data
    if isinstance(value, Const) and value.value is None:
        return Loss(Form.NONE, place, spelling="None")
    text = text_of(value)
    if text is not None:
        info = knowledge.loss(text)
        if info is None:
            return Loss(Form.UNKNOWN, place, spelling=text)
        return Loss(Form.STRING, place, info.class_name, text, reads=_reads(info.kind, ABSENT))
    if isinstance(value, External) and value.path.startswith(("keras.losses.", "keras.metrics.", "keras.backend.")):
        info = knowledge.loss(value.last)
        form = Form.CLASS if value.last[:1].isupper() else Form.FUNCTION
        if info is None:
            return Loss(form, place, spelling=value.last, origin=value.origin)
        reads = _reads(info.kind, ABSENT) if form is Form.FUNCTION else Reads.UNKNOWN
        return Loss(form, place, info.class_name, value.last, origin=value.origin, reads=reads)
    if isinstance(value, Bound) and isinstance(value.receiver, ModelValue) and isinstance(value.function, str):
        return Loss(Form.METHOD, place, value.function, value.function)
    if isinstance(value, Function | Class | Instance):
        return Loss(Form.FUNCTION, place, spelling=getattr(value, "name", ""))
    return Loss(Form.UNKNOWN, place)


def losses_of(value: Value | None, place: Place) -> tuple[tuple[Loss, ...], bool]:
    """The losses that compile() got, one for each output, and whether any was given at all."""
    if value is None:
        return (), False
    text = text_of(value)
    if text in _INTERNAL_LOSSES:
        return (), False
    if isinstance(value, ListValue):
        if not value.exact:
            return (Loss(Form.UNKNOWN, place),), True
        return tuple(loss_of(v, place) for v in value.values), True
    if isinstance(value, DictValue):
        if value.open:
            return (Loss(Form.UNKNOWN, place),), True
        return tuple(loss_of(v, place) for v in value.items.values()), True
    return (loss_of(value, place),), True


def loss_names(value: Value | None) -> tuple[str, ...]:
    """The outputs that losses or metrics are given for, where they are given by name."""
    return tuple(map(str, value.items)) if isinstance(value, DictValue) and not value.open else ()


# Metrics and callbacks


@path("keras.metrics.*")
def _metric(call: LibraryCall) -> Value:
    name = _class_name(call)
    given = call.get("name")
    unnamed = given is None and not call.open and not call.rest
    called = snake_case(name) if unnamed else text_of(given or UNKNOWN) or ""
    return Fact(Metric(Form.OBJECT, call.site.callee, name, _origin(call), call.site, called))


def snake_case(name: str) -> str:
    """The name that Keras gives to an object of a class."""
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)).lower()


def metrics_of(value: Value | None, place: Place) -> tuple[Metric, ...]:
    if not isinstance(value, ListValue):
        values = [] if value is None else [value]
    else:
        values = value.values if value.exact else [value.element]
    found: list[Metric] = []
    for one in values:
        text = text_of(one)
        if isinstance(one, Fact) and isinstance(one.data, Metric):
            found.append(one.data)
        elif text is not None:
            found.append(Metric(Form.STRING, place, text, name=text))
        elif isinstance(one, External):
            form = Form.CLASS if one.last[:1].isupper() else Form.FUNCTION
            called = one.last if form is Form.FUNCTION else ""
            found.append(Metric(form, place, one.last, one.origin, name=called))
        elif isinstance(one, ListValue):
            found.extend(metrics_of(one, place))
        else:
            found.append(Metric(Form.UNKNOWN, place))
    return tuple(found)


@path("keras.callbacks.*", "transformers.KerasMetricCallback")
def made_callback(call: LibraryCall) -> Value:
    name = _class_name(call)
    callback = Callback(
        name,
        _origin(call),
        call.site,
        monitor=_option(call, "monitor"),
        saved_file=_checkpoint_file(call),
        only_best=_option(call, "save_best_only"),
        metric=metric_function(call) if name == "KerasMetricCallback" else None,
    )
    call.machine.record(CallbackMade, call.site.callee, call.group, callback=callback)
    return Fact(callback)


def _option(call: LibraryCall, name: str) -> Any:
    return literal(call.get(name), facts.UNKNOWN if call.open else ABSENT)


def _checkpoint_file(call: LibraryCall) -> SavedFile | None:
    """The file that a ModelCheckpoint writes."""
    target = call.get("filepath")
    ending = ending_of(target) if target is not None and _class_name(call) == "ModelCheckpoint" else None
    only = literal(call.get("save_weights_only"), None if call.open else False)
    whole = text_of(target or UNKNOWN) is not None
    return None if ending is None else SavedFile(ending, whole, only if isinstance(only, bool) else None)


@dataclass(eq=False, slots=True)
class CallbackListValue(Value):
    """A CallbackList: the callbacks in it."""

    callbacks: Value


@path("keras.callbacks.CallbackList")
def _callback_list(call: LibraryCall) -> Value:
    return CallbackListValue(call.get("callbacks") or (call.rest[0] if call.rest else UNKNOWN))


def callbacks_of(value: Value | None, place: Place) -> tuple[tuple[Callback, ...], bool]:
    """The callbacks that fit() got, and whether these are all."""
    if value is None:
        return (), True
    if isinstance(value, CallbackListValue):
        return callbacks_of(value.callbacks, place)
    values = value.values if isinstance(value, ListValue) and value.exact else [value]
    found = [v.data for v in values if isinstance(v, Fact) and isinstance(v.data, Callback)]
    for one in values:
        base = attributes.external_base(one.cls) if isinstance(one, Instance) else None
        if base is not None and base.last == "LearningRateScheduler":
            return (*found, Callback(base.last, base.origin, CallSite(_NOWHERE, _NOWHERE), own=True)), False
    harmless = sum(isinstance(one, Instance) and not _sets_rate(one) for one in values)
    known = len(found) + harmless == len(values)
    for one in values:
        if isinstance(one, External) and one.path.startswith("keras.callbacks.") and one.last[:1].isupper():
            found.append(Callback(one.last, one.origin, CallSite(place, place), is_class=True))
    return tuple(found), known and (not isinstance(value, ListValue) or value.exact)


def callback_places(value: Value | None) -> tuple[Place, ...]:
    """Where the elements of a list of callbacks are written, if each is one."""
    if not isinstance(value, ListValue) or not value.exact or len(value.places) != len(value.values):
        return ()
    each = all(isinstance(v, Fact) and isinstance(v.data, Callback) for v in value.values)
    return value.places if each else ()


def has_own_callbacks(value: Value | None) -> bool:
    """Whether a callback is of a class that the program defines."""
    if isinstance(value, CallbackListValue):
        return has_own_callbacks(value.callbacks)
    values = value.values if isinstance(value, ListValue) else [value]
    return any(isinstance(one, Instance) for one in values)


def _sets_rate(callback: Instance) -> bool:
    """Whether a callback written in the program speaks of the learning rate."""
    text = source_text(callback.cls.node, limit=20_000)
    return not text or any(word in text for word in ("learning_rate", ".lr", "optimizer"))


_NOWHERE = Place(0, None)


@path(
    "keras.backend.set_value", "keras.utils.set_random_seed", "keras.mixed_precision.*", "keras.backend.clear_session"
)
def _setting(call: LibraryCall) -> Value:
    if call.path == "keras.backend.set_value":
        target = call.rest[0] if call.rest else call.get("x")
        if isinstance(target, OptimizerPart):
            target.set_rate(call)
        elif isinstance(target, OptimizerRate):
            value = call.rest[1] if len(call.rest) > 1 else call.get("value")
            call.machine.store.write(target.owner.state, "learning_rate", value or UNKNOWN)
    return UNKNOWN


class OptimizerPart(Value):
    """`model.optimizer` or its learning rate: setting it changes how fast the model learns."""

    __slots__ = ("model",)

    def __init__(self, model: ModelValue) -> None:
        self.model = model

    def set_rate(self, call: LibraryCall) -> None:
        note_learning_rate(call.machine, self.model, call.place, call.group)


def note_learning_rate(machine: Any, model: ModelValue, place: Place, group: int) -> None:
    machine.record(LearningRateSet, place, group, model=model.model)


@hooks.attribute_of(OptimizerPart)
def _part_attribute(_machine: Any, receiver: OptimizerPart, name: str, _node: Any, _scope: Any) -> Value | None:
    return None if name in {"assign", "minimize", "apply_gradients"} else receiver


@hooks.set_attribute_of(OptimizerPart)
def _set_part(machine: Any, receiver: OptimizerPart, name: str, _value: Value, node: Any, scope: Any) -> None:
    if name in {"learning_rate", "lr", "_learning_rate"}:
        note_learning_rate(machine, receiver.model, Place(scope.unit, node), machine.new_group())


@hooks.method(OptimizerPart, "assign")
def _assign_rate(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, OptimizerPart)
    call.receiver.set_rate(call)
    return UNKNOWN
