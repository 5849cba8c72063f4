"""Logging commands: Azure Pipelines lists each finding among the issues of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.findings import Severity
from tflint_hf.report.style import printable
from tflint_hf.report.words import explained, in_short, weight

if TYPE_CHECKING:
    from tflint_hf.findings import Finding, ScanError, ScanResult

_TYPES = {Severity.ERROR: "error", Severity.WARNING: "warning"}


def render(result: ScanResult) -> str:
    lines = [_finding(finding) for finding in result.findings] + [_error(error) for error in result.errors]
    return "".join(f"{line}\n" for line in lines)


def _finding(finding: Finding) -> str:
    location = finding.location
    kind = _TYPES.get(weight(finding))
    if kind is None:  # there are no issues for information: it is a line of the log
        return _plain(f"info {finding.code} {location}: {in_short(finding)}")
    properties: dict[str, str | int] = {"type": kind, "sourcepath": location.path}
    if location.cell is None:  # lines of a cell are no lines of the file
        properties |= {"linenumber": location.line, "columnnumber": location.column}
    return _command(properties | {"code": finding.code}, explained(finding))


def _error(error: ScanError) -> str:
    return _command({"type": "error", "sourcepath": error.path}, f"not scanned: {error.message}")


def _command(properties: dict[str, str | int], message: str) -> str:
    listed = "".join(f"{key}={_escape_property(str(value))};" for key, value in properties.items())
    return f"##vso[task.logissue {listed}]{_escape(message)}"


def _escape(text: str) -> str:
    return text.replace("%", "%AZP25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace("]", "%5D").replace(";", "%3B")


def _plain(text: str) -> str:
    """A line of text that is no command, wherever in it one is spelt out."""
    return printable(text).replace("##", "# #")
