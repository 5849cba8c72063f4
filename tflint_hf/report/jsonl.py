"""JSON lines: an object for each finding, in the form that it has in the JSON report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tflint_hf.report.json import finding_fields

if TYPE_CHECKING:
    from tflint_hf.findings import ScanResult


def render(result: ScanResult) -> str:
    return "".join(f"{json.dumps(finding_fields(finding), allow_nan=False)}\n" for finding in result.findings)
