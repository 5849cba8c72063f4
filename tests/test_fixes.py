"""The fixes that findings carry: applied to the user's text they leave valid Python without the fault."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tflint_hf.engine import ScanOptions, scan
from tflint_hf.findings import Edit, Finding, Safety
from tflint_hf.rule_files import load_rules
from tflint_hf.rules import Rule

FIXTURES = Path(__file__).parent.parent / "fixtures"
RULES = load_rules().by_code
PROGRAMS = sorted(FIXTURES.glob("**/bad_*.py"))


def apply_edits(text: str, edits: list[Edit]) -> str:
    """Replace the edits' ranges, the last one first."""
    lines = text.split("\n")
    for edit in sorted(edits, reverse=True):
        place = edit.location
        before = lines[place.line - 1][: place.column - 1]
        after = lines[place.end_line - 1][place.end_column - 1 :]
        lines[place.line - 1 : place.end_line] = (before + edit.text + after).split("\n")
    return "\n".join(lines)


def findings_of(path: Path, text: str) -> tuple[Finding, ...]:
    return scan((), ScanOptions(stdin=(text, str(path)), isolated=True)).findings


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.relative_to(FIXTURES).as_posix())
def test_a_fix_removes_its_finding_and_leaves_valid_python(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    findings = findings_of(path, text)
    for finding in findings:
        if finding.fix is None or any(edit.location.path != str(path) for edit in finding.fix.edits):
            continue
        promised = RULES[finding.code].fix
        assert promised == "safe" or (promised == "unsafe" and finding.fix.safety is Safety.UNSAFE)
        fixed = apply_edits(text, list(finding.fix.edits))
        ast.parse(fixed)
        left = findings_of(path, fixed)
        before = sum(f.code == finding.code for f in findings)
        assert sum(f.code == finding.code for f in left) < before, f"{finding.code} is still there:\n{fixed}"
        new = {f.code for f in left} - {f.code for f in findings}
        assert new == set(), f"the fix of {finding.code} brought {new}"


@pytest.mark.parametrize("rule", [rule for rule in RULES.values() if rule.fix != "none"], ids=lambda rule: rule.name)
def test_a_rule_that_promises_a_fix_has_one(rule: Rule) -> None:
    result = scan([FIXTURES / rule.name], ScanOptions(isolated=True, jobs=1))
    assert any(finding.fix is not None for finding in result.findings if finding.code == rule.code)


SHARED_CALL = """\
import tensorflow as tf
from datasets import load_dataset
from transformers import AutoTokenizer, TFAutoModelForSequenceClassification

tok = AutoTokenizer.from_pretrained("distilbert-base-uncased")
data = load_dataset("emotion").map(lambda r: tok(r["text"], truncation=True), batched=True)
model = TFAutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=6)


def feed(split):
    return model.prepare_tf_dataset(data[split], batch_size=16, tokenizer=tok)


model.compile(optimizer=tf.keras.optimizers.Adam(2e-5))
model.fit(feed("train"), validation_data=feed("validation"))
"""


def test_a_call_that_makes_training_data_too_keeps_its_shuffling() -> None:
    found = [f for f in findings_of(Path("shared.py"), SHARED_CALL) if f.code == "TFD016"]
    assert [f.fix for f in found] == [None]


@pytest.mark.parametrize(("expression", "fixed"), [("pair", "pair[0]"), ("pair or None", None)])
def test_an_item_is_taken_only_of_an_expression_that_it_belongs_to(expression: str, fixed: str | None) -> None:
    text = (
        "from transformers import TFAutoModelForSequenceClassification, create_optimizer\n"
        'model = TFAutoModelForSequenceClassification.from_pretrained("bert-base-uncased")\n'
        "pair = create_optimizer(2e-5, 100, 10)\n"
        f"model.compile(optimizer={expression})\n"
    )
    [found] = [f for f in findings_of(Path("pair.py"), text) if f.code == "TFO011"]
    assert (found.fix is None) is (fixed is None)
    if found.fix is not None:
        assert f"optimizer={fixed})" in apply_edits(text, list(found.fix.edits))


WITHOUT_TENSORFLOW = """\
from transformers import TFAutoModelForSequenceClassification

{before}model = TFAutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
model.fit(dict(load()), [0, 1])
"""


@pytest.mark.parametrize(
    ("before", "has_fix"),
    [
        ("", True),
        ("tf = 3\n", False),
        ("from tensorflow.keras.callbacks import EarlyStopping\n", False),  # tf.keras is Keras 3 from here on
    ],
)
def test_what_a_fix_writes_is_imported(before: str, has_fix: bool) -> None:
    text = WITHOUT_TENSORFLOW.format(before=before)
    found = [f for f in findings_of(Path("train.py"), text) if f.code in {"TFL001", "TFO001"}]
    assert len(found) == 2
    assert [f.fix is not None for f in found] == [has_fix, has_fix]
    if has_fix:
        edits = [edit for f in found if f.fix for edit in f.fix.edits]
        assert len(edits) == 4
        fixed = apply_edits(text, list(set(edits)))
        assert fixed.startswith("import tensorflow as tf\nfrom transformers import")
        assert "tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)" in fixed


HEAD = """\
import functools
import numpy as np
import tensorflow as tf
from transformers import AutoTokenizer, TFBertForSequenceClassification
m = TFBertForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
tok = AutoTokenizer.from_pretrained("bert-base-uncased")
x = dict(tok(["a", "b"], padding=True, truncation=True, return_tensors="np"))
adam = tf.keras.optimizers.Adam(3e-5)
"""
LOGITS = "tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)"
SPARSE = '"sparse_categorical_crossentropy"'


@pytest.mark.parametrize(
    ("code", "written", "fixed"),
    [
        ("TFL001", f"args = dict(optimizer=adam, loss={SPARSE})\nm.compile(**args)", f"optimizer=adam, loss={LOGITS})"),
        ("TFL001", f"m.compile(**dict(optimizer=adam, loss={SPARSE}))", f"dict(optimizer=adam, loss={LOGITS})"),
        ("TFL001", f'm.compile(**{{"optimizer": adam, "loss": {SPARSE}}})', f'"loss": {LOGITS}}}'),
        ("TFL001", f"m.compile(adam, loss=(name := {SPARSE}))\nprint(name)", f"loss=(name := {LOGITS})"),
        ("TFL001", f"c = functools.partial(m.compile, adam, loss={SPARSE})\nc()", f"m.compile, adam, loss={LOGITS})"),
        ("TFL001", f"c = functools.partial(m.compile, adam, {SPARSE})\nc()", f"(m.compile, adam, {LOGITS})"),
        ("TFL001", f"opts = lambda **k: k\nm.compile(**opts(optimizer=adam, loss={SPARSE}))", f"adam, loss={LOGITS}))"),
        ("TFL001", f"def go(*a, **k):\n    m.compile(*a, **k)\ngo(adam, loss={SPARSE})", f"go(adam, loss={LOGITS})"),
        ("TFL001", f"def go(*a, **k):\n    m.compile(*a, **k)\ngo(adam, {SPARSE})", f"go(adam, {LOGITS})"),
        ("TFL001", f"k = dict(loss='mse')\nk.update(loss={SPARSE})\nm.compile(adam, **k)", f"k.update(loss={LOGITS})"),
        ("TFL001", f"k = dict(loss='mse')\nk['loss'] = {SPARSE}\nm.compile(adam, **k)", None),
        ("TFL001", f"k = dict(loss={SPARSE})\nif adam.lr: k['loss'] = 'mse'\nm.compile(adam, **k)", None),
        ("TFL001", f"m.compile(adam, loss=[\n    {SPARSE},  # keep me\n])", None),
        ("TFD007", "m.compile(adam)\nkw = dict(y=[0, 1])\nm.fit(x, **kw)", "kw = dict(y=np.array([0, 1]))"),
        (
            "TFD007",
            "m.compile(adam)\nfit = functools.partial(m.fit, x, y=[0, 1])\nfit(epochs=2)",
            "functools.partial(m.fit, x, y=np.array([0, 1]))",
        ),
        (
            "TFD001",
            "def texts(*a, **k):\n    return tok(*a, **k)\nm.compile(adam)\n"
            'm.fit(dict(texts(["a", "b c"], return_tensors="np")), np.array([0, 1]))',
            None,
        ),
    ],
)
def test_arguments_that_come_in_other_ways(code: str, written: str, fixed: str | None) -> None:
    """A fix changes the value where it is written, or there is none: never what carries it to the call."""
    text = f"{HEAD}{written}\n"
    found = [f for f in findings_of(Path("train.py"), text) if f.code == code]
    fixes = [f.fix for f in found if f.fix is not None]
    if fixed is None:
        assert fixes == []
    else:
        assert any(fixed in apply_edits(text, list(fix.edits)) for fix in fixes), [f.message for f in found]


ADAM = "m.compile(tf.keras.optimizers.Adam({}))"
FIT = "\nm.fit(x, np.array([0, 1]))"


@pytest.mark.parametrize(
    ("written", "fixed"),
    [
        (ADAM.format("1e-3"), ADAM.format("5e-5")),
        (ADAM.format("10 * 1e-3"), ADAM.format("5e-5")),
        (ADAM.format("learning_rate=float('1e-3')"), ADAM.format("learning_rate=5e-5")),
        (f"RATE = 1e-3\n{ADAM.format('RATE')}", "RATE = 5e-5"),
        (f"RATE: float = 1e-3\n{ADAM.format('learning_rate=RATE')}", "RATE: float = 5e-5"),
        (f"rate, epochs = 1e-3, 2\n{ADAM.format('rate')}", "rate, epochs = 5e-5, 2"),
        (f"first = rate = 1e-3\n{ADAM.format('float(rate)')}", "first = rate = 5e-5"),
        (f'c = {{"lr": 1e-3, "n": 2}}\n{ADAM.format("c.get(" + repr("lr") + ")")}', 'c = {"lr": 5e-5, "n": 2}'),
        (f"c = dict(lr=1e-3)\n{ADAM.format('c[' + repr('lr') + ']')}", "c = dict(lr=5e-5)"),
        (f"k = dict(learning_rate=1e-3)\n{ADAM.format('**k')}", "k = dict(learning_rate=5e-5)"),
        (f"R = 1e-3\nk = dict(learning_rate=R)\n{ADAM.format('**k')}", "R = 5e-5"),
        (f'R = 1e-3\nk = {{"learning_rate": R}}\n{ADAM.format("**k")}', "R = 5e-5"),
        (f"class C:\n    rate = 1e-3\n{ADAM.format('C.rate')}", "    rate = 5e-5"),
        (f"class C:\n    def __init__(self, r=1e-3):\n        self.r = r\n{ADAM.format('C().r')}", "r=5e-5):"),
        (f"def go(r=1e-3):\n    {ADAM.format('r')}\ngo()", "def go(r=5e-5):"),
        (f"def go(r=1e-5):\n    {ADAM.format('r')}\ngo(r=1e-3)", "go(r=5e-5)"),
        (f"def go(r):\n    {ADAM.format('r')}\ngo(1e-3)\ngo(2e-3)", None),
        (f"go = lambda r: {ADAM.format('r')}\ngo(1e-3)", "go(5e-5)"),
        ("go = functools.partial(tf.keras.optimizers.Adam, 1e-3)\nm.compile(go())", "optimizers.Adam, 5e-5)"),
        ("R = 1e-3\ngo = functools.partial(tf.keras.optimizers.Adam, R)\nm.compile(go())", "R = 5e-5"),
        (
            "A = functools.partial(tf.keras.optimizers.Adam, epsilon=1e-8)\n"
            "m.compile(functools.partial(A, learning_rate=1e-3)(beta_1=0.8))",
            "functools.partial(A, learning_rate=5e-5)(beta_1=0.8)",
        ),
        (
            "go = functools.partial(tf.keras.optimizers.Adam, learning_rate=1e-5)\nm.compile(go(learning_rate=1e-3))",
            "go(learning_rate=5e-5)",
        ),
        (f"def go(r, *, k=2):\n    {ADAM.format('r')}\nfunctools.partial(go, k=3)(1e-3)", "k=3)(5e-5)"),
        (f"def go(r, *, k=2):\n    {ADAM.format('r')}\nfunctools.partial(go, 1e-3)()", "(go, 5e-5)()"),
        (f"k = {{}}\nk['learning_rate'] = 1e-3\n{ADAM.format('**k')}", "k['learning_rate'] = 5e-5"),
        (f"class A: pass\na = A()\na.rate = 1e-3\n{ADAM.format('a.rate')}", "a.rate = 5e-5"),
        (
            "import argparse\np = argparse.ArgumentParser()\n"
            f"p.add_argument('--lr', type=float, default=1e-3)\na = p.parse_args()\n{ADAM.format('a.lr')}",
            "p.add_argument('--lr', type=float, default=5e-5)",
        ),
        (
            "import argparse\np = argparse.ArgumentParser()\n"
            f"p.add_argument('--lr', type=float, default='1e-3')\na = p.parse_args()\n{ADAM.format('a.lr')}",
            "p.add_argument('--lr', type=float, default=5e-5)",
        ),
        (
            "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', default=1e-3)\n"
            f"a = p.parse_args(['--lr', '2e-3'])\n{ADAM.format('a.lr')}",
            None,
        ),
        (
            "from dataclasses import dataclass, field\n@dataclass\nclass C:\n    r: float = field(default=1e-3)\n"
            f"c = C()\n{ADAM.format('c.r')}",
            "field(default=5e-5)",
        ),
        (f"for r in [1e-3, 2e-3]:\n    {ADAM.format('r')}", None),
        (f"for r in (1e-3,):\n    {ADAM.format('r')}", None),
        (f"r = [1e-3, 2e-3][0]\n{ADAM.format('r')}", None),
        (f"import os\nr = 1e-3 if os.cpu_count() > 8 else 2e-3\n{ADAM.format('r')}", None),
        (f"import os\nr = 1e-3\nif os.cpu_count() > 8:\n    r = 1e-3\n{ADAM.format('r')}", None),
        (f"r = 1e-3\n{ADAM.format('r * 2')}", None),
        (f"scale = 1e-3\nr = scale * 2\n{ADAM.format('r')}", None),
        (
            f"D = tf.keras.optimizers.schedules.PolynomialDecay\ns = D(1e-3, 100)\n{ADAM.format('s')}",
            "s = D(5e-5, 100)",
        ),
        (
            f"D = tf.keras.optimizers.schedules.PolynomialDecay\nR = 1e-3\ns = D(R, 100)\n{ADAM.format('s')}",
            "R = 5e-5",
        ),
    ],
)
def test_a_rate_is_changed_where_it_is_written(written: str, fixed: str | None) -> None:
    """No variable is written over; what has several values, or a part in a computation, is left to its author."""
    text = f"{HEAD}{written}{FIT}\n"
    found = [f for f in findings_of(Path("train.py"), text) if f.code == "TFO002"]
    assert found
    fixes = [f.fix for f in found if f.fix is not None]
    if fixed is None:
        assert fixes == []
        return
    (after,) = {apply_edits(text, list(fix.edits)) for fix in fixes}
    assert fixed in after
    assert after.count("5e-5") == 1
    assert [f for f in findings_of(Path("train.py"), after) if f.code == "TFO002"] == []


NAMED_INPUTS = """\
import tensorflow as tf
from transformers import AutoTokenizer, TFBertFor{task}
m = TFBertFor{task}.from_pretrained("bert-base-uncased", num_labels=3)
rows = AutoTokenizer.from_pretrained("bert-base-uncased")(["a", "b"], padding=True, return_tensors="np")
ids, mask, labels = rows["input_ids"], rows["attention_mask"], load()
adam, crossentropy = tf.keras.optimizers.Adam(2e-5), tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
m.compile(adam{loss})
m.fit({given})
"""
LISTED, PACKED = "[ids, mask], labels", "tf.data.Dataset.from_tensor_slices((ids, mask, labels)).batch(2)"
EXCHANGED = '[ids, rows["token_type_ids"]], labels'


@pytest.mark.parametrize(
    ("task", "loss", "given", "code", "safety"),
    [
        ("SequenceClassification", "", LISTED, "TFL027", Safety.SAFE),
        ("SequenceClassification", ", crossentropy", EXCHANGED, "TFL027", Safety.UNSAFE),
        ("SequenceClassification", ", crossentropy", PACKED, "TFL026", Safety.SAFE),
        ("TokenClassification", "", PACKED, "TFL026", Safety.SAFE),
        ("TokenClassification", ", crossentropy", PACKED, "TFL026", Safety.UNSAFE),
    ],
)
def test_a_fix_is_safe_where_the_program_stops(task: str, loss: str, given: str, code: str, safety: Safety) -> None:
    text = NAMED_INPUTS.format(task=task, loss=loss, given=given)
    [found] = [f for f in findings_of(Path("train.py"), text) if f.code == code]
    assert found.fix is not None
    assert found.fix.safety is safety


VARIABLES = """\
import tensorflow as tf
from datasets import load_dataset
from transformers import AutoTokenizer, DataCollatorWithPadding, TFBertForSequenceClassification
m = TFBertForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
tok = AutoTokenizer.from_pretrained("bert-base-uncased")
rows = load_dataset("glue", "sst2")
adam = tf.keras.optimizers.Adam(3e-5)
"""


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("TFO001", 'name = "adam"\nm.compile(optimizer=name)\nm.fit(load())'),
        ("TFL001", 'name = "sparse_categorical_crossentropy"\nm.compile(adam, loss=name)'),
        ("TFL002", "no = False\nm.compile(adam, tf.keras.losses.SparseCategoricalCrossentropy(from_logits=no))"),
        ("TFD001", 'no = False\nx = tok(["a", "b c"], padding=no, return_tensors="tf")'),
        (
            "TFD004",
            'kind = "pt"\nc = DataCollatorWithPadding(tok, return_tensors=kind)\n'
            'm.fit(rows["train"].to_tf_dataset(batch_size=8, collate_fn=c, shuffle=True))',
        ),
    ],
)
def test_a_fix_does_not_write_over_a_variable(code: str, written: str) -> None:
    """The literal that a name stands for changes if it is written nowhere else, and no object takes its place."""
    first, _, rest = written.partition("\n")
    name, value = first.split(" = ")

    def fixed(text: str) -> list[str | None]:
        found = [f.fix for f in findings_of(Path("train.py"), text) if f.code == code]
        return [None if fix is None else apply_edits(text, list(fix.edits)) for fix in found]

    [whole] = fixed(VARIABLES + rest.replace(f"={name}", f"={value}"))
    assert whole is not None
    assert fixed(f"{VARIABLES}{written}\nprint({name})\n") == [None]
    [once] = fixed(f"{VARIABLES}{written}\n")
    if code in {"TFO001", "TFL001"}:
        assert once is None
    else:
        assert once is not None
        assert once.endswith(rest + "\n")
        assert first not in once


def test_a_missing_requirement_is_added_to_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text("from transformers import TFAutoModel\n", encoding="utf-8")
    Path("requirements.txt").write_text("tensorflow==2.17.0\ntransformers==4.57.6\n", encoding="utf-8")
    [found] = [f for f in scan([Path()], ScanOptions(isolated=True, jobs=1)).findings if f.code == "TFO007"]
    assert found.fix is not None
    fixed = apply_edits(Path("requirements.txt").read_text(encoding="utf-8"), list(found.fix.edits))
    assert fixed == "tensorflow==2.17.0\ntf-keras\ntransformers==4.57.6\n"
    Path("requirements.txt").write_text(fixed, encoding="utf-8")
    assert not [f for f in scan([Path()], ScanOptions(isolated=True, jobs=1)).findings if f.code == "TFO007"]


SPLIT_OF_A_DATASET = """\
import tensorflow as tf
from datasets import load_dataset
from transformers import AutoTokenizer, TFAutoModelForSequenceClassification

tok = AutoTokenizer.from_pretrained("distilbert-base-uncased")
rows = load_dataset("emotion", split="train").map(lambda r: tok(r["text"], truncation=True), batched=True)
model = TFAutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=6)
feed = model.prepare_tf_dataset(rows, batch_size=16, shuffle=True, tokenizer=tok)
C = tf.keras.callbacks


class Own(C.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print(logs["val_loss"])


model.compile(optimizer=tf.keras.optimizers.Adam(2e-5), metrics=["accuracy"])
{kept}model.fit(feed, epochs=2{split}{callbacks})
"""


@pytest.mark.parametrize(
    ("kept", "callbacks", "has_fix"),
    [
        ("", "", True),
        ("", ", callbacks=[C.TerminateOnNaN(), C.EarlyStopping(monitor='loss')]", True),
        ("", ", callbacks=[C.ModelCheckpoint('w', monitor='loss')]", True),
        ("", ", callbacks=[C.EarlyStopping(monitor='val_accuracy')]", False),
        ("", ", callbacks=[C.ModelCheckpoint('w')]", False),
        ("", ", callbacks=[C.ModelCheckpoint('w-{val_loss:.2f}', monitor='loss')]", False),
        ("", ", callbacks=[C.ReduceLROnPlateau(patience=1)]", False),
        ("", ", callbacks=[C.EarlyStopping(monitor=chosen())]", False),
        ("", ", callbacks=[C.LambdaCallback(on_epoch_end=print)]", False),
        ("", ", callbacks=[Own()]", False),
        ("", ", callbacks=made()", False),
        ("history = ", "", False),
    ],
)
def test_a_split_is_not_left_out_where_its_values_may_be_read(kept: str, callbacks: str, has_fix: bool) -> None:
    text = SPLIT_OF_A_DATASET.format(kept=kept, split=", validation_split=0.2", callbacks=callbacks)
    [found] = [f for f in findings_of(Path("split.py"), text) if f.code == "TFD022"]
    assert (found.fix is not None) is has_fix


@pytest.mark.parametrize(
    ("monitor", "split", "fixed"),
    [
        ("val_accuracy", "", None),
        ("val_loss", "", None),
        ("val_acc", "", None),
        ("val_acc", ", validation_data=feed", "val_accuracy"),
        ("acc", "", "accuracy"),
    ],
)
def test_no_value_of_the_training_stands_in_for_one_of_the_validation(
    monitor: str, split: str, fixed: str | None
) -> None:
    callbacks = f', callbacks=[C.EarlyStopping(monitor="{monitor}")]'
    text = SPLIT_OF_A_DATASET.format(kept="", split=split, callbacks=callbacks)
    [found] = [f for f in findings_of(Path("monitor.py"), text) if f.code == "TFE008"]
    assert (found.fix is None) is (fixed is None)
    if found.fix is not None:
        assert f'monitor="{fixed}"' in apply_edits(text, list(found.fix.edits))


def test_a_seed_decides_what_is_trained_on_so_its_edit_is_not_safe() -> None:
    for path in sorted((FIXTURES / "no-random-seed").glob("**/bad_*.py")):
        [found] = [f for f in findings_of(path, path.read_text(encoding="utf-8")) if f.code == "TFE012"]
        assert found.fix is not None
        assert found.fix.safety is Safety.UNSAFE
        [written] = [edit.text.strip(" ,") for edit in found.fix.edits]
        assert written in found.advice, "the advice is another one than the fix"
