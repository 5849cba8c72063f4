"""The GitHub Action: its steps run here as a runner would run them, in Bash, with the variables that it gives."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
BASH = shutil.which("bash")


def test_the_action_uses_the_inputs_that_it_has() -> None:
    used = set(re.findall(r"inputs\.([\w-]+)", json.dumps(STEPS)))
    assert used == set(ACTION["inputs"])
    assert all(step["shell"] == "bash" for step in STEPS if "run" in step)


class Runner:
    """Runs the steps that have a script, one after the other, as long as none fails."""

    def __init__(self, folder: Path, inputs: dict[str, str]) -> None:
        self._folder = folder
        self._known = {f"inputs.{name}": said["default"] for name, said in ACTION["inputs"].items()}
        self._known |= {f"inputs.{name}": value for name, value in inputs.items()}
        self._known["steps.python.outputs.python-path"] = sys.executable
        self._environment = {**os.environ, "RUNNER_TEMP": str(folder), "GITHUB_ACTION_PATH": str(ROOT)}
        self._environment.pop("PYTHONPATH", None)
        self.output = ""

    def run(self) -> int:
        for step in STEPS:
            if "run" in step:
                code = self._step(step)
                if code:
                    return code
        return 0

    def _step(self, step: dict[str, Any]) -> int:
        files = {name: self._folder / name for name in ("GITHUB_ENV", "GITHUB_OUTPUT")}
        for file in files.values():
            file.write_text("", encoding="utf-8")
        given = {name: self._filled(value) for name, value in step.get("env", {}).items()}
        script = self._folder / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        done = subprocess.run(
            [str(BASH), "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self._folder / "project",
            env={**self._environment, **given, **{name: str(file) for name, file in files.items()}},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        self.output += done.stdout
        for line in files["GITHUB_ENV"].read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition("=")
            self._environment[name] = value
        for line in files["GITHUB_OUTPUT"].read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition("=")
            self._known[f"steps.{step['id']}.outputs.{name}"] = value
        return done.returncode

    def _filled(self, value: str) -> str:
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: self._known[match[1]], value)


@pytest.mark.slow
@pytest.mark.skipif(BASH is None, reason="needs bash")
@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({}, 1),
        ({"upload-sarif": "false", "paths": "train.py clean.py"}, 1),
        ({"paths": "clean.py"}, 0),
        ({"arguments": "--fail-on never"}, 0),
        ({"paths": "nowhere.py"}, 2),
    ],
)
def test_the_action_scans_and_fails_as_the_scan_does(inputs: dict[str, str], code: int, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    shutil.copyfile(ROOT / "fixtures" / "course" / "train.py", project / "train.py")
    (project / "clean.py").write_text("print('to be written')\n", encoding="utf-8")
    runner = Runner(tmp_path, inputs)
    assert runner.run() == code, runner.output
    sarif = tmp_path / "tflint-hf.sarif"
    if code == 2:
        return
    if inputs.get("upload-sarif") == "false":
        assert re.search(r"^::error .*file=train\.py", runner.output, re.MULTILINE)
        assert not sarif.exists()
    else:
        found = json.loads(sarif.read_text(encoding="utf-8"))["runs"][0]["results"]
        assert bool(found) == ("paths" not in inputs)
