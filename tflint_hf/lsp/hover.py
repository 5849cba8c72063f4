"""What the editor shows where the pointer rests: on a finding, or on a comment that hides one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.findings import Finding, Safety
from tflint_hf.rules import UnknownRule
from tflint_hf.suppression import Suppression, find_suppressions

if TYPE_CHECKING:
    from tflint_hf.findings import Location
    from tflint_hf.lsp.documents import Subject
    from tflint_hf.rules import Rule, RuleTable


def holds(location: Location, cell: int | None, line: int, column: int) -> bool:
    """Whether a place is in a location, its end included."""
    here = (line, column)
    start, end = (location.line, location.column), (location.end_line, location.end_column)
    return location.cell == cell and start <= here <= end


def about_finding(finding: Finding) -> str:
    """A finding in Markdown."""
    fix = finding.fix
    parts = [f"**{finding.code}** {finding.name} ({finding.severity.label}, {finding.confidence})", finding.message]
    parts.append(f"**why** {finding.why}")
    parts.append(f"**instead** {finding.advice}")
    if finding.depends_on:
        parts.append(f"**depends on** {finding.depends_on}")
    if fix is not None:
        parts.append(f"**fix** {fix.title}" + ("" if fix.safety is Safety.SAFE else ", which changes what is trained"))
    if finding.verdict is not None:
        parts.append(f"**{finding.verdict.outcome.value}** {finding.verdict.evidence}")
    if finding.url:
        parts.append(f"[{finding.code}]({finding.url})")
    return "\n\n".join(parts)


def suppression_at(subject: Subject, rules: RuleTable, cell: int | None, line: int, column: int) -> Suppression | None:
    """The comment that hides findings at a place."""
    source = subject.source()
    if source is None:
        return None
    return next((s for s in find_suppressions(source, rules.prefixes) if holds(s.location, cell, line, column)), None)


def about_suppression(suppression: Suppression, rules: RuleTable) -> str:
    """What a comment hides, and what is wrong with what it hides, in Markdown."""
    where = "in this file" if suppression.kind == "ignore-file" else "of this statement"
    if suppression.codes is None:
        return f"Hides all findings {where}."
    parts = [f"Hides the findings {where} of"]
    for selector in suppression.codes:
        try:
            rule = rules.find(selector)
        except UnknownRule:
            parts.append(_several(selector, rules))
        else:
            parts.append(_about_rule(rule))
    return "\n\n".join(parts)


def _about_rule(rule: Rule) -> str:
    link = f" [{rule.code}]({rule.url})" if rule.url else ""
    return f"**{rule.code}** {rule.name} ({rule.severity.label}): {rule.summary}{link}"


def _several(selector: str, rules: RuleTable) -> str:
    try:
        codes = sorted(rules.resolve(selector))
    except UnknownRule as error:
        return f"**{selector}**: {error}"
    named = ", ".join(f"{code} {rules.by_code[code].name}" for code in codes[:5])
    more = f" and {len(codes) - 5} more" if len(codes) > 5 else ""
    return f"**{selector}**: {named}{more}"
