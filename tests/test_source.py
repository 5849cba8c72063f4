"""Scripts and notebooks, read as Python, and places found back in them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from source_samples import notebook, place_of, script

from tflint_hf.source import MAX_CODE_CHARACTERS, SourceError, SourceKind, read_source, source_from_text


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
    ["%%bash", "%%writefile notes.txt", "%%html", "%%javascript", "%%sh", "%%script false", "%%latex", "%%sql", "%%R"],
)
def test_cells_in_another_language_are_skipped(magic: str) -> None:
    assert notebook(f"{magic}\nmodel.fit(x)").fragments == ()


@pytest.mark.parametrize("magic", ["%%writefile my/train.py", "%%file ./my/train.py", "%%writefile 'my/train.py' "])
def test_a_cell_that_writes_a_program_is_that_program(magic: str) -> None:
    source = notebook(f"{magic}\nfit()\n!ls")
    (fragment,) = source.fragments
    assert (fragment.module, fragment.text) == ("my/train.py", "\nfit()\n!ls")
    assert place_of(source, "fit") == (2, 2, 1)


@pytest.mark.parametrize("magic", ["%%writefile -a my.py", "%%writefile {name}.py", "%%writefile /tmp/my.py"])
def test_a_cell_that_writes_a_part_or_elsewhere_is_skipped(magic: str) -> None:
    assert notebook(f"{magic}\nfit()").fragments == ()


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
