"""How often each rule was broken, most often first."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tflint_hf.report.json import dump, scan_errors
from tflint_hf.report.style import SEVERITY_COLORS
from tflint_hf.report.summary import summary

if TYPE_CHECKING:
    from tflint_hf.findings import ScanResult, Severity
    from tflint_hf.report.style import Style

# A rule can speak at several severities (info where only some of the possible values are bad).
_Row = tuple[int, str, str, "Severity"]


def _rows(result: ScanResult) -> list[_Row]:
    counts = Counter((finding.code, finding.name, finding.severity) for finding in result.findings)
    rows = [(count, code, name, severity) for (code, name, severity), count in counts.items()]
    return sorted(rows, key=lambda row: (-row[0], row[1], -row[3]))


def render_table(result: ScanResult, style: Style) -> str:
    rows = _rows(result)
    number_width = max((len(str(count)) for count, *_ in rows), default=0)
    name_width = max((len(name) for _, _, name, _ in rows), default=0)
    lines: list[str] = []
    for count, code, name, severity in rows:
        label = style.paint(severity.label, SEVERITY_COLORS[severity])
        lines.append(f"{count:>{number_width}}  {code}  {name:<{name_width}}  {label}")
    if style.summary:
        lines.append(summary(result, style))
    return "".join(f"{line}\n" for line in lines)


def render_json(result: ScanResult) -> str:
    statistics = [
        {"code": code, "name": name, "severity": severity.label, "count": count}
        for count, code, name, severity in _rows(result)
    ]
    return dump({"files_scanned": result.files_scanned, "statistics": statistics, "errors": scan_errors(result.errors)})
