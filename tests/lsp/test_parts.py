"""The parts of the language server that need no connection."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from tflint_hf.editing.document import NotEditableError
from tflint_hf.editing.ignoring import ignore_in_file
from tflint_hf.extras import install_command
from tflint_hf.findings import Finding, Location, Outcome, Severity, Verdict
from tflint_hf.lsp.actions import differences, wants
from tflint_hf.lsp.confirming import Run, first_training, in_words, is_saved, judged
from tflint_hf.lsp.diagnostics import diagnostic, message
from tflint_hf.lsp.documents import Documents, changed, encoded
from tflint_hf.lsp.notebooks import notebook_bytes
from tflint_hf.lsp.positions import Lines, characters, units
from tflint_hf.lsp.workspace import Files

ENCODINGS = ("utf-8", "utf-16", "utf-32")
TEXTS = st.text(st.sampled_from("a\u00e9e\u0301\u6f22\U0001f917\n\r\f\u2028\x85\t"), max_size=30)


def finding(path: str, code: str = "TFL001", line: int = 1) -> Finding:
    place = Location(path, None, line, 1, line, 2)
    return Finding(code, "a-name", Severity.ERROR, "certain", "wrong", "because", "do better", place)


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=TEXTS, data=st.data())
def test_positions_go_there_and_back(encoding: str, text: str, data: st.DataObject) -> None:
    lines = Lines(text, encoding)
    offset = data.draw(st.integers(0, len(text)))
    if text[:offset].endswith("\r") and text[offset:].startswith("\n"):
        return  # no position is between the two
    position = lines.position_at(offset)
    assert lines.offset(position) == offset
    line, column = lines.place(position)
    assert lines.position(line, column) == position
    assert (
        units(text, encoding)
        == len(text.encode(f"{encoding}-le" if encoding != "utf-8" else encoding))
        // ({"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding])
    )


def test_a_position_inside_of_a_character_or_behind_the_text_is_taken_to_it() -> None:
    assert characters("a\U0001f917b", 2, "utf-16") == 1
    lines = Lines("ab\r\nc", "utf-16")
    assert lines.offset(types.Position(0, 99)) == 2
    assert lines.offset(types.Position(9, 0)) == 5


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(before=TEXTS, after=TEXTS)
def test_differences_make_one_text_of_another(encoding: str, before: str, after: str) -> None:
    text = before
    for edit in reversed(differences(before, after, encoding)):
        text = changed(text, types.TextDocumentContentChangePartial(edit.range, edit.new_text), encoding)
    assert text == after


def test_a_text_is_encoded_as_it_says_itself() -> None:
    assert encoded("# coding: latin-1\n\u00e9", Path("a.py")) == b"# coding: latin-1\n\xe9"
    assert encoded("\ud800x", Path("a.py")).decode() == "\N{REPLACEMENT CHARACTER}x"


def test_kinds_of_actions() -> None:
    assert wants("source.fixAll.tflint-hf", None)
    assert wants("source.fixAll.tflint-hf", ["source"])
    assert wants("source.fixAll.tflint-hf", ["quickfix", "source.fixAll"])
    assert not wants("source.fixAll.tflint-hf", ["source.fixAll.ruff", "quickfix"])


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("import a\n", "# tflint-hf: ignore-file[TFL001]\nimport a\n"),
        ("#!x\n# coding: utf-8\nimport a\n", "#!x\n# coding: utf-8\n# tflint-hf: ignore-file[TFL001]\nimport a\n"),
        ("# tflint-hf: ignore-file[TFD]\nimport a\n", "# tflint-hf: ignore-file[TFD, TFL001]\nimport a\n"),
        ("# tflint-hf: ignore-file[TFD, TFL001]\n", "# tflint-hf: ignore-file[TFD, TFL001]\n"),
    ],
)  # fmt: skip
def test_ignore_in_file(tmp_path: Path, text: str, after: str) -> None:
    path = tmp_path / "a.py"
    assert ignore_in_file(finding(str(path)), {path: text.encode()}).after.decode() == after


def test_ignore_in_a_document_and_in_a_notebook(tmp_path: Path) -> None:
    guide, book, empty = tmp_path / "a.md", tmp_path / "a.ipynb", tmp_path / "b.md"
    change = ignore_in_file(finding(str(guide)), {guide: b"Text\n\n- ```python\n  import a\n  ```\n"})
    assert change.after == b"Text\n\n- ```python\n  # tflint-hf: ignore-file[TFL001]\n  import a\n  ```\n"
    cells = notebook_bytes([None, "%%bash\nls", "import a"])
    assert b"# tflint-hf: ignore-file[TFL001]\\nimport a" in ignore_in_file(finding(str(book)), {book: cells}).after
    with pytest.raises(NotEditableError):
        ignore_in_file(finding(str(empty)), {empty: b"no code\n"})


def test_verdicts_are_shown_and_what_only_a_run_saw(tmp_path: Path) -> None:
    one, other, shown = finding("a.py"), finding("a.py", line=2), finding("a.py", "TFO001", 3)
    refuted, confirmed = Verdict(Outcome.REFUTED, "0.6931 falls"), Verdict(Outcome.CONFIRMED, "no gradient")
    run = Run(frozenset({tmp_path / "a.py"}), {one: refuted}, (shown,))
    found = judged([one, other], "a.py", [run])
    assert [f.verdict for f in found] == [refuted, None, None]
    assert judged([], "b.py", [run]) == ()
    assert message(found[0]) == "wrong\nrefuted: 0.6931 falls\ninstead: do better"
    assert in_words(Run(frozenset(), {one: refuted, other: confirmed}, ())) == "1 confirmed, 1 refuted"


def test_where_a_run_is_offered(tmp_path: Path) -> None:
    documents = Documents()
    path = tmp_path / "train.py"
    text = "def f(m):\n    pass\n\n(\n  model\n  .fit(x)\n)\n"
    documents.open(types.TextDocumentItem(path.as_uri(), "python", 1, text))
    subject = documents.subject(path.as_uri())
    assert subject is not None
    assert first_training(subject) == (None, 6)
    assert not is_saved(subject)
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert is_saved(subject)
    path.write_text(text.replace("x", "y"), encoding="utf-8")
    assert not is_saved(subject)


def test_what_to_install_is_said(tmp_path: Path) -> None:
    (tmp_path / "pygls.py").write_text("raise ModuleNotFoundError('none', name='pygls')", encoding="utf-8")
    start = "import sys; sys.path.insert(0, sys.argv.pop()); from tflint_hf.__main__ import run; sys.exit(run())"
    done = subprocess.run(
        [sys.executable, "-c", start, "lsp", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert f"{sys.executable} has no pygls" in done.stderr
    assert install_command("lsp", sys.executable) in done.stderr


def test_what_a_run_refutes_is_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n", encoding="utf-8")
    files = Files("utf-16")
    shown = diagnostic(replace(finding(str(path)), verdict=Verdict(Outcome.REFUTED, "it falls")), files)
    assert shown is not None
    assert shown.severity is types.DiagnosticSeverity.Hint
    assert diagnostic(finding(str(tmp_path / "none.py")), files) is None
    linked = diagnostic(replace(finding(str(path)), url="https://example.org/TFL001"), files)
    assert linked is not None
    assert linked.code_description == types.CodeDescription("https://example.org/TFL001")
