"""What a run saw, as one page that needs no network: findings with verdicts, and each training in pictures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.dynamic.remarks import remarks
from tflint_hf.findings import Outcome
from tflint_hf.report import charts, templates
from tflint_hf.report.run_words import (
    LOOK,
    TRIES,
    circumstances,
    data_rows,
    ended_early,
    ending,
    gradients_of,
    happenings,
    last_words,
    numbers,
    percent_of_weight,
    steps_of_debugging,
    title,
)
from tflint_hf.report.summary import counted
from tflint_hf.report.templates import MissingTemplateEngine

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tflint_hf.dynamic.confirm import Confirmation
    from tflint_hf.dynamic.record import ObservedTraining
    from tflint_hf.findings import Finding, ScanResult

__all__ = ["MissingTemplateEngine", "check_template_engine", "render"]

TEMPLATE = "run.html.jinja"
LINES_SHOWN = 6
LISTED = 4
"""More findings than this have a list with links before them."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture with its title; `key` names its lines."""

    title: str
    svg: str
    key: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Measure:
    """A number in words, with the length of its bar from 0 to 100; `fault` where it is one."""

    text: str
    percent: float = 0.0
    fault: bool = False


@dataclass(frozen=True, slots=True)
class Weight:
    """A weight with its gradient and its first update. `name` is the parts of its path."""

    name: tuple[str, ...]
    gradient: Measure
    update: Measure | None


@dataclass(frozen=True, eq=False, slots=True)
class FindingView:
    """A finding as the page shows it; `lines` are those of the program, by number."""

    finding: Finding
    anchor: str
    outcome: str
    lines: tuple[tuple[int, str], ...]

    @property
    def gutter(self) -> int:
        """How many digits the number of a line has."""
        return max((len(str(number)) for number, _ in self.lines), default=1)


@dataclass(frozen=True, eq=False, slots=True)
class TrainingView:
    """A training as the page shows it; `odd` is what a person should look at first."""

    title: str
    odd: tuple[str, ...]
    remarks: tuple[tuple[str, tuple[str, ...]], ...]
    rows: tuple[tuple[str, str], ...]
    charts: tuple[Chart, ...]
    weights: tuple[Weight, ...]


def check_template_engine() -> None:
    """Raises MissingTemplateEngine without jinja2."""
    templates.check_engine()


def render(result: ScanResult, confirmation: Confirmation) -> str:
    """The page. Raises MissingTemplateEngine without jinja2."""
    check_template_engine()
    observation = confirmation.observation
    findings = [_finding(index, finding, result) for index, finding in enumerate(result.findings, 1)]
    return templates.page(
        TEMPLATE,
        script=confirmation.script.name,
        ending=ending(confirmation),
        early=ended_early(observation),
        last_words=last_words(observation),
        counts=[(outcome.value, count) for outcome in Outcome if (count := _count(result, outcome))],
        total=counted(len(findings), "finding"),
        findings=findings,
        listed=len(findings) > LISTED,
        trainings=[_training(training) for training in observation.trainings],
        remarks=_grouped([*happenings(observation), *circumstances(confirmation)]),
    )


def _grouped(remarks: Iterable[tuple[str, str]]) -> list[tuple[str, tuple[str, ...]]]:
    """Texts with the same label under it; one without a label belongs to the text before it."""
    groups: dict[str, list[str]] = {}
    label = ""
    for given, text in remarks:
        label = given or label
        groups.setdefault(label, []).append(text)
    return [(label, tuple(texts)) for label, texts in groups.items()]


def _count(result: ScanResult, outcome: Outcome) -> int:
    return sum(finding.verdict is not None and finding.verdict.outcome is outcome for finding in result.findings)


def _finding(index: int, finding: Finding, result: ScanResult) -> FindingView:
    lines = result.sources.get((finding.location.path, finding.location.cell), ())
    first = finding.location.line
    last = min(finding.location.end_line, first + LINES_SHOWN - 1, len(lines))
    shown = tuple((number, lines[number - 1]) for number in range(first, last + 1))
    return FindingView(finding, f"finding-{index}", finding.verdict.outcome.value if finding.verdict else "", shown)


def _training(training: ObservedTraining) -> TrainingView:
    rows = tuple(data_rows(training))
    elsewhere = {LOOK, "row"}
    return TrainingView(
        title(training),
        tuple(remarks(training)),
        tuple(_grouped(remark for remark in steps_of_debugging(training) if remark[0] not in elsewhere)),
        rows,
        tuple(_charts(training)),
        tuple(_weights(training)),
    )


def _charts(training: ObservedTraining) -> Iterator[Chart]:
    counts = training.facts("labels").mapping("counts")
    if counts:
        shown = "labels in the batches that were looked at"
        yield Chart(shown, charts.columns(counts, shown))
    lengths = numbers(training.facts("batch").items("tokens.lengths"))
    if lengths:
        shown = "tokens in a row, without padding"
        yield Chart(shown, charts.histogram(lengths, shown))
    overfit = training.facts("overfit")
    series = {words: losses for name, words in TRIES if (losses := numbers(overfit.items(f"{name}.losses")))}
    chance = training.facts("forward").number("formulas.ln_classes")
    levels = {f"ln({math.exp(chance):.0f}), a guess": chance} if chance else {}
    shown = "loss while one batch is learnt by heart"
    svg = charts.curves(series, shown, levels)
    if svg:
        yield Chart(shown, svg, tuple(series))


def _weights(training: ObservedTraining) -> Iterator[Weight]:
    """What reaches each weight; those that get nothing come first."""
    gradients = gradients_of(training)
    norms = _named_numbers(gradients.mapping("norms"))
    ratios = _named_numbers(gradients.mapping("update_ratios"))
    bad = {str(name): "NaN or infinite" for name in gradients.items("not_finite")}
    bad |= {str(name): "none" for name in gradients.items("missing")}
    zero = set(gradients.items("zero"))
    shared = _shared_head([*bad, *norms])
    for name, words in bad.items():
        yield Weight(_parts(name, shared), Measure(words, fault=True), None)
    lengths, update_lengths = charts.logarithmic(norms), charts.logarithmic(ratios)
    for name, norm in norms.items():
        gradient = Measure("only zeros", fault=True) if name in zero else Measure(f"{norm:.3g}", 100 * lengths[name])
        update = Measure(percent_of_weight(ratios[name]), 100 * update_lengths[name]) if name in ratios else None
        yield Weight(_parts(name, shared), gradient, update)


def _shared_head(names: Sequence[str]) -> str:
    """The name of the model before those of its weights: it tells nothing."""
    heads = {name.partition("/")[0] for name in names if "/" in name}
    return f"{heads.pop()}/" if len(heads) == 1 and len(names) > 1 else ""


def _parts(name: str, shared: str) -> tuple[str, ...]:
    return tuple(name.removeprefix(shared).removesuffix(":0").split("/"))


def _named_numbers(said: dict[str, object]) -> dict[str, float]:
    return {name: float(value) for name, value in said.items() if isinstance(value, int | float)}
