"""What a scan found, as one page that needs no network: findings by file, with the lines they stand on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from tflint_hf import __version__
from tflint_hf.report import templates
from tflint_hf.report.summary import counted, summary_text
from tflint_hf.report.words import remarks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tflint_hf.findings import Finding, Location, ScanResult

TEMPLATE = "scan.html.jinja"
CONTEXT = 2
MOST_LINES = 12


@dataclass(frozen=True, slots=True)
class Line:
    """A line of an excerpt, with what is marked in it; `number` is None where lines are left out."""

    number: int | None
    before: str
    marked: str = ""
    after: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class FindingView:
    """A finding as the page shows it."""

    finding: Finding
    anchor: str
    place: str
    outcome: str
    lines: tuple[Line, ...]
    remarks: tuple[tuple[str, str], ...]

    @property
    def gutter(self) -> int:
        """How many digits the number of a line has."""
        return max((len(str(line.number)) for line in self.lines if line.number), default=1)


@dataclass(frozen=True, eq=False, slots=True)
class FileView:
    """A file with its findings."""

    path: str
    anchor: str
    total: str
    findings: tuple[FindingView, ...]


def check_template_engine() -> None:
    """Raises MissingTemplateEngine without jinja2."""
    templates.check_engine()


def render(result: ScanResult) -> str:
    """The page. Raises MissingTemplateEngine without jinja2."""
    check_template_engine()
    severities = Counter(finding.severity for finding in result.findings)
    rules = Counter((finding.code, finding.name) for finding in result.findings)
    return templates.page(
        TEMPLATE,
        version=__version__,
        summary=summary_text(result),
        severities=[(one.label, severities[one]) for one in sorted(severities, reverse=True)],
        rules=[(code, name, count) for (code, name), count in sorted(rules.items())],
        files=_files(result),
        errors=result.errors,
        targets=[
            (folder, ", ".join(f"{library} {version}" for library, version in sorted(versions.items())))
            for folder, versions in sorted(result.targets.items())
        ],
        total=len(result.findings),
    )


def _files(result: ScanResult) -> list[FileView]:
    files: list[FileView] = []
    number = 0
    for path, findings in groupby(result.findings, key=lambda finding: finding.location.path):
        views = []
        for finding in findings:
            number += 1
            views.append(_finding(number, finding, result))
        files.append(FileView(path, f"file-{len(files) + 1}", counted(len(views), "finding"), tuple(views)))
    return files


def _finding(number: int, finding: Finding, result: ScanResult) -> FindingView:
    place = finding.location
    where = f"line {place.line}" if place.cell is None else f"cell {place.cell}, line {place.line}"
    outcome = finding.verdict.outcome.value if finding.verdict else ""
    lines = tuple(_excerpt(place, result.sources.get((place.path, place.cell), ())))
    return FindingView(finding, f"finding-{number}", where, outcome, lines, tuple(remarks(finding)))


def _excerpt(place: Location, lines: Sequence[str]) -> Iterator[Line]:
    """The lines of a place and a few around them, with its range marked."""
    if place.line > len(lines):
        return
    last = min(place.end_line, len(lines))
    shown = range(max(place.line - CONTEXT, 1), min(last + CONTEXT, len(lines)) + 1)
    for position, number in enumerate(shown):
        if len(shown) > MOST_LINES and MOST_LINES - CONTEXT - 1 <= position < len(shown) - CONTEXT:
            if position == MOST_LINES - CONTEXT - 1:
                yield Line(None, "…")
            continue
        text = lines[number - 1].rstrip("\r\n")
        start = end = len(text)
        if place.line <= number <= last:
            start = place.column - 1 if number == place.line else len(text) - len(text.lstrip())
            end = place.end_column - 1 if number == place.end_line else len(text)
        yield Line(number, text[:start], text[start:end], text[max(start, end) :])
