"""What an optimizer is given to."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, check
from tflint_hf.target import Target
from tflint_hf.trace.events import Event, ModelMade, OptimizerMade
from tflint_hf.trace.guards import compatible
from tflint_hf.trace.objects import ABSENT, Form, Optimizer
from tflint_hf.trace.views import Trace, Training


def _knows_its_variables(optimizer: Optimizer) -> bool:
    """Whether it makes its slots once, for the variables of its first training: all but the older kind do."""
    if optimizer.form is not Form.OBJECT or optimizer.site is None or optimizer.legacy:
        return False
    if optimizer.class_name == "create_optimizer":
        return optimizer.weight_decay in (ABSENT, 0.0)
    return optimizer.origin is not None


@check("TFO015")
def reused_optimizer(trace: Trace, target: Target) -> Iterator[Fault]:
    """One optimizer object trains variables that it was not made for."""
    applies = {"tensorflow": ">=2.11"}
    if not target.satisfies(applies):
        return
    made = {id(e.optimizer.site): e for e in trace.of(OptimizerMade)}
    models = {id(e.model.site): e for e in trace.of(ModelMade)}
    trained: list[Training] = []
    for training in trace.trainings:
        optimizer = training.compiled.optimizer
        if not training.fits or not _knows_its_variables(optimizer) or training.model.own_training:
            continue
        first = next((t for t in trained if _is_other_use(t, training)), None)
        belongs = None
        if first is not None:
            belongs = "another model" if first.model.site is not training.model.site else "the frozen model"
        elif _in_each_round(training, made.get(id(optimizer.site)), models.get(id(training.model.site))):
            belongs = "the model of the round before"
        trained.append(training)
        if belongs is not None:
            place = training.compiled.site.value_or_callee("optimizer")
            yield Fault(
                place,
                {"optimizer": optimizer.class_name, "first": belongs},
                related=((optimizer.place, "the optimizer is made here"),),
                rests_on=applies,
            )


def _is_other_use(before: Training, now: Training) -> bool:
    """Whether the same optimizer trained other variables before, in the same run of the program."""
    if before.compiled.optimizer.site is not now.compiled.optimizer.site:
        return False
    if not compatible(before.guards, now.guards) or before.group == now.group:
        return False
    if min(f.order for f in before.fits) > min(f.order for f in now.fits):
        return False
    if before.compiled.place == now.compiled.place and max(f.order for f in before.fits) > now.compiled.order:
        # One compile() call for one of several models, not one round after the other.
        return False
    if before.model.site is now.model.site:
        frozen, left = before.compiled.state.frozen_parts, now.compiled.state.frozen_parts
        return frozen is not None and left is not None and bool(frozen - left)
    inside = {id(m.site) for m in (before.model, *before.model.encoders)}
    return not inside & {id(m.site) for m in (now.model, *now.model.encoders)}


def _in_each_round(training: Training, optimizer: Event | None, model: Event | None) -> bool:
    """Whether each round of a loop makes a model for an optimizer from outside of it."""
    if optimizer is None or model is None:
        return False
    rounds = set(training.compiled.loops) & set(model.loops) & {loop for f in training.fits for loop in f.loops}
    return bool(rounds - set(optimizer.loops))
