"""A program under observation goes on as it would: same numbers, History as asked, what follows a loop is reached."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest
from proving import runner_of_tensorflow
from warm import WarmRunner

from tflint_hf.dynamic.job import RunOptions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tflint_hf.dynamic.record import Observation

KERAS = {
    "keras 3": "import keras\n",
    "tf-keras": "import os\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\nimport tensorflow as tf\nkeras = tf.keras\n",
}
HEAD = """\
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(7)
drawn = np.random.default_rng(0)
x = drawn.random((96, 8)).astype("float32")
y = (x.sum(1) > 4).astype("int64")

def make():
    layers = [keras.layers.Dense(8, activation="relu"), keras.layers.BatchNormalization(), keras.layers.Dropout(0.5)]
    model = keras.Sequential([*layers, keras.layers.Dense(2)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    return model

"""


@pytest.fixture(scope="module")
def runner() -> Iterator[WarmRunner]:
    with runner_of_tensorflow() as warm:
        yield warm


def observe(
    runner: WarmRunner, folder: Path, keras: str, code: str, measurements: frozenset[str] | None = frozenset()
) -> Observation:
    script = folder / "train.py"
    script.write_text(KERAS[keras] + HEAD + textwrap.dedent(code) + "print('the end')\n", encoding="utf-8")
    observation = runner.observe(script, RunOptions(budget_seconds=120.0, measurements=measurements))
    assert not observation.troubles
    return observation


def said(observation: Observation) -> list[str]:
    """The lines that the program printed with a mark."""
    return [line[2:] for line in observation.record.output.splitlines() if line.startswith("> ")]


def reaches_its_end(observation: Observation) -> bool:
    return "the end" in observation.record.output.splitlines() and not observation.errors


pytestmark = pytest.mark.slow


@pytest.mark.parametrize("keras", KERAS)
@pytest.mark.parametrize("build", ["model.build((None, 8))", "pass  # fit() builds it"])
def test_measurements_change_neither_weights_nor_random_numbers(
    keras: str, build: str, runner: WarmRunner, tmp_path: Path
) -> None:
    code = f"""
        import random

        model = make()
        {build}
        for feed in ((x, y), (tf.data.Dataset.from_tensor_slices((x, y)).batch(32),)):
            history = model.fit(*feed, epochs=1)
            steps = int(model.optimizer.iterations)
            print(">", history.history, steps, random.random(), np.random.rand())
    """
    plain = observe(runner, tmp_path, keras, code)
    measured = observe(runner, tmp_path, keras, code, None)
    assert {"forward", "gradients", "overfit"} <= set(measured.trainings[0].measured)
    assert said(measured) == said(plain)
    assert len(said(plain)) == 2


@pytest.mark.parametrize("keras", KERAS)
def test_the_history_is_as_long_as_asked(keras: str, runner: WarmRunner, tmp_path: Path) -> None:
    code = """
        stop = keras.callbacks.EarlyStopping(patience=1, restore_best_weights=True)
        history = make().fit(x, y, epochs=5, initial_epoch=1, validation_split=0.1, class_weight={0: 1.0, 1: 2.0},
                             batch_size=4, callbacks=[stop])
        make().fit(x, y, sample_weight=np.ones(96))
        print(">", sorted(history.history), {len(values) for values in history.history.values()})

        def batches():
            while True:
                yield x[:8], y[:8]

        history = make().fit(batches(), steps_per_epoch=50, epochs=2, validation_data=batches(), validation_steps=50)
        print(">", len(history.history["val_accuracy"]))
        endless = tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(8).cache()
        print(">", len(make().fit(endless, steps_per_epoch=12, epochs=3).history["loss"]))
    """
    observation = observe(runner, tmp_path, keras, code)
    assert reaches_its_end(observation), observation.errors
    assert said(observation) == ["['accuracy', 'loss', 'val_accuracy', 'val_loss'] {4}", "2", "3"]


@pytest.mark.parametrize("keras", KERAS)
def test_tables_and_texts_are_inputs_like_others(keras: str, runner: WarmRunner, tmp_path: Path) -> None:
    code = """
        import pandas as pd

        table = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "label": y})
        make().fit(table[["a", "b"]], table["label"], epochs=1, validation_split=0.2)
        texts = tf.constant(["a good film", "a bad film"] * 48)
        words = keras.layers.TextVectorization(max_tokens=20, output_sequence_length=4)
        words.adapt(texts)
        layers = [words, keras.layers.Embedding(20, 4), keras.layers.GlobalAveragePooling1D(), keras.layers.Dense(2)]
        model = keras.Sequential([keras.Input((1,), dtype="string"), *layers])
        model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        model.fit(texts[:, None], y, epochs=1)
    """
    observation = observe(runner, tmp_path, keras, code, None)
    assert reaches_its_end(observation), observation.errors
    assert [set(training.failed) for training in observation.trainings] == [set(), set()]


def test_ragged_rows(runner: WarmRunner, tmp_path: Path) -> None:
    code = """
        rows = tf.ragged.constant([[1, 2, 3], [4], [5, 6], [7, 8, 9]] * 8)
        inputs = keras.Input((None,), ragged=True, dtype="int64")
        model = keras.Sequential([inputs, keras.layers.Embedding(20, 4), keras.layers.LSTM(4), keras.layers.Dense(1)])
        model.compile("adam", "mse")
        model.fit(rows, np.random.rand(32), epochs=1)
        model.fit(tf.data.Dataset.from_tensor_slices((rows, np.random.rand(32))).batch(4), epochs=1)
    """
    observation = observe(runner, tmp_path, "tf-keras", code, frozenset({"batch", "forward"}))
    assert reaches_its_end(observation), observation.errors
    assert [set(training.measured) >= {"batch", "forward"} for training in observation.trainings] == [True, True]


LOOP = """
    model, optimizer = make(), keras.optimizers.Adam(1e-3)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    rows = tf.data.Dataset.from_tensor_slices((x, y)).repeat(20).batch(4)

    {decorator}
    def step(inputs, labels):
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(inputs, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    seen = []
    for epoch in range(3):
        steps = 0
        for number, (inputs, labels) in enumerate(rows):
            step(inputs, labels)
            steps += 1
        checked = sum(1 for _ in rows)
        seen.append((steps, checked))
    print(">", seen)
"""


@pytest.mark.parametrize("keras", KERAS)
@pytest.mark.parametrize("decorator", ["", "@tf.function"])
def test_what_follows_a_loop_with_a_tape_is_reached(
    decorator: str, keras: str, runner: WarmRunner, tmp_path: Path
) -> None:
    observation = observe(runner, tmp_path, keras, textwrap.dedent(LOOP).format(decorator=decorator))
    assert reaches_its_end(observation), observation.errors
    assert said(observation) == ["[(16, 480), (1, 480), (1, 480)]"]
    assert [training.is_loop for training in observation.trainings] == [True]


@pytest.mark.parametrize("keras", KERAS)
def test_what_follows_a_loop_of_train_on_batch_is_reached(keras: str, runner: WarmRunner, tmp_path: Path) -> None:
    code = """
        model = make()
        for inputs, labels in tf.data.Dataset.from_tensor_slices((x, y)).repeat(20).batch(4):
            result = model.train_on_batch(inputs, labels)
        print(">", len(result), model.predict(x).argmax(-1).shape)
        rows = iter(tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(4))
        for _ in range(30):
            model.train_on_batch(*next(rows))
    """
    observation = observe(runner, tmp_path, keras, code, None)
    assert reaches_its_end(observation), observation.errors
    assert said(observation) == ["2 (96,)"]


@pytest.mark.parametrize("keras", KERAS)
def test_a_model_in_the_scope_of_a_strategy_trains_and_is_measured(
    keras: str, runner: WarmRunner, tmp_path: Path
) -> None:
    code = """
        with tf.distribute.MirroredStrategy(["/cpu:0"]).scope():
            model = make()
        history = model.fit(x, y, epochs=2, validation_data=(x, y)).history
        print(">", len(history["val_accuracy"]), history["loss"][0])
    """
    plain = observe(runner, tmp_path, keras, code)
    measured = observe(runner, tmp_path, keras, code, None)
    assert reaches_its_end(measured), measured.errors
    assert said(measured) == said(plain)
    (training,) = measured.trainings
    assert training.facts("forward").number("loss") is not None
    assert (training.facts("gradients").number("norm") or 0) > 0
    assert not {"forward", "gradients"} & set(training.failed)


@pytest.mark.parametrize("keras", KERAS)
def test_half_precision_is_measured_with_the_optimizer_that_scales_nothing(
    keras: str, runner: WarmRunner, tmp_path: Path
) -> None:
    code = """
        keras.mixed_precision.set_global_policy("mixed_float16")
        model = make()
        model.compile(keras.optimizers.SGD(0.1), model.loss)
        model.fit(x, y, epochs=1)
    """
    observation = observe(runner, tmp_path, keras, code, frozenset({"forward", "gradients"}))
    (training,) = observation.trainings
    ratio = training.facts("gradients").number("update_ratio")
    assert ratio is not None
    assert ratio > 1e-3


ONE_MODEL = """
    layers = [keras.layers.Dense(8, activation="relu"), keras.layers.Dense(2)]
    model = keras.Sequential(layers)
    model.compile(keras.optimizers.Adam(0.01), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(x, y, batch_size=16)
    """
BRANCHES_ON_A_TENSOR = """
    class Branching(keras.Model):
        def __init__(self):
            super().__init__()
            self.hidden, self.out = keras.layers.Dense(8, activation="relu"), keras.layers.Dense(2)

        def call(self, inputs, training=False):
            hidden = self.hidden(inputs)
            if tf.reduce_mean(hidden) > 0.01:
                hidden = hidden * 2.0
            return self.out(hidden)

    model = Branching()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01), loss)
    model.fit(x, y, batch_size=16)
    """


@pytest.mark.parametrize(  # Keras 3 converts no Python branches
    ("keras", "code"), [("keras 3", ONE_MODEL), ("tf-keras", ONE_MODEL), ("tf-keras", BRANCHES_ON_A_TENSOR)]
)
def test_one_batch_is_learnt_by_heart_with_both_optimizers(
    keras: str, code: str, runner: WarmRunner, tmp_path: Path
) -> None:
    seen = observe(runner, tmp_path, keras, code, frozenset({"overfit"}))
    facts = seen.trainings[0].facts("overfit")
    own, safe = facts.items("own.losses"), facts.items("safe.losses")
    assert (len(own), len(safe)) == (20, 60)
    assert own[-1] < own[0]
    assert safe[-1] < safe[0]
    assert reaches_its_end(seen)


@pytest.mark.parametrize("keras", KERAS)
def test_a_fit_that_fails_gives_a_history_with_every_name(keras: str, runner: WarmRunner, tmp_path: Path) -> None:
    code = """
        history = make().fit(x, y[:10], epochs=2)
        print(">", history.history["val_f1"], len(history.history["loss"]))
    """
    observation = observe(runner, tmp_path, keras, code)
    assert "the end" in observation.record.output
    assert said(observation) == ["[nan, nan] 2"]
    assert len(observation.errors) == 1
