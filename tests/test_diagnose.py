"""Logs of real runs and the rules that they point to; what a log is; what its numbers show."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tflint_hf.diagnose import diagnose, log_of_text, read_log, recognise
from tflint_hf.diagnose.curves import SHAPES, shapes
from tflint_hf.diagnose.errors import last_error
from tflint_hf.diagnose.matching import Recognised, recognise_in
from tflint_hf.diagnose.progress import Training, trainings
from tflint_hf.diagnose.ranking import Diagnosis
from tflint_hf.engine import ScanOptions, scan
from tflint_hf.rule_files import load_rules
from tflint_hf.rules import CURVES

LOGS = Path(__file__).parent / "data" / "logs"
STORED = sorted(path for path in LOGS.iterdir() if path.suffix in {".log", ".ipynb"})
OF_RULES = [path for path in STORED if path.name.startswith("TF")]
INNOCENT = [path for path in STORED if not path.name.startswith("TF")]
# What these logs say is said of several rules: the program must decide.
SHARED: dict[str, set[str]] = {
    "TFD020-rename": {"TFD013"},
    "TFD036-long-row": {"TFD001"},
    "TFD036-positions": {"TFD002"},
    "TFD026-missing": {"TFD028"},
    "TFD026-series": {"TFD025"},
    "TFD027-padding": {"TFD023"},
    "TFO012-equal": {"TFO001"},
    "TFL002-frozen-object": {"TFL001"},
    "TFL003-label-key": {"TFL004"},
    "TFL005-loss-none": {"TFL004"},
    "TFL015-one-hot": {"TFL014"},
    "TFL015-one-hot-dataset": {"TFL014"},
    "TFL016-binary-broadcast": {"TFE005"},
    "TFL018-xla-nan": {"TFL011"},
    "TFL021-large-scores": {"TFL018"},
    "TFL028-softmax-one-unit": {"TFE005"},
}


def _ids(path: Path) -> str:
    return path.name


# What these say is said by many programs, so that only a program that has the fault is told of it.
VAGUE = {"TFD001-np-array", "TFD002-warning", "TFE004-lengths"}


# Logs of real runs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", OF_RULES, ids=_ids)
def test_the_log_of_a_fault_names_its_rule_first(path: Path) -> None:
    code = path.name.split("-")[0]
    log = read_log(path.read_bytes())
    if path.stem in VAGUE:
        assert code in [clue.code for clue in recognise_in(log)]
        assert diagnose(log, load_rules()).diagnoses == ()
        return
    found = [diagnosis.rule.code for diagnosis in diagnose(log, load_rules()).diagnoses]
    assert found
    assert found[0] in SHARED.get(path.stem, {code})
    assert code in found


@pytest.mark.parametrize("path", INNOCENT, ids=_ids)
def test_a_healthy_training_and_an_error_of_another_kind_accuse_nothing(path: Path) -> None:
    report = diagnose(read_log(path.read_bytes()), load_rules())
    assert report.diagnoses == ()
    assert report.remark
    assert len(report.remark) > 40


@pytest.mark.parametrize("path", sorted(LOGS.glob("*.py")), ids=_ids)
def test_the_program_of_a_log_puts_its_fault_first_with_the_place(path: Path, tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_bytes(path.read_bytes())
    findings = scan((script,), ScanOptions(isolated=True)).findings
    log = read_log(path.with_suffix(".log").read_bytes())
    first = diagnose(log, load_rules(), findings).diagnoses[0]
    assert first.rule.code == path.name.split("-")[0]
    assert first.finding is not None
    assert first.means == first.finding.message


def test_every_symptom_of_a_rule_that_a_stored_log_can_show_is_one_of_its_own() -> None:
    """No log accuses with certainty a rule whose fault its program does not have."""
    wrong = {}
    for path in STORED:
        certain = {clue.code for clue in recognise_in(read_log(path.read_bytes())) if clue.strength == "certain"}
        allowed = {path.name.split("-")[0]} | SHARED.get(path.stem, set())
        if certain - allowed:
            wrong[path.name] = certain - allowed
    assert wrong == {}


# Texts that the installed libraries do not give: of other versions, of a TPU or a GPU, of packages that are not there.
# They are quoted from the pages of the rules and from the threads that these name.
_FIRST = "InvalidArgumentError: logits and labels must have the same first dimension,"
_EQUAL = "ValueError: `labels.shape` must equal `logits.shape` except for the last dimension. Received:"
QUOTED = [
    (
        "TFD006",
        "ValueError: Failed to find data adapter that can handle input: <class 'transformers.BatchEncoding'>, None",
    ),
    ("TFD010", "File 'tf_utils.py', in split_features_and_labels\n    assert set(features)\nAssertionError"),
    ("TFD012", "ValueError: The following keyword arguments are not supported by this model: ['idx']."),
    ("TFD012", "ValueError: Column token_type_ids not found in dataset!"),
    ("TFD013", "File 'tf_utils.py', in split_features_and_labels\n    assert set(features)\nAssertionError"),
    ("TFD014", "TypeError: to_tf_dataset() missing 1 required positional argument: 'collate_fn'"),
    ("TFD016", "ValueError: Found input variables with inconsistent numbers of samples: [60, 48]"),
    ("TFD032", "No registered 'EagerPyFunc' OpKernel for 'CPU' devices compatible with node {{node EagerPyFunc}}"),
    ("TFD032", "UnimplementedError: File system scheme '[local]' not implemented (file: 'train.tfrecord')"),
    (
        "TFD033",
        "ValueError: Trying to create optimizer slot variable under the scope for tf.distribute.Strategy (<...>)",
    ),
    ("TFD016", "ValueError: operands could not be broadcast together with shapes (48,) (60,)"),
    ("TFE004", "ValueError: Found input variables with inconsistent numbers of samples: [60, 48]"),
    ("TFE009", "OverflowError: can't convert negative int to unsigned"),
    ("TFL003", "ValueError: No gradients provided for any variable: ['bert/embeddings/weight:0', ...]."),
    ("TFL004", "ValueError: No gradients provided for any variable: ['bert/embeddings/weight:0', ...]."),
    ("TFL005", "ValueError: No gradients provided for any variable: ['bert/embeddings/weight:0', ...]."),
    (
        "TFL008",
        "ValueError: Found unexpected keys that do not correspond to any Model output: dict_keys(['start_positions']).",
    ),
    (
        "TFE007",
        "Learning rate reduction is conditioned on metric `f1` which is not available. Available metrics are: loss",
    ),
    ("TFL006", f"{_FIRST} got logits shape [80,32] and labels shape [8]"),
    ("TFL006", "Received a label value of 59 which is outside the valid range of [0, 32)"),
    ("TFM005", f"{_FIRST} got logits shape [80,32] and labels shape [8]"),
    ("TFM015", f"{_FIRST} got logits shape [24,50265] and labels shape [16]"),
    ("TFM015", f"{_EQUAL} labels.shape=(16,) and logits.shape=(24, 50265)"),
    ("TFL026", f"{_EQUAL} labels.shape=(80,) and logits.shape=(8, 2)"),
    ("TFL030", "ValueError: Passing metrics as a dict is not supported when using the internal loss!"),
    (
        "TFM003",
        "ValueError: Only instances of `keras.Layer` can be added to a Sequential model. Received: <TFBertModel>",
    ),
    ("TFM005", "TypeError: Inputs to a layer should be tensors. Got: last_hidden_state"),
    ("TFM008", "ValueError: File format not supported: filepath=model. Keras 3 only supports V3 `.keras` files"),
    (
        "TFM011",
        "OSError: Can't load tokenizer for 'soil'. If you were trying to load it from 'https://huggingface.co/models'",
    ),
    ("TFM014", "AttributeError: 'BertForSequenceClassification' object has no attribute 'fit'"),
    ("TFO008", "AttributeError: module 'keras.utils' has no attribute 'unpack_x_y_sample_weight'"),
    ("TFO014", "TypeError: '<' not supported between instances of 'float' and 'WarmUp'"),
    ("TFO014", "AttributeError: 'PolynomialDecay' object has no attribute 'dtype'"),
    ("TFO017", "File 'optimization_tf.py', line 9, in _use_weight_decay\nTypeError: 'NoneType' object is not iterable"),
    ("TFO017", "UnimplementedError: Graph execution error: Cast string to float is not supported"),
    ("TFV001", "ImportError: cannot import name 'TFAutoModelForSequenceClassification' from 'transformers'"),
    ("TFV001", "ImportError: cannot import name 'create_optimizer' from 'transformers' (transformers/__init__.py)"),
    ("TFV001", "ModuleNotFoundError: No module named 'transformers.keras_callbacks'"),
    ("TFV001", "ValueError: tf is not a valid TensorType, please select one of ['pt', 'np', 'mlx']"),
    ("TFV001", "ValueError: Framework 'tf' not recognized!"),
    ("TFV002", "File 'trainer_tf.py', line 9\nTypeError: '>' not supported between instances of 'NoneType' and 'int'"),
    ("TFV004", "OSError: Tried to clone a repository in a non-empty folder that isn't a git repository ('out')."),
    ("TFV004", "ImportError: cannot import name 'Repository' from 'huggingface_hub' (huggingface_hub/__init__.py)"),
]


@pytest.mark.parametrize(("code", "text"), QUOTED)
def test_texts_of_other_versions_and_machines_are_known(code: str, text: str) -> None:
    assert code in [found.code for found in recognise(text)]


# The reading of a log ---------------------------------------------------------------------------------------------

ERROR = "ValueError: Cannot handle batch sizes > 1 if no padding token is defined."


def test_the_text_of_an_exception_is_enough() -> None:
    (found,) = recognise(ERROR)
    assert (found.code, found.strength, found.excerpt, found.line) == ("TFD030", "certain", ERROR, 1)


def test_the_line_of_a_symptom_is_counted_in_the_log() -> None:
    (found,) = recognise(f"one\r\ntwo\n\n  {ERROR}\nfive")
    assert (found.line, found.excerpt) == (4, ERROR)


@pytest.mark.parametrize(
    "data",
    [
        ERROR.encode(),
        b"\xef\xbb\xbf" + ERROR.encode(),
        ERROR.encode("utf-16"),
        b"\xff\xfe" + ERROR.encode("utf-16-le"),
        b"\xfe\xff" + ERROR.encode("utf-16-be"),
        b"\x1b[0;31mValueError\x1b[0m: Cannot handle batch sizes > 1 if no padding token is defined.\x80",
        b'{"not": "a notebook"}\n' + ERROR.encode(),
        b"{broken\n" + ERROR.encode(),
    ],
)
def test_a_log_may_come_in_any_encoding_with_colours_and_with_broken_bytes(data: bytes) -> None:
    assert [found.code for found in recognise_in(read_log(data))] == ["TFD030"]


@pytest.mark.parametrize(
    "data", [b"", b"\n\n", b"\x08\x08\r\x1b[", b"{", b"[]", b"null", b'{"cells": [3, {}]}', b"\xff\xfe"]
)
def test_an_empty_or_broken_log_says_nothing_and_does_no_harm(data: bytes) -> None:
    report = diagnose(read_log(data), load_rules())
    assert report.diagnoses == ()
    assert report.remark


def test_a_progress_bar_is_read_at_each_of_its_states() -> None:
    lines = log_of_text(
        "Epoch 1/2\n\r1/2 [=>.] - loss: 1.0\x08\x08\x08\x08\r2/2 [===] - 1s - loss: 0.5\nab\x08c\n"
    ).lines
    assert [(line.text, line.number) for line in lines] == [
        ("Epoch 1/2", 1),
        ("1/2 [=>.] - loss: 1.0", 2),
        ("2/2 [===] - 1s - loss: 0.5", 2),
        ("ac", 3),
    ]


def _notebook(*cells: list[dict[str, object]]) -> bytes:
    sources = [{"cell_type": "code", "source": "fit()", "outputs": outputs} for outputs in cells]
    return json.dumps({"cells": [{"cell_type": "markdown", "source": "#"}, *sources], "nbformat": 4}).encode()


def test_the_outputs_stored_in_a_notebook_are_its_log() -> None:
    stream: dict[str, object] = {"output_type": "stream", "text": ["fine\n", "still fine\n"]}
    error: dict[str, object] = {
        "output_type": "error",
        "traceback": ["\x1b[0;31mValueError\x1b[0m", f"\x1b[31m{ERROR}"],
    }
    value: dict[str, object] = {"output_type": "execute_result", "data": {"text/plain": ERROR}}
    log = read_log(_notebook([], [stream, error]))
    assert log.is_notebook
    (found,) = recognise_in(log)
    assert (found.cell, found.line) == (3, 4)
    assert [found.cell for found in recognise_in(read_log(_notebook([value])))] == [2]


def test_the_end_of_a_huge_log_is_read() -> None:
    assert [found.code for found in recognise_in(read_log(b"step 1\nstep 2\n" * 300_000 + ERROR.encode()))] == [
        "TFD030"
    ]


# Errors -----------------------------------------------------------------------------------------------------------

TRACEBACK = """\
Traceback (most recent call last):
  File "/home/user/project/train.py", line 12, in <module>
    main()
  File "/home/user/project/steps.py", line 4, in main
    model.fit(data)
  File "/home/user/venv/lib/python3.11/site-packages/tf_keras/src/engine/training.py", line 70, in fit
    raise e.with_traceback(filtered_tb) from None
{error}
"""


def test_the_place_of_an_error_is_the_last_line_of_the_user() -> None:
    error = last_error(log_of_text("RuntimeError: before\n" + TRACEBACK.format(error="a.b.FooError: bad thing")))
    assert error is not None
    assert (error.name, error.message, error.line.number) == ("FooError", "bad thing", 9)
    assert error.place is not None
    assert (error.place.path, error.place.line) == ("/home/user/project/steps.py", 4)


@pytest.mark.parametrize(
    "error",
    [
        'ValueError: in user code:\n\n    File "x.py", line 3, in f\n\n    ValueError: no way\n',
        "tf.InvalidArgumentError: Graph execution error:\n\nDetected at node a/b\n\nno way\n\t [[{{node a/b}}]]\n",
    ],
)
def test_the_message_of_a_graph_is_at_its_end(error: str) -> None:
    found = last_error(log_of_text(TRACEBACK.format(error=error)))
    assert found is not None
    assert found.message == "no way"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TRACEBACK.format(error="KeyError: 'text'"), "steps.py:4. That is the symptom of no rule"),
        ("RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB", "smaller batch_size"),
        ("tensorflow.ResourceExhaustedError: OOM when allocating tensor with shape[32,512]", "smaller batch_size"),
        ("Traceback (most recent call last):\nKeyboardInterrupt", "interrupted"),
        ("./train.sh: line 3: 4242 Killed", "Memory ran out"),
        (TRACEBACK.format(error="ValueError: could not convert string to float: 'abc'"), "symptom of no rule"),
        (TRACEBACK.format(error="AttributeError: 'int' object has no attribute 'shape'"), "symptom of no rule"),
        (TRACEBACK.format(error="AttributeError: 'tuple' object has no attribute 'loss'"), "symptom of no rule"),
        (TRACEBACK.format(error="ValueError: cannot reshape array of size 6 into shape (4,5)"), "symptom of no rule"),
        (TRACEBACK.format(error="IndexError: list index out of range"), "symptom of no rule"),
        (
            TRACEBACK.format(error="ValueError: operands could not be broadcast together with shapes (3,) (4,)"),
            "no rule",
        ),
        (TRACEBACK.format(error="numpy.AxisError: axis 1 is out of bounds for array of dimension 1"), "no rule"),
        (TRACEBACK.format(error="ValueError: too many values to unpack (expected 2)"), "symptom of no rule"),
        ("hello", "Neither an error nor"),
        ("", "empty"),
    ],
)
def test_what_no_rule_knows_is_told_without_blame(text: str, words: str) -> None:
    report = diagnose(log_of_text(text), load_rules())
    assert report.diagnoses == ()
    assert words in (report.remark or "")


# Numbers of a training --------------------------------------------------------------------------------------------

KERAS_3 = (
    "Epoch {n}/3\n\x1b[1m1/4\x1b[0m \x1b[32m━━━━━\x1b[0m\x1b[37m━━━━━━━━━━━━━━━\x1b[0m \x1b[1m1s\x1b[0m 400ms/step"
    " - accuracy: 0.5 - loss: {first}\x08\x08\x08\x08\r"
    "\x1b[1m4/4\x1b[0m \x1b[32m━━━━━━━━━━━━━━━━━━━━\x1b[0m\x1b[37m\x1b[0m \x1b[1m0s\x1b[0m 5ms/step"
    " - accuracy: 0.6250 - loss: {last} - val_loss: 1e-02\n"
)


def _one(text: str) -> Training:
    (training,) = trainings(log_of_text(text))
    return training


def _bars(losses: list[str], **others: list[str]) -> str:
    lines = []
    for number, loss in enumerate(losses):
        rest = "".join(f" - {name}: {values[number]}" for name, values in others.items())
        lines.append(f"Epoch {number + 1}/{len(losses)}\n8/8 [======] - 1s 9ms/step - loss: {loss}{rest}\n")
    return "".join(lines)


def _shapes(text: str) -> set[str]:
    return {shape.name for training in trainings(log_of_text(text)) for shape in shapes(training)}


def test_bars_of_keras_3_are_read() -> None:
    training = _one("".join(KERAS_3.format(n=n, first=2.0, last=1.0 / n) for n in (1, 2)))
    assert training.epochs[0].first == {"accuracy": 0.5, "loss": 2.0}
    assert training.series("loss") == [1.0, 0.5]
    assert training.series("val_loss") == [0.01, 0.01]


def test_short_bars_and_dictionaries_are_read() -> None:
    assert _one("Epoch 1/2\n8/8 - 2s - loss: 0.5 - 2s/epoch - 200ms/step\n").series("loss") == [0.5]
    assert _one("Train on 8 samples\nEpoch 1/2\n8/8 [====] - 1s 4ms/sample - loss: 0.5").series("loss") == [0.5]
    assert _one("Epoch 1/2\n      8/Unknown - 1s 4ms/step - loss: nan").series("loss") != []
    steps = _one("{'loss': 0.7, 'learning_rate': 5e-05, 'epoch': 0.5}\n{'loss': '0.6', 'epoch': 1.0}\n")
    assert steps.series("loss") == [0.7, 0.6]
    assert _one("{'loss': [0.7, nan], 'val_loss': [0.5, 0.4]}").series("val_loss") == [0.5, 0.4]


def test_evaluate_and_predict_are_no_epochs_and_a_history_is_not_a_second_training() -> None:
    text = _bars(["0.7000", "0.5000"]) + "1/8 [=>...] - loss: -3.0\r8/8 [====] - 1s - loss: -3.0\n4/4 [====] - 0s\n"
    assert _one(text + "{'loss': [0.70001, 0.49999]}\n").series("loss") == [0.7, 0.5]


def test_a_second_fit_is_a_second_training() -> None:
    assert [t.series("loss") for t in trainings(log_of_text(_bars(["1.0", "0.9"]) + _bars(["0.8"])))] == [
        [1.0, 0.9],
        [0.8],
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (_bars(["nan", "nan"]), {"loss-nan-at-once"}),
        (_bars(["0.6", "nan", "nan"]), {"loss-nan-later"}),
        (_bars(["-0.1", "-0.5"]), {"loss-negative"}),
        (_bars(["0.0000e+00"] * 2), {"loss-zero"}),
        (_bars(["0.9", "0.6931", "0.6931", "0.6931"]), {"loss-frozen-at-ln-classes"}),
        (_bars(["1.0986"] * 3), {"loss-frozen-at-ln-classes"}),
        (_bars(["0.70", "0.6951", "0.6940", "0.6942"]), {"loss-near-ln-classes"}),
        (_bars(["0.5123"] * 3), {"loss-constant"}),
        (_bars(["0.7", "0.5", "0.3", "0.1"], accuracy=["0.5625"] * 4), {"accuracy-constant"}),
        (_bars(["0.7", "0.5", "0.3", "0.1"], accuracy=["0.0000e+00"] * 4), {"accuracy-zero"}),
        (_bars(["0.7", "0.6", "0.6001"], lr=["1e-5", "0.0", "0.0"]), {"learning-rate-zero"}),
        (_bars(["0.7", "0.6"], start_logits_loss=["0.7", "0.6"]), {"one-loss-of-two-outputs"}),
    ],
)
def test_shapes_of_a_training(text: str, expected: set[str]) -> None:
    assert _shapes(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        _bars(["0.6931"]),
        _bars(["0.6931", "0.6931"]),
        _bars(["0.6990", "0.6931", "0.6820", "0.6644"]),
        _bars(["0.7", "0.5", "0.3", "0.1"], accuracy=["0.5", "0.5", "0.75", "1.0"]),
        _bars(["0.7", "0.1", "0.01", "0.001"], accuracy=["1.0"] * 4),
        _bars(["0.7", "0.6"], lr=["1e-5", "0.0"]),
        _bars(["0.7", "0.6"], start_logits_loss=["0.3", "0.2"], end_logits_loss=["0.3", "0.2"]),
        _bars(["0.9", "0.8"], val_loss=["0.7", "0.6"]),
        _bars(["-1.0", "-0.5"]),
    ],
)
def test_a_training_that_goes_well_has_no_shape(text: str) -> None:
    assert _shapes(text) == set()


# Symptoms of the shipped rules ------------------------------------------------------------------------------------


def test_the_shapes_that_rules_may_name_are_those_that_are_seen() -> None:
    assert set(CURVES) == SHAPES


def test_every_pattern_matches_a_text_that_was_seen() -> None:
    texts = [read_log(path.read_bytes()) for path in STORED] + [log_of_text(text) for _, text in QUOTED]
    unseen = []
    for rule in load_rules():
        for number, symptom in enumerate(rule.symptoms):
            if symptom.pattern is not None:
                alone = replace(rule, symptoms=(symptom,))
                if not any(recognise_in(text, [alone]) for text in texts):
                    unseen.append(f"{rule.code} {number}: {symptom.pattern}")
    assert unseen == []


def test_no_pattern_is_slow_on_long_lines() -> None:
    text = "a" * 50_000 + " = " + "[1,2] " * 20_000 + "\n" + "data_collator.py class_weight keras_callbacks.py\n" * 500
    start = time.perf_counter()
    assert recognise(text) == []
    assert time.perf_counter() - start < 20


def test_a_program_that_has_the_fault_outweighs_rules_that_share_the_symptom(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import tensorflow as tf\n"
        "from transformers import TFAutoModelForSequenceClassification\n\n"
        'model = TFAutoModelForSequenceClassification.from_pretrained("bert-base-cased", num_labels=3)\n'
        "model.compile(optimizer=tf.keras.optimizers.Adam(3e-5), loss=None)\n"
        'model.fit(load("train"), epochs=3)\n',
        encoding="utf-8",
    )
    findings = scan((script,), ScanOptions(isolated=True)).findings
    error = "TypeError: Argument `target` should be a list or nested structure of Tensors, but received None."
    report = diagnose(log_of_text(TRACEBACK.format(error=error)), load_rules(), findings)
    assert [diagnosis.rule.code for diagnosis in report.diagnoses] == ["TFL005"]
    assert report.diagnoses[0].finding is not None


def test_placeholders_of_the_advice_are_shown_as_blanks() -> None:
    report = diagnose(
        log_of_text("Received a label value of 2 which is outside the valid range of [0, 2)"), load_rules()
    )
    assert report.diagnoses[0].rule.code == "TFL018"
    assert "num_labels=<classes>" in report.diagnoses[0].advice
    assert not any(re.search(r"\{\w+\}", d.advice + d.why) for d in report.diagnoses)


def test_why_is_said_in_words_where_only_a_program_gives_the_reason() -> None:
    for rule in load_rules():
        one = Diagnosis(rule, Recognised(rule.code, "likely", "text", 1))
        assert not re.fullmatch(r"<[\w ]+>", one.why), rule.code
        assert "_" not in "".join(re.findall(r"<([a-z_ ]+)>", one.advice)), rule.code
