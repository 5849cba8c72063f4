"""Losses: which formula the loss of the run is, and what reaches it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tflint_hf.dynamic.verdicts.probe import Measured, Scene, confirmed, probe, refuted, undecided

if TYPE_CHECKING:
    from tflint_hf.dynamic.record import Facts

RELATIVE, ABSOLUTE = 2e-3, 2e-3
_AS_PROBABILITIES = (
    "as_probabilities",
    "as_probabilities_scaled",
    "binary_as_probabilities",
    "categorical_as_probabilities",
)
_AS_LOGITS = ("as_logits", "binary_as_logits", "categorical_as_logits")


@probe("missing-from-logits", "forward", "gradients")
def missing_from_logits(scene: Scene) -> Measured | None:
    """What the loss makes of outputs is compared with both formulas on the same numbers.

    Made-up outputs decide, where the loss can be asked; those of a fresh model may fit both.
    """
    forward = scene.training.facts("forward")
    loss = forward.number("loss")
    if loss is None or forward.flag("outputs.sums_to_one"):
        return None
    wrong, right = _meanings(forward, "trial.")
    if wrong == right:
        wrong, right = _meanings(forward, "")
    if wrong and not right:
        return confirmed(_as_probabilities(scene, loss), loss=loss)
    if right and not wrong:
        return refuted(f"the loss, {loss:.3f} on the first batch, reads logits", loss=loss)
    return undecided(f"the loss of the first batch, {loss:.3f}, fits neither formula, or both", loss=loss)


def _meanings(forward: Facts, prefix: str) -> tuple[bool, bool]:
    """Whether the loss fits that of probabilities, and that of logits."""
    loss = forward.number(f"{prefix}loss")
    if loss is None:
        return False, False
    return _fits(loss, forward, _AS_PROBABILITIES, prefix), _fits(loss, forward, _AS_LOGITS, prefix)


def _as_probabilities(scene: Scene, loss: float) -> str:
    forward = scene.training.facts("forward")
    text = f"the loss of the first batch is {loss:.2f}, as when logits are read as probabilities"
    other = next((value for name in _AS_LOGITS if (value := forward.number(f"formulas.{name}")) is not None), None)
    if other is not None and not math.isclose(other, loss, rel_tol=RELATIVE, abs_tol=ABSOLUTE):
        text += f" (read as logits: {other:.2f})"
    flat = forward.number("formulas.flat_share")
    if flat:
        text += f"; {flat:.0%} of the outputs lie where that loss has no slope"
    zero = scene.training.facts("gradients").number("output_gradient_zero_share")
    if zero:
        text += f", and {zero:.0%} of the rows give no gradient at all"
    return text


def _fits(loss: float, forward: Facts, names: tuple[str, ...], prefix: str = "") -> bool:
    values = (forward.number(f"{prefix}formulas.{name}") for name in names)
    return any(value is not None and math.isclose(value, loss, rel_tol=RELATIVE, abs_tol=ABSOLUTE) for value in values)


@probe("negative-loss", "forward")
def negative_loss(scene: Scene) -> Measured | None:
    """Whether the loss is the mean of the outputs, which is what is left when the labels reach no loss."""
    forward = scene.training.facts("forward")
    loss, mean = forward.number("loss"), forward.number("mean_of_outputs")
    if loss is None or mean is None:
        return None
    if math.isclose(loss, mean, rel_tol=RELATIVE, abs_tol=1e-5) and not _fits(loss, forward, _AS_LOGITS):
        text = f"the loss, {loss:.4f}, is the mean of the model's outputs: the labels have no part in it"
        return confirmed(text, loss=loss, mean_of_outputs=mean)
    return refuted(f"the loss is {loss:.4f}, the mean of the outputs {mean:.4f}", loss=loss, mean_of_outputs=mean)


@probe("one-batch-copy", "labels", "forward")
def one_batch_copy(scene: Scene) -> Measured | None:
    """A language model whose loss compares each output with the token that stands at the same place."""
    forward, labels = scene.training.facts("forward"), scene.training.facts("labels")
    loss, same = forward.number("loss"), labels.number("same_as_ids")
    if loss is None or same is None:
        return None
    if same > 0.99 and _fits(loss, forward, ("as_logits", "as_probabilities", "as_probabilities_scaled")):
        if _fits(loss, forward, ("as_shifted_logits",)):
            return undecided("the loss fits both the shifted and the unshifted formula")
        return confirmed(
            f"the labels are the token ids ({same:.0%}), and the loss, {loss:.3f}, compares each with the output at "
            "its own place: the model learns to copy",
            loss=loss,
        )
    if _fits(loss, forward, ("as_shifted_logits",)):
        return refuted(f"the loss, {loss:.3f}, compares each output with the next token", loss=loss)
    return None


@probe("shift-of-labels", "labels")
def shift_of_labels(scene: Scene) -> Measured | None:
    """Labels that are moved by one place already, for a model that moves them again."""
    later = scene.training.facts("labels").number("next_ids")
    if later is None:
        return None
    if later > 0.99:
        return confirmed(
            f"{later:.0%} of the labels are the next token already, and the model compares with the next one again",
            next_ids=later,
        )
    return refuted(f"only {later:.0%} of the labels are the next token", next_ids=later)


@probe("losses-per-output")
def losses_per_output(scene: Scene) -> Measured | None:
    """The names of the losses in the log of fit()."""
    log = [name for name in scene.training.log if name.endswith("loss") and not name.startswith("val_")]
    given = scene.training.said.mapping("compiled.loss").get("of")
    if not log or not isinstance(given, dict):
        return None
    if len(log) - 1 < len(given):
        return confirmed(f"{len(given)} losses were given, fit computed {len(log) - 1}: {', '.join(log)}")
    return refuted(f"fit computed {', '.join(log)}")


@probe("gradient-flow", "gradients")
def gradient_flow(scene: Scene) -> Measured | None:
    """Whether the loss gives any gradient."""
    gradients = scene.training.facts("gradients")
    count, missing, zero = (gradients.number(name) for name in ("count", "missing_count", "zero_count"))
    why = scene.training.failed.get("gradients", "")
    if "No loss" in why or "No gradients" in why:
        return confirmed(f"the first step stops: {why[:160]}")
    if count is None or missing is None or zero is None:
        return None
    if count and missing + zero >= count:
        return confirmed(f"none of the {count:g} weights gets a gradient", weights=count)
    return refuted(f"{count - missing - zero:g} of {count:g} weights get a gradient", weights=count)


@probe("constant-output", "forward", "overfit")
def constant_output(scene: Scene) -> Measured | None:
    """Whether the model says anything but one thing."""
    forward, overfit = scene.training.facts("forward"), scene.training.facts("overfit")
    deviation = forward.number("outputs.row_deviation")
    shape = forward.items("outputs.shape")
    if deviation is None:
        return None
    lowest, highest = forward.number("outputs.min"), forward.number("outputs.max")
    if lowest is not None and lowest == highest:
        return confirmed(f"all outputs are {lowest:g}, whatever the input", output=lowest)
    loss = scene.training.said.text("compiled.loss.name").lower()
    if len(shape) > 1 and shape[-1] == 1 and "categorical" in loss:
        return confirmed("the model has one output, and its loss chooses among the outputs: it can only be 0")
    distinct, labels = overfit.number("safe.distinct_predictions"), overfit.number("safe.distinct_labels")
    if distinct == 1 and labels is not None and labels > 1:
        return confirmed("after training on one batch by a safe optimizer all its rows are still given the same class")
    right = overfit.number("safe.right")
    if right is not None and right > 0.9:
        return refuted(f"the model learns {right:.0%} of one batch by heart")
    return undecided(f"the outputs differ by {deviation:.2g} from row to row", deviation=deviation)


@probe("logit-range", "forward")
def logit_range(scene: Scene) -> Measured | None:
    """What the outputs are: numbers of any size, or probabilities."""
    return outside_probabilities(scene)


@probe("metric-threshold", "forward")
def metric_threshold(scene: Scene) -> Measured | None:
    """A metric with a threshold of 0.5 over outputs that are no probabilities."""
    return outside_probabilities(scene)


def outside_probabilities(scene: Scene) -> Measured | None:
    forward = scene.training.facts("forward")
    lowest, highest = forward.number("outputs.min"), forward.number("outputs.max")
    if lowest is None or highest is None:
        return None
    text = f"the outputs of the first batch go from {lowest:.2g} to {highest:.2g}"
    if lowest < 0 or highest > 1:
        return confirmed(f"{text}: they are no probabilities", lowest=lowest, highest=highest)
    if forward.flag("outputs.sums_to_one"):
        return refuted(f"{text}, and those of a row sum to 1", lowest=lowest, highest=highest)
    return undecided(text, lowest=lowest, highest=highest)
