"""The rule table: what people may select, how a wrong rule file is reported, and the rules that are shipped."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from report_samples import sample_rules, write_rule

from tflint_hf import rule_files
from tflint_hf.findings import Severity
from tflint_hf.report.page import render_page
from tflint_hf.rule_files import RuleFileError, load_rules, read_rules
from tflint_hf.rules import Rule, RuleTable, UnknownRule

_SYMPTOM = "options: {}\nsymptoms: [{kind: error, strength: likely, pattern: 'x+'"


@pytest.fixture
def table(tmp_path: Path) -> RuleTable:
    return sample_rules(tmp_path)


@pytest.mark.parametrize(
    ("selector", "codes"),
    [
        ("TFL001", {"TFL001"}),
        ("tfl001", {"TFL001"}),
        ("TFL", {"TFL001", "TFL002"}),
        ("TFO0", {"TFO001"}),
        ("string-optimizer", {"TFO001"}),
        ("ALL", {"TFL001", "TFL002", "TFO001", "TFE010"}),
        (" TFE010 ", {"TFE010"}),
    ],
)
def test_a_selector_is_a_code_a_prefix_a_name_or_all(table: RuleTable, selector: str, codes: set[str]) -> None:
    assert table.resolve(selector) == codes


@pytest.mark.parametrize(
    ("selector", "hint"),
    [
        ("TFL003", "TFL00"),
        ("string-optimiser", "did you mean string-optimizer?"),
        ("TFL0O1", "did you mean TFL001?"),
        ("TFO01", "did you mean TFO001?"),
        ("E501", "`tflint-hf rules` lists all rules"),
        ("", "`tflint-hf rules` lists all rules"),
    ],
)
def test_an_unknown_selector_is_refused_with_a_hint(table: RuleTable, selector: str, hint: str) -> None:
    with pytest.raises(UnknownRule, match=re.escape(hint)):
        table.resolve(selector)


def test_a_prefix_does_not_name_one_rule(table: RuleTable) -> None:
    with pytest.raises(UnknownRule):
        table.find("TFL")


def test_rules_come_in_the_order_of_their_codes(table: RuleTable) -> None:
    assert [rule.code for rule in table] == ["TFE010", "TFL001", "TFL002", "TFO001"]
    assert len(table) == 4


def test_a_rule_file_becomes_a_rule(table: RuleTable) -> None:
    rule = table.find("string-optimizer")
    assert (rule.code, rule.severity, rule.family) == ("TFO001", Severity.WARNING, "optimizer")
    assert rule.applies == {"transformers": ">=4.20,<5"}
    assert (rule.probe, rule.probe_reason) == (None, "nothing to measure")
    assert rule.summary == "Finds a loss that is wrong."
    assert rule.url == "", "no page is published yet"


def test_a_page_shows_both_programs(table: RuleTable) -> None:
    page = render_page(table.find("TFL001"))
    assert '## Example\n```python\nmodel.compile(loss="x")\n```\n' in page
    assert "## Use instead\n```python\nmodel.compile()\n```\n" in page
    assert "<bad>" not in page


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("severity: error", "severity: fatal", "key `severity` must be one of"),
        ("severity: error\n", "", "key `severity` is missing"),
        ("fix: unsafe", "fix: unsafe\nfixx: 1", "unknown key `fixx`"),
        ("code: TFL001", "code: L1", "key `code`"),
        ("name: crossentropy-on-logits", "name: other-name", "but the file is called"),
        ("'{loss} is wrong'", "'{loss.name} is wrong'", "key `message` may hold plain {names} only"),
        ("'{loss} is wrong'", "'{loss is wrong'", "key `message` is not a format string"),
        ("'{loss} is wrong'", "''", "key `message` must be a text"),
        ('">=4.20,<5"', '"newest"', "key `applies.transformers` is not a version range"),
        ('">=4.20,<5"', "4.2", "key `applies.transformers` is not a version range"),
        ("  <bad>", "  (bad)", "key `page` must hold the line <bad> once"),
        ("probe: none", "probe: loss-plateau", "key `probe_reason` belongs to"),
        ("options: {}", "options: {limit: 3}", "key `options.limit`"),
        ("options: {}", "options: {", "it cannot be read"),
        ("options: {}", "options: {}\nsymptoms: {}", "key `symptoms` must be a list"),
        ("options: {}", "options: {}\nsymptoms: [x]", "key `symptoms[0]` must be a mapping"),
        ("options: {}", "options: {}\nsymptoms: [{pattern: x}]", "key `symptoms[0]` needs kind, strength, pattern"),
        ("options: {}", f"{_SYMPTOM}, extra: y}}]", "key `symptoms[0]` needs kind, strength, pattern"),
        ("options: {}", f"{_SYMPTOM}, note: 3}}]", "key `symptoms[0].note` must be a text"),
        ("options: {}", f"{_SYMPTOM.replace('error', 'crash')}}}]", "key `symptoms[0].kind` must be one of"),
        ("options: {}", f"{_SYMPTOM.replace('likely', 'sure')}}}]", "key `symptoms[0].strength` must be one of"),
        ("options: {}", f"{_SYMPTOM.replace('x+', 'x(')}}}]", "key `symptoms[0].pattern` is not a regular expression"),
        ("options: {}", f"{_SYMPTOM.replace('x+', 'x*')}}}]", "key `symptoms[0].pattern` matches an empty text"),
        ("options: {}", f"{_SYMPTOM}, where: 'rows > 1'}}]", "speaks of rows, which the pattern does not name"),
        ("options: {}", f"{_SYMPTOM}, where: 'rows is 1'}}]", "key `symptoms[0].where` is wrong"),
        (
            "options: {}",
            "options: {}\nsymptoms: [{curve: up, strength: likely}]",
            "key `symptoms[0].curve` must be one",
        ),
    ],
)
def test_a_wrong_rule_file_is_reported_with_its_path_and_key(tmp_path: Path, old: str, new: str, problem: str) -> None:
    path = write_rule(tmp_path, "TFL001", "crossentropy-on-logits")
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(RuleFileError, match=re.escape(problem)) as caught:
        read_rules(tmp_path)
    assert str(path) in str(caught.value)


def test_symptoms_are_kept_in_the_cache_as_they_are_read(tmp_path: Path) -> None:
    rules, cache = tmp_path / "rules", tmp_path / "cache"
    path = write_rule(rules, "TFL001", "crossentropy-on-logits")
    text = path.read_text(encoding="utf-8")
    symptom = "symptoms: [{kind: error, strength: likely, pattern: '(?P<a>.)(?P<b>.)', where: a * 2 <= b and a != 1}]"
    path.write_text(text.replace("options: {}", f"options: {{}}\n{symptom}"), encoding="utf-8")
    first = cached(rules, cache)
    assert cached(rules, cache) == first
    (read,) = first[0].symptoms
    matches = [re.match(read.pattern or "", digits) for digits in ("24", "23", "12")]
    assert [read.holds(match) for match in matches if match] == [True, False, False]


def test_two_rules_with_one_code_are_refused(tmp_path: Path) -> None:
    write_rule(tmp_path, "TFL001", "crossentropy-on-logits")
    write_rule(tmp_path, "TFL001", "another-name")
    with pytest.raises(RuleFileError, match="its code or name is also that of"):
        read_rules(tmp_path)


def cached(rules: Path, cache: Path) -> list[Rule]:
    return rule_files._cached_rules(rules, cache)


def test_the_cache_gives_the_same_rules_and_follows_a_change(tmp_path: Path) -> None:
    rules, cache = tmp_path / "rules", tmp_path / "cache"
    path = write_rule(rules, "TFL001", "crossentropy-on-logits")
    first = cached(rules, cache)
    assert len(list(cache.iterdir())) == 1
    assert cached(rules, cache) == first
    path.write_text(path.read_text(encoding="utf-8").replace("severity: error", "severity: info"), encoding="utf-8")
    assert cached(rules, cache)[0].severity is Severity.INFO


@pytest.mark.parametrize("content", ["", "[]", '{"key": 1}', "\x00"])
def test_a_broken_cache_is_as_good_as_none(tmp_path: Path, content: str) -> None:
    rules, cache = tmp_path / "rules", tmp_path / "cache"
    write_rule(rules, "TFL001", "crossentropy-on-logits")
    first = cached(rules, cache)
    next(cache.iterdir()).write_text(content)
    assert cached(rules, cache) == first


def test_a_cache_that_cannot_be_written_costs_time_only(tmp_path: Path) -> None:
    write_rule(tmp_path / "rules", "TFL001", "crossentropy-on-logits")
    blocked = tmp_path / "file"
    blocked.touch()
    assert len(cached(tmp_path / "rules", blocked / "cache")) == 1


@pytest.mark.skipif(sys.platform == "win32" or not hasattr(os, "geteuid"), reason="needs a POSIX home")
def test_no_home_folder_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HOME", "XDG_CACHE_HOME", "TFLINT_HF_CACHE_DIR"):
        monkeypatch.delenv(variable, raising=False)
    assert rule_files.user_cache_folder().name == "tflint-hf"


# The shipped rules ------------------------------------------------------------------------------------------------

HEADINGS = [
    *("What it does", "Why it is bad", "How you meet it", "Example", "Use instead", "When it stays silent"),
    *("Known false alarms", "Versions", "What a run shows", "References"),
]


def test_every_page_has_the_same_headings() -> None:
    found = {rule.name: re.findall(r"^## (.+)$", rule.page, re.MULTILINE) for rule in load_rules()}
    assert {name: headings for name, headings in found.items() if headings != HEADINGS} == {}


def test_every_example_program_is_python() -> None:
    for rule in load_rules():
        for label, program in (("bad", rule.bad), ("good", rule.good)):
            if rule.family != "tool":  # a rule on unreadable code shows unreadable code
                compile(program, f"{rule.name}: {label}", "exec")


def test_every_summary_is_one_short_sentence() -> None:
    assert [rule.name for rule in load_rules() if not 20 < len(rule.summary) < 400] == []


def test_the_generated_parts_of_the_documentation_are_up_to_date() -> None:
    script = Path(__file__).resolve().parents[1] / "scripts" / "generate_docs.py"
    run = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
