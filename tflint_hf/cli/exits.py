"""Exit codes, and what the commands of one run share."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Exit(enum.IntEnum):
    CLEAN = 0
    FINDINGS = 1
    FAILED = 2
    INTERRUPTED = 130


@dataclass(slots=True)
class Invocation:
    """`verbose` is kept here because an unexpected error is reported after its command is gone."""

    verbose: bool = False
