"""Workflow commands: GitHub Actions shows each finding beside the line in a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.findings import Severity

if TYPE_CHECKING:
    from tflint_hf.findings import Finding, ScanError, ScanResult

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(result: ScanResult) -> str:
    lines = [_finding(finding) for finding in result.findings] + [_error(error) for error in result.errors]
    return "".join(f"{line}\n" for line in lines)


def _finding(finding: Finding) -> str:
    location = finding.location
    properties: dict[str, str | int] = {"title": f"{finding.code} {finding.name}", "file": location.path}
    if location.cell is not None:
        # GitHub counts lines of the notebook's JSON, which are not known here: the message names cell and line.
        properties["line"] = 1
    elif location.line == location.end_line:
        properties |= {"line": location.line, "endLine": location.end_line}
        properties |= {"col": location.column, "endColumn": location.end_column}
    else:  # GitHub takes columns only within one line
        properties |= {"line": location.line, "endLine": location.end_line}
    message = f"{location}: {finding.message}"
    if finding.why:
        message += f"\nwhy: {finding.why}"
    if finding.advice:
        message += f"\ninstead: {finding.advice}"
    if finding.depends_on:
        message += f"\ndepends on: {finding.depends_on}"
    if finding.verdict:
        message += f"\nrun: {finding.verdict.outcome.value}: {finding.verdict.evidence}"
    command = _COMMANDS[finding.severity if finding.stands else Severity.INFO]
    return _command(command, properties, message)


def _error(error: ScanError) -> str:
    return _command("error", {"title": "not scanned", "file": error.path}, f"{error.path}: {error.message}")


def _command(command: str, properties: dict[str, str | int], message: str) -> str:
    listed = ",".join(f"{key}={_escape_property(str(value))}" for key, value in properties.items())
    return f"::{command} {listed}::{_escape(message)}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
