"""What a scan found, in the form that a person or a machine asked for. The same result gives the same text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tflint_hf.findings import ScanResult
    from tflint_hf.report.style import Style
    from tflint_hf.rules import RuleTable

FORMATS = ("text", "concise", "json", "github", "sarif")
STATISTICS_FORMATS = ("text", "concise", "json")


def render(format_name: str, result: ScanResult, style: Style, rules: Callable[[], RuleTable]) -> str:
    """The report on `result` in one of FORMATS. Only the module of that format is imported."""
    match format_name:
        case "text":
            from tflint_hf.report import text

            return text.render(result, style)
        case "concise":
            from tflint_hf.report import concise

            return concise.render(result, style)
        case "json":
            from tflint_hf.report import json

            return json.render(result)
        case "github":
            from tflint_hf.report import github

            return github.render(result)
        case "sarif":
            from tflint_hf.report import sarif

            return sarif.render(result, rules())
    raise ValueError(f"no report format is called {format_name!r}: use one of {', '.join(FORMATS)}")


def render_statistics(format_name: str, result: ScanResult, style: Style) -> str:
    """How often each rule was broken, in one of STATISTICS_FORMATS."""
    from tflint_hf.report import statistics

    return statistics.render_json(result) if format_name == "json" else statistics.render_table(result, style)
