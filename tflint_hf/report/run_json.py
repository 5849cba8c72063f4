"""What a run saw, for programs: the findings as in a scan, and all that was said and measured."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tflint_hf.dynamic.memory import largest_batch
from tflint_hf.dynamic.remarks import remarks
from tflint_hf.report import json as findings_json

if TYPE_CHECKING:
    from tflint_hf.dynamic.confirm import Confirmation
    from tflint_hf.dynamic.job import RunOptions
    from tflint_hf.dynamic.record import Frames, Observation, ObservedTraining
    from tflint_hf.findings import ScanResult


def render(result: ScanResult, confirmation: Confirmation) -> str:
    """Described by findings.schema.json beside this file, under `run`."""
    run = _run(confirmation.observation) | {"options": _options(confirmation.options)}
    return findings_json.dump(findings_json.content(result) | {"run": _finite(run)})


def _run(observation: Observation) -> dict[str, Any]:
    record = observation.record
    return {
        "ended": record.ended.value,
        "status": observation.status or None,
        "exit_code": record.exit_code,
        "seconds": round(record.seconds, 1),
        "python": observation.python or None,
        "versions": dict(observation.versions),
        "devices": list(observation.devices),
        "stand_ins": list(observation.stand_ins),
        "missing": list(observation.missing),
        "kept_back": list(observation.kept_back),
        "troubles": list(observation.troubles),
        "stops": [
            {"type": e.type, "text": e.text, "at": _frames(e.at), "went_on": e.went_on or None}
            for e in observation.errors
        ],
        "trainings": [_training(training) for training in observation.trainings],
    }


def _options(options: RunOptions) -> dict[str, Any]:
    return {
        "budget_seconds": options.budget_seconds,
        "steps": options.steps,
        "rows": options.rows,
        "stand_ins": options.stand_ins,
        "seed": options.seed,
        "arguments": list(options.arguments),
    }


def _training(training: ObservedTraining) -> dict[str, Any]:
    largest = largest_batch(training)
    return {
        "number": training.number,
        "kind": "loop" if training.is_loop else "fit",
        "at": _frames(training.at),
        "compiled_at": _frames(training.compiled_at),
        "model": training.said.mapping("model"),
        "optimizer": training.said.mapping("optimizer"),
        "loss": training.said.mapping("compiled.loss"),
        "data": training.said.mapping("feed"),
        "remarks": remarks(training),
        "largest_batch": asdict(largest) if largest is not None else None,
        "measured": {name: facts.said for name, facts in sorted(training.measured.items())},
        "skipped": sorted(training.skipped),
        "failed": dict(training.failed),
        "log": {name: list(values) for name, values in training.log.items()},
    }


def _frames(frames: Frames) -> list[dict[str, Any]]:
    return [{"path": frame.path, "cell": frame.cell, "line": frame.line} for frame in frames]


def _finite(value: Any) -> Any:
    """JSON has no NaN and no infinity: they are written as the words that Python has for them."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return value
