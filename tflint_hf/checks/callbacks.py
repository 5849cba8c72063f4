"""Callbacks: the values that they wait for, and the functions that they call."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf import knowledge
from tflint_hf.checks.fault import Fault, check
from tflint_hf.findings import Safety
from tflint_hf.fixes import AddArgument, PlannedFix, Replace, Rewrite, SwapElements
from tflint_hf.target import Target
from tflint_hf.trace.events import CallbackMade, Fitted
from tflint_hf.trace.objects import ABSENT, Callback
from tflint_hf.trace.views import Training

_METRIC_CALLBACK = "KerasMetricCallback"
_LIBRARY_CALLBACKS = frozenset({_METRIC_CALLBACK, "PushToHubCallback"})
#: Callbacks that set values of the logs by functions of the program, or by what they compute.
_MAY_ADD_VALUES = frozenset({"LambdaCallback"})
_FOLLOWERS = frozenset({"EarlyStopping", "ReduceLROnPlateau", "ModelCheckpoint"})
_SETS_RATE = frozenset({"ReduceLROnPlateau", "LearningRateScheduler"})


@check("TFE006")
def unusable_metric_function(made: CallbackMade, target: Target) -> Iterator[Fault]:
    """A metric function that wants two arguments, or returns no dictionary."""
    applies = {"transformers": ">=4.16,<5"}
    metric = made.callback.metric
    if metric is None or not target.satisfies(applies):
        return
    fix = None
    given = made.callback.site.values.get("metric_fn")
    if metric.required is not None and metric.required > 1:
        place, problem = metric.place, f"it needs {metric.required} arguments and gets one"
        if metric.required == 2 and given is not None:
            spread = Rewrite(given, "lambda predictions_and_labels: {text}(*predictions_and_labels)")
            fix = PlannedFix(Safety.SAFE, "Give it the two parts of the pair", (spread,))
    elif metric.number is not None:
        place, problem = metric.number, "it returns a number and not a dict"
    else:
        return
    yield Fault(
        place,
        {"function": metric.name, "problem": problem},
        related=((made.callback.site.callee, "the callback gets it here"),),
        fix=fix,
        rests_on=applies,
    )


def _followed(callback: Callback) -> str | None:
    """The value of the logs that a callback cannot do without, None if there is none or it is not known."""
    needs = callback.class_name in {"EarlyStopping", "ReduceLROnPlateau"} or (
        callback.class_name == "ModelCheckpoint" and callback.only_best is True
    )
    if not needs or callback.own:
        return None
    name = "val_loss" if callback.monitor is ABSENT else callback.monitor
    return name if isinstance(name, str) else None


def may_need_validation(fit: Fitted) -> bool:
    """Whether a callback, or what the program does with the History, may read values of the validation."""
    if fit.history_kept or not fit.callbacks_known or fit.own_callbacks:
        return True
    return any(not _adds_no_values(c) or _reads_validation(c) for c in fit.callbacks)


def _reads_validation(callback: Callback) -> bool:
    """Whether a callback may follow a value of the validation, by its default too, or write one into a file's name."""
    if callback.class_name not in _FOLLOWERS:
        return False
    if callback.class_name == "ModelCheckpoint" and "{val_" in str(callback.site.literals.get("filepath", "{val_")):
        return True
    return not isinstance(callback.monitor, str) or callback.monitor.startswith("val_")


def _names_in_logs(training: Training, fit: Fitted) -> list[str] | None:
    """The values that fit() itself logs, None if they are not known."""
    model, compiled = training.model, training.compiled
    metrics = (*compiled.metrics, *compiled.weighted_metrics)
    if model.own_training or len(model.outputs) > 1 or fit.validates is None or len(compiled.losses) > 1:
        return None
    if model.head is not None and model.head.task in (knowledge.Task.QUESTION_ANSWERING, knowledge.Task.OTHER):
        return None
    if len(fit.compiled) != 1 or any(not metric.name for metric in metrics):
        return None
    names = ["loss", *(metric.name for metric in metrics)]
    return [*names, *(f"val_{name}" for name in names)] if fit.validates else names


@check("TFE008")
def unknown_monitor_name(training: Training) -> Iterator[Fault]:
    """A callback waits for a value that fit() never logs."""
    for fit in training.fits:
        names = _names_in_logs(training, fit)
        if names is None or not fit.callbacks_known or fit.own_callbacks:
            continue
        if not all(_adds_no_values(callback) for callback in fit.callbacks):
            continue
        known = [*names, *(key for c in fit.callbacks if c.metric is not None for key in c.metric.keys or ())]
        if any(c.class_name in _SETS_RATE for c in fit.callbacks):
            known += ["lr", "learning_rate"]
        for callback in fit.callbacks:
            name = _followed(callback)
            if name is not None and name not in known:
                yield Fault(
                    callback.site.value_or_callee("monitor"),
                    {"callback": callback.class_name, "monitor": name, "known": ", ".join(names)},
                    related=((fit.site.callee, "fit gets it here"),),
                    fix=_another_name(callback, name, names),
                )


def _adds_no_values(callback: Callback) -> bool:
    """Whether it is known which values a callback puts into the logs."""
    if callback.class_name == _METRIC_CALLBACK:
        return callback.metric is not None and callback.metric.keys is not None
    known = callback.class_name in knowledge.callbacks() or callback.class_name in _LIBRARY_CALLBACKS
    return known and not callback.own and callback.class_name not in _MAY_ADD_VALUES


def _another_name(callback: Callback, name: str, names: list[str]) -> PlannedFix | None:
    """The name that was meant, where there is just one of its kind.

    No value of the training stands in for one of the validation.
    """
    held, asked = name.startswith("val_"), name.removeprefix("val_")
    alike = [n for n in names if n.startswith("val_") is held and "acc" in asked and "acc" in n]
    if len(alike) != 1:
        return None
    given = callback.site.values.get("monitor")
    text = f'"{alike[0]}"'
    add = AddArgument(callback.site.place, f"monitor={text}")
    edit = add if given is None else Replace(given, text, for_all_uses=True)
    return PlannedFix(Safety.UNSAFE, f"Follow {alike[0]}", (edit,))


@check("TFE007")
def early_stopping_before_metric(training: Training, target: Target) -> Iterator[Fault]:
    """A callback reads a value before the KerasMetricCallback behind it has computed it."""
    applies = {"transformers": ">=4.16,<5"}
    if not target.satisfies(applies):
        return
    for fit in training.fits:
        names = _names_in_logs(training, fit)
        if names is None or not fit.callbacks_known or fit.own_callbacks:
            continue
        for number, callback in enumerate(fit.callbacks):
            name = _followed(callback)
            if name is None or name in names or any(name in _keys(before) for before in fit.callbacks[:number]):
                continue
            after = range(number + 1, len(fit.callbacks))
            first = next((i for i in after if name in _keys(fit.callbacks[i])), None)
            if first is not None:
                later, fix = fit.callbacks[first], None
                if fit.callback_places:
                    swap = SwapElements(fit.callback_places[number], fit.callback_places[first])
                    fix = PlannedFix(Safety.UNSAFE, "Compute the value first", (swap,))
                yield Fault(
                    callback.site.callee,
                    {"callback": callback.class_name, "metric": name},
                    related=((later.site.callee, "the value is computed here, later"),),
                    fix=fix,
                    rests_on=applies,
                )


def _keys(callback: Callback) -> tuple[str, ...]:
    return (callback.metric.keys or ()) if callback.metric is not None else ()
