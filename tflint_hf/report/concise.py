"""One line a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.report.style import BOLD, SEVERITY_COLORS, printable
from tflint_hf.report.summary import summary

if TYPE_CHECKING:
    from tflint_hf.findings import Finding, ScanResult
    from tflint_hf.report.style import Style


def render(result: ScanResult, style: Style) -> str:
    lines = [_line(finding, style) for finding in result.findings]
    if style.summary:
        lines.append(summary(result, style))
    return "".join(f"{line}\n" for line in lines)


def _line(finding: Finding, style: Style) -> str:
    where = style.paint(printable(str(finding.location)), BOLD)
    severity = style.paint(finding.severity.label, SEVERITY_COLORS[finding.severity])
    remark = f"{finding.name}; depends on {finding.depends_on}" if finding.depends_on else finding.name
    if finding.verdict:
        remark += f"; run: {finding.verdict.outcome.value}"
    return f"{where}: {severity} {finding.code} {printable(finding.message)} ({printable(remark)})"
