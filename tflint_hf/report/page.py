"""A rule's page with its example programs put in: for the terminal, for SARIF viewers and for the documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tflint_hf.rules import Rule


def render_page(rule: Rule) -> str:
    """The whole page in Markdown, with a heading and a table of facts."""
    return f"# {rule.code} {rule.name}\n\n{_facts(rule)}\n\n{render_body(rule)}"


def render_body(rule: Rule) -> str:
    programs = {"<bad>": rule.bad, "<good>": rule.good}
    lines = [f"```python\n{programs[line]}```" if line in programs else line for line in rule.page.splitlines()]
    body = "\n".join(lines).rstrip() + "\n"
    if rule.symptoms:
        body += _symptoms(rule)
    return body + _options(rule) if rule.options else body


def _facts(rule: Rule) -> str:
    versions = ", ".join(f"{library} {specifier}" for library, specifier in rule.applies.items()) or "all"
    probe = rule.probe or f"none ({rule.probe_reason})"
    facts = {
        "Severity": rule.severity.label,
        "Confidence": rule.confidence,
        "Versions": versions,
        "Fix": rule.fix,
        "Measurement that can confirm it": probe,
    }
    return "\n".join(f"- {label}: {value}" for label, value in facts.items())


def _symptoms(rule: Rule) -> str:
    """What `tflint-hf diagnose` knows the rule by."""
    lines = []
    for symptom in rule.symptoms:
        shown = (
            f"`` {symptom.pattern} ``" if symptom.pattern is not None else f"the numbers of a training: {symptom.curve}"
        )
        where = f" where {symptom.where}" if symptom.where else ""
        note = f" ({symptom.note})" if symptom.note else ""
        lines.append(f"- {symptom.kind}, {symptom.strength}: {shown}{where}{note}")
    return "\n## Known by\n" + "\n".join(lines) + "\n"


def _options(rule: Rule) -> str:
    lines = [
        f"- `{name}` ({option['type']}, default {option['default']}): {option['description']}"
        for name, option in rule.options.items()
    ]
    return "\n## Options\n" + "\n".join(lines) + "\n"
