"""`tflint-hf rule` and `tflint-hf rules`: the rules explain themselves."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tflint_hf.cli.exits import Exit
from tflint_hf.cli.options import loading, rules_begun, with_rule_sources
from tflint_hf.cli.output import print_errors, print_text

if TYPE_CHECKING:
    from tflint_hf.engine import ScanOptions
    from tflint_hf.rule_set import RuleSet
    from tflint_hf.rules import Rule

format_option = click.option(
    "--format", "format_name", type=click.Choice(["text", "json"]), default="text", help="Default: text."
)


@click.command("rule")
@click.argument("rule", metavar="CODE|NAME", shell_complete=rules_begun)
@format_option
@with_rule_sources
def rule_command(rule: str, format_name: str, **sources: Any) -> None:
    """Explain one rule, with a program that breaks it and the same program mended."""
    from tflint_hf.report.json import dump
    from tflint_hf.report.page import render_page
    from tflint_hf.rules import UnknownRule

    known = _rules_here(loading(**sources))
    try:
        found = known.table.find(rule)
    except UnknownRule as error:
        raise click.ClickException(str(error)) from None
    page = render_page(found)
    print_text(dump({"rule": _facts(found) | {"page": page}}) if format_name == "json" else page)


@click.command("rules")
@format_option
@with_rule_sources
def rules_command(format_name: str, **sources: Any) -> int:
    """List all rules, with those of installed packages and of the folders that the configuration here names."""
    from tflint_hf.report.json import dump

    known = _rules_here(loading(**sources))
    table = known.table
    code = Exit.FAILED if known.failures else Exit.CLEAN
    if format_name == "json":
        print_text(dump({"rules": [_facts(rule) for rule in table]}))
        return code
    width = max((len(rule.name) for rule in table), default=0)
    lines = [f"{rule.code}  {rule.name:<{width}}  {rule.severity.label:<7}  {rule.summary}\n" for rule in table]
    print_text("".join(lines))
    return code


def _rules_here(options: ScanOptions) -> RuleSet:
    """The rules that a scan here knows. What cannot be loaded is told."""
    from tflint_hf.config import ConfigError
    from tflint_hf.engine import rules_for

    try:
        known = rules_for(Path.cwd(), options)
    except ConfigError as error:
        raise click.ClickException(str(error)) from None
    print_errors(known.failures)
    return known


def _facts(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "family": rule.family,
        "origin": rule.origin,
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
