"""Every rule on its fixture programs: each expected finding is there, at its line, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tflint_hf.engine import ScanOptions
from tflint_hf.rule_testing import problems_of_fixtures

FIXTURES = Path(__file__).parent.parent / "fixtures"
FOLDERS = sorted(path.parent.name for path in FIXTURES.glob("*/expected.json"))


@pytest.mark.parametrize("name", FOLDERS)
def test_the_programs_of_a_rule_have_exactly_the_faults_they_are_meant_to_have(name: str) -> None:
    assert problems_of_fixtures(FIXTURES / name, ScanOptions(isolated=True, jobs=1)) == []
