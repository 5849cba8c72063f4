"""What a row of a batch takes of the memory, as a run measures it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest
from proving import runner_of_tensorflow

from tflint_hf.dynamic.job import RunOptions
from tflint_hf.dynamic.memory import largest_batch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from warm import WarmRunner

    from tflint_hf.dynamic.record import ObservedTraining

KERAS = {
    "keras 3": "import keras\n",
    "tf-keras": "import os\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\nimport tensorflow as tf\nkeras = tf.keras\n",
}
WIDTH, ROWS = 512, 32
PERCEPTRON = f"""
import numpy as np
import tensorflow as tf

x = np.random.rand({2 * ROWS}, 8).astype("float32")
y = np.random.randint(0, 2, {2 * ROWS})
layers = [keras.layers.Dense({WIDTH}, activation="relu") for _ in range(4)]
model = keras.Sequential([keras.layers.Input((8,)), *layers, keras.layers.Dense(2)])
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(keras.optimizers.Adam(0.001), loss)
"""
GPU = """
real = tf.config.list_physical_devices
peaks = [700, 1_000_000, 1_800_000]
tf.config.list_physical_devices = lambda kind=None: ["GPU:0"] if kind == "GPU" else real(kind)
tf.config.experimental.get_memory_growth = lambda device: True
tf.config.experimental.reset_memory_stats = lambda device: None
tf.config.experimental.get_memory_info = lambda device: {"peak": peaks.pop(0) if len(peaks) > 1 else peaks[0]}
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def runner() -> Iterator[WarmRunner]:
    with runner_of_tensorflow() as warm:
        yield warm


def observe(runner: WarmRunner, folder: Path, code: str, *probes: str) -> ObservedTraining:
    script = folder / "train.py"
    script.write_text(textwrap.dedent(code), encoding="utf-8")
    observation = runner.observe(script, RunOptions(budget_seconds=120.0, measurements=frozenset(probes)))
    assert not observation.troubles
    assert not observation.errors
    (training,) = observation.trainings
    assert not training.failed
    return training


@pytest.mark.parametrize("keras", KERAS)
def test_a_row_takes_what_its_layers_keep(keras: str, runner: WarmRunner, tmp_path: Path) -> None:
    fit = f"model.fit(x, y, batch_size={ROWS})\n"
    training = observe(runner, tmp_path, KERAS[keras] + PERCEPTRON + fit, "memory")
    each = training.facts("memory").number("activations.per_row")
    assert each is not None
    assert each == pytest.approx(4 * WIDTH * 4, rel=0.35)  # four layers, and what the way back holds beside them
    largest = largest_batch(training)
    assert largest is not None
    assert not largest.on_gpu
    assert largest.rows * each < largest.room < 4 * largest.rows * each or largest.rows == 2**20


@pytest.mark.parametrize("keras", KERAS)
def test_on_a_gpu_two_peaks_tell(keras: str, runner: WarmRunner, tmp_path: Path) -> None:
    code = KERAS[keras] + PERCEPTRON + GPU + f"model.fit(x, y, batch_size={ROWS})\n"
    memory = observe(runner, tmp_path, code, "memory", "overfit").facts("memory")
    assert memory.items("activations.rows") == [ROWS // 2, ROWS]
    assert memory.number("activations.per_row") == 800_000 / (ROWS / 2)
    assert memory.number("activations.beside") == 200_000


def test_a_loop_inside_a_model_hides_what_it_keeps(runner: WarmRunner, tmp_path: Path) -> None:
    code = """
        import keras
        import numpy as np

        model = keras.Sequential([keras.layers.Embedding(10, 4), keras.layers.LSTM(4), keras.layers.Dense(1)])
        model.compile("adam", "mse")
        model.fit(np.random.randint(0, 10, (16, 6)), np.random.rand(16, 1))
    """
    memory = observe(runner, tmp_path, code, "memory").facts("memory")
    assert memory.number("weights")
    assert memory.number("activations.per_row") is None


@pytest.mark.parametrize(("source", "said"), [("TFBertForSequenceClassification(config)", True), ("loaded", False)])
def test_a_stand_in_is_not_measured(source: str, said: bool, runner: WarmRunner, tmp_path: Path) -> None:
    code = f"""
        import numpy as np
        from transformers import BertConfig, TFBertForSequenceClassification

        config = BertConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
                            vocab_size=64)
        model = {source.replace("loaded", "TFBertForSequenceClassification.from_pretrained('bert-base-cased')")}
        model.compile("adam")
        model.fit({{"input_ids": np.full((16, 8), 5)}}, np.arange(16) % 2)
    """
    training = observe(runner, tmp_path, code, "memory")
    assert (training.facts("memory").number("activations.per_row") is not None) == said
    assert (largest_batch(training) is not None) == said
