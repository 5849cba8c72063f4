"""Predictions: what their numbers are taken for, and what they are compared with."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, check
from tflint_hf.checks.heads import outputs_of
from tflint_hf.checks.labels import spelled_model
from tflint_hf.checks.roles import made_alike
from tflint_hf.findings import Safety
from tflint_hf.fixes import AddArgument, PlannedEdit, PlannedFix, RemoveStep, Replace
from tflint_hf.knowledge import Task
from tflint_hf.trace.events import Compiled, PredictionCompared, ReadAsProbability
from tflint_hf.trace.objects import ABSENT, Feed, FeedMaker, GivenLabels, Output, Prediction, PredictionForm, Reads
from tflint_hf.trace.views import Trace

_SHUFFLED = "the dataset is shuffled"
_CLASSIFIES = frozenset(
    {Task.SEQUENCE_CLASSIFICATION, Task.TOKEN_CLASSIFICATION, Task.IMAGE_CLASSIFICATION, Task.MULTIPLE_CHOICE}
)


def _reads_logits(compiled: Compiled) -> bool:
    """Whether the loss of a compile() is a crossentropy of logits."""
    return len(compiled.losses) == 1 and compiled.losses[0].reads is Reads.LOGITS


def _is_logits(prediction: Prediction) -> bool:
    """Whether the numbers are logits of classes or flags, and no score that was trained as a number."""
    model, compiled = prediction.model, prediction.compiled
    if any(c.state.head_changed for c in compiled) or model.own_training:
        return False
    if prediction.form is PredictionForm.ARRAY:
        trained = bool(compiled) and all(_reads_logits(c) for c in compiled)
        return trained and model.outputs == (Output.LOGITS,) and any(e.is_transformers for e in model.encoders)
    if model.head is None or model.head.task not in _CLASSIFIES:
        return False
    outputs = outputs_of(model)
    if outputs is None:
        return False
    own_loss = outputs > 1 and not any(c.loss_given for c in compiled)
    return own_loss or (bool(compiled) and all(_reads_logits(c) for c in compiled))


@check("TFE002")
def logits_read_as_probabilities(read: ReadAsProbability) -> Iterator[Fault]:
    """Logits are compared with a share, rounded, or shown as a percentage."""
    if _is_logits(read.prediction):
        yield Fault(
            read.place,
            {"use": read.use, "model": spelled_model(read.prediction.model)},
            related=((read.prediction.site.callee, "the model is asked here"),),
            fix=_cut_at_zero(read),
        )


def _cut_at_zero(read: ReadAsProbability) -> PlannedFix | None:
    """A sigmoid is above 0.5 just where its logit is above 0. A softmax over several logits has no such bound."""
    losses = [loss for compiled in read.prediction.compiled for loss in compiled.losses]
    if read.half is None or not losses or any(loss.class_name != "BinaryCrossentropy" for loss in losses):
        return None
    return PlannedFix(Safety.SAFE, "Compare the logit with 0", (Replace(read.half, "0"),))


@check("TFE004")
def predictions_against_other_order(compared: PredictionCompared, trace: Trace) -> Iterator[Fault]:
    """Predictions in the order of a feed are compared with labels in another order, or of other rows."""
    feed, labels = compared.prediction.feed, compared.labels
    reason = _reason(feed, labels) if feed is not None else None
    if feed is not None and reason is not None:
        alike = made_alike(trace, feed.site.place, trained_on=False)
        yield Fault(
            compared.place,
            {"labels": labels.text or "the labels", "reason": reason},
            related=((compared.prediction.site.callee, "the predictions are made here"),),
            fix=_in_order(feed) if reason == _SHUFFLED and alike else None,
        )


def _in_order(feed: Feed) -> PlannedFix:
    """The feed without its shuffling."""
    edits: list[PlannedEdit] = [RemoveStep(s.site.place) for s in feed.steps if s.method == "shuffle"]
    if feed.shuffle_argument is True:
        edits.append(Replace(feed.site.values["shuffle"], "False"))
    elif feed.maker is FeedMaker.PREPARE_TF_DATASET and feed.shuffle_argument is ABSENT:
        edits.append(AddArgument(feed.site.place, "shuffle=False"))
    return PlannedFix(Safety.SAFE, "Keep the order of the rows", tuple(edits))


def _reason(feed: Feed, labels: GivenLabels) -> str | None:
    """Why row n of the predictions is not row n of the labels, None if it is, or that is not known."""
    source, held = feed.source, labels.dataset
    same_array = labels.source is not None and labels.source is feed.label_source
    if source is None or held is None or source.site is None or held.site is not source.site:
        if not same_array:
            return None
    elif not (source.renamed or held.renamed) and source.split != held.split:
        named = isinstance(source.split, str) and isinstance(held.split, str)
        return f"they come from the split {source.split}" if named else None
    elif source.split != held.split or not isinstance(source.split, str):
        return None
    if feed.reordered:
        return _SHUFFLED
    if feed.drops_rows and not labels.cut:
        return "drop_remainder leaves rows out"
    return None
