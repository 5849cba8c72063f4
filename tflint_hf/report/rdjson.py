"""Reviewdog's diagnostic format: comments in a review, with suggestions that can be taken at a click."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tflint_hf.editing.edits import edited
from tflint_hf.findings import Severity
from tflint_hf.report.positions import columns, lines_in_file, utf8_units
from tflint_hf.report.wellformed import dump
from tflint_hf.report.words import SEE, explained, weight
from tflint_hf.rules import DOCUMENTATION_URL

if TYPE_CHECKING:
    from tflint_hf.findings import Edit, Finding, Fix, Location, ScanError, ScanResult

_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.INFO: "INFO"}
LONGEST_SUGGESTION = 12
"""Edits that lie further apart, in lines, are no suggestion: half a fix would leave a broken program."""


def render(result: ScanResult) -> str:
    source = {"name": "tflint-hf", **({"url": DOCUMENTATION_URL} if DOCUMENTATION_URL else {})}
    diagnostics = [_diagnostic(finding, result) for finding in result.findings]
    diagnostics += [_error(error) for error in result.errors]
    return dump({"source": source, "diagnostics": diagnostics}, indent=2)


def _diagnostic(finding: Finding, result: ScanResult) -> dict[str, Any]:
    place = finding.location
    found: dict[str, Any] = {
        "message": explained(finding, without=SEE),
        "location": _location(place, result),
        "severity": _SEVERITIES[weight(finding)],
        "code": {"value": finding.code, **({"url": finding.url} if finding.url else {})},
    }
    if finding.related:
        found["related_locations"] = [
            {"message": related.message, "location": _location(related.location, result)} for related in finding.related
        ]
    suggestion = _suggestion(finding.fix, place, result) if finding.fix else None
    return found | ({"suggestions": [suggestion]} if suggestion else {})


def _location(place: Location, result: ScanResult) -> dict[str, Any]:
    """Of a notebook, the lines of its JSON, without columns."""
    if place.cell is None:
        return {"path": place.path, "range": _range(place, result)}
    known = lines_in_file(place, result)
    return {"path": place.path} | ({"range": {"start": {"line": known[0]}, "end": {"line": known[1]}}} if known else {})


def _suggestion(fix: Fix, place: Location, result: ScanResult) -> dict[str, Any] | None:
    """The fix as one replacement in the finding's file, if it can be said so."""
    places = [edit.location for edit in fix.edits]
    if any(one.path != place.path or one.cell is not None for one in places):
        return None
    if len(fix.edits) == 1:
        return {"range": _range(places[0], result), "text": fix.edits[0].text}
    first, last = min(one.line for one in places), max(one.end_line for one in places)
    lines = result.sources.get((place.path, None), ())
    if last - first >= LONGEST_SUGGESTION or last > len(lines):
        return None
    text = edited("\n".join(lines[first - 1 : last]), [_moved_up(edit, first - 1) for edit in fix.edits])
    whole = replace(place, line=first, column=1, end_line=last, end_column=len(lines[last - 1]) + 1)
    return {"range": _range(whole, result), "text": text}


def _moved_up(edit: Edit, lines: int) -> Edit:
    place = edit.location
    return replace(edit, location=replace(place, line=place.line - lines, end_line=place.end_line - lines))


def _range(place: Location, result: ScanResult) -> dict[str, dict[str, int]]:
    start, end = columns(place, result, utf8_units)
    return {"start": {"line": place.line, "column": start}, "end": {"line": place.end_line, "column": end}}


def _error(error: ScanError) -> dict[str, Any]:
    return {"message": f"not scanned: {error.message}", "location": {"path": error.path}, "severity": "ERROR"}
