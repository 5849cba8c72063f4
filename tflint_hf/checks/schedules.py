"""How long learning rates warm up and decay, and what else sets them."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, check
from tflint_hf.findings import Safety, Severity
from tflint_hf.fixes import PlannedFix, Replace, Rewrite
from tflint_hf.trace.events import Fitted, OptimizerMade
from tflint_hf.trace.objects import ABSENT, Amount, Feed, FeedMaker, Schedule, Unit
from tflint_hf.trace.views import Training

_ENDING = frozenset({"PolynomialDecay", "CosineDecay"})
_SETTING_CALLBACKS = frozenset({"ReduceLROnPlateau", "LearningRateScheduler"})


def _counts_epochs(steps: Amount, fits: tuple[Fitted, ...]) -> bool:
    """Whether it is the number of epochs of each fit(), which takes its steps from the data."""
    return bool(fits) and all(
        isinstance(fit.epochs, Amount)
        and steps.is_same_number(fit.epochs)
        and steps.number is not None
        and steps.number > 1
        and fit.steps_per_epoch is ABSENT
        for fit in fits
    )


def _counts_rows(steps: Amount, fits: tuple[Fitted, ...]) -> bool:
    """Whether it is at least the number of rows, where batches hold several of them."""
    if steps.unit is not Unit.ROWS or steps.number is None or steps.number < 1 or not fits:
        return False
    return all(
        fit.steps_per_epoch is ABSENT and (fit.feed is None or (fit.feed.batched and fit.feed.batch_size != 1))
        for fit in fits
    )


def _counts_one_epoch(steps: Amount, fits: tuple[Fitted, ...]) -> bool:
    """Whether it is the number of batches of one epoch, where fit() runs several."""
    if steps.unit is not Unit.BATCHES or steps.number != 1 or steps.soft or not fits:
        return False
    return all(
        isinstance(fit.epochs, Amount)
        and fit.epochs.number is not None
        and fit.epochs.number > 1
        and fit.steps_per_epoch is ABSENT
        and fit.feed is not None
        and isinstance(steps.of, Feed)
        and fit.feed.site is steps.of.site
        for fit in fits
    )


@check("TFO010")
def epochs_as_training_steps(training: Training) -> Iterator[Fault]:
    """create_optimizer is told a number of epochs or rows, where it wants optimizer steps."""
    schedule = training.compiled.optimizer.schedule
    if schedule is None or schedule.steps is None or training.model.own_training:
        return
    if _counts_epochs(schedule.steps, training.fits):
        problem, severity = "epochs", None
    elif _counts_rows(schedule.steps, training.fits):
        problem, severity = "rows", Severity.WARNING
    else:
        return
    yield Fault(
        schedule.site.value_or_callee("num_train_steps"),
        {"expression": schedule.steps.text, "problem": problem},
        related=((training.fits[0].site.callee, "the model is trained here"),),
        fix=_times_batches(schedule, "num_train_steps", training.fits) if problem == "epochs" else None,
        severity=severity,
    )


@check("TFO013")
def miscounted_decay_steps(training: Training) -> Iterator[Fault]:
    """A schedule that ends after decay_steps is told one epoch of steps, or something that is not steps at all."""
    schedule = training.compiled.optimizer.follows
    if schedule is None or schedule.class_name not in _ENDING or schedule.steps is None or training.model.own_training:
        return
    if "cycle" in schedule.site.values or "warmup_steps" in schedule.site.values:
        return
    if _counts_epochs(schedule.steps, training.fits):
        problem = "epochs"
    elif _counts_rows(schedule.steps, training.fits):
        problem = "rows, not batches"
    elif _counts_one_epoch(schedule.steps, training.fits):
        problem = "the batches of one epoch, while fit runs several"
    else:
        return
    fix = None
    if problem == "epochs":
        fix = _times_batches(schedule, "decay_steps", training.fits)
    elif problem != "rows, not batches":
        fix = _times_epochs(schedule, training.fits)
    yield Fault(
        schedule.site.value_or_callee("decay_steps"),
        {"expression": schedule.steps.text, "schedule": schedule.class_name, "problem": problem},
        related=((training.fits[0].site.callee, "the model is trained here"),),
        fix=fix,
    )


def _times_batches(schedule: Schedule, argument: str, fits: tuple[Fitted, ...]) -> PlannedFix | None:
    """The number of epochs times the batches of the one feed that is trained on, where that has a name."""
    place = schedule.site.values.get(argument)
    trained = [fit.feed for fit in fits]
    if place is None or len(trained) != 1 or trained[0] is None or not _counts_batches(trained[0]):
        return None
    sites = trained[0].site
    name = next((name for feed, name in schedule.feeds if feed.site is sites and _counts_batches(feed)), None)
    if name is None:
        return None
    edit = Rewrite(place, f"len({name}) * {{text}}")
    return PlannedFix(Safety.UNSAFE, "Count the batches of all epochs", (edit,))


def _counts_batches(feed: Feed) -> bool:
    """Whether len() of a feed is the number of batches of one pass: other steps hide or change it."""
    known = feed.maker is not FeedMaker.OTHER and feed.batched is True
    return known and all(step.method in _COUNTED for step in feed.steps)


_COUNTED = frozenset({"batch", "padded_batch", "shuffle", "map", "prefetch", "cache", "with_options"})


def _times_epochs(schedule: Schedule, fits: tuple[Fitted, ...]) -> PlannedFix | None:
    """The batches of one epoch times the number of epochs, where that is written as a number."""
    place = schedule.site.values.get("decay_steps")
    texts = {fit.epochs.text if isinstance(fit.epochs, Amount) else "" for fit in fits}
    epochs = texts.pop() if len(texts) == 1 else ""
    if place is None or len(fits) != 1 or not epochs.isdigit():
        return None
    return PlannedFix(Safety.UNSAFE, "Count the batches of all epochs", (Rewrite(place, f"{{text}} * {epochs}"),))


@check("TFO012")
def impossible_warmup_steps(made: OptimizerMade) -> Iterator[Fault]:
    """A warm-up that is no whole number, or leaves nothing of the training."""
    optimizer = made.optimizer
    schedule = optimizer.schedule
    if schedule is None or schedule.warmup is None or schedule.warmup.number == 0:
        return
    warmup = schedule.warmup
    decays = optimizer.weight_decay not in (ABSENT, 0.0)
    place = schedule.site.value_or_callee("num_warmup_steps")
    if warmup.whole is False and not decays:
        fix = None
        fraction = warmup.unit is Unit.NUMBER and warmup.number is not None and warmup.number < 1
        if not fraction and warmup.text and "..." not in warmup.text:
            edits = (Replace(place, f"int({warmup.text})"),)
            fix = PlannedFix(Safety.SAFE, "Make it a whole number", edits)
        yield Fault(place, {"expression": warmup.text, "problem": "is not a whole number"}, fix=fix)
        return
    relation = _against_training(warmup, schedule.steps)
    if relation is not None:
        yield Fault(place, {"expression": warmup.text, "problem": relation})


def _against_training(warmup: Amount, steps: Amount | None) -> str | None:
    """What is wrong with a warm-up of this length, None if nothing is, or it cannot be told."""
    if steps is None or warmup.number is None or steps.number is None or warmup.soft or steps.soft:
        return None
    same_kind = warmup.unit is steps.unit and (warmup.unit is Unit.NUMBER or warmup.of is steps.of)
    if not same_kind or warmup.number < steps.number or warmup.whole is not True:
        return None
    length = "as long as" if warmup.number == steps.number else "longer than"
    return f"is {length} the training of {steps.text} steps"


@check("TFO014")
def lr_callback_with_schedule(training: Training) -> Iterator[Fault]:
    """A callback of Keras sets the learning rate of an optimizer that follows a schedule."""
    schedule = training.compiled.optimizer.follows
    if schedule is None or training.learning_rate_set:
        return
    for fit in training.fits:
        for callback in fit.callbacks:
            if callback.class_name in _SETTING_CALLBACKS and not callback.own:
                yield Fault(
                    callback.site.callee,
                    {"callback": callback.class_name, "schedule": schedule.class_name},
                    related=((schedule.site.callee, "the schedule is made here"),),
                )
