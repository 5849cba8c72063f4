"""Data that is to tell how a model does on rows it has not seen."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf import knowledge
from tflint_hf.checks.fault import Fault, check
from tflint_hf.findings import Severity
from tflint_hf.trace.events import Evaluated, Fitted, WeightsLoaded
from tflint_hf.trace.objects import ABSENT, Callback, Feed, Model
from tflint_hf.trace.views import Trace

_HELD_OUT = ("validation", "valid", "val", "dev")


@check("TFE011")
def validation_data_not_held_out(trace: Trace) -> Iterator[Fault]:
    """The validation data is the training data, or the test data that is scored in the end."""
    for fit in trace.of(Fitted):
        place = fit.site.value_or_callee("validation_data")
        if not _has_transformer(fit.model) or fit.validation_rows is None:
            continue
        if fit.validation_rows == fit.rows:
            yield Fault(place, {"role": "the data that the model is trained on"})
            continue
        scored = _scored_afterwards(fit, trace)
        if scored is not None and fit.validation is not None and fit.validation.split == "test":
            yield Fault(
                place,
                {"role": "the test data that is scored in the end"},
                related=((scored.place, "it is scored here"),),
                severity=None if _has_other_split(fit.validation) else Severity.INFO,
            )


def _has_transformer(model: Model) -> bool:
    return model.is_transformers or any(part.is_transformers for part in model.encoders)


def _scored_afterwards(fit: Fitted, trace: Trace) -> Evaluated | None:
    """The evaluate() on the validation data of a fit() that lets it choose the epoch."""
    later = [e for e in trace.events if e.order > fit.order and e.run == fit.run]
    restored = any(isinstance(e, WeightsLoaded) and e.model.site is fit.model.site for e in later)
    if not any(_chooses(callback, restored=restored) for callback in fit.callbacks):
        return None
    for event in later:
        if isinstance(event, Evaluated) and event.model.site is fit.model.site and event.rows == fit.validation_rows:
            return event
    return None


def _chooses(callback: Callback, *, restored: bool) -> bool:
    """Whether a callback takes the weights of the epoch with the best validation score."""
    monitor = "val_loss" if callback.monitor is ABSENT else callback.monitor
    if not isinstance(monitor, str) or not monitor.startswith("val_"):
        return False
    if callback.class_name == "ModelCheckpoint":
        return callback.only_best is True and restored
    return callback.class_name == "EarlyStopping"


def _has_other_split(feed: Feed) -> bool:
    """Whether the data set has a split for validation."""
    source = feed.source
    if source is None:
        return False
    splits = source.splits
    if splits is None:
        info = knowledge.dataset(source.name)
        if info is None and "/" in source.name:
            info = knowledge.dataset(*source.name.rsplit("/", 1))
        splits = info.splits if info is not None else ()
    return any(name.startswith(_HELD_OUT) for name in splits)
