"""Workflow commands: GitHub Actions shows each finding beside the line in a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.findings import Severity
from tflint_hf.report.commands import Properties, escaped, render_lines
from tflint_hf.report.positions import lines_in_file
from tflint_hf.report.words import weight

if TYPE_CHECKING:
    from tflint_hf.findings import Finding, ScanError, ScanResult

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_CODES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY_CODES = {**_CODES, ":": "%3A", ",": "%2C"}


def render(result: ScanResult) -> str:
    return render_lines(result, _finding, _error)


def _finding(finding: Finding, result: ScanResult) -> str:
    location = finding.location
    properties: Properties = {"title": f"{finding.code} {finding.name}", "file": location.path}
    known = lines_in_file(location, result)
    properties |= {"line": 1} if known is None else {"line": known[0], "endLine": known[1]}
    if location.cell is None and location.line == location.end_line:  # GitHub takes columns only within one line
        properties |= {"col": location.column, "endColumn": location.end_column}
    message = f"{location}: {finding.message}"
    if finding.why:
        message += f"\nwhy: {finding.why}"
    if finding.advice:
        message += f"\ninstead: {finding.advice}"
    if finding.depends_on:
        message += f"\ndepends on: {finding.depends_on}"
    if finding.verdict:
        message += f"\nrun: {finding.verdict.outcome.value}: {finding.verdict.evidence}"
    return _command(_COMMANDS[weight(finding)], properties, message)


def _error(error: ScanError) -> str:
    return _command("error", {"title": "not scanned", "file": error.path}, f"{error.path}: {error.message}")


def _command(command: str, properties: Properties, message: str) -> str:
    listed = ",".join(f"{key}={escaped(value, _PROPERTY_CODES)}" for key, value in properties.items())
    return f"::{command} {listed}::{escaped(message, _CODES)}"
