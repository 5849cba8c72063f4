"""The static reader: positions, which Keras is meant, branches, bounds, and the same answer every time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from tflint_hf.engine import ScanOptions, scan
from tflint_hf.static.positions import Spans

FIXTURES = Path(__file__).parent.parent / "fixtures"


def codes(program: str, **targets: str) -> list[str]:
    """The codes of the findings in a program, those of severity info left out."""
    result = scan((), ScanOptions(isolated=True, target_versions=targets, stdin=(program, "program.py")))
    assert result.errors == ()
    return sorted(f.code for f in result.findings if f.severity.label != "info")


READABLE = sorted(path for path in FIXTURES.glob("*/bad_*.py") if path.parent.name != "unreadable-code")


@pytest.mark.parametrize("path", READABLE[::7], ids=lambda path: path.name)
def test_positions_are_those_of_libcst(path: Path) -> None:
    wrapper = MetadataWrapper(cst.parse_module(path.read_text(encoding="utf-8")), unsafe_skip_copy=True)
    expected = wrapper.resolve(PositionProvider)
    nodes = [node for node in expected if not isinstance(node, cst.Module)]
    spans = Spans(wrapper.module)
    for node in nodes:
        span, place = spans.of(node), expected[node]
        assert span is not None
        assert (span.line, span.column, span.end_line, span.end_column) == (
            place.start.line,
            place.start.column,
            place.end.line,
            place.end.column,
        )


BERT = "from transformers import TFBertForSequenceClassification"
MODEL = """
model = TFBertForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
model.compile(optimizer={optimizer})
model.fit(x, y)
"""


@pytest.mark.parametrize(
    ("imports", "optimizer", "keras_3"),
    [
        ("import tensorflow as tf\n" + BERT, "tf.keras.optimizers.Adam(2e-5)", False),
        ("import keras\n" + BERT, "keras.optimizers.Adam(2e-5)", True),
        ("import tf_keras\n" + BERT, "tf_keras.optimizers.Adam(2e-5)", False),
        (BERT + "\nfrom tensorflow.keras.optimizers import Adam", "Adam(2e-5)", True),
        (BERT + "\nimport tensorflow.keras as k", "k.optimizers.Adam(2e-5)", True),
        ("from tensorflow import keras\n" + BERT, "keras.optimizers.Adam(2e-5)", False),
        (
            "import tensorflow as tf\ntf.keras.utils.set_random_seed(1)\n" + BERT,
            "tf.keras.optimizers.Adam(2e-5)",
            True,
        ),
        (
            "from tensorflow.keras.utils import to_categorical\nimport tensorflow as tf\n" + BERT,
            "tf.keras.optimizers.Adam(2e-5)",
            True,
        ),
        (
            "import os\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\nfrom tensorflow.keras.optimizers import Adam\n" + BERT,
            "Adam(2e-5)",
            False,
        ),
        (
            "import os\nimport tensorflow\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\n"
            "from tensorflow.keras.optimizers import Adam\n" + BERT,
            "Adam(2e-5)",
            True,
        ),
    ],
)  # fmt: skip
def test_which_keras_a_name_leads_to_follows_the_order_of_imports(imports: str, optimizer: str, keras_3: bool) -> None:
    """As measured on TensorFlow 2.21 with tf-keras 2.21 and transformers 4.57.6."""
    found = codes(imports + MODEL.replace("{optimizer}", optimizer))
    assert found == (["TFO005"] if keras_3 else [])
    assert codes(imports + MODEL.replace("{optimizer}", optimizer), tensorflow="2.15.1") == []


HEAD = """
import tensorflow as tf
from transformers import TFBertForSequenceClassification
model = TFBertForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
"""


def test_a_fault_on_one_of_two_branches_is_no_accusation() -> None:
    program = HEAD + (
        'if choose():\n    optimizer = "adam"\nelse:\n    optimizer = tf.keras.optimizers.Adam(2e-5)\n'
        "model.compile(optimizer=optimizer)\nmodel.fit(x, y)\n"
    )
    assert codes(program) == []


def test_a_fault_on_both_branches_is_one() -> None:
    program = HEAD + (
        'if choose():\n    optimizer = "adam"\nelse:\n    optimizer = "rmsprop"\n'
        "model.compile(optimizer=optimizer)\nmodel.fit(x, y)\n"
    )
    assert codes(program) == ["TFO001"]


def test_the_same_condition_is_the_same_decision() -> None:
    program = HEAD + (
        'if args.fast:\n    optimizer = "adam"\nelse:\n    optimizer = tf.keras.optimizers.Adam(2e-5)\n'
        "if args.fast:\n    model.trainable = False\n"
        "model.compile(optimizer=optimizer)\nmodel.fit(x, y)\n"
    )
    assert codes(program) == []


def test_an_unknown_model_is_left_alone() -> None:
    assert (
        codes('import tensorflow as tf\nfrom lab import build\nmodel = build()\nmodel.compile("adam", "mse")\n') == []
    )


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 2000 + "1" + ")" * 2000,
        "x = tf" + ".keras" * 2000,
        "import tensorflow\n" + "".join(" " * i + "if x:\n" for i in range(95)) + " " * 95 + "pass\n",
        "import tensorflow as tf\nx = " + "+".join(["tf"] * 3000),
        "import tensorflow as tf\n" + "def f(x):\n    return f(f(f(x)))\nf(tf)\n" * 50,
        "import tensorflow as tf\n"
        + "\n".join(f"def f{i}(x):\n    return f{i + 1}(x) + f{i + 1}(x)" for i in range(40))
        + "\nf0(tf)\n",
        "import tensorflow as tf\n"
        + "\n".join(f"if c{i}:\n    x{i} = 1\nelse:\n    x{i} = 2" for i in range(300))
        + "\n",
    ],
    ids=["brackets", "attributes", "ifs", "operators", "recursion", "doubling", "branches"],
)
def test_a_program_made_to_be_hard_ends_in_time(text: str) -> None:
    result = scan((), ScanOptions(isolated=True, stdin=(text, "hard.py")))
    assert result.errors == ()


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    outputs = set()
    for seed, jobs, order in (("0", "1", 1), ("1", "2", -1), ("4711", "2", 1)):
        folders = [
            str(FIXTURES / name) for name in ("crossentropy-on-logits", "missing-num-labels", "keras-3-optimizer")
        ]
        run = subprocess.run(
            [
                sys.executable,
                "-m",
                "tflint_hf",
                "scan",
                "--isolated",
                "--format",
                "json",
                "--jobs",
                jobs,
                *folders[::order],
            ],
            capture_output=True,
            env={"PYTHONHASHSEED": seed, "PATH": "/usr/bin:/bin", "TFLINT_HF_CACHE_DIR": str(tmp_path)},
            check=False,
        )
        assert run.returncode == 1, run.stderr.decode()
        outputs.add(run.stdout)
    assert len(outputs) == 1


def test_scanning_never_imports_tensorflow() -> None:
    program = (
        "import sys; from tflint_hf.cli import main; "
        f"main(['scan', '--isolated', r'{FIXTURES / 'course'}']); "
        "heavy = {'tensorflow', 'keras', 'transformers', 'datasets'}; "
        "print(sorted(m for m in sys.modules if m.split('.')[0] in heavy))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.rstrip().endswith("[]")
