"""The report on a log: the rules that it points to, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tflint_hf.report.excerpt import INDENTATION
from tflint_hf.report.json import dump, finding_fields
from tflint_hf.report.style import BOLD, DIM, SEVERITY_COLORS, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tflint_hf.diagnose import Diagnosis, Report
    from tflint_hf.report.style import Style


def render_json(report: Report) -> str:
    """Described by diagnosis.schema.json beside this file."""
    return dump(
        {
            "diagnoses": [_fields(diagnosis) for diagnosis in report.diagnoses],
            "remark": report.remark,
            "other_findings": [finding_fields(finding) for finding in report.others],
        }
    )


def render_text(report: Report, style: Style) -> str:
    blocks = ["\n".join(_block(diagnosis, style)) for diagnosis in report.diagnoses]
    if report.remark:
        blocks.append(printable(report.remark))
    if report.others:
        count = len(report.others)
        noun = "finding" if count == 1 else "findings"
        blocks.append(f"The program has {count} more {noun} that this log does not speak of: see `tflint-hf scan`.")
    return "\n\n".join(blocks) + "\n"


def _block(diagnosis: Diagnosis, style: Style) -> Iterator[str]:
    rule, clue, finding = diagnosis.rule, diagnosis.clue, diagnosis.finding
    head = f"{style.paint(rule.code, BOLD, SEVERITY_COLORS[rule.severity])} {rule.name} ({_standing(diagnosis)})"
    yield f"{style.paint(printable(str(finding.location)), BOLD)}: {head}" if finding else head
    yield f"{INDENTATION}{style.paint(printable(diagnosis.means), BOLD)}"
    where = f"log, cell {clue.cell}, line {clue.line}" if clue.cell is not None else f"log, line {clue.line}"
    remarks = {where: clue.excerpt, "why": diagnosis.why, "instead": diagnosis.advice}
    for label, text in remarks.items():
        yield f"{INDENTATION}{style.paint(label + ':', DIM)} {printable(text)}"
    yield f"{INDENTATION}{style.paint('more:', DIM)} tflint-hf rule {rule.code}"


def _standing(diagnosis: Diagnosis) -> str:
    if diagnosis.finding is not None:
        return "the log shows it and the program has it"
    return diagnosis.clue.strength


def _fields(diagnosis: Diagnosis) -> dict[str, Any]:
    rule, clue = diagnosis.rule, diagnosis.clue
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.label,
        "strength": clue.strength,
        "kind": clue.kind,
        "excerpt": clue.excerpt,
        "line": clue.line,
        "cell": clue.cell,
        "message": diagnosis.means,
        "why": diagnosis.why,
        "advice": diagnosis.advice,
        "page": f"tflint-hf rule {rule.code}",
        "url": rule.url,
        "finding": finding_fields(diagnosis.finding) if diagnosis.finding is not None else None,
    }
