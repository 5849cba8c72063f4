"""A scan result made by hand, with one finding of each kind, for the tests of the reports."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tflint_hf.findings import (
    Edit,
    Finding,
    Fix,
    Location,
    Outcome,
    Related,
    Safety,
    ScanError,
    ScanResult,
    Severity,
    Verdict,
)
from tflint_hf.rule_files import read_rules
from tflint_hf.rules import RuleTable

if TYPE_CHECKING:
    from pathlib import Path

TRAIN = """\
import tensorflow as tf
from transformers import TFAutoModelForSequenceClassification

model = TFAutoModelForSequenceClassification.from_pretrained("bert-base-cased", num_labels=3)
model.compile(
    optimizer="adam",
    loss="sparse_categorical_crossentropy",
)
"""
CELL = ["metric = load_metric(", "    'glue',", "    'mrpc',", ")"]

LOSS = Finding(
    code="TFL001",
    name="crossentropy-on-logits",
    severity=Severity.ERROR,
    confidence="certain",
    message='"sparse_categorical_crossentropy" reads probabilities, but the model puts out logits',
    why="once all logits of a row are below zero the gradient is exactly 0",
    advice="use SparseCategoricalCrossentropy(from_logits=True)",
    location=Location("train.py", None, 7, 10, 7, 43),
    fix=Fix(
        Safety.UNSAFE,
        "Use a loss object that reads logits",
        (
            Edit(
                Location("train.py", None, 7, 10, 7, 43),
                "tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)",
            ),
        ),
    ),
    related=(Related(Location("train.py", None, 4, 9, 4, 61), "the model is made here"),),
    url="https://tflint-hf.readthedocs.io/rules/crossentropy-on-logits/",
)
OPTIMIZER = Finding(
    code="TFO001",
    name="string-optimizer",
    severity=Severity.WARNING,
    confidence="certain",
    message='"adam" means a learning rate of 0.001',
    why="that is 20 times too high to fine-tune",
    advice="name a learning rate",
    location=Location("train.py", None, 6, 15, 6, 21),
    depends_on="tensorflow>=2.16",
)
METRIC = Finding(
    code="TFE010",
    name="removed-load-metric",
    severity=Severity.INFO,
    confidence="likely",
    message="load_metric is gone from datasets 3",
    why="it raises an ImportError",
    advice="use the evaluate package",
    location=Location("nb/eval, final.ipynb", 3, 1, 1, 4, 2),
    fix=Fix(
        Safety.SAFE, "Import evaluate", (Edit(Location("nb/eval, final.ipynb", 3, 1, 1, 1, 1), "import evaluate\n"),)
    ),
)


def judged(line: int = 1, outcome: Outcome = Outcome.CONFIRMED, evidence: str = "the loss is 4.9") -> Finding:
    """A finding that a run has judged."""
    location = Location("train.py", None, line, 1, line, 5)
    return replace(LOSS, location=location, fix=None, related=(), verdict=Verdict(outcome, evidence, "loss-formula"))


def result(*findings: Finding, errors: tuple[ScanError, ...] = (), files_scanned: int = 2) -> ScanResult:
    return ScanResult(
        findings=findings,
        errors=errors,
        sources={("train.py", None): tuple(TRAIN.splitlines()), ("nb/eval, final.ipynb", 3): tuple(CELL)},
        targets={".": {"transformers": "4.57.6", "tensorflow": "2.21"}},
        files_scanned=files_scanned,
        file_lines={("nb/eval, final.ipynb", 3): (40, 41, 42, 43)},
    )


FULL = result(METRIC, OPTIMIZER, LOSS)
BROKEN = result(errors=(ScanError("gone.py", "there is no such file"),), files_scanned=1)

RULE_YAML = """\
code: {code}
name: {name}
severity: {severity}
confidence: certain
applies: {{transformers: ">=4.20,<5"}}
fix: unsafe
probe: none
probe_reason: "nothing to measure"
message: '{{loss}} is wrong'
why: 'it hurts {{model}}'
advice: 'write something else'
bad: |
  model.compile(loss="x")
good: |
  model.compile()
page: |
  ## What it does
  Finds a loss
  that is wrong. It says more.

  ## Example
  <bad>
  ## Use instead
  <good>

  ## References
  - a book
options: {{}}
"""


def write_rule(folder: Path, code: str, name: str, *, severity: str = "error", family: str = "labels") -> Path:
    path = folder / family / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(RULE_YAML.format(code=code, name=name, severity=severity), encoding="utf-8")
    return path


def sample_rules(folder: Path) -> RuleTable:
    write_rule(folder, "TFL001", "crossentropy-on-logits")
    write_rule(folder, "TFL002", "loss-without-from-logits")
    write_rule(folder, "TFO001", "string-optimizer", severity="warning", family="optimizer")
    write_rule(folder, "TFE010", "removed-load-metric", family="evaluation")
    return RuleTable(read_rules(folder))
