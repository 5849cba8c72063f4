"""`tflint-hf rule` and `tflint-hf rules`: the rules explain themselves."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from tflint_hf.cli.output import print_text

if TYPE_CHECKING:
    from tflint_hf.rules import Rule

format_option = click.option(
    "--format", "format_name", type=click.Choice(["text", "json"]), default="text", help="Default: text."
)


@click.command("rule")
@click.argument("rule", metavar="CODE|NAME")
@format_option
def rule_command(rule: str, format_name: str) -> None:
    """Explain one rule, with a program that breaks it and the same program mended."""
    from tflint_hf.report.json import dump
    from tflint_hf.report.page import render_page
    from tflint_hf.rules import UnknownRule, load_rules

    try:
        found = load_rules().find(rule)
    except UnknownRule as error:
        raise click.ClickException(str(error)) from None
    page = render_page(found)
    print_text(dump({"rule": _facts(found) | {"page": page}}) if format_name == "json" else page)


@click.command("rules")
@format_option
def rules_command(format_name: str) -> None:
    """List all rules."""
    from tflint_hf.report.json import dump
    from tflint_hf.rules import load_rules

    table = load_rules()
    if format_name == "json":
        print_text(dump({"rules": [_facts(rule) for rule in table]}))
        return
    width = max((len(rule.name) for rule in table), default=0)
    lines = [f"{rule.code}  {rule.name:<{width}}  {rule.severity.label:<7}  {rule.summary}\n" for rule in table]
    print_text("".join(lines))


def _facts(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "family": rule.family,
        "severity": rule.severity.label,
        "confidence": rule.confidence,
        "applies": rule.applies,
        "fix": rule.fix,
        "probe": rule.probe,
        "probe_reason": rule.probe_reason,
        "summary": rule.summary,
        "message": rule.message,
        "why": rule.why,
        "advice": rule.advice,
        "options": rule.options,
        "symptoms": [asdict(symptom) for symptom in rule.symptoms],
        "bad": rule.bad,
        "good": rule.good,
        "url": rule.url,
    }
