"""Versions that are given by hand are no list of packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tflint_hf.engine import ScanOptions, scan
from tflint_hf.findings import Severity

PROGRAM = """\
import numpy as np
import tensorflow as tf
from transformers import TFBertForSequenceClassification

model = TFBertForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
model.compile(optimizer=tf.keras.optimizers.Adam(learning_rate=2e-5))
model.fit({"input_ids": np.ones((8, 8), "int32")}, np.array([1, 0] * 4), batch_size=8)
"""
KERAS_3 = {"tensorflow": "2.17", "transformers": "4.44.2"}
OLD = {"tensorflow": "2.12", "transformers": "4.44.2"}


def severities(folder: Path, code: str, given: dict[str, str], configured: bool, listed: str | None) -> list[Severity]:
    (folder / "train.py").write_text(PROGRAM, encoding="utf-8")
    if listed is not None:
        (folder / "requirements.txt").write_text(listed, encoding="utf-8")
    if configured:
        lines = "".join(f'{library} = "{version}"\n' for library, version in given.items())
        (folder / "tflint-hf.toml").write_text(f"[target-versions]\n{lines}", encoding="utf-8")
    options = ScanOptions(jobs=1) if configured else ScanOptions(isolated=True, jobs=1, target_versions=given)
    return [one.severity for one in scan([folder], options).findings if one.code == code]


@pytest.mark.parametrize("configured", [False, True])
@pytest.mark.parametrize(
    ("code", "given", "listed", "expected"),
    [
        ("TFO007", KERAS_3, None, []),
        ("TFO007", KERAS_3, "numpy\npandas\n", []),
        ("TFO007", KERAS_3, "transformers\n", []),
        ("TFO007", KERAS_3, "tensorflow\ntransformers\ntf-keras\n", []),
        ("TFO007", KERAS_3 | {"tf-keras": "2.17"}, "tensorflow\ntransformers\n", []),
        ("TFO007", KERAS_3, "tensorflow\ntransformers\n", [Severity.ERROR]),
        ("TFO008", OLD, None, [Severity.INFO]),
        ("TFO008", OLD, "numpy\n", [Severity.INFO]),
        ("TFO008", OLD, "tensorflow\ntransformers\n", [Severity.ERROR]),
        ("TFO008", OLD | {"tf-keras": "2.14.1"}, None, []),
    ],
)
def test_what_is_missing_is_said_of_lists_of_packages_alone(
    tmp_path: Path, configured: bool, code: str, given: dict[str, str], listed: str | None, expected: list[Severity]
) -> None:
    assert severities(tmp_path, code, given, configured, listed) == expected


def test_transformers_5_by_hand_is_not_laid_to_the_requirements(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM, encoding="utf-8")
    options = ScanOptions(isolated=True, jobs=1, target_versions={"transformers": "5.0.0"})
    [found] = [one for one in scan([tmp_path], options).findings if one.code == "TFV001"]
    assert found.message.endswith("which the versions given for the scan allow")
    assert found.severity is Severity.ERROR
