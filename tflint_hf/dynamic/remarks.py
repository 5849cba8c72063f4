"""What a person should look at in a training, whether a rule speaks of it or not.

The thresholds are those of the literature on debugging neural networks, loosened until programs that are right stay
without a remark: TheDeepChecker and Karpathy's recipe for the batch learnt by heart, SageMaker's debugger for gradients
and imbalance.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tflint_hf.dynamic.record import Facts, ObservedTraining

IMBALANCE = 0.9
"""One label with this share of all is worth a word."""
EXPLODING = 1e3
LEARNT, NOT_LEARNT = 0.9, 0.6
"""Shares of the labels of one batch that count as learnt by heart, and as not learnt."""
SCALE = 100.0
"""Losses that differ by this factor are no equal partners."""


def remarks(training: ObservedTraining) -> list[str]:
    """Sentences with their numbers, the worst first."""
    found: list[str] = []
    for look in (_not_finite, _labels, _gradients, _one_batch, _rows, _losses):
        found.extend(look(training))
    return found


def _not_finite(training: ObservedTraining) -> Iterator[str]:
    batch, forward = training.facts("batch"), training.facts("forward")
    for name, array in batch.mapping("inputs").items():
        if isinstance(array, dict) and array.get("not_finite"):
            yield f"{name} holds {array['not_finite']} values that are not finite"
    weights = forward.items("weights_not_finite")
    if weights:
        yield f"weights that are not finite before the first step: {', '.join(weights[:3])}{_as_saved(forward)}"
    rows, labels = forward.items("rows_not_finite.rows"), forward.items("rows_not_finite.labels")
    if rows and not weights:
        text = f"the loss is not finite for {len(rows)} of {forward.get('rows_not_finite.of')} rows alone"
        if labels and len(set(labels)) <= 3:
            text += f"; what they share is their label: {', '.join(dict.fromkeys(labels))}"
        yield text


def _as_saved(forward: Facts) -> str:
    """Where weights were broken that were loaded: the run loads them a second time."""
    count, broken = forward.number("weights_as_saved.count"), forward.number("weights_as_saved.broken")
    source = forward.text("weights_as_saved.source") or "the checkpoint"
    if count is None or broken is None:
        return ""
    if forward.flag("weights_as_saved.stand_in"):
        source = f"the stand-in for {source}"
    if not broken:
        return f"; loaded from {source} again they are finite: the program breaks them between loading and training"
    if broken < count:
        return f"; {broken:g} of {count:g} are so as soon as {source} is loaded, the program breaks the others"
    return f"; they are so as soon as {source} is loaded: what was saved there is broken"


def _labels(training: ObservedTraining) -> Iterator[str]:
    labels = training.facts("labels")
    count, majority = labels.number("count"), labels.number("majority")
    if labels.number("distinct") == 1 and (count or 0) > 1:
        yield f"all {count:g} labels that were looked at are the same"
    elif majority is not None and majority > IMBALANCE:
        yield f"{majority:.0%} of the labels are the same one: an accuracy below that is no success"
    if labels.number("not_finite"):
        yield f"{labels.number('not_finite'):g} labels are not finite"


def _gradients(training: ObservedTraining) -> Iterator[str]:
    gradients = training.facts("gradients")
    count, missing, zero = (gradients.number(name) for name in ("count", "missing_count", "zero_count"))
    norm = gradients.number("norm")
    if count is None or missing is None or zero is None:
        return
    if gradients.items("not_finite"):
        yield f"gradients that are not finite: {', '.join(gradients.items('not_finite')[:3])}"
    if count and missing + zero >= count:
        yield "no weight gets a gradient: the loss does not depend on the model"
    elif zero > count / 2:
        yield f"{zero:g} of {count:g} weights get a gradient of zero"
    if norm is not None and norm > EXPLODING:
        yield f"the gradient of the first batch has the norm {norm:.3g}"


def _one_batch(training: ObservedTraining) -> Iterator[str]:
    overfit = training.facts("overfit")
    own, safe = overfit.number("own.right"), overfit.number("safe.right")
    if safe is None:
        return
    if own is not None and own < NOT_LEARNT and safe > LEARNT:
        yield (
            f"one batch is not learnt by heart with the program's optimizer ({own:.0%} right), but is with a safe one "
            f"({safe:.0%}): look at the optimizer"
        )
    distinct, labels = overfit.number("safe.distinct_predictions"), overfit.number("safe.distinct_labels")
    if safe < NOT_LEARNT and distinct == 1 and labels is not None and labels > 1 and not training.stand_in:
        yield f"not even one batch is learnt, its rows are all predicted alike ({safe:.0%} right): look at the loss"


def _rows(training: ObservedTraining) -> Iterator[str]:
    order = training.facts("order")
    shared, rows = order.number("shared_rows"), order.number("validation_rows")
    if shared and rows:
        yield f"{shared:g} of {rows:g} validation rows are among the training rows that were looked at"
    repeated, every = order.number("train.repeated_rows"), order.number("train.rows")
    if repeated and every and repeated > every / 2:
        yield f"{repeated:g} of {every:g} training rows are repetitions of others"


def _losses(training: ObservedTraining) -> Iterator[str]:
    parts = {
        name: values[0]
        for name, values in training.log.items()
        if name.endswith("_loss") and not name.startswith("val_") and values and values[0] > 0
    }
    if len(parts) > 1 and max(parts.values()) > SCALE * min(parts.values()):
        largest, smallest = max(parts, key=parts.__getitem__), min(parts, key=parts.__getitem__)
        yield (
            f"{largest} is {parts[largest]:.3g} and {smallest} is {parts[smallest]:.3g}: "
            "the smaller one hardly counts in their sum"
        )
