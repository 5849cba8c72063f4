"""The report for programs. Its form is versioned and described by findings.schema.json beside this file."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from tflint_hf import __version__

if TYPE_CHECKING:
    from tflint_hf.findings import Finding, Fix, Location, ScanError, ScanResult, Verdict

VERSION = 1


def render(result: ScanResult) -> str:
    return dump(content(result))


def content(result: ScanResult) -> dict[str, Any]:
    """The findings and what they rest on, as plain data."""
    return {
        "targets": {folder: dict(sorted(versions.items())) for folder, versions in sorted(result.targets.items())},
        "files_scanned": result.files_scanned,
        "findings": [finding_fields(finding) for finding in result.findings],
        "known_to_baseline": len(result.known),
        "errors": scan_errors(result.errors),
    }


def dump(content: dict[str, Any]) -> str:
    """`content` under the head that all JSON output has. ASCII only, so that every pipe and console can carry it."""
    head = {"version": VERSION, "tool": {"name": "tflint-hf", "version": __version__}}
    return json.dumps(head | content, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def scan_errors(errors: tuple[ScanError, ...]) -> list[dict[str, str]]:
    return [{"path": error.path, "message": error.message} for error in errors]


def finding_fields(finding: Finding) -> dict[str, Any]:
    """One finding as a report holds it."""
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.label,
        "confidence": finding.confidence,
        "message": finding.message,
        "why": finding.why,
        "advice": finding.advice,
        **_location(finding.location),
        "fix": _fix(finding.fix) if finding.fix else None,
        "related": [_location(related.location) | {"message": related.message} for related in finding.related],
        "verdict": verdict_fields(finding.verdict) if finding.verdict else None,
        "depends_on": finding.depends_on,
        "url": finding.url,
    }


def verdict_fields(verdict: Verdict) -> dict[str, Any]:
    """What a run says of a finding, as a report holds it."""
    numbers = {name: value for name, value in verdict.numbers if math.isfinite(value)}
    return {
        "outcome": verdict.outcome.value,
        "evidence": verdict.evidence,
        "probe": verdict.probe or None,
        "numbers": numbers,
    }


def _location(location: Location) -> dict[str, Any]:
    return {
        "path": location.path,
        "cell": location.cell,
        "line": location.line,
        "column": location.column,
        "end_line": location.end_line,
        "end_column": location.end_column,
    }


def _fix(fix: Fix) -> dict[str, Any]:
    edits = [_location(edit.location) | {"text": edit.text} for edit in fix.edits]
    return {"safety": fix.safety.value, "title": fix.title, "edits": edits}
