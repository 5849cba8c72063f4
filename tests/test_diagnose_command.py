"""`tflint-hf diagnose` as people use it: a log from a file or a pipe in, a report and an exit code out."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import jsonschema
import pytest
from referencing import Registry, Resource

import tflint_hf
from tflint_hf.cli import main

LOGS = Path(__file__).parent / "data" / "logs"
REPORT = Path(tflint_hf.__file__).parent / "report"
SCHEMA, FINDINGS = (
    json.loads((REPORT / f"{name}.schema.json").read_text(encoding="utf-8")) for name in ("diagnosis", "findings")
)
CRASH = str(LOGS / "TFL005-loss-none.log")


def _type(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize("arguments", [[], ["--script", str(LOGS / "TFL005-loss-none.py")]])
@pytest.mark.parametrize("log", [CRASH, str(LOGS / "other-file.log")])
def test_the_json_report_keeps_to_its_schema(
    log: str, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["diagnose", log, "--format", "json", *arguments])
    registry = Registry().with_resources((s["$id"], Resource.from_contents(s)) for s in (SCHEMA, FINDINGS))
    report = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(SCHEMA, registry=registry).validate(report)
    assert bool(report["diagnoses"]) is (log == CRASH)


def test_a_recognised_log_gives_1_and_names_rule_line_and_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", CRASH]) == 1
    out = capsys.readouterr().out
    assert out.startswith("TFL004 no-labels (likely)\n")
    assert "more: tflint-hf rule TFL005" in out
    assert "log, line " in out


def test_the_script_puts_its_fault_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", CRASH, "--script", str(LOGS / "TFL005-loss-none.py")]) == 1
    out = capsys.readouterr().out
    assert "TFL005-loss-none.py:15:" in out.splitlines()[0]
    assert "TFL005 explicit-loss-none (the log shows it and the program has it)" in out.splitlines()[0]
    assert "TFL004" not in out


def test_a_pipe_is_read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["-"]):
        _type(b"RuntimeError: You must compile your model before training/testing.", monkeypatch)
        assert main(["diagnose", *arguments]) == 1
        assert capsys.readouterr().out.startswith("TFM017 ")


def test_nothing_recognised_gives_0_and_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", str(LOGS / "other-file.log")]) == 0
    assert "file or folder is missing" in capsys.readouterr().out


def test_a_notebook_is_its_own_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = (LOGS / "TFL005-loss-none.py").read_text(encoding="utf-8")
    error = {"output_type": "error", "traceback": (LOGS / "TFL005-loss-none.log").read_text("utf-8").splitlines()}
    cells = [{"cell_type": "code", "source": program, "outputs": [error]}]
    notebook = tmp_path / "train.ipynb"
    notebook.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": "#"}, *cells]}), encoding="utf-8")
    assert main(["diagnose", str(notebook)]) == 1
    out = capsys.readouterr().out
    assert "train.ipynb cell 2:15:" in out.splitlines()[0]
    assert "TFL005 explicit-loss-none (the log shows it and the program has it)" in out.splitlines()[0]
    assert "log, cell 2, line " in out


@pytest.mark.parametrize(
    "arguments",
    [["gone.log"], [CRASH, "--script", "gone.py"], [CRASH, "--format", "sarif"], [str(LOGS)], [CRASH, "two.log"]],
)
def test_wrong_usage_gives_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", *arguments]) == 2
    assert capsys.readouterr().out == ""


def test_the_page_of_a_rule_tells_what_it_is_known_by(capsys: pytest.CaptureFixture[str]) -> None:
    main(["rule", "TFM017"])
    out = capsys.readouterr().out
    assert "## Known by" in out
    assert "- error, certain: `` You must compile your model before training/testing ``" in out
    main(["rule", "TFL001", "--format", "json"])
    symptoms = json.loads(capsys.readouterr().out)["rule"]["symptoms"]
    assert {"curve": "loss-frozen-at-ln-classes", "strength": "likely"}.items() <= symptoms[0].items()
