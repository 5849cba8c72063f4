"""Logging commands: Azure Pipelines lists each finding among the issues of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.findings import Severity
from tflint_hf.report.commands import Properties, escaped, render_lines
from tflint_hf.report.positions import lines_in_file
from tflint_hf.report.style import printable
from tflint_hf.report.words import explained, in_short, weight

if TYPE_CHECKING:
    from tflint_hf.findings import Finding, ScanError, ScanResult

_TYPES = {Severity.ERROR: "error", Severity.WARNING: "warning"}
_CODES = {"%": "%AZP25", "\r": "%0D", "\n": "%0A"}
_PROPERTY_CODES = {**_CODES, "]": "%5D", ";": "%3B"}


def render(result: ScanResult) -> str:
    return render_lines(result, _finding, _error)


def _finding(finding: Finding, result: ScanResult) -> str:
    location = finding.location
    kind = _TYPES.get(weight(finding))
    if kind is None:  # there are no issues for information: it is a line of the log
        return _plain(f"info {finding.code} {location}: {in_short(finding)}")
    properties: Properties = {"type": kind, "sourcepath": location.path}
    known = lines_in_file(location, result)
    if known is not None:
        properties["linenumber"] = known[0]
    if location.cell is None:
        properties["columnnumber"] = location.column
    return _command(properties | {"code": finding.code}, explained(finding))


def _error(error: ScanError) -> str:
    return _command({"type": "error", "sourcepath": error.path}, f"not scanned: {error.message}")


def _command(properties: Properties, message: str) -> str:
    listed = "".join(f"{key}={escaped(value, _PROPERTY_CODES)};" for key, value in properties.items())
    return f"##vso[task.logissue {listed}]{escaped(message, _CODES)}"


def _plain(text: str) -> str:
    """A line of text that is no command, wherever in it one is spelt out."""
    return printable(text).replace("##", "# #")
