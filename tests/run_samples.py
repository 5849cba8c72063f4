"""Runs that were recorded once (scripts/record_run.py), and runs made by hand, for tests without TensorFlow."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tflint_hf.dynamic.confirm import Confirmation, judge_run
from tflint_hf.dynamic.job import RunOptions
from tflint_hf.dynamic.record import observation_of
from tflint_hf.dynamic.runner import Ended, RunRecord
from tflint_hf.engine import ScanOptions, scan
from tflint_hf.findings import RuleSources, ScanResult
from tflint_hf.rule_set import load_rule_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tflint_hf.findings import Finding

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "tests" / "data" / "runs"
PROGRAMS = {
    "course": ROOT / "fixtures" / "course" / "train.py",
    "logits": RUNS / "logits.py",
    "film": RUNS / "film.ipynb",
}
RULES = load_rule_set(RuleSources(packages=False))


@dataclass(frozen=True)
class Sample:
    """A result and what it rests on, as the reports take them."""

    result: ScanResult
    confirmation: Confirmation


@cache
def recorded(name: str) -> RunRecord:
    """A recorded run, with the paths of this checkout."""
    head, *messages = (json.loads(line) for line in (RUNS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    said = tuple(_placed(message) for message in messages)
    return RunRecord(said, Ended(head["ended"]), head["exit_code"], head["seconds"], output="", errors="")


def _placed(value: Any) -> Any:
    if isinstance(value, dict):
        placed = {key: _placed(one) for key, one in value.items()}
        if "line" in value and "path" in value:
            placed["path"] = str((ROOT / value["path"]).resolve())
        return placed
    return [_placed(one) for one in value] if isinstance(value, list) else value


@cache
def findings_of(name: str) -> ScanResult:
    return scan((PROGRAMS[name],), ScanOptions(respect_gitignore=False))


def sample(name: str, record: RunRecord | None = None, **options: Any) -> Sample:
    """What `tflint-hf confirm` says of a recorded run."""
    result = findings_of(name)
    observation = observation_of(record or recorded(name))
    judged = judge_run(result.findings, observation, RULES)
    confirmation = Confirmation(PROGRAMS[name], judged, observation, RunOptions(**options))
    return Sample(replace(result, findings=judged), confirmation)


def cut_short(record: RunRecord, kind: str, ended: Ended, exit_code: int | None, errors: str = "") -> RunRecord:
    """The same run, ended before the first message of a kind."""
    kinds = [message["kind"] for message in record.messages]
    messages = record.messages[: kinds.index(kind)]
    return replace(record, messages=messages, ended=ended, exit_code=exit_code, errors=errors)


def made(
    *messages: dict[str, Any],
    findings: Sequence[Finding] = (),
    sources: dict[tuple[str, int | None], tuple[str, ...]] | None = None,
    script: str = "train.py",
    ended: Ended = Ended.FINISHED,
) -> Sample:
    """A run that said just this."""
    said = (*messages, {"kind": "finished", "status": "ended"}) if ended is Ended.FINISHED else messages
    record = RunRecord(said, ended, -9 if ended is Ended.KILLED else 0, 12.0, "", "")
    confirmation = Confirmation(Path(script), tuple(findings), observation_of(record), RunOptions())
    return Sample(ScanResult(tuple(findings), (), sources or {}, {}, 1), confirmation)


def training(**measured: dict[str, Any]) -> list[dict[str, Any]]:
    """A training with its measurements."""
    begun = {"kind": "training", "training": 1, "at": [{"path": "/train.py", "cell": None, "line": 9}]}
    said = measured.pop("said", {})
    return [
        begun | said,
        *({"kind": "measured", "training": 1, "probe": probe, "facts": facts} for probe, facts in measured.items()),
    ]
