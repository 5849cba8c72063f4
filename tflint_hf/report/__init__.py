"""What a scan found, in the form that a person or a machine asked for. The same result gives the same text."""

from __future__ import annotations

import importlib
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


_STYLED = frozenset({"text", "concise"})
_WITH_RULES = frozenset({"sarif"})
_MODULES = {"html": "scan_html"}
"""The modules of formats that are not called as their module is."""


def render(format_name: str, result: ScanResult, style: Style, rules: Callable[[], RuleTable]) -> str:
    """The report on `result` in one of FORMATS. Only the module of that format is imported."""
    if format_name not in FORMATS:
        raise ValueError(f"no report format is called {format_name!r}: use one of {', '.join(FORMATS)}")
    module = importlib.import_module(f"{__name__}.{_MODULES.get(format_name, format_name)}")
    more = (style,) if format_name in _STYLED else (rules(),) if format_name in _WITH_RULES else ()
    return str(module.render(result, *more))


def render_statistics(format_name: str, result: ScanResult, style: Style) -> str:
    """How often each rule was broken, in one of STATISTICS_FORMATS."""
    from tflint_hf.report import statistics

    return statistics.render_json(result) if format_name == "json" else statistics.render_table(result, style)
