"""Fixtures of the rules that run on a machine without the internet, and what a run must say of them.

`proofs/*.tsv` have a line for each: the rule's name, the program in its folder, the outcome. A `confirmed` program must
be proved wrong by its rule; in one that is `clean` nothing may be, whatever the rule. A fourth field says what is
otherwise than usual on the machine: `without tf_keras`, as where that package is not installed, or `transformers 5`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from warm import warm_runner

from tflint_hf.dynamic.confirm import judge_run
from tflint_hf.dynamic.job import RunOptions
from tflint_hf.dynamic.record import observation_of
from tflint_hf.dynamic.runner import run_program
from tflint_hf.dynamic.verdicts import measurements_for
from tflint_hf.engine import ScanOptions, scan
from tflint_hf.findings import Outcome, RuleSources
from tflint_hf.rule_set import load_rule_set

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warm import WarmRunner

    from tflint_hf.dynamic.record import Observation
    from tflint_hf.findings import Finding

ROOT = Path(__file__).parents[2]
FILES = Path(__file__).parent / "proofs"
CONFIRMED, CLEAN = "confirmed", "clean"
PYTHON = os.environ.get("TFLINT_HF_TENSORFLOW_PYTHON", sys.executable)
"""The interpreter that has TensorFlow. It need not be the one of the tests."""
WITHOUT, TRANSFORMERS_5 = "without ", "transformers 5"
PYTHON_OF_TRANSFORMERS_5 = os.environ.get("TFLINT_HF_TRANSFORMERS_5_PYTHON")
"""An interpreter with transformers 5, which needs no TensorFlow. Without one the proofs that need it are left out."""
NEEDED = ("tensorflow", "tf_keras", "transformers", "datasets")


@dataclass(frozen=True, slots=True)
class Proof:
    """What the run of a program must show of a rule."""

    rule: str
    program: str
    outcome: str
    machine: str = ""

    @property
    def path(self) -> Path:
        return Path("fixtures") / self.rule / self.program

    @property
    def hidden(self) -> tuple[str, ...]:
        """The packages that the program must not find."""
        return tuple(self.machine.removeprefix(WITHOUT).split()) if self.machine.startswith(WITHOUT) else ()

    @property
    def possible(self) -> bool:
        return self.machine != TRANSFORMERS_5 or PYTHON_OF_TRANSFORMERS_5 is not None


@dataclass(frozen=True, eq=False, slots=True)
class Tried:
    """What the run of a program said: its findings with their verdicts, and all that was observed."""

    findings: tuple[Finding, ...]
    observation: Observation

    @property
    def confirmed(self) -> tuple[Finding, ...]:
        return tuple(one for one in self.findings if one.verdict and one.verdict.outcome is Outcome.CONFIRMED)

    def story(self) -> str:
        """All of it in lines, for a person who wants to know why it is not as it must be."""
        lines = [f"{one.code} line {one.location.line}: {one.verdict}" for one in self.findings]
        lines += [f"stopped: {one.type}: {one.text[-400:]} {one.went_on}" for one in self.observation.errors]
        lines += [f"trouble: {one}" for one in self.observation.troubles]
        lines += [f"failed: {training.failed}" for training in self.observation.trainings if training.failed]
        return "\n".join([f"ended: {self.observation.record.ended.value}", *lines])


def proofs() -> Iterator[Proof]:
    """The lines of all files, which are sorted by their rules' families."""
    for file in sorted(FILES.glob("*.tsv")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                yield Proof(*line.split("\t"))


def has_tensorflow() -> bool:
    """Whether the interpreter has all that the programs need."""
    find = "import sys; from importlib.util import find_spec; sys.exit(not all(map(find_spec, sys.argv[1:])))"
    return subprocess.run([PYTHON, "-c", find, *NEEDED], check=False).returncode == 0


@contextmanager
def runner_of_tensorflow() -> Iterator[WarmRunner]:
    """A runner of the interpreter that has TensorFlow; without one the tests that ask for it are skipped."""
    import pytest  # the script that writes docs/proofs.md does without

    if not has_tensorflow():
        pytest.skip(f"{PYTHON} has no TensorFlow, tf_keras, transformers or datasets")
    with warm_runner(PYTHON) as warm:
        yield warm


def attempt(proof: Proof, runner: WarmRunner) -> Tried:
    """Scan and run a program, with the measurements alone that its rule needs. The current folder must be ROOT."""
    rules = load_rule_set(RuleSources(packages=False))
    rule = next(rule for rule in rules.table if rule.name == proof.rule)
    findings = scan([proof.path], ScanOptions(respect_gitignore=False)).findings
    options = RunOptions(steps=2, rows=64, measurements=measurements_for(rule.probe or ""))
    if proof.machine == TRANSFORMERS_5:
        elsewhere = replace(options, python=PYTHON_OF_TRANSFORMERS_5 or PYTHON)
        observation = observation_of(run_program(proof.path, elsewhere))
    else:
        observation = runner.observe(proof.path, options, proof.hidden)
    return Tried(judge_run(findings, observation, rules), observation)
