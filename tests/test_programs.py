"""Whole programs in shapes that are hard to read: each says which faults it has, or that it has none.

A folder holds the program and expected.txt: its rules of severity warning or error, and what makes it hard.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tflint_hf.engine import ScanOptions, scan
from tflint_hf.findings import Severity

PROGRAMS = Path(__file__).parent / "programs"


@pytest.mark.parametrize("name", sorted(path.parent.name for path in PROGRAMS.glob("*/expected.txt")))
def test_a_program_has_the_faults_it_says_and_no_others(name: str) -> None:
    folder = PROGRAMS / name
    first = (folder / "expected.txt").read_text(encoding="utf-8").split("\n")[0]
    result = scan([folder], ScanOptions(isolated=True, jobs=1))
    found = {f.code for f in result.findings if f.severity >= Severity.WARNING}
    assert result.errors == ()
    assert found == set() if first == "none" else found == set(first.split())
