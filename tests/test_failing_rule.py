"""A rule whose function raises is named, and the other rules go on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tflint_hf import judge as judging
from tflint_hf.checks.fault import Fault
from tflint_hf.engine import ScanOptions, scan

PROGRAM = Path(__file__).parent / "data" / "logs" / "TFL001-frozen-three.py"


def test_a_rule_that_raises_costs_its_own_findings_only(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = scan([PROGRAM], ScanOptions(isolated=True, jobs=1))
    codes = {finding.code for finding in sound.findings}
    assert "TFL001" in codes

    def broken(_view: Any, **_asked: Any) -> Iterator[Fault]:
        raise LookupError("no such view")

    table = judging.registered()
    one = replace(table["TFL001"], function=broken)
    monkeypatch.setattr(judging, "registered", lambda: {**table, "TFL001": one})
    result = scan([PROGRAM], ScanOptions(isolated=True, jobs=1))
    assert {finding.code for finding in result.findings} == codes - {"TFL001"}
    (error,) = result.errors
    assert error.path.endswith("TFL001-frozen-three.py")
    assert error.message == "the rule TFL001 failed: LookupError: no such view"
