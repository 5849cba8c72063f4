"""Every rule's page: its bad example has the fault, its good one has none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tflint_hf.checks.built_in import built_in_checks
from tflint_hf.engine import ScanOptions, scan
from tflint_hf.findings import Finding, Severity
from tflint_hf.rule_files import load_rules
from tflint_hf.rules import Rule
from tflint_hf.target import unknown_target

RULES = list(load_rules())
WITH_PROGRAMS = [rule for rule in RULES if not rule.code.startswith("TFX")]
HEADINGS = (
    "What it does", "Why it is bad", "How you meet it", "Example", "Use instead", "When it stays silent",
    "Known false alarms", "Versions", "What a run shows", "References",
)  # fmt: skip


def _targets(rule: Rule) -> dict[str, str]:
    """A stack for which the rule applies, where it is not the one that is taken for granted anyway."""
    if rule.code in {"TFV001", "TFV005"}:
        return {"transformers": ">=5" if rule.code == "TFV001" else "4.57.6"}
    states_its_own = "# /// script" in rule.bad
    return {} if states_its_own or unknown_target().satisfies(rule.applies) else dict(rule.applies)


def _findings(program: str, targets: dict[str, str]) -> tuple[Finding, ...]:
    options = ScanOptions(isolated=True, target_versions=targets, stdin=(program, "example.py"))
    return scan((), options).findings


@pytest.mark.parametrize("rule", WITH_PROGRAMS, ids=lambda rule: rule.name)
def test_the_bad_example_of_a_page_has_the_fault(rule: Rule) -> None:
    findings = _findings(rule.bad, _targets(rule))
    assert rule.code in {f.code for f in findings}


@pytest.mark.parametrize("rule", WITH_PROGRAMS, ids=lambda rule: rule.name)
def test_the_good_example_of_a_page_has_no_fault_at_all(rule: Rule) -> None:
    findings = _findings(rule.good, _targets(rule) if rule.code != "TFV001" else {"transformers": "4.54.1"})
    assert [f"{f.code}:{f.location.line}" for f in findings if f.severity >= Severity.WARNING] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_page_has_all_its_sections_in_order(rule: Rule) -> None:
    assert tuple(re.findall(r"^## (.+)$", rule.page, re.MULTILINE)) == HEADINGS


def test_every_rule_has_a_function_and_fixtures_and_every_function_has_a_rule() -> None:
    codes = {rule.code for rule in RULES}
    assert set(built_in_checks()) == {code for code in codes if not code.startswith("TFX")}
    fixtures = Path(__file__).parent.parent / "fixtures"
    assert [rule.name for rule in RULES if not (fixtures / rule.name / "expected.json").is_file()] == []
