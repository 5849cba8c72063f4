"""Metrics of compile() against what the model puts out and what its labels hold."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf import knowledge
from tflint_hf.checks.fault import Fault, check
from tflint_hf.checks.heads import trains_as_made
from tflint_hf.checks.labels import spelled_model
from tflint_hf.checks.tokens_as_labels import labels_of_all
from tflint_hf.findings import Safety
from tflint_hf.fixes import AddArgument, PlannedFix
from tflint_hf.knowledge import Task
from tflint_hf.target import Target
from tflint_hf.trace.objects import Form, Metric, Output, Reads
from tflint_hf.trace.views import Training

_SPARSE_ACCURACY = frozenset({"accuracy", "acc", "sparse_categorical_accuracy", "SparseCategoricalAccuracy"})
_TOKENS = frozenset({Task.TOKEN_CLASSIFICATION, Task.MASKED_LM, Task.SEQ2SEQ_LM, Task.CAUSAL_LM})


def spelled(metric: Metric) -> str:
    return f'"{metric.class_name}"' if metric.form is Form.STRING else metric.class_name


@check("TFE005")
def accuracy_on_token_labels(training: Training, target: Target) -> Iterator[Fault]:
    """Accuracy counts positions that the loss leaves out, or compares a token with the one before it."""
    applies = {"transformers": ">=4.20,<5"}
    head = training.model.head
    if head is None or head.task not in _TOKENS or not trains_as_made(training) or not target.satisfies(applies):
        return
    known = labels_of_all(training)
    if not known or any(fit.weighted is not False for fit, _ in known):
        return
    if all(labels.ignored == -100 for _, labels in known):
        ignored = "labels of -100"
    elif head.task is Task.CAUSAL_LM and all(labels.shift == 0 for _, labels in known):
        ignored = "labels that are not shifted"
    else:
        return
    for metric in training.compiled.metrics:
        if metric.class_name in _SPARSE_ACCURACY and metric.form in (Form.STRING, Form.FUNCTION, Form.OBJECT):
            yield Fault(
                metric.place,
                {"metric": spelled(metric), "model": spelled_model(training.model), "ignored": ignored},
                related=((known[0][0].site.callee, "the labels are given here"),),
                rests_on=applies,
            )


_AT_HALF = {
    "BinaryAccuracy": ("threshold", "threshold=0.0"),
    "Precision": ("thresholds", "thresholds=0.0"),
    "Recall": ("thresholds", "thresholds=0.0"),
    "F1Score": ("threshold", ""),
    "AUC": ("from_logits", "from_logits=True"),
}


@check("TFE003")
def probability_threshold_on_logits(training: Training) -> Iterator[Fault]:
    """A metric that cuts at a probability, on logits whose loss is told that they are logits."""
    compiled = training.compiled
    losses = compiled.losses
    if len(losses) != 1 or losses[0].class_name != "BinaryCrossentropy" or losses[0].reads is not Reads.LOGITS:
        return
    model = training.model
    if model.own_training or compiled.state.head_changed or model.outputs != (Output.LOGITS,):
        return
    if not (model.is_transformers or any(e.is_transformers for e in model.encoders)):
        return
    for metric in compiled.metrics:
        fault = _at_half(metric)
        if fault is not None:
            text = fault or None
            fix = None
            if text is not None and metric.site is not None:
                fix = PlannedFix(Safety.SAFE, "Cut at a logit of 0", (AddArgument(metric.site.place, text),))
            yield Fault(
                metric.place,
                {"metric": spelled(metric), "model": spelled_model(model)},
                related=((losses[0].place, "the loss reads logits"),),
                fix=fix,
            )


def _at_half(metric: Metric) -> str | None:
    """The argument that a metric lacks to read logits (empty: there is none that helps), None if it lacks nothing."""
    if metric.form is Form.STRING:
        info = knowledge.metric(metric.class_name)
        named = metric.class_name in {"accuracy", "acc"} or (info is not None and info.class_name in _AT_HALF)
        return "" if named else None
    if metric.form is not Form.OBJECT or metric.site is None or metric.class_name not in _AT_HALF:
        return None
    argument, text = _AT_HALF[metric.class_name]
    given = metric.site.values
    if argument in given or any(name.startswith(("#", "threshold", "num_thresholds")) for name in given):
        return None
    return text
