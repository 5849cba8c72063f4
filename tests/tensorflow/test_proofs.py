"""Each rule with a measurement proves its bad fixtures by running them, and nothing is proved of the good ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from proving import CLEAN, CONFIRMED, ROOT, Proof, attempt, proofs, runner_of_tensorflow
from warm import WarmRunner

from tflint_hf.rule_files import load_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _pytest.mark import ParameterSet

CODES = {rule.name: rule.code for rule in load_rules()}


@pytest.fixture(scope="session")
def runner() -> Iterator[WarmRunner]:
    with runner_of_tensorflow() as warm:
        yield warm


def marked() -> Iterator[ParameterSet]:
    """The first program of each rule and outcome is run always, the others where there is time."""
    seen: set[tuple[str, str]] = set()
    for proof in proofs():
        marks = pytest.mark.slow if (proof.rule, proof.outcome) in seen else ()
        seen.add((proof.rule, proof.outcome))
        yield pytest.param(proof, id=f"{proof.rule}-{proof.program}", marks=marks)


@pytest.mark.parametrize("proof", list(marked()))
def test_run_says_what_is_true(proof: Proof, runner: WarmRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    if not proof.possible:
        pytest.skip(f"there is no interpreter with {proof.machine}")
    monkeypatch.chdir(ROOT)
    tried = attempt(proof, runner)
    proved = {finding.code for finding in tried.confirmed}
    if proof.outcome == CONFIRMED:
        assert CODES[proof.rule] in proved, tried.story()
    else:
        assert not proved, tried.story()


def test_each_line_names_a_program_once() -> None:
    lines = list(proofs())
    assert len({(one.rule, one.program) for one in lines}) == len(lines)
    for one in lines:
        assert one.outcome in {CONFIRMED, CLEAN}
        assert (ROOT / one.path).exists(), one.path
