"""Every rule on its fixture programs: each expected finding is there, at its line, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tflint_hf.engine import ScanOptions, scan
from tflint_hf.findings import Finding, Severity

FIXTURES = Path(__file__).parent.parent / "fixtures"
FOLDERS = sorted(path.parent.name for path in FIXTURES.glob("*/expected.json"))


def _place(finding: Finding, folder: Path) -> tuple[str, int | None, int, str]:
    path = Path(finding.location.path).absolute().relative_to(folder)
    return (path.as_posix(), finding.location.cell, finding.location.line, finding.code)


def _expected(entries: list[dict[str, Any]]) -> set[tuple[str, int | None, int, str]]:
    return {(e["file"], e.get("cell"), e["line"], e["code"]) for e in entries}


@pytest.mark.parametrize("name", FOLDERS)
def test_the_programs_of_a_rule_have_exactly_the_faults_they_are_meant_to_have(name: str) -> None:
    folder = FIXTURES / name
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    result = scan([folder], ScanOptions(isolated=True, jobs=1))
    assert result.errors == ()
    found = {_place(f, folder) for f in result.findings if f.severity >= Severity.WARNING}
    infos = {_place(f, folder) for f in result.findings if f.severity is Severity.INFO}
    wanted = _expected(expected["findings"])
    assert sorted(wanted - found, key=str) == [], "not found"
    assert sorted(found - wanted, key=str) == [], "found, but not expected"
    assert sorted(_expected(expected.get("infos", [])) - infos, key=str) == [], "not found as info"
