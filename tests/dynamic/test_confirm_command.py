"""The command `confirm` where something is wrong with how it is called: a sentence and exit code 2, no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tflint_hf
from tflint_hf.cli import main
from tflint_hf.dynamic.job import RunOptions
from tflint_hf.dynamic.record import observation_of
from tflint_hf.dynamic.runner import NotStartedError, run_program
from tflint_hf.extras import install_command

posix_only = pytest.mark.skipif(os.name != "posix", reason="programs and signals of POSIX")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("print('trained')\n")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["gone.py"], "does not exist"),
        (["."], "is a directory"),
        (["guide.md"], "neither a script nor a notebook"),
        (["train.py", "--python", "/no/such/python"], "/no/such/python cannot be started"),
        (["train.py", "--report", "no/folder/run.html"], "--report no/folder/run.html cannot be written"),
        (["train.py", "--output", "no/folder/run.txt"], "--output no/folder/run.txt cannot be written"),
        (["train.py", "--budget", "nan"], "nan is no time"),
        (["train.py", "--budget", "1"], "not in the range"),
        pytest.param(["train.py", "--python", "/bin/true"], "not Python 3.8 or newer", marks=posix_only),
        pytest.param(["train.py", "--python", "/bin/cat"], "not Python 3.8 or newer", marks=posix_only),
        pytest.param(["train.py", "--python", "/"], "/ cannot be started", marks=posix_only),
    ],
)
def test_what_cannot_be_done_is_said(
    arguments: list[str], words: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "guide.md").write_text("# A guide\n")
    assert main(["confirm", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_what_the_baseline_knows_is_no_finding(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text("import sys\n\nprint('trained'\n")
    (project / "tflint-hf.toml").write_text('baseline = "known.json"\n')
    assert main(["confirm", "train.py"]) == 2
    assert "there is no such baseline" in capsys.readouterr().err
    assert main(["scan", "--write-baseline"]) == 0
    assert main(["confirm", "train.py"]) == 2  # for the program fails
    assert "TFX001" not in capsys.readouterr().out


def test_an_interpreter_without_tensorflow(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text("raise ModuleNotFoundError(\"No module named 'tensorflow'\")\n")
    assert main(["confirm", "train.py"]) == 2
    assert install_command("confirm", sys.executable) in capsys.readouterr().err


def test_a_program_that_ends_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["confirm", "train.py"]) == 0
    assert "the run finished" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1\nraise ValueError('no data')", "did not run to its end: line 2: ValueError: no data"),
        ("import sys\nsys.exit('no data')", "did not run to its end: line 2: SystemExit: no data"),
        ("import os\nos._exit(3)", "cannot be judged by this run, which broke off after"),
        pytest.param(
            "import os\nos.kill(os.getpid(), 9)", "cannot be judged by this run, which was killed", marks=posix_only
        ),
    ],
)
def test_a_program_that_fails_is_not_passed(
    text: str, words: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text(text + "\n")
    assert main(["confirm", "train.py", "--stand-ins", "never"]) == 2
    said = capsys.readouterr()
    assert said.err.startswith(f"error: train.py {words}")
    assert "No findings" in said.out


def test_a_program_that_exits_as_it_should_is_passed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text("import sys\nsys.exit(0)\n")
    assert main(["confirm", "train.py", "--stand-ins", "never"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("text", ["{}", "no JSON", '{"cells": 1}', ""])
def test_a_file_that_is_no_notebook_runs_nothing(text: str, project: Path) -> None:
    notebook = project / "train.ipynb"
    notebook.write_text(text)
    observation = observation_of(run_program(notebook, RunOptions(budget_seconds=20.0, stand_ins="never")))
    assert observation.errors == ()


@posix_only
def test_an_interpreter_that_fails_says_why(project: Path) -> None:
    broken = project / "python"
    broken.write_text("#!/bin/sh\necho 'a library is missing' >&2\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(NotStartedError, match="a library is missing"):
        run_program(project / "train.py", RunOptions(python=str(broken), stand_ins="never"))


@posix_only
def test_ctrl_c_ends_with_130_and_no_process_is_left(project: Path) -> None:
    (project / "train.py").write_text(
        "import os, pathlib, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)'])\n"
        "print(os.getpid(), child.pid, flush=True)\n"
        "time.sleep(300)\n"
    )
    search_path = str(Path(tflint_hf.__file__).parents[1])
    parent = subprocess.Popen(
        [sys.executable, "-m", "tflint_hf", "confirm", "train.py"],
        env={**os.environ, "PYTHONPATH": search_path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # What starts the tests in the background of a shell has them ignore the signal.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    running = _processes_below(parent.pid)
    parent.send_signal(signal.SIGINT)
    output, errors = parent.communicate(timeout=30)
    assert parent.returncode == 130
    assert "Traceback" not in output + errors
    assert not [pid for pid in running if _is_running(pid)]


def _processes_below(pid: int) -> list[int]:
    """The processes that this one started, once there are two of them, one below the other."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        first = _children(pid)
        second = [child for one in first for child in _children(one)]
        if second:
            return [*first, *second]
        time.sleep(0.1)
    raise AssertionError("the program did not start its child")


def _children(pid: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(word) for word in listed.stdout.split()]


def _is_running(pid: int) -> bool:
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return bool(shown.stdout.strip()) and not shown.stdout.strip().startswith("Z")
