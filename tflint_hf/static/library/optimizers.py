"""Optimizers and their learning rates."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tflint_hf import knowledge
from tflint_hf.static.amounts import written
from tflint_hf.static.library import hooks
from tflint_hf.static.library.hooks import path
from tflint_hf.static.library.keras_calls import class_name_of, origin_of
from tflint_hf.static.library.text import literal
from tflint_hf.static.names import named_feeds
from tflint_hf.static.values import UNKNOWN, Const, External, Fact, ListValue, ModelValue, Value, make_list, text_of
from tflint_hf.trace import objects as facts
from tflint_hf.trace.events import LearningRateSet, OptimizerMade, WeightDecayExcluded
from tflint_hf.trace.objects import ABSENT, Amount, Form, Missing, Optimizer, Schedule
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall


@path("keras.optimizers.*", "keras.mixed_precision.LossScaleOptimizer")
def _optimizer(call: LibraryCall) -> Value:
    if ".schedules." in call.path:
        rate = literal(call.get("initial_learning_rate") or (call.rest[0] if call.rest else None))
        initial = float(rate) if isinstance(rate, int | float) and not isinstance(rate, bool) else None
        steps, feeds = _amount(call, "decay_steps"), named_feeds(call.scope)
        return Fact(Schedule(class_name_of(call), origin_of(call), call.site, initial, steps, feeds=feeds))
    name = class_name_of(call)
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
        origin_of(call),
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


@path("keras.backend.set_value", "keras.mixed_precision.*", "keras.backend.clear_session")
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
