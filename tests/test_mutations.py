"""Faults put into programs that are right: found in every shape, and nothing else is found."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from mutations import MUTATIONS, Mutation, mutants

from tflint_hf.engine import ScanOptions, scan
from tflint_hf.findings import Severity

FIXTURES = Path(__file__).parent.parent / "fixtures"
LEAST_RECALL = 0.98
PROGRAMS_FOR_A_MUTATION = 12


def _codes(path: Path, text: str) -> set[str]:
    result = scan((), ScanOptions(isolated=True, stdin=(text, str(path))))
    assert result.errors == ()
    return {f.code for f in result.findings if f.severity >= Severity.WARNING}


def _fine_tunes(text: str) -> bool:
    """Whether a fault in a call of compile() counts: the head of a TF class, trained as transformers trains it."""
    tree = ast.parse(text)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    methods = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return any(re.match(r"TF(Auto)?\w+For\w+", name) for name in names) and "train_step" not in methods


def _right_programs() -> list[tuple[Path, str]]:
    """The good programs without any finding, on the stack that is taken for granted."""
    found = []
    for path in sorted(FIXTURES.glob("*/good_*.py")):
        text = path.read_text(encoding="utf-8")
        if _fine_tunes(text) and not _codes(path, text):
            found.append((path, text))
    return found


@pytest.fixture(scope="module")
def right_programs() -> list[tuple[Path, str]]:
    return _right_programs()


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.code)
def test_an_injected_fault_is_found_in_every_shape(mutation: Mutation, right_programs: list[tuple[Path, str]]) -> None:
    tried, missed, wrong, programs = 0, [], [], 0
    for path, text in right_programs:
        made = [] if any(word in text for word in mutation.not_beside) else list(mutants(text, mutation))
        if not made:
            continue
        programs += 1
        if programs > PROGRAMS_FOR_A_MUTATION:
            break
        for shape, mutated in made:
            ast.parse(mutated)
            found = _codes(path, mutated)
            tried += 1
            if mutation.code not in found:
                missed.append(f"{path.parent.name}/{path.name} ({shape})")
            others = found - mutation.brings - {mutation.code}
            if others:
                wrong.append(f"{path.parent.name}/{path.name} ({shape}): {sorted(others)}")
    assert tried > 0, "no program has a place for this fault"
    assert wrong == []
    assert 1 - len(missed) / tried >= LEAST_RECALL, f"{len(missed)} of {tried} missed: {missed}"
