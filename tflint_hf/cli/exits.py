"""Exit codes, and what the commands of one run share."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from tflint_hf.findings import NEVER, ScanResult, Severity


class Exit(enum.IntEnum):
    CLEAN = 0
    FINDINGS = 1
    FAILED = 2
    INTERRUPTED = 130


@dataclass(slots=True)
class Invocation:
    """`verbose` is kept here because an unexpected error is reported after its command is gone."""

    verbose: bool = False


def exit_code(result: ScanResult, fail_on: str) -> Exit:
    """A finding counts unless a run refutes it."""
    if result.errors:
        return Exit.FAILED
    standing = (finding for finding in result.findings if finding.stands)
    if fail_on != NEVER and any(finding.severity >= Severity.parse(fail_on) for finding in standing):
        return Exit.FINDINGS
    return Exit.CLEAN
