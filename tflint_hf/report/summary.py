"""The closing line of a report for people."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tflint_hf.findings import Severity
from tflint_hf.report.style import BOLD

if TYPE_CHECKING:
    from tflint_hf.findings import ScanResult
    from tflint_hf.report.style import Style


def summary(result: ScanResult, style: Style) -> str:
    return style.paint(summary_text(result), BOLD)


def summary_text(result: ScanResult) -> str:
    """As "Found 3 errors, 1 warning in 2 files"; a clean scan says so only if everything was really read."""
    if result.findings:
        counts = Counter(finding.severity for finding in result.findings)
        parts = [counted(counts[severity], severity.label) for severity in sorted(Severity, reverse=True)]
        files = len({finding.location.path for finding in result.findings})
        text = f"Found {', '.join(part for part in parts if not part.startswith('0 '))} in {counted(files, 'file')}"
        refuted = sum(not finding.stands for finding in result.findings)
        if refuted:
            text += f"; a run refutes {refuted} of them"
    elif result.known and not result.errors:
        text = f"No new finding in {counted(result.files_scanned, 'file')}"
    elif result.errors:
        text = "No finding"
    elif result.files_scanned == 0:
        text = "No files to scan (.py, .ipynb, .md, .mdx that are neither ignored nor excluded)"
    else:
        text = f"All checks passed in {counted(result.files_scanned, 'file')}"
    if result.known:
        text += f"; the baseline hides {counted(len(result.known), 'finding')}"
    if result.errors:
        text += f"; not everything could be checked: {counted(len(result.errors), 'message')} on standard error"
    return text


def counted(number: int, noun: str) -> str:
    if noun == Severity.INFO.label:  # "1 info", "2 infos" is not English
        return f"{number} info"
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
