"""`scan --confirm`: the programs with findings run, and a finding that is refuted does not count."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import tflint_hf.dynamic.sweep as sweep
from tflint_hf.cli import main
from tflint_hf.dynamic.confirm import Confirmation
from tflint_hf.dynamic.job import RunOptions
from tflint_hf.dynamic.record import Observation, observation_of
from tflint_hf.dynamic.runner import Ended, RunRecord
from tflint_hf.engine import ScanOptions, scan
from tflint_hf.extras import install_command
from tflint_hf.findings import Finding, Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TRAIN = """\
from transformers import TFAutoModelForSequenceClassification

model = TFAutoModelForSequenceClassification.from_pretrained("bert-base-cased", num_labels=3)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
"""
EVIDENCE = "half of the gradients are exactly 0"


class Runs:
    """Stands in for runs of programs: `outcomes` by program and code; it remembers what was run."""

    def __init__(self, outcomes: Mapping[str, Outcome]) -> None:
        self.outcomes = outcomes
        self.programs: list[str] = []
        self.added: list[Finding] = []
        self.errors: list[dict[str, Any]] = []

    def __call__(self, script: Path, findings: Sequence[Finding], *_: object) -> Confirmation:
        self.programs.append(script.as_posix())
        judged = [
            dataclasses.replace(finding, verdict=Verdict(self.outcomes[finding.code], EVIDENCE, "loss", (("x", 1.0),)))
            for finding in findings
        ]
        return Confirmation(script, (*judged, *self.added), self.observation(), RunOptions())

    def observation(self) -> Observation:
        return observation_of(RunRecord(tuple(self.errors), Ended.FINISHED, 0, 1.0, "", ""))


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "clean.py").write_text("import math\nprint(math.pi)\n")
    return tmp_path


def running(monkeypatch: pytest.MonkeyPatch, outcome: Outcome) -> Runs:
    codes = {finding.code for finding in scan((Path(),), ScanOptions()).findings}
    runs = Runs(dict.fromkeys(codes, outcome))
    monkeypatch.setattr(sweep, "confirm", runs)
    return runs


@pytest.mark.parametrize("outcome", Outcome)
def test_only_a_refuted_finding_does_not_count(
    outcome: Outcome, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = running(monkeypatch, outcome)
    assert main(["scan", "--confirm"]) == (0 if outcome is Outcome.REFUTED else 1)
    assert runs.programs == ["train.py"]
    printed = capsys.readouterr().out
    assert f"run: {outcome.value}: {EVIDENCE}" in printed
    assert ("a run refutes" in printed) == (outcome is Outcome.REFUTED)


@pytest.mark.parametrize("format_name", ["text", "concise", "json", "github", "sarif"])
def test_every_format_says_the_verdict(
    format_name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    running(monkeypatch, Outcome.REFUTED)
    assert main(["scan", "--confirm", "--format", format_name]) == 0
    printed = capsys.readouterr().out
    assert "refuted" in printed
    if format_name == "sarif":
        for one in json.loads(printed)["runs"][0]["results"]:
            assert one["properties"]["verdict"]["outcome"] == "refuted"
            assert one["level"] == "note"
    if format_name == "github":
        assert all(line.startswith("::notice ") for line in printed.splitlines())


def test_a_module_is_run_by_the_script_that_imports_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "train.py").unlink()
    (project / "models.py").write_text(TRAIN)
    (project / "main.py").write_text("import models\nprint(models.model)\n")
    runs = running(monkeypatch, Outcome.CONFIRMED)
    assert main(["scan", "--confirm", "-q"]) == 1
    assert runs.programs == ["main.py"]


def test_notebooks_run_and_markdown_does_not(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "train.py").unlink()
    cell: dict[str, Any] = {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
        "source": TRAIN,
    }
    (project / "train.ipynb").write_text(
        json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    )
    (project / "README.md").write_text(f"```python\n{TRAIN}```\n")
    runs = running(monkeypatch, Outcome.UNDECIDED)
    assert main(["scan", "--confirm", "-q"]) == 1
    assert runs.programs == ["train.ipynb"]


def test_nothing_runs_where_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = running(monkeypatch, Outcome.CONFIRMED)
    assert main(["scan", "--confirm", "clean.py"]) == 0
    assert not runs.programs


@pytest.mark.parametrize("hidden", ["settings", "a comment"])
def test_what_only_a_run_shows_can_be_hidden_too(
    hidden: str, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = running(monkeypatch, Outcome.CONFIRMED)
    known = scan((Path("train.py"),), ScanOptions()).findings[0]
    shown = dataclasses.replace(
        known,
        code="TFL020",
        name="shown-by-the-run",
        verdict=Verdict(Outcome.CONFIRMED, EVIDENCE),
        location=dataclasses.replace(known.location, line=3, end_line=3),
    )
    runs.added.append(shown)
    main(["scan", "--confirm", "--format", "concise"])
    assert "shown-by-the-run" in capsys.readouterr().out
    if hidden == "settings":
        main(["scan", "--confirm", "--format", "concise", "--ignore", "TFL020"])
    else:
        (project / "train.py").write_text(TRAIN.replace("num_labels=3)", "num_labels=3)  # noqa: TFL020"))
        main(["scan", "--confirm", "--format", "concise"])
    assert "shown-by-the-run" not in capsys.readouterr().out


def test_a_library_that_is_missing_is_said_with_the_command_to_type(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = running(monkeypatch, Outcome.CONFIRMED)
    runs.errors = [{"kind": "error", "type": "ModuleNotFoundError", "text": "No module named 'tensorflow'", "at": []}]
    assert main(["scan", "--confirm"]) == 2
    said = capsys.readouterr().err
    assert install_command("confirm", sys.executable) in said
    assert "--confirm-python" in said


@pytest.mark.parametrize("options", [["-"], ["--statistics"], ["--confirm-budget", "1"]])
def test_what_cannot_be_combined(options: list[str]) -> None:
    assert main(["scan", "--confirm", *options]) == 2


def test_an_interpreter_that_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "--confirm", "--confirm-python", "/no/such/python"]) == 2
    assert "/no/such/python cannot be started" in capsys.readouterr().err


def test_a_program_that_stops_reaches_no_finding(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text(
        "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--data', required=True)\n"
        f"arguments = parser.parse_args()\n{TRAIN}"
    )
    assert main(["scan", "--confirm", "--confirm-budget", "30"]) == 1
    printed = capsys.readouterr().out
    assert "run: not reached: the run stopped before, at line 4: SystemExit: exit code 2" in printed
