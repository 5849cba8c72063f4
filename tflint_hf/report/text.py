"""The report for people at a terminal: each finding with its lines, the reason and what to write instead."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tflint_hf.report.excerpt import INDENTATION, excerpt
from tflint_hf.report.style import BOLD, DIM, NARROW, OUTCOME_COLORS, SEVERITY_COLORS, printable, wrapped
from tflint_hf.report.summary import summary
from tflint_hf.report.words import RUN, remarks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tflint_hf.findings import Finding, ScanResult
    from tflint_hf.report.style import Style


def render(result: ScanResult, style: Style) -> str:
    blocks = ["\n".join(_block(finding, result, style)) for finding in result.findings]
    if style.summary:
        blocks.append("\n".join(_closing(result, style)))
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _block(finding: Finding, result: ScanResult, style: Style) -> Iterator[str]:
    color = SEVERITY_COLORS[finding.severity]
    where = printable(str(finding.location))
    label = style.paint(finding.severity.label, BOLD, color)
    if style.width < NARROW:
        yield from (style.paint(line, BOLD) for line in wrapped(f"{where}:", _room(style, "")))
        yield f"{label} {finding.code}"
        yield from wrapped(finding.name, _room(style, ""))
    else:
        yield f"{style.paint(where, BOLD)}: {label} {finding.code} {finding.name}"
    for line in _lines(printable(finding.message), style):
        yield f"{INDENTATION}{style.paint(line, BOLD)}"
    lines = result.sources.get((finding.location.path, finding.location.cell), ())
    for line in excerpt(finding.location, lines, style, color):
        yield f"{INDENTATION}{line}"
    for remark, text in remarks(finding):
        first, *others = _lines(f"{remark}: {printable(text)}", style)
        codes = (
            (BOLD, OUTCOME_COLORS[finding.verdict.outcome]) if remark.startswith(RUN) and finding.verdict else (DIM,)
        )
        yield f"{INDENTATION}{style.paint(first[: len(remark) + 1], *codes)}{first[len(remark) + 1 :]}"
        yield from (f"{INDENTATION}{line}" for line in others)


def _closing(result: ScanResult, style: Style) -> list[str]:
    if style.width >= NARROW:
        return [summary(result, style)]
    text = summary(result, replace(style, color=False))
    return [style.paint(line, BOLD) for line in wrapped(text, _room(style, ""))]


def _room(style: Style, indentation: str) -> int:
    return max(style.width - len(indentation), 10)


def _lines(text: str, style: Style) -> list[str]:
    """The text as it is, for a terminal to break; on a narrow one in lines that it need not break."""
    return wrapped(text, _room(style, INDENTATION)) if style.width < NARROW else [text]
