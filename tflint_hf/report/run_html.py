"""What a run saw, as one page that needs no network: findings with verdicts, and each training in pictures."""

from __future__ import annotations

import importlib.resources
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tflint_hf.dynamic.record import essence
from tflint_hf.findings import Outcome
from tflint_hf.report import charts
from tflint_hf.report.run_text import training_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tflint_hf.dynamic.confirm import Confirmation
    from tflint_hf.dynamic.record import ObservedTraining
    from tflint_hf.findings import Finding, ScanResult

TEMPLATE = "run.html.jinja"
LAYERS_SHOWN = 40


class MissingTemplateEngine(Exception):  # noqa: N818 - it reads as what it is where it is caught
    """jinja2, which writes the page, is not installed."""


@dataclass(frozen=True, slots=True)
class Chart:
    title: str
    svg: str


def render(result: ScanResult, confirmation: Confirmation) -> str:
    """The page. Raises MissingTemplateEngine without jinja2."""
    try:
        import jinja2
    except ImportError:
        raise MissingTemplateEngine('the page is written by jinja2: pip install "tflint-hf[confirm]"') from None
    text = importlib.resources.files(__package__).joinpath(TEMPLATE).read_text(encoding="utf-8")
    template = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(text)
    observation = confirmation.observation
    counts = {
        outcome.value: sum(f.verdict is not None and f.verdict.outcome is outcome for f in result.findings)
        for outcome in Outcome
    }
    return template.render(
        script=confirmation.script.name,
        counts=counts,
        findings=[_finding(finding, result) for finding in result.findings],
        observation=observation,
        device="GPU" if any("GPU" in name for name in observation.devices) else "CPU",
        essence=essence,
        trainings=[_training(training) for training in observation.trainings],
    )


def _finding(finding: Finding, result: ScanResult) -> dict[str, Any]:
    lines = result.sources.get((finding.location.path, finding.location.cell), ())
    first, last = finding.location.line, min(finding.location.end_line, finding.location.line + 5)
    shown = [(number, lines[number - 1]) for number in range(first, last + 1) if 0 < number <= len(lines)]
    return {"finding": finding, "lines": shown, "outcome": finding.verdict.outcome.value if finding.verdict else ""}


def _training(training: ObservedTraining) -> dict[str, Any]:
    batch = training.facts("batch")
    return {
        "number": training.number,
        "line": training.at[0].line if training.at else None,
        "model": training.said.text("model.class") or "a training loop",
        "stand_in": training.stand_in,
        "lines": list(training_lines(training)),
        "rows": batch.items("rows"),
        "charts": list(_charts(training)),
    }


def _charts(training: ObservedTraining) -> Iterator[Chart]:
    counts = training.facts("labels").mapping("counts")
    if counts:
        yield Chart("labels in the batches that were looked at", charts.columns(counts, "counts of the labels"))
    lengths = training.facts("batch").items("tokens.lengths")
    if lengths:
        yield Chart("tokens in a row, padding left out", charts.histogram(lengths, "lengths of the rows"))
    overfit = training.facts("overfit")
    series = {
        words: losses
        for name, words in (("own", "your optimizer"), ("safe", "a safe optimizer"))
        if (losses := overfit.items(f"{name}.losses"))
    }
    if series:
        yield Chart("loss while one batch is learnt by heart", charts.curves(series, "loss on one batch"))
    gradients = training.facts("gradients")
    for name, title in (("norms", "gradient norms by weight"), ("update_ratios", "first update to weight, by weight")):
        values = dict(list(gradients.mapping(name).items())[:LAYERS_SHOWN])
        svg = charts.rows(values, title) if values else ""
        if svg:
            yield Chart(f"{title} (logarithmic)", svg)
