"""Which weights a program means to train, and which it does."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, check
from tflint_hf.checks.labels import spelled_model
from tflint_hf.findings import Severity
from tflint_hf.knowledge import Task
from tflint_hf.trace.events import TrainableSet
from tflint_hf.trace.objects import Keras, Model
from tflint_hf.trace.views import Freezing

_ALL_LAYERS = "layers[]"


def _holds_transformers(model: Model) -> bool:
    return model.is_transformers or any(e.is_transformers for e in model.encoders)


def _part(change: TrainableSet) -> str:
    return f"{change.model.class_name}.{change.part}" if change.part else change.model.class_name


@check("TFM001")
def trainable_after_compile(freezing: Freezing) -> Iterator[Fault]:
    """`trainable` is changed after compile(), which has read it already."""
    model = freezing.training.model
    if not _holds_transformers(model) or model.own_training:
        return
    if model.keras is not None and model.keras.keras is Keras.KERAS_3 and not model.is_transformers:
        return
    before = list(freezing.early)
    for change in freezing.late:
        if _changes_something(change, before):
            yield Fault(
                change.place,
                {"part": _part(change), "value": change.value},
                related=((freezing.training.compiled.site.callee, "this compile() has fixed what is trained"),),
            )
        before.append(change)


def _changes_something(change: TrainableSet, before: list[TrainableSet]) -> bool:
    if change.value is None or any(b.value is None for b in before):
        return False
    frozen = [b for b in before if b.value is False]
    if change.value:
        return bool(frozen)
    return not any(b.part == change.part and b.model.site is change.model.site for b in frozen)


@check("TFM002")
def nothing_left_to_train(freezing: Freezing) -> Iterator[Fault]:
    """Everything is frozen, or something is unfrozen inside a part that stays frozen."""
    model = freezing.training.model
    if not _holds_transformers(model) or model.own_training or not freezing.training.fits:
        return
    if any(change.value is None for change in freezing.early):
        return
    yield from _frozen_wholly(freezing)
    certain = [c for c in freezing.early if c.guards <= freezing.guards]
    for change in freezing.early:
        if change.value is not True:
            continue
        parents = [c for c in certain if c.model.site is change.model.site and _inside(change.part, c.part)]
        last = max(parents, key=lambda c: c.order, default=None)
        if last is not None and last.value is False:
            yield Fault(
                change.place,
                {
                    "what": f"{_part(change)} stays frozen",
                    "reason": f"{_part(last)}, which holds it, is frozen, and Keras asks the outer part first",
                },
                related=((last.place, "the part around it is frozen here"),),
                severity=Severity.WARNING,
            )


def _frozen_wholly(freezing: Freezing) -> Iterator[Fault]:
    model = freezing.training.model
    fits = freezing.training.fits
    if model.head is None or model.head.task is Task.BASE or any(f.state.head_changed or f.state.escaped for f in fits):
        return
    own = [c for c in freezing.early if c.model.site is model.site]
    frozen = [c for c in own if c.value is False and c.part in ("", _ALL_LAYERS) and c.guards <= freezing.guards]
    if frozen and not any(c.value is True and c.order > frozen[-1].order for c in own):
        yield Fault(
            frozen[-1].place,
            {
                "what": f"nothing of {spelled_model(model)} is left to train",
                "reason": "its own head is frozen with the rest, so fit() changes no weight at all",
            },
            related=((fits[0].site.callee, "it is trained here"),),
        )


def _inside(part: str, parent: str) -> bool:
    """Whether the part of a model lies inside another one."""
    if parent == _ALL_LAYERS:
        return not part.startswith("layers") and "." in part
    return part != parent and (not parent or re.match(re.escape(parent) + r"\.", part) is not None)
