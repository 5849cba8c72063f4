"""What a run is asked to do, and the job file that tells the agent."""

from __future__ import annotations

import json
import re
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tflint_hf.knowledge.tables import knowledge_folder
from tflint_hf.source import SourceKind, source_from_bytes
from tflint_hf.source.notebook import NotANotebook, code_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

StandIns = Literal["auto", "always", "never"]

SHARE_FOR_PROBES = 0.5
"""The part of the time budget that the probes of one training may take."""
STEPS_OF_A_LOOP_PER_STEP = 4
"""A training loop of the program's own is ended after this many times the steps that a fit() runs."""
CELLS_THAT_MAY_FAIL = 12
"""A notebook from another place has cells for that place, which fail here; once so many failed, the rest will too."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """`budget_seconds` is for the whole run, imports included; `steps` are batches of each fit(), `rows` what is kept
    of each split of a data set from the hub, or made for a stand-in. `measurements` are those to make, None for all."""

    python: str = sys.executable
    budget_seconds: float = 120.0
    steps: int = 4
    rows: int = 256
    stand_ins: StandIns = "auto"
    seed: int = 42
    arguments: Sequence[str] = field(default_factory=tuple)
    measurements: frozenset[str] | None = None
    stdin: Path | None = None


def write_job(script: Path, options: RunOptions, work: Path) -> Path:
    """Write the job for one program into the folder `work`, and return its path.

    Raises SourceError if the program cannot be read.
    """
    script = script.resolve()
    path = work / "job.json"
    path.write_text(json.dumps(_job(script, options, work)), encoding="utf-8")
    return path


def channel_of(work: Path) -> Path:
    """The file through which the agent speaks."""
    return work / "channel.jsonl"


def _job(script: Path, options: RunOptions, work: Path) -> dict[str, Any]:
    return {
        "script": str(script),
        "cells": _cells(script),
        "arguments": list(options.arguments),
        "root": str(script.parent),
        "work": str(work),
        "channel": str(channel_of(work)),
        "knowledge": str(knowledge_folder()),
        "budget_seconds": options.budget_seconds,
        "probe_seconds": options.budget_seconds * SHARE_FOR_PROBES,
        "steps": options.steps,
        "loop_steps": options.steps * STEPS_OF_A_LOOP_PER_STEP,
        "rows": options.rows,
        "stand_ins": options.stand_ins,
        "seed": options.seed,
        "measurements": sorted(options.measurements) if options.measurements is not None else None,
        "cells_may_fail": CELLS_THAT_MAY_FAIL,
    }


def _cells(script: Path) -> list[tuple[int, str]] | None:
    """The code cells of a notebook, magics taken out; None for a script, which runs as it stands."""
    if script.suffix != ".ipynb":
        return None
    content = script.read_bytes()
    source = source_from_bytes(content, script, str(script))
    if source.kind is not SourceKind.NOTEBOOK:
        return []
    cells = {fragment.cell or 0: fragment.text for fragment in source.fragments}
    return sorted({**cells, **_written_files(content)}.items())


_WRITES_FILE = re.compile(r"%%(?:writefile|file)\s+(-a\s+)?(\S.*?)\s*$")


def _written_files(content: bytes) -> dict[int, str]:
    """Python for the cells that are written to a file, which later cells import or read."""
    found = {}
    with suppress(NotANotebook):
        for cell in code_cells(content):
            first, *lines = cell.original or ("",)
            named = _WRITES_FILE.match(first)
            if named is not None:
                how, name = "a" if named[1] else "w", named[2].strip("'\"")
                text = "".join(f"{line}\n" for line in lines)
                found[cell.number] = f"with open({name!r}, {how!r}) as __file:\n    __file.write({text!r})\n"
    return found
