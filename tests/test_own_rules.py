"""Rules of one's own: a team writes them, names their folder or installs a package, and mistakes are told by name."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import tflint_hf
from tflint_hf.checks.fault import Fault, check
from tflint_hf.cli import main
from tflint_hf.diagnose import diagnose
from tflint_hf.diagnose.log import log_of_text
from tflint_hf.engine import ScanOptions, rules_for, scan
from tflint_hf.findings import ScanResult
from tflint_hf.rule_set import RuleSet

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "own-rules"
PACKAGE = ROOT / "examples" / "rules-package"
SCRIPT = """\
from transformers import TFAutoModel

model = TFAutoModel.from_pretrained("bert-base-cased")
"""
WORDS = """\
code: {code}
name: {name}
severity: error
message: '{message}'
why: 'it is so'
advice: 'do otherwise'
bad: |
  from transformers import TFAutoModel

  model = TFAutoModel.from_pretrained("bert-base-cased")
good: |
  from transformers import TFAutoModel
"""
FUNCTION = """\
from tflint_hf.plugin import Fault, check, events


@check("{code}")
def {name}(made: events.ModelMade):
    yield Fault(made.place, {{"what": "a model"}})
"""

YAML = WORDS.format(code="MY001", name="no-models", message="m")
BARE = """\
from tflint_hf.plugin import check


@check("MY001")
def f(made{}):
    yield
"""


FIX = "yield Fault(made.place, {{'what': 'w'}}, fix=fixes.PlannedFix({}))"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose configuration names a folder of rules, which has one, as the working directory."""
    folder = tmp_path / "project"
    add_rule(folder / "rules", "MY001", "no-models", "{what} is made")
    (folder / "train.py").write_text(SCRIPT, encoding="utf-8")
    configure(folder, 'rule-paths = ["rules"]\nignore = ["TF"]\n')
    monkeypatch.chdir(folder)
    return folder


def configure(folder: Path, text: str) -> None:
    (folder / "tflint-hf.toml").write_text(text, encoding="utf-8")


def add_rule(folder: Path, code: str, name: str, message: str = "no", function: str = FUNCTION) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.yaml").write_text(WORDS.format(code=code, name=name, message=message), encoding="utf-8")
    module = name.replace("-", "_")
    (folder / f"{module}.py").write_text(function.format(code=code, name=module), encoding="utf-8")


def found(*paths: str, **options: object) -> ScanResult:
    return scan([Path(path) for path in paths or (".",)], ScanOptions(jobs=1, **options))  # type: ignore[arg-type]


def codes(result: ScanResult) -> list[str]:
    return [finding.code for finding in result.findings]


def troubles(result: ScanResult) -> list[str]:
    return [f"{error.path}: {error.message}" for error in result.errors]


# A folder that the configuration names ----------------------------------------------------------------------------


def test_a_team_writes_a_rule_and_finds_what_it_asks_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "--format", "concise", "train.py"]) == 1
    assert "train.py:3:21: error MY001 a model is made (no-models)" in capsys.readouterr().out
    assert main(["rule", "no-models"]) == 0
    assert "model = TFAutoModel.from_pretrained" in capsys.readouterr().out
    assert main(["rules", "--format", "json"]) == 0
    listed = {one["code"]: one for one in json.loads(capsys.readouterr().out)["rules"]}
    assert (listed["MY001"]["origin"], listed["TFL001"]["origin"]) == ("rules", "")


def test_a_rule_counts_where_the_configuration_names_its_folder_and_nowhere_else(project: Path) -> None:
    other = project / "other"
    add_rule(other / "checks", "OTH001", "other-models")
    (other / "train.py").write_text(SCRIPT, encoding="utf-8")
    configure(other, 'rule-paths = ["checks"]\nignore = ["TF"]\n')
    both = [(finding.location.path, finding.code) for finding in found().findings]
    assert both == [("other/train.py", "OTH001"), ("train.py", "MY001")]
    assert codes(found(select=("OTH001", "MY"))) == ["OTH001", "MY001"]
    assert codes(found("other")) == ["OTH001"]
    assert codes(found(isolated=True, ignore=("TF",))) == []
    assert codes(found("train.py", rule_paths=(other / "checks",))) == ["MY001", "OTH001"]


def test_the_programs_that_test_rules_are_no_part_of_the_project(project: Path) -> None:
    (project / "rules").rename(project / "my [rules]")
    fixtures = project / "my [rules]" / "fixtures" / "no-models"
    fixtures.mkdir(parents=True)
    (fixtures / "bad.py").write_text(SCRIPT, encoding="utf-8")
    configure(project, 'rule-paths = ["my [rules]"]\nignore = ["TF"]\n')
    assert [finding.location.path for finding in found().findings] == ["train.py"]
    assert found("my [rules]/fixtures/no-models/bad.py").files_scanned == 1  # whoever names one wants it
    assert found("my [rules]/fixtures/no-models/bad.py", force_exclude=True).files_scanned == 0


def test_workers_know_the_rules_too(project: Path) -> None:
    for number in range(30):
        (project / f"train{number}").mkdir()
        (project / f"train{number}" / "train.py").write_text(SCRIPT, encoding="utf-8")
    result = scan([project], ScanOptions(jobs=2))
    assert codes(result) == ["MY001"] * 31
    assert troubles(result) == []


def test_a_change_of_a_rule_counts_in_a_process_that_goes_on(project: Path) -> None:
    assert found().findings[0].message == "a model is made"
    add_rule(project / "rules", "MY001", "no-models", "{what} was made")
    assert found().findings[0].message == "a model was made"
    (project / "rules" / "no_models.py").write_text(
        FUNCTION.format(code="MY001", name="no_models").replace("a model", "this model"), encoding="utf-8"
    )
    assert found().findings[0].message == "this model was made"


def test_modules_of_a_folder_may_import_each_other(project: Path) -> None:
    (project / "rules" / "words.py").write_text("WHAT = 'such a thing'\n", encoding="utf-8")
    module = project / "rules" / "no_models.py"
    module.write_text(
        "from .words import WHAT\n" + module.read_text(encoding="utf-8").replace('"a model"', "WHAT"), encoding="utf-8"
    )
    assert found().findings[0].message == "such a thing is made"
    (project / "rules" / "words.py").write_text("WHAT = 'another'\n", encoding="utf-8")
    assert found().findings[0].message == "another is made"


def test_comments_and_baselines_know_the_rules_of_a_team(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = project / "train.py"
    for comment in ("noqa: E501, MY001", "noqa: MY", "tflint-hf: ignore[no-models]"):
        script.write_text(SCRIPT.rstrip() + f"  # {comment}\n", encoding="utf-8")
        assert codes(found()) == []
    script.write_text("import tensorflow as tf\n\nx = 1  # noqa: E501, MY001\n", encoding="utf-8")
    configure(project, 'rule-paths = ["rules"]\nignore = ["TFV"]\n')
    assert [f.message for f in found().findings] == ["the suppression of MY001 hides nothing"]
    # Where the rules are not loaded, nobody can tell what it hides.
    assert codes(found(config_rule_paths=False)) == []
    assert codes(found(packages=False, config_rule_paths=False)) == []

    script.write_text(SCRIPT, encoding="utf-8")
    assert main(["scan", "--select", "MY", "--add-ignore", "train.py"]) == 0
    assert "# tflint-hf: ignore[MY001]" in script.read_text(encoding="utf-8")
    script.write_text(SCRIPT, encoding="utf-8")
    capsys.readouterr()
    assert main(["scan", "--write-baseline", "--baseline", "known.json", "train.py"]) == 0
    assert main(["scan", "--baseline", "known.json", "--select", "MY", "train.py"]) == 0
    assert '"MY001"' in (project / "known.json").read_text(encoding="utf-8")


def test_reports_for_machines_describe_the_rules_of_a_team(capsys: pytest.CaptureFixture[str]) -> None:
    main(["scan", "--format", "sarif"])
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["MY001"]
    main(["scan", "--format", "json"])
    schema = json.loads((ROOT / "tflint_hf" / "report" / "findings.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(json.loads(capsys.readouterr().out))


def test_a_log_is_known_by_the_symptoms_of_a_team(project: Path) -> None:
    with (project / "rules" / "no-models.yaml").open("a", encoding="utf-8") as words:
        words.write("symptoms:\n  - {kind: log, strength: certain, pattern: 'QUOTA \\d+ of the team'}\n")
    (one,) = diagnose(log_of_text("step 3\nQUOTA 17 of the team is used up\n"), rules().table).diagnoses
    assert one.rule.code == "MY001"


def rules() -> RuleSet:
    return rules_for(Path.cwd(), ScanOptions())


def test_a_rule_has_options_with_defaults_and_kinds(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (project / "rules" / "no-models.yaml").open("a", encoding="utf-8") as words:
        words.write("options:\n  most: {type: integer, default: 3, description: d}\n")
        words.write("  names: {type: array, default: [], description: d}\n")
        words.write("  strict: {type: boolean, default: false, description: d}\n")
        words.write("  who: {type: string, default: we, description: d}\n")
    module = project / "rules" / "no_models.py"
    text = module.read_text(encoding="utf-8").replace("events.ModelMade", "events.ModelMade, options")
    module.write_text(text.replace('"a model"', "sorted(options.items())"), encoding="utf-8")
    usual = "[('most', 3), ('names', []), ('strict', False), ('who', 'we')] is made"
    assert [f.message for f in found().findings] == [usual]
    settings = (project / "tflint-hf.toml").read_text(encoding="utf-8")
    configure(project, f'{settings}[rules.MY001]\nmost = 5\nnames = ["a"]\n')
    assert [f.message for f in found().findings] == [usual.replace("3", "5").replace("[]", "['a']")]
    for wrong, words_of_error in (
        ("most = 1.5", "must be a whole number"),
        ("most = true", "must be a whole number"),
        ('names = "a"', "must be a list"),
        ("strict = 1", "must be true or false"),
        ("who = 1", "must be a string"),
    ):
        configure(project, f"{settings}[rules.MY001]\n{wrong}\n")
        assert main(["scan"]) == 2
        assert f"tflint-hf.toml:4: {wrong.split()[0]} of no-models {words_of_error}" in capsys.readouterr().err


# Who does not want to run the code of others ----------------------------------------------------------------------


def test_nobody_elses_code_runs_where_it_is_not_wanted(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "rules" / "no_models.py").write_text("import tflint_hf\nopen('ran', 'w').close()\n", encoding="utf-8")
    configure(project, 'rule-paths = ["rules"]\nignore = ["TF", "MY001"]\nextend-select = ["MY"]\n')
    for refusal in ("--no-rule-paths", "--no-plugins", "--isolated"):
        assert main(["scan", refusal, "--ignore", "TF"]) == 0
        assert not Path("ran").exists()
    assert main(["scan"]) == 2
    assert Path("ran").exists()
    Path("ran").unlink()
    Path("log").write_text("nothing", encoding="utf-8")
    for command in (["rules"], ["rule", "TFL001"], ["diagnose", "log"]):
        for refusal in ("--no-rule-paths", "--no-plugins"):
            assert main([*command, refusal]) == 0
            assert not Path("ran").exists()
    add_rule(Path("elsewhere"), "MY003", "other-models")
    assert main(["rule", "MY003", "--no-rule-paths", "--rule-path", "elsewhere"]) == 0
    assert main(["scan", "--no-plugins", "--select", "MY001"]) == 2
    assert 'no rule is called "MY001"' in capsys.readouterr().err
    # A rule that is not loaded may have a name like one of the tool's.
    add_rule(project / "rules", "MY002", "fit-without-checkpoints")
    configure(project, 'rule-paths = ["rules"]\nignore = ["TF"]\n[rules.fit-without-checkpoints]\n')
    assert main(["scan", "--no-rule-paths"]) == 0
    configure(project, 'rule-paths = ["rules"]\nignore = ["TFQ"]\n')
    assert main(["scan", "--no-plugins"]) == 2  # what begins as the tool's own codes is a slip


# Mistakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("no_models.py", "import tflint_hf.gone\n"), "no_models.py: its rules are left out: ModuleNotFoundError: "),
        (("no_models.py", "import tflint_hf\nfrom .gone import x\n"),
         "ModuleNotFoundError: No module named 'rules.gone' (rules/no_models.py, line 2)"),
        (("no_models.py", "import tflint_hf\ndef broken(:\n"), "no_models.py: its rules are left out: SyntaxError: "),
        (("no_models.py", "import tflint_hf\nraise SystemExit(3)\n"), "its rules are left out: SystemExit: 3"),
        (("no_models.py", "import tflint_hf\nprint('{not json')\n"), 'has a function with @check("MY001")'),
        (("no_models.py", FUNCTION.format(code="MY002", name="f")), 'has a function with @check("MY001")'),
        (("more.py", FUNCTION.format(code="MY002", name="f")), "rules: MY002 has a function, but no file"),
        (("more.py", FUNCTION.format(code="MY001", name="f")), "rules: MY001 has two functions: f and no_models"),
        (("no_models.py", BARE.format("")),
         "rules: f, the function of MY001, needs a first parameter with a view or an event"),
        (("no_models.py", BARE.format(": 'Nothing'")),
         "rules: f, the function of MY001, has an annotation that means nothing: "),
        (("no_models.py", BARE.format(": int")),
         "rules: f, the function of MY001, needs a first parameter with a view or an event"),
        (("no_models.py", BARE.format(": events.Fitted, models").replace("check\n", "check, events\n", 1)),
         "rules: f, the function of MY001, asks for models: it can ask for options, target, trace"),
        (("no-models.yaml", "code: MY001\n"), "rules/no-models.yaml: key `"),
        (("no-models.yaml", "code: [\n"),
         "rules/no-models.yaml: it cannot be read: did not find expected node content, in line 2: this rule"),
        (("no-models.yaml", "code: MY001\ncode: MY002\n"),
         "it cannot be read: the key 'code' is there twice, in line 2:"),
        (("no-models.yaml", YAML + "options:\n  most: {type: integer, default: x, description: d}\n"),
         "key `options.most.default` must be a whole number, not 'x'"),
        (("no-models.yaml", YAML + "options:\n  3: {type: integer, default: 3, description: d}\n"),
         "key `options.3` must be a text"),
        (("no-models.yaml", WORDS.format(code="TFL001", name="no-models", message="m")), "key `code` is 'TFL001'"),
        (("no-models.yaml", WORDS.format(code="TF001", name="no-models", message="m")), "key `code` is 'TF001'"),
        (("twice.yaml", WORDS.format(code="MY001", name="twice", message="m")), "another file has its code or name"),
        (("__init__.py", "1 / 0\n"), "rules/__init__.py: its rules are left out: ZeroDivisionError: division by zero"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_and_all_else_goes_on(
    project: Path, capsys: pytest.CaptureFixture[str], change: tuple[str, str], message: str
) -> None:
    (project / "rules" / change[0]).write_text(change[1], encoding="utf-8")
    (project / "loss.py").write_text((ROOT / "tests/data/logs/TFL001-frozen-three.py").read_text(encoding="utf-8"))
    configure(project, 'rule-paths = ["rules"]\nextend-select = ["MY001"]\nignore = ["TFV", "MY7"]\n')
    assert main(["scan", "--format", "json"]) == 2
    said = capsys.readouterr()
    assert "TFL001" in {one["code"] for one in json.loads(said.out)["findings"]}
    assert message in said.err
    assert main(["rules"]) == 2
    said = capsys.readouterr()
    assert "TFL001" in said.out
    assert message in said.err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("raise LookupError('no such view')", "LookupError: no such view"),
        ("yield 'a fault'", "TypeError: it yields 'a fault', which is no Fault"),
        ("return None", "TypeError: it gives None, not faults one after the other"),
        ("yield Fault(made.place)", "ValueError: its text speaks of {what}, which its function gives no value for"),
        ("yield Fault('here', {'what': 'w'})", "TypeError: `at` of a Fault is 'here', which is no Place"),
        (
            "yield Fault(made.place, {'what': 'w'}, severity='bad')",
            "TypeError: `severity` of a Fault is 'bad'",
        ),
        (
            "yield Fault(made.place, {'what': 'w'}, fix='better')",
            "TypeError: `fix` of a Fault is 'better'",
        ),
        ("yield Fault(made.place, 'what')", "TypeError: `values` of a Fault is 'what', which is no Mapping"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("raise GeneratorExit", "GeneratorExit: "),
        (
            "yield Fault(made.place, {'what': 'w'}, related=(made.place,))",
            "TypeError: `related` of a Fault has <Name in text 0>, which is no pair of a Place and a text",
        ),
        (
            "yield Fault(made.place, {'what': 'w'}, rests_on={'tensorflow': 2})",
            "TypeError: `rests_on` of a Fault has 2 for tensorflow, which is no range of versions",
        ),
        (FIX.format("'safe', 'T', ()"), "TypeError: `safety` of PlannedFix is 'safe', which is no Safety"),
        (FIX.format("Safety.SAFE, 'T', ()"), "TypeError: `edits` of a PlannedFix is empty"),
        (FIX.format("Safety.SAFE, 'T', ('x',)"), "TypeError: `edits` of a PlannedFix has 'x', which is no edit"),
        (
            FIX.format("Safety.SAFE, 'T', (fixes.Replace(made.place, 3),)"),
            "TypeError: `text` of Replace is 3, which is no str",
        ),
        (
            FIX.format("Safety.SAFE, 'T', (fixes.Replace(None, 'x'),)"),
            "TypeError: `place` of Replace is None, which is no Place",
        ),
        (
            "yield Fault(__import__('tflint_hf.plugin').plugin.Place(7, None), {'what': 'w'})",
            "ValueError: its place is not in this program",
        ),
    ],
)
def test_a_function_that_fails_costs_its_own_findings_only(project: Path, line: str, message: str) -> None:
    function = FUNCTION.format(code="MY001", name="no_models").rpartition("    yield")[0]
    function = function.replace("import Fault", "import Safety, fixes, Fault")
    (project / "rules" / "no_models.py").write_text(f"{function}    {line}\n", encoding="utf-8")
    add_rule(project / "rules", "MY002", "sound-rule")
    result = found()
    assert codes(result) == ["MY002"]
    (trouble,) = troubles(result)
    assert trouble.startswith(f"train.py: the rule MY001 failed: {message}")
    if line.startswith("raise"):
        assert trouble.endswith(" (rules/no_models.py, line 6)")


def test_what_a_function_prints_is_in_no_report(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = project / "rules" / "no_models.py"
    module.write_text(module.read_text(encoding="utf-8").replace("    yield", "    print(made)\n    yield"))
    assert main(["scan", "--format", "json"]) == 1
    said = capsys.readouterr()
    assert [one["code"] for one in json.loads(said.out)["findings"]] == ["MY001"]
    assert said.err.startswith("ModelMade(place=<Name in text 0>, ")


def test_what_a_function_does_to_its_options_is_forgotten(project: Path) -> None:
    with (project / "rules" / "no-models.yaml").open("a", encoding="utf-8") as words:
        words.write("options:\n  names: {type: array, default: [], description: d}\n")
    module = project / "rules" / "no_models.py"
    text = module.read_text(encoding="utf-8").replace("events.ModelMade", "events.ModelMade, options")
    text = text.replace("    yield", "    options['names'].append(1)\n    yield").replace(
        '"a model"', "options['names']"
    )
    module.write_text(text, encoding="utf-8")
    (project / "other.py").write_text(SCRIPT, encoding="utf-8")
    assert [one.message for one in found().findings] == ["[1] is made"] * 2


def test_a_module_that_is_imported_does_not_move_the_scan_elsewhere(project: Path) -> None:
    (project / "rules" / "no_models.py").rename(project / "rules" / "no-models.py")  # called as the rule
    with (project / "rules" / "no-models.py").open("a", encoding="utf-8") as module:
        module.write("\n\nimport os\n\nos.chdir('/')\n")
    assert codes(found()) == ["MY001"]
    assert Path.cwd() == project


def test_a_folder_counts_once_by_whatever_name(project: Path) -> None:
    (project / "link").symlink_to("rules")
    (project / "sub").mkdir()
    (project / "sub" / "train.py").write_text(SCRIPT, encoding="utf-8")
    configure(project / "sub", f'rule-paths = ["../rules", "{(project / "rules").as_posix()}"]\nignore = ["TF"]\n')
    configure(project, 'rule-paths = ["link", "rules/../rules"]\nignore = ["TF"]\n')
    for result in (found(), found(rule_paths=(project / "rules",))):
        assert (codes(result), troubles(result)) == (["MY001"] * 2, [])
    module = project / "rules" / "no_models.py"
    module.write_text(module.read_text(encoding="utf-8").replace("    yield", "    1 / 0\n    yield"))
    assert troubles(found("train.py"))[0].endswith("division by zero (link/no_models.py, line 6)")


def test_a_rule_is_silent_for_the_versions_it_is_not_about(project: Path) -> None:
    with (project / "rules" / "no-models.yaml").open("a", encoding="utf-8") as words:
        words.write("applies: {transformers: '>=4.40,<5'}\n")
    (one,) = found().findings
    assert one.depends_on == "transformers>=4.40,<5"
    assert codes(found(target_versions={"transformers": "4.38.2"})) == []
    (one,) = found(target_versions={"transformers": "4.41.0"}).findings
    assert one.depends_on is None


def test_a_rule_knows_what_is_written_in_a_call_itself(project: Path) -> None:
    module = project / "rules" / "no_models.py"
    text = module.read_text(encoding="utf-8")
    module.write_text(text.replace('"a model"', "sorted(made.model.site.written)"), encoding="utf-8")
    (project / "train.py").write_text(
        "from transformers import TFAutoModel\n\nN = 'bert-base-cased'\n"
        "TFAutoModel.from_pretrained(N, num_labels=3, bias=-1.5, revision=f'{N}', other=[1])\n",
        encoding="utf-8",
    )
    assert [one.message for one in found().findings] == ["['bias', 'num_labels'] is made"]


def test_two_folders_with_the_same_code_are_told_apart(project: Path) -> None:
    add_rule(project / "zother" / "rules", "MY001", "same-code")
    configure(project / "zother", 'rule-paths = ["rules"]\n')
    (project / "zother" / "train.py").write_text(SCRIPT, encoding="utf-8")
    result = found()
    assert "zother/rules: the code of MY001 same-code is one of rules: this rule is left out" in troubles(result)
    assert ("train.py", "MY001") in {(finding.location.path, finding.code) for finding in result.findings}
    add_rule(project / "zother" / "rules", "MY003", "crossentropy-on-logits")
    assert any("is one of tflint-hf itself" in trouble for trouble in troubles(found("zother")))


def test_a_folder_that_is_not_there_is_an_error_of_the_configuration(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(project / "rules")
    for arguments in (["scan"], ["rules"], ["test-rules"], ["diagnose", "train.py"], ["confirm", "train.py"]):
        assert main(arguments) == 2
        assert "tflint-hf.toml:1: `rule-paths` names rules, which is not a folder" in capsys.readouterr().err
    for wrong in ('rule-paths = "rules"', "rule-paths = [1]", 'rule-paths = [""]'):
        configure(project, wrong)
        assert main(["scan"]) == 2
        assert "tflint-hf.toml:1: `rule-paths` must " in capsys.readouterr().err


def test_rules_of_others_that_this_process_imports_are_none_of_the_tool() -> None:
    @check("ZZZ001")
    def stray(_made: object) -> Iterator[Fault]:
        yield from ()

    assert "ZZZ001" not in rules().checks


# Tests of rules ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", [EXAMPLE / "lint_rules", PACKAGE / "acme_rules"], ids=["folder", "package"])
def test_the_examples_do_what_they_say(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test-rules", str(folder)]) == 0
    assert capsys.readouterr().out.endswith(": ok\n")


def test_test_rules_says_what_is_not_as_the_files_say(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    work = project / "work"
    shutil.copytree(EXAMPLE, work, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(work)
    assert main(["test-rules"]) == 0
    fixtures = work / "lint_rules" / "fixtures" / "checkpoint-without-revision"
    expected = fixtures / "expected.json"
    said = json.loads(expected.read_text(encoding="utf-8"))
    said["findings"][0]["line"] = 5
    expected.write_text(json.dumps(said), encoding="utf-8")
    words = work / "lint_rules" / "checkpoint-without-revision.yaml"
    words.write_text(words.read_text(encoding="utf-8").replace(', revision="cd5ef92"', ""), encoding="utf-8")
    capsys.readouterr()
    assert main(["test-rules"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "LAB001 checkpoint-without-revision: not as it should be",
        "  the good example has the fault",
        "  not found: LAB001 in bad.py, line 5",
        "  found, but not expected: LAB001 in bad.py, line 7",
    ]
    expected.write_text('{"found": []}', encoding="utf-8")
    assert main(["test-rules"]) == 1
    assert "expected.json: is not as " in capsys.readouterr().out
    expected.unlink()
    assert main(["test-rules"]) == 1
    assert "expected.json is missing" in capsys.readouterr().out
    assert main(["test-rules", str(fixtures)]) == 2
    assert "no YAML file in it describes a rule" in capsys.readouterr().err


def test_test_rules_makes_the_fixes(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = project / "rules" / "no_models.py"
    text = module.read_text(encoding="utf-8").replace("import Fault", "import Fault, Safety, fixes")
    edit = 'fix=fixes.PlannedFix(Safety.SAFE, "Add it", (fixes.AddArgument(made.model.site.place, "x=1"),))'
    module.write_text(text.replace('{"what": "a model"}', f'{{"what": "it"}}, {edit}'), encoding="utf-8")
    fixtures = project / "rules" / "fixtures" / "no-models"
    fixtures.mkdir(parents=True)
    (fixtures / "bad.py").write_text(SCRIPT, encoding="utf-8")
    (fixtures / "expected.json").write_text('{"findings": [{"file": "bad.py", "line": 3, "code": "MY001"}]}')
    assert main(["test-rules", "rules"]) == 1
    said = capsys.readouterr().out
    assert "its function gives a fix that is safe, but its file says `fix: none`" in said
    assert "MY001 still wants to be fixed after its fix" in said
    # Python's grammar allows an argument twice, Python does not.
    assert "the fix of MY001 is refused: it would leave text that is not Python" in said


def test_test_rules_says_why_an_example_has_no_fault(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = project / "rules" / "no-models.yaml"
    text = words.read_text(encoding="utf-8")
    words.write_text(f"{text}fix: unsafe\nprobe: guesses\n".replace("  model =", "  model = ="), encoding="utf-8")
    fixtures = project / "rules" / "fixtures" / "no-models"
    fixtures.mkdir(parents=True)
    (fixtures / "expected.json").write_text('{"findings": []}', encoding="utf-8")
    assert main(["test-rules", "rules"]) == 1
    said = capsys.readouterr().out
    assert "the bad example is not Python: invalid syntax (line 3)" in said
    assert "does not have the fault" not in said
    assert "its file says `fix: unsafe`, but no program here gets a fix that can be made" in said
    assert "no probe is called guesses; there are batch-keys, " in said
    words.write_text(text, encoding="utf-8")
    module = project / "rules" / "no_models.py"
    module.write_text(module.read_text(encoding="utf-8").replace("    yield", "    made.nothing\n    yield"))
    assert main(["test-rules", "rules"]) == 1
    said = capsys.readouterr().out
    trouble = "the rule MY001 failed: AttributeError: 'ModelMade' object has no attribute 'nothing'"
    assert f"  the bad example: {trouble} (rules/no_models.py, line 6)\n" in said


# Installed packages -----------------------------------------------------------------------------------------------


def test_an_installed_package_brings_its_rules(project: Path, tmp_path: Path) -> None:
    """With pip, into a folder of its own that another process has on its path."""
    place = tmp_path / "site"
    built = shutil.copytree(PACKAGE, tmp_path / "package", ignore=shutil.ignore_patterns("__pycache__"))
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--disable-pip-version-check", "--target", str(place), str(built)], check=True)
    (project / "fit.py").write_text(
        (built / "acme_rules" / "fixtures" / "training-without-validation" / "bad.py").read_text(encoding="utf-8")
    )

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join((str(place), str(Path(tflint_hf.__file__).parents[1])))
        command = [sys.executable, "-m", "tflint_hf", *arguments]
        return subprocess.run(
            command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
        )

    done = run("scan", "--format", "concise", "--isolated", "--ignore", "TF")
    assert (
        done.stdout.splitlines()[0]
        == "fit.py:7:18: warning ACME001 fit() gets no validation data (training-without-validation)"
    )
    assert run("scan", "--no-plugins", "--ignore", "TF").returncode == 0
    assert "acme-rules 1.0" in run("rules", "--format", "json").stdout
    tested = run("test-rules")
    assert (tested.returncode, tested.stdout) == (1, tested.stdout)
    assert "ACME001 training-without-validation: ok" in tested.stdout

    (place / "acme_rules" / "training.py").write_text("import tflint_hf.gone\n", encoding="utf-8")
    broken = run("scan", "--format", "json")
    assert broken.returncode == 2
    assert {one["code"] for one in json.loads(broken.stdout)["findings"]} == {"MY001"}
    assert "acme_rules/training.py: its rules are left out: ModuleNotFoundError" in broken.stderr
    (place / "acme_rules" / "__init__.py").write_text("1 / 0\n", encoding="utf-8")
    assert "acme-rules 1.0: its rules are left out: ZeroDivisionError" in run("scan").stderr
