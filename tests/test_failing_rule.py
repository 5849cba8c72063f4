"""A rule whose function raises is named, and the other rules go on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tflint_hf.checks.built_in import built_in_checks
from tflint_hf.checks.fault import Fault
from tflint_hf.engine import ScanOptions, scan
from tflint_hf.findings import RuleSources
from tflint_hf.rule_set import load_rule_set

PROGRAM = Path(__file__).parent / "data" / "logs" / "TFL001-frozen-three.py"


def test_a_rule_that_raises_costs_its_own_findings_only(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = scan([PROGRAM], ScanOptions(isolated=True, jobs=1))
    codes = {finding.code for finding in sound.findings}
    assert "TFL001" in codes

    def broken(_view: Any, **_asked: Any) -> Iterator[Fault]:
        raise LookupError("no such view")

    table = built_in_checks()
    one = replace(table["TFL001"], function=broken)
    monkeypatch.setitem(vars(load_rule_set(RuleSources())), "checks", {**table, "TFL001": one})
    result = scan([PROGRAM], ScanOptions(isolated=True, jobs=1))
    assert {finding.code for finding in result.findings} == codes - {"TFL001"}
    (error,) = result.errors
    assert error.path.endswith("TFL001-frozen-three.py")
    assert error.message == "the rule TFL001 failed: LookupError: no such view"
