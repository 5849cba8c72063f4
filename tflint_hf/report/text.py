"""The report for people at a terminal: each finding with its lines, the reason and what to write instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.findings import Fix, Safety
from tflint_hf.report.excerpt import INDENTATION, excerpt
from tflint_hf.report.style import BOLD, DIM, SEVERITY_COLORS, printable
from tflint_hf.report.summary import summary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tflint_hf.findings import Finding, ScanResult
    from tflint_hf.report.style import Style


def render(result: ScanResult, style: Style) -> str:
    blocks = ["\n".join(_block(finding, result, style)) for finding in result.findings]
    if style.summary:
        blocks.append(summary(result, style))
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _block(finding: Finding, result: ScanResult, style: Style) -> Iterator[str]:
    color = SEVERITY_COLORS[finding.severity]
    where = style.paint(printable(str(finding.location)), BOLD)
    yield f"{where}: {style.paint(finding.severity.label, BOLD, color)} {finding.code} {finding.name}"
    yield f"{INDENTATION}{style.paint(printable(finding.message), BOLD)}"
    lines = result.sources.get((finding.location.path, finding.location.cell), ())
    for line in excerpt(finding.location, lines, style, color):
        yield f"{INDENTATION}{line}"
    for label, text in _remarks(finding):
        yield f"{INDENTATION}{style.paint(label + ':', DIM)} {printable(text)}"


def _remarks(finding: Finding) -> Iterator[tuple[str, str]]:
    if finding.why:
        yield "why", finding.why
    if finding.advice:
        yield "instead", finding.advice
    if finding.fix:
        yield "fix", f"{finding.fix.title} ({_safety(finding.fix)})"
    for related in finding.related:
        yield "see", f"{related.location}: {related.message}"
    if finding.depends_on:
        yield "depends on", finding.depends_on


def _safety(fix: Fix) -> str:
    return "safe" if fix.safety is Safety.SAFE else "unsafe: it changes what is trained"
