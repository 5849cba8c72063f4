"""What a run saw, for people at a terminal: how it went, and each training as a person would look through it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tflint_hf.dynamic.record import essence
from tflint_hf.findings import Outcome
from tflint_hf.report.style import BOLD, DIM, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tflint_hf.dynamic.confirm import Confirmation
    from tflint_hf.dynamic.record import Facts, Observation, ObservedTraining
    from tflint_hf.report.style import Style

LABEL_WIDTH = 11
COUNTS_SHOWN = 8


def render_run(confirmation: Confirmation, style: Style) -> str:
    """The part of the report that follows the findings."""
    observation = confirmation.observation
    blocks = [list(_training(training, style)) for training in observation.trainings]
    blocks.append(list(_run(observation, style)))
    blocks.append([_outcomes(confirmation, style)])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _outcomes(confirmation: Confirmation, style: Style) -> str:
    counts = dict.fromkeys(Outcome, 0)
    for finding in confirmation.findings:
        if finding.verdict is not None:
            counts[finding.verdict.outcome] += 1
    said = ", ".join(f"{count} {outcome.value}" for outcome, count in counts.items() if count)
    return style.paint(f"The run says of {len(confirmation.findings)} findings: {said or 'nothing'}", BOLD)


def _line(label: str, text: str, style: Style) -> str:
    return f"  {style.paint(label.ljust(LABEL_WIDTH), DIM)}{printable(text)}"


def _run(observation: Observation, style: Style) -> Iterator[str]:
    record = observation.record
    device = "GPU" if any("GPU" in name for name in observation.devices) else "CPU"
    yield style.paint(f"the run {record.ended.value} after {record.seconds:.0f} s on the {device}", BOLD)
    versions = ", ".join(f"{name} {version}" for name, version in sorted(observation.versions.items()))
    if versions:
        yield _line("versions", versions, style)
    for error in observation.errors:
        where = f"line {error.at[0].line}: " if error.at else ""
        yield _line("stopped", f"{where}{error.type}: {essence(error.text)}", style)
        if error.went_on:
            yield _line("", f"the run went on {error.went_on}", style)
    for label, names in (
        ("stand-in", observation.stand_ins),
        ("missing", observation.missing),
        ("kept back", observation.kept_back),
        ("trouble", observation.troubles),
    ):
        for name in names:
            yield _line(label, name, style)


def _training(training: ObservedTraining, style: Style) -> Iterator[str]:
    said = training.said
    where = f"line {training.at[0].line}" if training.at else "an unknown line"
    name = said.text("model.class") or "a model"
    kind = "training loop" if training.is_loop else "training"
    with_stand_in = ", a stand-in" if training.stand_in else ""
    yield style.paint(f"{kind} {training.number}, {where}: {name}{with_stand_in}", BOLD)
    for row in training.facts("batch").items("rows"):
        yield _line("row", f"{row['text']!r} -> {row['label']}", style)
    yield from (_line(label, text, style) for label, text in training_lines(training))


def _arrays(arrays: dict[str, Any]) -> str:
    return ", ".join(
        f"{name or 'array'} {tuple(one.get('shape') or ())} {one.get('dtype', '')}".strip()
        for name, one in arrays.items()
    )


def _beside(batch: Facts) -> str:
    labels = batch.mapping("labels")
    return f"; beside them {_arrays(labels)}" if labels else "; no labels beside them"


def training_lines(training: ObservedTraining) -> Iterator[tuple[str, str]]:
    """What was measured of a training, as (what, sentence)."""
    batch = training.facts("batch")
    if batch.said:
        yield "batch", _arrays(batch.mapping("inputs")) + _beside(batch)
    labels, forward = training.facts("labels"), training.facts("forward")
    counts = labels.mapping("counts")
    if counts:
        shown = ", ".join(f"{value}: {count}" for value, count in list(counts.items())[:COUNTS_SHOWN])
        more = ", ..." if len(counts) > COUNTS_SHOWN else ""
        majority, guess = labels.number("majority") or 0, labels.number("guess_loss") or 0
        yield "labels", f"{shown}{more}; always the same one is right for {majority:.0%}, guessing loses {guess:.3f}"
    loss = forward.number("loss")
    if loss is not None:
        classes = forward.number("formulas.ln_classes")
        against = f", ln({round(math.exp(classes))}) is {classes:.3f}" if classes else ""
        yield "loss", f"{loss:.4f} on the first batch{against}"
    shape = forward.items("outputs.shape")
    if shape:
        lowest, highest = forward.number("outputs.min"), forward.number("outputs.max")
        span = f", from {lowest:.3g} to {highest:.3g}" if lowest is not None and highest is not None else ""
        yield "outputs", f"{tuple(shape)} {forward.text('outputs.dtype')}{span}"
    yield from _optimizer(training)
    overfit = training.facts("overfit")
    for name, words in (("own", "the program's optimizer"), ("safe", "a safe optimizer")):
        losses = overfit.items(f"{name}.losses")
        if losses:
            right = overfit.number(f"{name}.right")
            judged = f", {right:.0%} of its labels right" if right is not None else ""
            yield "one batch", f"{words}: {losses[0]:.3f} to {losses[-1]:.3f} in {len(losses)} steps{judged}"


def _optimizer(training: ObservedTraining) -> Iterator[tuple[str, str]]:
    said, gradients = training.said, training.facts("gradients")
    rate = said.number("optimizer.learning_rate")
    if rate is not None:
        schedule, last = said.text("optimizer.schedule"), said.number("optimizer.rates.end")
        along = f", {schedule} to {last:g} at the last of {said.get('total_steps')} steps" if last is not None else ""
        yield "optimizer", f"{said.text('optimizer.class')}, learning rate {rate:g}{along}"
    norm, ratio = gradients.number("norm"), gradients.number("update_ratio")
    if norm is not None:
        missing, zero = gradients.number("missing_count") or 0, gradients.number("zero_count") or 0
        without = f"; of {gradients.number('count') or 0:g} weights {missing:g} get none, {zero:g} zeros"
        yield "gradients", f"norm {norm:.3g}{without if missing or zero else ''}"
    if ratio is not None:
        yield "update", f"one step changes a weight matrix by {ratio:.2%} at the median"
