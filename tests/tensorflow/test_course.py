"""The lesson's script: a run confirms all that the reader finds in it, and nothing in the script put right."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path

import pytest

from tflint_hf.dynamic.confirm import Confirmation, confirm
from tflint_hf.dynamic.job import RunOptions
from tflint_hf.engine import ScanOptions, scan
from tflint_hf.findings import Outcome, RuleSources
from tflint_hf.rule_set import load_rule_set

if any(importlib.util.find_spec(name) is None for name in ("tensorflow", "transformers", "tf_keras", "datasets")):
    pytest.skip("needs the extra confirm", allow_module_level=True)

SCRIPT = Path(__file__).parents[2] / "fixtures" / "course" / "train.py"
MENDED = (
    ("import AutoTokenizer, TFAuto", "import AutoTokenizer, DataCollatorWithPadding, TFAuto"),
    ('columns=["input_ids", "labels"]', 'columns=["input_ids", "attention_mask", "labels"]'),
    (
        "    batch_size=16,\n",
        '    batch_size=16,\n    collate_fn=DataCollatorWithPadding(tokenizer, return_tensors="np"),\n',
    ),
    (".from_pretrained(checkpoint)\n\nmodel.compile", ".from_pretrained(checkpoint, num_labels=3)\n\nmodel.compile"),
    ('    loss="sparse_categorical_crossentropy",\n', ""),
    ('optimizer="adam"', "optimizer=tf.keras.optimizers.Adam(5e-5)"),
    ("from datasets import", "import tensorflow as tf\nfrom datasets import"),
    ("model.fit(train_set)", "model.fit(train_set, validation_data=validation_set)"),
)


def run(script: Path) -> Confirmation:
    findings = scan([script], ScanOptions(respect_gitignore=False, isolated=True)).findings
    return confirm(
        script,
        findings,
        load_rule_set(RuleSources(packages=False)),
        RunOptions(python=sys.executable, budget_seconds=600.0),
    )


def test_the_run_confirms_the_faults_of_the_lesson(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_bytes(SCRIPT.read_bytes())
    before = {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in tmp_path.rglob("*")}
    confirmation = run(script)
    found: dict[str, set[Outcome]] = {}
    for finding in confirmation.findings:
        assert finding.verdict is not None
        found.setdefault(finding.code, set()).add(finding.verdict.outcome)
    confirmed = {code for code, outcomes in found.items() if outcomes == {Outcome.CONFIRMED}}
    assert confirmed == {"TFD010", "TFD013", "TFD014", "TFD017", "TFL001", "TFL018", "TFO001"}
    # Whether a checkpoint can be read is not seen where a stand-in takes its place.
    assert found["TFV005"] == {Outcome.UNDECIDED}
    assert confirmation.observation.troubles == ()
    assert {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in tmp_path.rglob("*")} == before


def test_the_script_put_right_is_not_accused(tmp_path: Path) -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    for old, new in MENDED:
        assert old in text
        text = text.replace(old, new)
    first, _, second = text.rpartition("shuffle=True")
    script = tmp_path / "train.py"
    script.write_text(f"{first}shuffle=False{second}", encoding="utf-8")
    confirmation = run(script)
    accused = [f for f in confirmation.findings if f.verdict and f.verdict.outcome is Outcome.CONFIRMED]
    assert accused == []
    assert confirmation.observation.errors == ()
    assert confirmation.observation.trainings[0].log
