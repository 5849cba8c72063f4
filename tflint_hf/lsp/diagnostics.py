"""Findings as an editor shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from lsprotocol import types

from tflint_hf.findings import Finding, Outcome, Severity

if TYPE_CHECKING:
    from tflint_hf.findings import Location
    from tflint_hf.lsp.places import Where


class Texts(Protocol):
    """What knows the texts that locations are in."""

    def find(self, location: Location) -> Where | None: ...

    def link(self, location: Location) -> types.Location | None: ...


SOURCE = "tflint-hf"
UNUSED_COMMENT = "TFX002"
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}


def diagnostic(finding: Finding, places: Texts, *, related: bool = True) -> types.Diagnostic | None:
    """A finding as a diagnostic; None if its text is gone. `related`: the editor shows other places too."""
    here = places.find(finding.location)
    if here is None:
        return None
    others = [
        types.DiagnosticRelatedInformation(link, one.message)
        for one in (finding.related if related else ())
        if (link := places.link(one.location)) is not None
    ]
    return types.Diagnostic(
        range=here.lines.range(finding.location),
        message=message(finding),
        severity=_SEVERITIES[finding.severity] if finding.stands else types.DiagnosticSeverity.Hint,
        code=finding.code,
        code_description=types.CodeDescription(finding.url) if finding.url else None,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if finding.code == UNUSED_COMMENT else None,
        related_information=others or None,
        data={"name": finding.name},
    )


def message(finding: Finding) -> str:
    """What is wrong, what to write instead, and what a run said of it."""
    lines = [finding.message]
    if finding.advice:
        lines.append(f"instead: {finding.advice}")
    if finding.depends_on:
        lines.append(f"depends on: {finding.depends_on}")
    verdict = finding.verdict
    if verdict is not None:
        said = f"{verdict.outcome.value}: {verdict.evidence}"
        # What a run has decided is worth more than what to do about it.
        lines.insert(1 if verdict.outcome in {Outcome.CONFIRMED, Outcome.REFUTED} else len(lines), said)
    return "\n".join(lines)
