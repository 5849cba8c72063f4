"""Weights that are not finite before the first step: are they saved so, or does the program break them?"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest
from proving import runner_of_tensorflow

from tflint_hf.dynamic.job import RunOptions
from tflint_hf.dynamic.remarks import remarks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from warm import WarmRunner

PROGRAM = """
import numpy as np
from transformers import BertConfig, TFAutoModelForSequenceClassification, TFBertForSequenceClassification

def spoil(model):
    kernel = model.classifier.kernel
    kernel.assign(np.full(kernel.shape, np.nan))

def save(broken):
    config = BertConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, vocab_size=64)
    model = TFBertForSequenceClassification(config)
    model(model.dummy_inputs)
    if broken:
        spoil(model)
    model.save_pretrained("mine")

PREPARE
model = TFAutoModelForSequenceClassification.from_pretrained(NAME)
SPOIL
model.compile("adam")
model.fit({"input_ids": np.full((16, 8), 5)}, np.arange(16) % 2)
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def runner() -> Iterator[WarmRunner]:
    with runner_of_tensorflow() as warm:
        yield warm


@pytest.mark.parametrize(
    ("prepare", "name", "spoil", "words"),
    [
        ("save(True)", "mine", "", "they are so as soon as mine is loaded: what was saved there is broken"),
        ("save(False)", "mine", "spoil(model)", "loaded from mine again they are finite: the program breaks them"),
        ("", "bert-base-cased", "spoil(model)", "loaded from the stand-in for bert-base-cased again they are finite"),
    ],
)
def test_the_saved_weights_are_looked_at(
    prepare: str, name: str, spoil: str, words: str, runner: WarmRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "train.py"
    code = PROGRAM.replace("PREPARE", prepare).replace("NAME", repr(name)).replace("SPOIL", spoil)
    script.write_text(textwrap.dedent(f"import os\nos.chdir({str(tmp_path)!r})\n" + code), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    observation = runner.observe(script, RunOptions(budget_seconds=120.0, measurements=frozenset({"forward"})))
    assert not observation.troubles
    (training,) = observation.trainings
    (said,) = (one for one in remarks(training) if one.startswith("weights that are not finite"))
    assert words in said
    assert sum(moment.kind == "model_made" for moment in observation.moments) == 1
