"""Faults put into programs that are right: found in every shape, and nothing else is found.

Here a part of them is tried, always the same; `python scripts/mutation_recall.py` tries all.
"""

from __future__ import annotations

from functools import cache

import pytest
from mutations.catalogue import MUTATIONS, NOT_INJECTED
from mutations.engine import sample
from mutations.measure import findings, judge, table, troubles
from mutations.programs import FIXTURES, Program, programs_of
from mutations.shapes import SHAPES, Change, Shape
from mutations.syntax import with_fields

from tflint_hf.findings import Severity
from tflint_hf.rule_files import load_rules

LEAST_RECALL = 0.98
MUTANTS_OF_A_MUTATION = 6
#: One program in so many is put into each shape without a fault.
ONE_IN = 12


@cache
def _programs() -> list[Program]:
    return list(programs_of(FIXTURES))


@pytest.mark.parametrize("family", ["TFD", "TFE", "TFL", "TFM", "TFO", "TFV"])
def test_injected_faults_are_found_in_every_shape_and_nothing_else_is(family: str) -> None:
    mutations = [mutation for mutation in MUTATIONS if mutation.code.startswith(family)]
    outcomes = [judge(place) for m in mutations for place in sample(m, _programs(), MUTANTS_OF_A_MUTATION)]
    report = f"\n{table(outcomes)}\n{troubles(outcomes)}"
    assert not any(outcome.others for outcome in outcomes), report
    assert sum(outcome.found for outcome in outcomes) >= LEAST_RECALL * len(outcomes), report


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_shape_alone_is_no_fault(shape: Shape) -> None:
    """A call that stays as it is, written in the shape."""
    tried = 0
    for number, program in enumerate(_programs()):
        calls = [call for name in ("compile", "fit", "from_pretrained") for call in program.calls(name)]
        changes = [Change(program, call, with_fields(call)) for call in calls]
        change = next((change for change in changes if shape.suits(change)), None)
        if number % ONE_IN == 0 and change is not None:
            tried += 1
            found = [code for code, severity in findings(*shape.write(change)) if severity >= Severity.WARNING]
            assert found == [], program.name
    assert tried > 0


def test_each_mutation_has_a_place() -> None:
    assert [m.name for m in MUTATIONS if not sample(m, _programs(), 1)] == []


def test_each_rule_has_a_mutation_or_a_reason_why_not() -> None:
    codes = {rule.code for rule in load_rules()}
    assert {mutation.code for mutation in MUTATIONS} | set(NOT_INJECTED) == codes
    assert not {mutation.code for mutation in MUTATIONS} & set(NOT_INJECTED)
