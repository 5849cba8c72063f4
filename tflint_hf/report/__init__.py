"""What a scan found, in the form that a person or a machine asked for. The same result gives the same text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.config import OUTPUT_FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tflint_hf.findings import ScanResult
    from tflint_hf.report.style import Style
    from tflint_hf.rules import RuleTable

FORMATS = OUTPUT_FORMATS
STATISTICS_FORMATS = ("text", "concise", "json")


class UnavailableFormat(Exception):  # noqa: N818 - it reads as what it is where it is caught
    """What writes this format is not installed."""


def check(format_name: str) -> None:
    """Raises UnavailableFormat before a scan whose report could not be written."""
    if format_name == "html":
        from tflint_hf.report import scan_html, templates

        try:
            scan_html.check_template_engine()
        except templates.MissingTemplateEngine as error:
            raise UnavailableFormat(str(error)) from None


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
        case "gitlab":
            from tflint_hf.report import gitlab

            return gitlab.render(result)
        case "azure":
            from tflint_hf.report import azure

            return azure.render(result)
        case "junit":
            from tflint_hf.report import junit

            return junit.render(result)
        case "rdjson":
            from tflint_hf.report import rdjson

            return rdjson.render(result)
        case "jsonl":
            from tflint_hf.report import jsonl

            return jsonl.render(result)
        case "lsp":
            from tflint_hf.report import lsp

            return lsp.render(result)
        case "html":
            from tflint_hf.report import scan_html

            return scan_html.render(result)
        case "sarif":
            from tflint_hf.report import sarif

            return sarif.render(result, rules())
    raise ValueError(f"no report format is called {format_name!r}: use one of {', '.join(FORMATS)}")


def render_statistics(format_name: str, result: ScanResult, style: Style) -> str:
    """How often each rule was broken, in one of STATISTICS_FORMATS."""
    from tflint_hf.report import statistics

    return statistics.render_json(result) if format_name == "json" else statistics.render_table(result, style)
