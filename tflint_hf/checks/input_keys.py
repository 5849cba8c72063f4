"""The names of the inputs beside what the model that gets them takes."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.data import LABEL_NAMES
from tflint_hf.checks.fault import Fault, check
from tflint_hf.findings import Safety, Severity
from tflint_hf.fixes import PlannedFix, RemoveElement, ReplaceString
from tflint_hf.knowledge import call_arguments_of, checkpoint
from tflint_hf.target import Target
from tflint_hf.trace.events import Evaluated, Event, Fitted, Predicted, TrainerMade
from tflint_hf.trace.objects import ABSENT, Feed, FeedMaker, Missing, Model, ModelOrigin, Structure
from tflint_hf.trace.places import Place
from tflint_hf.trace.views import Trace, rests_on_environment

_APPLIES = {"transformers": ">=4.18,<5"}


@check("TFD012")
def unknown_input_key(trace: Trace, target: Target) -> Iterator[Fault]:
    """The inputs of a model of transformers have a key that its call() does not take."""
    if not target.satisfies(_APPLIES):
        return
    for event in trace.events:
        if rests_on_environment(event.guards):
            continue
        for model, inputs, feed, here in _given(event):
            takes = _taken_by(model)
            if takes is None or inputs.kind != "dict" or not set(takes) & set(inputs.names):
                continue
            unknown = [name for name in inputs.names if name not in takes and name not in inputs.unsure]
            for name in unknown:
                if name in LABEL_NAMES and _may_rename(feed):
                    continue
                yield Fault(
                    inputs.place_of(name) or here,
                    {"key": name, "model": _spelled(model)},
                    related=((here, "the model gets it here"), (model.site.callee, "the model is made here")),
                    fix=_fix(inputs, name, _labels_of(event)),
                    severity=Severity.INFO if event.variants > 1 else None,
                    rests_on=_APPLIES,
                )


def _given(event: Event) -> Iterator[tuple[Model, Structure, Feed | None, Place]]:
    """The inputs that models get: with the feed that they come from, and the place where that happens."""
    feeds: tuple[Feed | None, ...] = ()
    if isinstance(event, Fitted):
        model, here, feeds = event.model, event.site.callee, (event.feed, event.validation)
        if event.feed is None and event.inputs is not None:
            yield model, event.inputs, None, here
    elif isinstance(event, Evaluated):
        model, here, feeds = event.model, event.site.callee, (event.feed,)
    elif isinstance(event, Predicted):
        model, here, feeds = event.prediction.model, event.prediction.site.callee, (event.prediction.feed,)
    elif isinstance(event, TrainerMade):
        model, here, feeds = event.model, event.place, event.feeds
    for feed in feeds:
        if feed is not None and feed.inputs is not None:
            yield model, feed.inputs, feed, here


def _taken_by(model: Model) -> tuple[str, ...] | None:
    """The arguments of the call() of a model as transformers makes it, None if they are not known."""
    made = model.origin in {ModelOrigin.PRETRAINED, ModelOrigin.CONFIG} and not model.own_training
    if model.head is None or not made:
        return None
    family = checkpoint(model.checkpoint).family if isinstance(model.checkpoint, str) else None
    return call_arguments_of(model.head, family)


def _may_rename(feed: Feed | None) -> bool:
    """Whether a collator may give the labels another name on the way."""
    return feed is not None and feed.maker is FeedMaker.TO_TF_DATASET and feed.collator is not ABSENT


def _labels_of(event: Event) -> bool | None:
    """Whether labels are given beside the inputs, None if there are none to give."""
    return event.has_targets if isinstance(event, Fitted) else None


def _fix(inputs: Structure, name: str, has_labels: bool | None) -> PlannedFix | None:
    place = inputs.place_of(name)
    if name in LABEL_NAMES and has_labels is False and "labels" not in inputs.names and place is not None:
        at = place if inputs.place is None or place.anchor is not inputs.place.anchor else inputs.place
        return PlannedFix(Safety.SAFE, "Call it labels", (ReplaceString(at, name, "labels"),))
    if inputs.place is None:
        return None
    return PlannedFix(Safety.SAFE, f"Leave {name} out", (RemoveElement(inputs.place, name),))


def _spelled(model: Model) -> str:
    name: str | Missing = model.checkpoint
    return f'{model.class_name} of "{name}"' if model.head is not None and model.head.auto else model.class_name
