"""What a user writes in scripts, notebooks and Markdown, read as Python, and places found back in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tflint_hf.source import (
    MAX_CODE_CHARACTERS,
    Source,
    SourceError,
    SourceKind,
    read_source,
    source_from_bytes,
    source_from_text,
    too_deep,
)


def script(raw: bytes) -> Source:
    return source_from_bytes(raw, Path("train.py"), "train.py")


def notebook(*cells: str, language: str = "python") -> Source:
    """A notebook as Jupyter writes it, with a text cell in front."""
    book = nbformat.v4.new_notebook()  # type: ignore[no-untyped-call]
    book.metadata["language_info"] = {"name": language}
    book.cells = [nbformat.v4.new_markdown_cell("# Training"), *map(nbformat.v4.new_code_cell, cells)]  # type: ignore[no-untyped-call]
    return source_from_text(nbformat.writes(book), "train.ipynb")  # type: ignore[no-untyped-call]


def python_of(cell: str) -> str:
    (fragment,) = notebook(cell).fragments
    return fragment.text


def place_of(source: Source, needle: str) -> tuple[int | None, int, int]:
    """Where the user finds `needle`, which stands in one of the fragments."""
    for number, fragment in enumerate(source.fragments):
        for line, text in enumerate(fragment.text.split("\n"), start=1):
            if needle in text:
                column = text.index(needle)
                location = source.location(number, line, column, line, column + len(needle))
                user_line = source.text_lines(location.cell)[location.line - 1]
                assert user_line[location.column - 1 : location.end_column - 1] == needle
                return location.cell, location.line, location.column
    raise AssertionError(f"{needle} is in no fragment")


# Scripts


def test_a_script_keeps_its_lines_whatever_ends_them() -> None:
    assert script(b"a = 1\r\nb = 2\rc = 3\nd = 4").fragments[0].text == "a = 1\nb = 2\nc = 3\nd = 4"


def test_form_feeds_and_unicode_separators_do_not_end_lines() -> None:
    source = script('a = 1\n\x0c\nb = "\u2028\x1d"\nfit()'.encode())
    assert place_of(source, "fit") == (None, 4, 1)


def test_a_byte_order_mark_moves_no_column() -> None:
    assert place_of(script(b"\xef\xbb\xbffit()"), "fit") == (None, 1, 1)
    assert place_of(source_from_text("\ufefffit()", "train.py"), "fit") == (None, 1, 1)


def test_a_declared_encoding_is_followed() -> None:
    source = script("# -*- coding: latin-1 -*-\nname = 'café'; fit()".encode("latin-1"))
    assert place_of(source, "fit") == (None, 2, 16)


@pytest.mark.parametrize(
    ("raw", "line", "word"),
    [
        (b"a = 1\nb = '\xff'", 2, "not valid utf-8"),
        (b"# coding: no-such-thing\na = 1", 1, "unknown encoding"),
        (b"# coding: hex\na = 1", 1, "text encoding"),
        (b"a\n\0b", 2, "NUL"),
        ("import tensorflow".encode("utf-16"), 1, "NUL"),
    ],
)
def test_text_that_cannot_be_decoded_is_one_problem(raw: bytes, line: int, word: str) -> None:
    source = script(raw)
    assert source.fragments == ()
    (problem,) = source.problems
    assert (problem.line, problem.whole_file) == (line, True)
    assert word in problem.message


def test_code_that_would_take_minutes_is_not_parsed() -> None:
    (problem,) = script(b"x = 1\n" * (MAX_CODE_CHARACTERS // 6 + 1)).problems
    assert "characters of code" in problem.message


def test_an_exported_notebook_with_shell_lines_is_read() -> None:
    source = script(b"!pip install -q transformers==4.38.2\nmodel.fit(x)\n")
    assert source.fragments[0].text == "pass\nmodel.fit(x)\n"
    assert source.requirements == ("transformers==4.38.2",)


def test_the_end_of_a_range_never_lies_behind_the_text() -> None:
    source = script(b"fit()\n")
    location = source.location(0, 1, 0, 9, 9)
    assert (location.end_line, location.end_column) == (2, 1)


# Notebooks


def test_cells_are_counted_among_all_cells() -> None:
    source = notebook("a = 1", "b = 2\nfit()")
    assert source.kind is SourceKind.NOTEBOOK
    assert place_of(source, "fit") == (3, 2, 1)


def test_cells_of_an_old_notebook_run_through_all_worksheets() -> None:
    cell = {"cell_type": "code", "language": "python", "input": ["a = 1\n", "fit()"]}
    old = {"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "markdown", "source": "x"}]}, {"cells": [cell]}]}
    assert place_of(source_from_text(json.dumps(old), "old.ipynb"), "fit") == (2, 2, 1)


@pytest.mark.parametrize(
    "magic",
    ["%%bash", "%%writefile train.py", "%%html", "%%javascript", "%%sh", "%%script false", "%%latex", "%%sql", "%%R"],
)
def test_cells_in_another_language_are_skipped(magic: str) -> None:
    assert notebook(f"{magic}\nmodel.fit(x)").fragments == ()


@pytest.mark.parametrize("magic", ["%%time", "%%timeit -n1", "%%capture out", "# title\n%%time", "%%capture\n%%time"])
def test_cells_that_are_timed_or_captured_are_python(magic: str) -> None:
    source = notebook(f"{magic}\nfit()")
    assert place_of(source, "fit") == (2, magic.count("\n") + 2, 1)
    compile(source.fragments[0].text, "cell", "exec")


def test_a_notebook_of_another_language_has_nothing_to_read() -> None:
    assert notebook("fit()", language="R").fragments == ()
    assert notebook("fit()", language="R").problems == ()


def test_a_cell_that_the_editor_runs_as_a_shell_is_skipped() -> None:
    cell = {"cell_type": "code", "source": "ls -l", "metadata": {"vscode": {"languageId": "shellscript"}}}
    assert source_from_text(json.dumps({"cells": [cell]}), "a.ipynb").fragments == ()


@pytest.mark.parametrize(
    ("content", "place", "words"),
    [
        ("", (1, 1), "invalid JSON"),
        ('{\n "cells": [,]}', (2, 12), "invalid JSON"),
        ("[]", (1, 1), "not a JSON object"),
        ('{"cells": 3}', (1, 1), "no list of cells"),
        ("[" * 100_000, (1, 1), "nested too deeply"),
    ],
)
def test_what_is_no_notebook_is_one_problem(content: str, place: tuple[int, int], words: str) -> None:
    source = source_from_text(content, "a.ipynb")
    (problem,) = source.problems
    assert source.fragments == ()
    assert problem.whole_file
    assert words in problem.message
    assert (problem.line, problem.column) == place


def test_a_cell_with_a_nul_does_not_hide_the_others() -> None:
    source = notebook("a = '\0'", "fit()")
    assert [(problem.cell, problem.whole_file) for problem in source.problems] == [(2, False)]
    assert place_of(source, "fit") == (3, 1, 1)


def test_half_a_character_does_not_break_the_parser() -> None:
    book = json.dumps({"cells": [{"cell_type": "code", "source": 'a = "\ud83d"; fit()'}]})
    source = source_from_text(book, "a.ipynb")
    source.fragments[0].text.encode()
    assert place_of(source, "fit") == (1, 1, 10)


# Lines that are not Python


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        ("!nvidia-smi", "pass"),
        ("!!ls", "pass"),
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("?model", "pass"),
        ("model?", "pass"),
        ("model.fit??", "pass"),
        ("tf.keras.losses.*Cross*?", "pass"),
        ("pip install transformers", "pass"),
        ("cd /content", "pass"),
        ("if gpu:\n    !nvidia-smi\nelse:\n\t%time\n", "if gpu:\n    pass\nelse:\n\tpass\n"),
        ("!echo ( \" '\nx = 1", "pass\nx = 1"),
        ("!pip install a \\\n  b \\\n  c\nx = 1", "pass\n\n\nx = 1"),
        ("files = !ls *.txt", "files = __shell__()"),
        ("a.b, c = %env HOME", "a.b, c = __shell__()"),
        ("out = !find . \\\n  -name x\ny = 1", "out = __shell__()\n\ny = 1"),
    ],
)
def test_commands_become_python_on_the_same_lines(cell: str, python: str) -> None:
    assert python_of(cell) == python


@pytest.mark.parametrize(
    "cell",
    [
        "x = (a\n  % b)",
        "x = a \\\n  % b",
        's = """\n!ls\n%time\nwhat?\n"""',
        "s = '''it\\'''s\n!ls\n'''",
        "s = 'a\\\n%s'",
        "print('100 %'\n % x)  # really?",
        "x = 1  # (\ny %= 2",
        "s = 'is it = !so'\nassert x != y",
        "d = {\n  'a': 1,  # it's\n  'b': x\n  % 2}",
        "cd = 3",
        "pip = 3",
        "f(x=a\n%b)",
        "r'\\''; s = '''\n!x\n'''",
        "# !pip install x\n# what?",
    ],
)
def test_python_that_looks_like_a_command_stays(cell: str) -> None:
    assert python_of(cell) == cell


def test_a_timed_statement_is_read_at_its_place() -> None:
    source = notebook("if True:\n    %time history = model.fit(x)\n%time")
    compile(source.fragments[0].text, "cell", "exec")
    assert place_of(source, "model.fit") == (2, 2, 21)


def test_an_indented_cell_is_read_at_its_place() -> None:
    source = notebook("    a = 1\n    fit()")
    compile(source.fragments[0].text, "cell", "exec")
    assert place_of(source, "fit") == (2, 2, 5)


def test_a_string_that_is_never_closed_does_not_hide_the_commands_below() -> None:
    assert python_of("s = 'it\n!ls") == "s = 'it\npass"


# Requirements


@pytest.mark.parametrize(
    ("command", "requirements"),
    [
        ("!pip install -q transformers==4.38.2 datasets", ("transformers==4.38.2", "datasets")),
        ("%pip install 'transformers[tf]>=4.30,<5' --quiet", ("transformers[tf]>=4.30,<5",)),
        ("! python -m pip install tensorflow==2.15", ("tensorflow==2.15",)),
        ("!{sys.executable} -m pip install tf-keras", ("tf-keras",)),
        ("!uv pip install --system tf-keras", ("tf-keras",)),
        ("pip3 install --upgrade pip && pip install evaluate | tail -1", ("pip", "evaluate")),
        ("!pip install transformers > /dev/null 2>&1", ("transformers",)),
        ("!pip install transformers==4.30 &> log.txt", ("transformers==4.30",)),
        ("!pip install -r requirements.txt -U accelerate  # fast", ("accelerate",)),
        ("!pip install git+https://github.com/huggingface/transformers@v4.30.2", None),
        ("!pip --quiet install \\\n  datasets", ("datasets",)),
        ("!pip install 'broken", ("'broken",)),
        ("!conda install -c huggingface -y transformers=4.14.1 conda-forge::datasets", None),
        ("%%bash\napt-get install x\npip install seqeval", ("seqeval",)),
        ("!apt-get install graphviz", ()),
        ("!echo pip install x", ()),
        ("!pip list", ()),
        ("out = !pip install evaluate", ("evaluate",)),
    ],
)
def test_install_commands_tell_the_requirements(command: str, requirements: tuple[str, ...] | None) -> None:
    found = notebook(command).requirements
    if requirements is None:
        requirements = {
            "g": ("git+https://github.com/huggingface/transformers@v4.30.2",),
            "c": ("transformers==4.14.1.*", "datasets"),
        }["g" if "git+" in command else "c"]
    assert found == requirements


# Markdown


def markdown(text: str) -> Source:
    return source_from_text(text, "README.md")


@pytest.mark.parametrize(
    "info",
    [
        "python",
        "py",
        "Python3",
        "ipython",
        "pycon",
        "{python}",
        "{.python}",
        " python title=a.py",
        "py linenums",
        "PY,x",
    ],
)
def test_python_fences_are_read(info: str) -> None:
    assert place_of(markdown(f"# Text\n\n```{info}\nfit()\n```\n"), "fit") == (None, 4, 1)


@pytest.mark.parametrize("info", ["", "bash", "pyi", "python-repl-output", "text python", "diff", "pytb"])
def test_other_fences_are_not(info: str) -> None:
    assert markdown(f"```{info}\nfit()\n```").fragments == ()


def test_fences_in_lists_and_quotes_are_read_at_their_place() -> None:
    text = "1. step\n\n   ~~~py\n   if x:\n       first()\n   ~~~\n"
    text += "> > ```python\n> > second()\n> > ```\n- ```py\n  third()\n"
    source = markdown(text)
    assert place_of(source, "first") == (None, 5, 8)
    assert place_of(source, "second") == (None, 8, 5)
    assert place_of(source, "third") == (None, 11, 3)
    assert source.fragments[0].text == "if x:\n    first()"


def test_a_fence_inside_a_longer_fence_is_text() -> None:
    assert markdown("````markdown\n```python\nfit()\n```\n````\n").fragments == ()


def test_a_fence_ends_with_its_quote_or_with_the_file() -> None:
    source = markdown("> ```py\n> a = 1\ntext\n\n```py\nfit()")
    assert [fragment.text for fragment in source.fragments] == ["a = 1", "fit()"]


def test_a_session_is_read_without_its_prompts_and_output() -> None:
    source = markdown("```py\n>>> with scope():\n...     model.fit(x)\n{'loss': 1}\n>>>\n>>> a = 1\n```")
    assert source.fragments[0].text == "with scope():\n    model.fit(x)\n\n\na = 1"
    assert place_of(source, "model.fit") == (None, 3, 9)


def test_an_ipython_session_is_read() -> None:
    source = markdown("```ipython\nIn [1]: for x in y:\n   ...:     fit()\nOut[1]: 3\n```")
    assert source.fragments[0].text == "for x in y:\n    fit()\n"
    assert place_of(source, "fit") == (None, 3, 13)


def test_commands_in_a_fence_are_replaced() -> None:
    source = markdown("```py\n!pip install evaluate\nfit()\n```")
    assert source.fragments[0].text == "pass\nfit()"
    assert source.requirements == ("evaluate",)


# Files that cannot be read


def test_a_file_that_cannot_be_read_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "link.py").symlink_to("nowhere.py")
    with pytest.raises(SourceError, match="does not exist"):
        read_source(tmp_path / "gone.py", "gone.py")
    with pytest.raises(SourceError, match="link to a file that does not exist"):
        read_source(tmp_path / "link.py", "link.py")
    with pytest.raises(SourceError, match="not a regular file"):
        read_source(tmp_path, "folder")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the super-user may read everything")
def test_a_file_without_permission_is_told(tmp_path: Path) -> None:
    path = tmp_path / "secret.py"
    path.touch(mode=0)
    with pytest.raises(SourceError, match="permission denied"):
        read_source(path, "secret.py")


# Depth


@pytest.mark.parametrize(
    "text",
    [
        "(" * 2000 + ")" * 2000,
        "[" * 2000 + "]" * 2000,
        "{" * 2000 + "}" * 2000,
        "(" * 2000,
        "x = " + '(")" +\n' * 2000 + "1" + ")" * 2000,
        "not " * 2000 + "x",
        "-" * 2000 + "x",
        "lambda a, b: " * 2000 + "x",
        "a if b else " * 2000 + "c",
        "a" + ".b" * 2000,
        "f" + "()" * 2000,
        "a" + "[0]" * 2000,
        "1" + "+1" * 2000,
        "a" + " and a" * 2000,
        "x = (" + '"a"\n' * 2000 + ")",
        "".join(" " * level + "if a:\n" for level in range(2000)) + " " * 2000 + "pass",
        "".join(" " * level + "def f():\n" for level in range(100)) + " " * 100 + "x" + ".y" * 200,
        "if a: pass\n" + "elif a: pass\n" * 2000,
        'f"{' + "(" * 2000 + ")" * 2000 + '}"',
        'f"{' + "not " * 2000 + 'x}"',
    ],
)
def test_code_that_would_crash_the_parser_is_refused(text: str) -> None:
    assert too_deep(text)
    (problem,) = script(text.encode()).problems
    assert problem.whole_file


@pytest.mark.parametrize(
    "text",
    [
        "x = [" + "1.5, -2,\n" * 5000 + "]",
        "x = {" + '"a": b.c + f(1),\n' * 5000 + "}",
        "a.b.c(d).e\n" * 5000,
        "if a: pass\nelif b: pass\nelse: pass\n" * 1000,
        "a" + " < a" * 2000,
        'x = """' + "(((" * 5000 + '"""',
        "# " + "(" * 5000,
        'f"""{{ ' + "((( a b " * 500 + '}} {x}"""',
        "".join(f"{' ' * level}if a:\n" for level in range(50)) + " " * 50 + "pass\n",
    ],
)
def test_long_code_that_is_not_deep_is_read(text: str) -> None:
    assert not too_deep(text)
    assert not script(text.encode()).problems


def test_a_forgotten_bracket_is_called_a_syntax_error() -> None:
    (problem,) = script(b"x = 1\nmodel.fit(x\n" + b"a.b.c\n" * 500).problems
    assert (problem.line, problem.column) == (2, 10)
    assert "never closed" in problem.message


def test_the_deepest_code_that_is_let_through_can_be_parsed_and_written() -> None:
    shapes = ["(" * 190 + ")" * 190, "f" + "()" * 120, "a" + ".b" * 245, "a" + " and a" * 245, "not " * 245 + "x"]
    assert not any(too_deep(shape) for shape in shapes)
    program = "import sys, libcst\nfor line in sys.stdin: assert libcst.parse_module(line).code == line"
    subprocess.run([sys.executable, "-c", program], input="\n".join(shapes) + "\n", text=True, check=True)


# Properties

CODE_PIECES = ["(", ")", "[", "]", "{", "}", "'", '"', '"""', "\\", "#", " = ", "x", "f", ":", "é", "\ud800"]
LAYOUT_PIECES = ["\n", "\r\n", "\r", "    ", "\t", "\x0c", "\ufeff", "!ls", "%time ", "?", "%%bash", "%%time"]
MARKDOWN_PIECES = ["```python\n", "~~~py\n", "```", "> ", "- ", ">>> ", "... "]
PIECES = st.sampled_from(CODE_PIECES + LAYOUT_PIECES + MARKDOWN_PIECES)
TEXTS = st.lists(PIECES, max_size=40).map("".join)


def assert_consistent(source: Source) -> None:
    """Lines of the text and of the original agree, and every place lies in the user's text."""
    for number, fragment in enumerate(source.fragments):
        lines = fragment.text.split("\n")
        assert len(lines) == len(fragment.original)
        fragment.text.encode()
        for line, text in enumerate(lines, start=1):
            for column in (0, len(text)):
                location = source.location(number, line, column, line, column)
                user_line = source.text_lines(location.cell)[location.line - 1]
                assert user_line == fragment.original[line - 1]
                assert 1 <= location.column <= len(user_line) + 1


@given(TEXTS, st.sampled_from(["a.py", "a.md"]))
def test_any_text_is_read(text: str, name: str) -> None:
    assert_consistent(source_from_text(text, name))


@given(st.lists(TEXTS, max_size=3))
def test_any_cells_are_read(cells: list[str]) -> None:
    book = json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells]})
    assert_consistent(source_from_text(book, "a.ipynb"))


@given(st.binary(max_size=200), st.sampled_from(["a.py", "a.md", "a.ipynb"]))
def test_any_bytes_are_read(raw: bytes, name: str) -> None:
    assert_consistent(source_from_bytes(raw, Path(name), name))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["cells", "worksheets", "metadata", "language_info", "name", "source", "input", "cell_type"]
            ),
            inner | st.just("code"),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_read(value: object) -> None:
    assert_consistent(source_from_text(json.dumps(value), "a.ipynb"))


@given(
    st.lists(
        st.sampled_from(["x = (a", "% b)", "s = '''", "!ls", "'''", "if x:", "    y", "z = 1 \\", "  % 2"]), max_size=8
    )
)
def test_valid_python_is_never_changed(lines: list[str]) -> None:
    text = "\n".join(lines)
    try:
        compile(text, "a.py", "exec")
    except SyntaxError:
        return
    assert script(text.encode()).fragments[0].text == text
