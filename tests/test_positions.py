"""Places in texts with whitespace that is seldom seen, and with characters that other tools take for line ends."""

from __future__ import annotations

import json

import libcst as cst
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tflint_hf.editing.fixing import fix
from tflint_hf.engine import ScanOptions
from tflint_hf.findings import Safety
from tflint_hf.source import source_from_text
from tflint_hf.static.parsing import parse_source
from tflint_hf.static.positions import Spans

IMPORTS = "import tensorflow as tf\nfrom transformers import TFAutoModelForSequenceClassification as Model"
MODEL = 'm = Model.from_pretrained("bert-base-cased", num_labels=3)'
ODD = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029 🤗"
"""`str.splitlines` ends a line at each of these, but Python does not; and a character of two UTF-16 units."""

BLANKS = st.text(" \t\f", max_size=4)
FILLING = st.text("ab " + ODD, max_size=6)
NEWLINES = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def adam(draw: st.DrawFn) -> str:
    """A call with an argument that is to be renamed, with blanks and comments where they may stand."""
    within = BLANKS | st.builds("{} # {}\n{}".format, BLANKS, FILLING, BLANKS) | BLANKS.map(" \\\n{}".format)
    before, behind = draw(within), draw(within)
    string = draw(FILLING.map('"{}"'.format) | FILLING.map('"""{}\n"""'.format))
    return f"m.compile({before}loss={string},{behind}optimizer=tf.keras.optimizers.Adam(lr=2e-5))"


@st.composite
def program(draw: st.DrawFn) -> tuple[str, int]:
    """A program with so many faults, in lines that end in line feeds."""
    lines = [IMPORTS, draw(BLANKS).rpartition("\f")[1] + MODEL]
    count = 0
    for _ in range(draw(st.integers(1, 3))):
        indent = draw(st.sampled_from(["", "    ", "\t"]))
        if indent:
            lines.append(draw(st.sampled_from(["if True:", "\fif True:", "def train(m=m):"])))
        for _ in range(draw(st.integers(1, 3))):
            # A form feed sets the column of a line back to 0.
            lead = draw(st.just("") | st.just("\f") | BLANKS.map("{}\f".format))
            lines += draw(st.lists(st.just(""), max_size=1))
            lines += draw(st.lists(st.builds("{}# {}".format, BLANKS, FILLING), max_size=1))
            calls = draw(st.lists(adam(), min_size=1, max_size=2))
            count += len(calls)
            lines.append(lead + indent + draw(st.sampled_from([";", "\f; "])).join(calls))
    return "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\f"])), count


def fixed(name: str, text: str) -> tuple[list[str], str]:
    """What stands at the places of the findings, and the text after their fixes."""
    options = ScanOptions(isolated=True, select=("TFO003", "TFX001"), stdin=(text, name))
    done = fix((), options, frozenset(Safety))
    assert not done.refused
    found: list[str] = []
    for finding in done.findings:
        place = finding.location
        lines = "".join(cells(text)[place.cell - 1] if place.cell else text).replace("\r\n", "\n").replace("\r", "\n")
        assert place.line == place.end_line
        found.append(lines.split("\n")[place.line - 1][place.column - 1 : place.end_column - 1])
    (change,) = done.changes
    return found, change.after.decode()


def cells(text: str) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(text)["cells"]]


@settings(max_examples=60)
@given(program(), NEWLINES)
def test_a_script_is_fixed_where_its_fault_stands(written: tuple[str, int], newline: str) -> None:
    text, count = written[0].replace("\n", newline), written[1]
    compile(text, "train.py", "exec")
    assert fixed("train.py", text) == (["lr=2e-5"] * count, text.replace("(lr=", "(learning_rate="))


@settings(max_examples=30)
@given(program())
def test_a_cell_is_fixed_where_its_fault_stands(written: tuple[str, int]) -> None:
    text, count = written
    book = json.dumps({"cells": [{"cell_type": "code", "source": text}], "metadata": {}, "nbformat": 4})
    found, after = fixed("train.ipynb", book)
    assert found == ["lr=2e-5"] * count
    assert cells(after) == [text.replace("(lr=", "(learning_rate=")]


@settings(max_examples=30)
@given(program(), st.sampled_from(["", "  "]), NEWLINES)
def test_a_block_is_fixed_where_its_fault_stands(written: tuple[str, int], indent: str, newline: str) -> None:
    block = "\n".join(f"{indent}{line}" if line else "" for line in f"```python\n{written[0]}\n```".split("\n"))
    text = block.replace("\n", newline)
    assert fixed("train.md", text) == (["lr=2e-5"] * written[1], text.replace("(lr=", "(learning_rate="))


STATEMENTS = st.sampled_from(
    ["n = 1", "n(\n\f n)", "# n", "", 'n = """\n\f"""', "n \\\n\f + n", "class n: n", "@n\ndef n(): n"]
)


@st.composite
def block(draw: st.DrawFn, indent: str = "") -> str:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        lead = draw(st.just("") | BLANKS.map("{}\f".format))
        if len(indent) < 3 and draw(st.booleans()):
            head = draw(st.sampled_from(["if n:", "def n(n=n):", "class n(n):", "with n as n:"]))
            lines += [lead + indent + head, draw(block(indent + draw(st.sampled_from([" ", "\t"]))))]
        else:
            first, *others = draw(STATEMENTS).split("\n")
            lines.append(lead + indent + first)
            lines += [lead + indent + line if line.startswith("def") else line for line in others]
    return "\n".join([*lines, f"{indent}n"])


@given(block())
def test_a_name_stands_where_it_is_said_to_stand(text: str) -> None:
    compile(text, "train.py", "exec")
    source = source_from_text(text, "train.py")
    (unit,) = parse_source(source).units
    spans = Spans(unit.tree)
    names = 0
    stack: list[cst.CSTNode] = [unit.tree]
    while stack:
        node = stack.pop()
        stack.extend(node.children)
        if isinstance(node, cst.Name):
            span = spans.of(node)
            assert span is not None
            place = source.location(0, span.line, span.column, span.end_line, span.end_column)
            assert text.split("\n")[place.line - 1][place.column - 1 : place.end_column - 1] == "n"
            names += 1
    assert names


@pytest.mark.parametrize("indent", ["    ", "\t", "\f    ", "  \f\t"])
def test_a_line_that_a_fix_adds_is_indented_as_its_neighbour(indent: str) -> None:
    step = indent.rpartition("\f")[2]
    head = "from transformers import AutoTokenizer, TFGPT2LMHeadModel\ndef encode(texts):\n"
    made = f"{indent}tokenizer = AutoTokenizer.from_pretrained('gpt2')\n"
    rest = f"{step}return tokenizer(texts, padding=True)\nencode(['a', 'b c'])\n"
    options = ScanOptions(isolated=True, select=("TFD030",), stdin=(head + made + rest, "a.py"))
    (change,) = fix((), options, frozenset(Safety)).changes
    assert change.after.decode() == head + made + f"{step}tokenizer.pad_token = tokenizer.eos_token\n" + rest


FORMS = {
    "list": ("  ", "  ", "  "),
    "quotation": ("> ", "> ", "> "),
    "indented": ("    ", "    ", "    "),
    "session": (">>> ", "... ", ">>> "),
    "indented session": ("  >>> ", "  ... ", "  >>> "),
    "IPython": ("In [3]: ", "   ...: ", "In [3]: "),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_line_that_a_fix_adds_to_a_block_stands_behind_the_same_margin(form: str) -> None:
    first, more, added = FORMS[form]
    fence = first if form in {"list", "quotation"} else ""
    before = f"""\
{fence}```python
{first}from transformers import AutoTokenizer, TFAutoModelForSequenceClassification
{first}tokenizer = AutoTokenizer.from_pretrained(
{more}    "gpt2")
{first}tokenizer(["a", "b c"], padding=True)
{first}model = TFAutoModelForSequenceClassification.from_pretrained("gpt2",
{more}    num_labels=2,
{more})
{first}model.compile(loss="sparse_categorical_crossentropy")
{fence}```
"""
    loss = "tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)"
    after = before.replace('"sparse_categorical_crossentropy"', loss)
    after = after.replace(f"{first}from", f"{added}import tensorflow as tf\n{first}from")
    after = after.replace("    num_labels=2,\n", f"    num_labels=2,\n{more}    use_safetensors=False,\n")
    line = f"{added}tokenizer.pad_token = tokenizer.eos_token\n"
    after = after.replace('    "gpt2")\n', f'    "gpt2")\n{line}')
    options = ScanOptions(isolated=True, select=("TFD030", "TFL001", "TFV005"), stdin=(before, "a.md"))
    (change,) = fix((), options, frozenset(Safety)).changes
    assert change.after.decode() == after


def test_a_line_above_a_timed_import_is_not_timed() -> None:
    text = """\
%time from transformers import TFAutoModelForSequenceClassification
%time model = TFAutoModelForSequenceClassification.from_pretrained("bert-base-cased", num_labels=3)
model.compile(loss="sparse_categorical_crossentropy")
"""
    book = json.dumps({"cells": [{"cell_type": "code", "source": text}], "metadata": {}, "nbformat": 4})
    options = ScanOptions(isolated=True, select=("TFL001",), stdin=(book, "a.ipynb"))
    (change,) = fix((), options, frozenset(Safety)).changes
    loss = "tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)"
    after = text.replace('"sparse_categorical_crossentropy"', loss)
    assert cells(change.after.decode()) == [f"import tensorflow as tf\n{after}"]
