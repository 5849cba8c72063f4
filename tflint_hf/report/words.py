"""What several reports say of a finding in the same words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.findings import Safety, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tflint_hf.findings import Finding, Fix

RUN = "run: "
SEE = "see"


def weight(finding: Finding) -> Severity:
    """How much a finding counts: one that a run refutes is there for information."""
    return finding.severity if finding.stands else Severity.INFO


def remarks(finding: Finding) -> Iterator[tuple[str, str]]:
    """All that is to be said after the message, as labels and texts."""
    if finding.verdict:
        yield f"{RUN}{finding.verdict.outcome.value}", finding.verdict.evidence
    if finding.why:
        yield "why", finding.why
    if finding.advice:
        yield "instead", finding.advice
    if finding.fix:
        yield "fix", f"{finding.fix.title} ({safety(finding.fix)})"
    for related in finding.related:
        yield SEE, f"{related.location}: {related.message}"
    if finding.depends_on:
        yield "depends on", finding.depends_on


def safety(fix: Fix) -> str:
    return "safe" if fix.safety is Safety.SAFE else "unsafe: it changes what is trained"


def explained(finding: Finding, without: str = "") -> str:
    """The message and its remarks, a line each; one kind of remark may be told elsewhere."""
    told = (f"{label}: {text}" for label, text in remarks(finding) if label != without)
    return "\n".join([in_cell(finding, finding.message), *told])


def in_short(finding: Finding) -> str:
    """What is wrong, what to write instead, and what a run says of it, on one line."""
    text = f"{finding.message}. Instead: {finding.advice}" if finding.advice else finding.message
    if finding.verdict:
        text += f". Run: {finding.verdict.outcome.value}"
    return in_cell(finding, text)


def in_cell(finding: Finding, text: str) -> str:
    """The text with the place in a notebook before it, for readers that count the lines of files."""
    place = finding.location
    return text if place.cell is None else f"cell {place.cell}, line {place.line}: {text}"
