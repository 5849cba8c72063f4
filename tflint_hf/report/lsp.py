"""Diagnostics as the Language Server Protocol has them, for editors that run the linter themselves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tflint_hf.findings import Severity
from tflint_hf.report.json import verdict_fields
from tflint_hf.report.positions import columns, utf16_units
from tflint_hf.report.wellformed import dump
from tflint_hf.report.words import SEE, remarks

if TYPE_CHECKING:
    from tflint_hf.findings import Finding, Fix, Location, ScanResult

STDIN = "-"
_SEVERITIES = {Severity.ERROR: 1, Severity.WARNING: 2, Severity.INFO: 3}
_HINT = 4
_TOLD_APART = frozenset({SEE, "fix"})
"""Remarks that the protocol has fields for."""


def render(result: ScanResult) -> str:
    """The parameters of `textDocument/publishDiagnostics` for each file or cell with findings, a line each."""
    published: dict[str, list[dict[str, Any]]] = {}
    for finding in result.findings:
        published.setdefault(_uri(finding.location), []).append(diagnostic(finding, result))
    return "".join(dump({"uri": uri, "diagnostics": some}) for uri, some in published.items())


def diagnostic(finding: Finding, result: ScanResult) -> dict[str, Any]:
    message = "\n".join(
        [finding.message, *(f"{label}: {text}" for label, text in remarks(finding) if label not in _TOLD_APART)]
    )
    found: dict[str, Any] = {
        "range": _range(finding.location, result),
        "severity": _SEVERITIES[finding.severity] if finding.stands else _HINT,
        "code": finding.code,
        "source": "tflint-hf",
        "message": message,
    }
    if finding.url:
        found["codeDescription"] = {"href": finding.url}
    if finding.related:
        found["relatedInformation"] = [
            {
                "location": {"uri": _uri(related.location), "range": _range(related.location, result)},
                "message": related.message,
            }
            for related in finding.related
        ]
    return found | {"data": _data(finding, result)}


def _data(finding: Finding, result: ScanResult) -> dict[str, Any]:
    data: dict[str, Any] = {"name": finding.name, "confidence": finding.confidence}
    if finding.location.cell is not None:
        data |= {"notebook": _file_uri(finding.location.path), "cell": finding.location.cell}
    if finding.depends_on:
        data["dependsOn"] = finding.depends_on
    if finding.verdict:
        data["verdict"] = verdict_fields(finding.verdict)
    if finding.fix:
        data["fix"] = {
            "title": finding.fix.title,
            "safety": finding.fix.safety.value,
            "edit": _workspace_edit(finding.fix, result),
        }
    return data


def _workspace_edit(fix: Fix, result: ScanResult) -> dict[str, Any]:
    changes: dict[str, list[dict[str, Any]]] = {}
    for edit in fix.edits:
        change = {"range": _range(edit.location, result), "newText": edit.text}
        changes.setdefault(_uri(edit.location), []).append(change)
    return {"changes": changes}


def _range(place: Location, result: ScanResult) -> dict[str, dict[str, int]]:
    start, end = columns(place, result, utf16_units)
    return {
        "start": {"line": place.line - 1, "character": start - 1},
        "end": {"line": place.end_line - 1, "character": end - 1},
    }


def _uri(place: Location) -> str:
    """A cell is a document of its own. Editors name it in their own way: `data` has its notebook and its number."""
    uri = _file_uri(place.path)
    if place.cell is None:
        return uri
    return f"vscode-notebook-cell:{uri.removeprefix('file://')}#cell{place.cell}"


def _file_uri(path: str) -> str:
    return "untitled:stdin" if path == STDIN else Path(path).absolute().as_uri()
