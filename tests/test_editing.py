"""Files that are changed stay the user's: what no fix is about is kept byte for byte."""

from __future__ import annotations

import ast
import io
import json
import os
import stat
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tflint_hf.cli import main
from tflint_hf.cli.changes import write
from tflint_hf.editing.document import NotEditableError, open_document
from tflint_hf.editing.edits import disjoint, edited
from tflint_hf.editing.fixing import MAX_PASSES, Change, fix
from tflint_hf.editing.ignoring import ignore
from tflint_hf.engine import ScanOptions, scan
from tflint_hf.findings import Edit, Finding, Fix, Location, Safety, Severity
from tflint_hf.report.diff import render_diff
from tflint_hf.report.style import Style

if TYPE_CHECKING:
    from collections.abc import Mapping

FIXTURES = Path(__file__).parent.parent / "fixtures"
ALL = frozenset(Safety)

PROGRAM = """\
import tensorflow as tf
from transformers import TFAutoModelForSequenceClassification

name = "Grüße 🤗"; model = TFAutoModelForSequenceClassification.from_pretrained("bert-base-cased", num_labels=3)
model.compile(optimizer=tf.keras.optimizers.Adam(2e-5, decay=0))
"""
"""`decay` has an edit in the middle of a line, behind characters of one, two and four bytes."""
CLEAN = PROGRAM.replace(", decay=0", "")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@dataclass(frozen=True)
class Done:
    exit_code: int
    written: bytes
    stderr: str

    @property
    def stdout(self) -> str:
        return self.written.decode()


def run(*arguments: str, stdin: bytes = b"") -> Done:
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main(["scan", "--isolated", *arguments])
        out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    return Done(code, out.buffer.getvalue(), err.getvalue())


def notebook(*cells: str, **form: Any) -> str:
    code = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells]
    text = {"cell_type": "markdown", "metadata": {}, "source": ["# Grüße\n", "two"]}
    metadata = {"kernelspec": {"language": "python", "name": "python3", "display_name": "Python 3"}}
    return json.dumps({"cells": [text, *code], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, **form)


def split(notebook_text: str) -> str:
    """The same notebook with sources as lists of lines, as Jupyter writes them."""
    content = json.loads(notebook_text)
    for cell in content["cells"]:
        if isinstance(cell["source"], str):
            cell["source"] = cell["source"].splitlines(keepends=True)
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"], ids=["", "bom"])
@pytest.mark.parametrize("end", ["", "\n"], ids=["no newline at the end", ""])
def test_a_script_keeps_its_form(here: Path, newline: str, start: bytes, end: str) -> None:
    script = here / "train.py"
    script.write_bytes(start + (PROGRAM.rstrip() + end).replace("\n", newline).encode())
    script.chmod(0o750)
    assert run("train.py", "--fix", "--ignore", "TFV").exit_code == 0
    assert script.read_bytes() == start + (CLEAN.rstrip() + end).replace("\n", newline).encode()
    assert stat.S_IMODE(script.stat().st_mode) == 0o750
    assert [path.name for path in here.iterdir()] == ["train.py"]


def test_a_script_keeps_the_encoding_that_it_declares(here: Path) -> None:
    text = "# -*- coding: latin-1 -*-\n" + PROGRAM.replace(" 🤗", "")
    (here / "train.py").write_bytes(text.encode("latin-1"))
    run("train.py", "--fix")
    assert (here / "train.py").read_bytes() == text.replace(", decay=0", "").encode("latin-1")


@pytest.mark.skipif(not hasattr(os, "symlink") or sys.platform == "win32", reason="links")
def test_the_file_behind_a_link_is_changed_and_the_link_stays(here: Path) -> None:
    (here / "real").mkdir()
    (here / "real" / "train.py").write_text(PROGRAM, encoding="utf-8")
    (here / "real" / "train.py").chmod(0o750)
    (here / "train.py").symlink_to(Path("real") / "train.py")
    run("train.py", "--fix")
    assert (here / "train.py").readlink() == Path("real") / "train.py"
    assert (here / "real" / "train.py").read_text(encoding="utf-8") == CLEAN
    assert stat.S_IMODE((here / "real" / "train.py").stat().st_mode) == 0o750
    assert sorted(path.name for path in here.rglob("*")) == ["real", "train.py", "train.py"]


@pytest.mark.skipif(not hasattr(os, "symlink") or sys.platform == "win32", reason="links")
@pytest.mark.parametrize(
    ("paths", "name"),
    [
        (["."], "real/train.py"),
        (["train.py", "real/train.py"], "real/train.py"),
        (["real", "train.py"], "train.py"),
        (["folder", "real"], "real/train.py"),
        (["chain.py", "train.py"], "chain.py"),
        (["train.py", "chain.py"], "chain.py"),
    ],
)
def test_a_file_with_several_names_is_reported_and_fixed_once(here: Path, paths: list[str], name: str) -> None:
    (here / "real").mkdir()
    real = here / "real" / "train.py"
    real.write_text(PROGRAM, encoding="utf-8")
    (here / "train.py").symlink_to(Path("real") / "train.py")
    (here / "chain.py").symlink_to("train.py")
    (here / "folder").symlink_to("real")
    (here / "uses.py").write_text("import tensorflow as tf\nfrom train import model\n", encoding="utf-8")
    (here / "also_uses.py").write_text("import tensorflow as tf\nfrom real.train import model\n", encoding="utf-8")
    found = [(f.code, f.location.path) for f in scan([Path(path) for path in paths], ScanOptions()).findings]
    assert [path for code, path in found if code == "TFO004"] == [name]
    assert "1 fix in 1 file" in run(*paths, "--fix", "--select", "TFO004").stderr
    assert real.read_text(encoding="utf-8") == CLEAN
    assert all((here / link).is_symlink() for link in ("train.py", "chain.py", "folder"))


@pytest.mark.parametrize(
    "form",
    [
        lambda text: notebook(text),
        lambda text: notebook(text, ensure_ascii=False, indent=1),
        lambda text: notebook(text, indent="\t", separators=(" , ", " : ")) + "\n\n",
        lambda text: split(notebook(text)),
        lambda text: split(notebook(text)).replace("\n", "\r\n"),
        lambda text: notebook("print('one')\n", text, "%matplotlib inline\n!ls", indent=4),
    ],
)
def test_a_notebook_changes_in_the_lines_that_a_fix_is_about(here: Path, form: Any) -> None:
    before, after = form(PROGRAM), form(CLEAN)
    (here / "train.ipynb").write_bytes(before.encode())
    assert "1 fix in 1 file" in run("train.ipynb", "--fix").stderr
    assert (here / "train.ipynb").read_bytes() == after.encode()


def test_a_notebook_of_format_3(here: Path) -> None:
    cells = [{"cell_type": "heading", "source": "a"}, {"cell_type": "code", "language": "python", "input": [PROGRAM]}]
    before = json.dumps({"nbformat": 3, "metadata": {}, "worksheets": [{"cells": cells}]})
    (here / "old.ipynb").write_text(before, encoding="utf-8")
    run("old.ipynb", "--fix")
    after = json.loads((here / "old.ipynb").read_text(encoding="utf-8"))
    assert "".join(after["worksheets"][0]["cells"][1]["input"]) == CLEAN


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
lines = st.text(st.characters(codec="utf-8"), max_size=12)
sources = lines | st.lists(lines, max_size=4)
cells = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(["code", "markdown"]), "source": sources}, optional={"outputs": json_values}
)
notebooks = st.fixed_dictionaries(
    {"cells": st.lists(cells, min_size=1, max_size=4)}, optional={"metadata": json_values}
)
forms = st.fixed_dictionaries(
    {"indent": st.sampled_from([None, 0, 1, "\t"]), "ensure_ascii": st.booleans(), "sort_keys": st.booleans()}
)


@given(notebooks, forms, st.text(st.characters(codec="utf-8"), max_size=20), st.integers(0))
def test_any_notebook_with_one_cell_rewritten(content: Any, form: Mapping[str, Any], text: str, pick: int) -> None:
    raw = json.dumps(content, **form).encode()
    document = open_document(raw, Path("any.ipynb"))
    code = [n for n, cell in enumerate(content["cells"], start=1) if cell["cell_type"] == "code"]
    assert {n: "".join(content["cells"][n - 1]["source"]) for n in code} == document.texts
    assert document.with_texts(document.texts) == raw
    if code:
        chosen = code[pick % len(code)]
        after = json.loads(document.with_texts({**document.texts, chosen: text}))
        assert "".join(after["cells"][chosen - 1].pop("source")) == text
        content["cells"][chosen - 1].pop("source")
        assert after == content


@pytest.mark.parametrize("raw", [b"{", b"[]", b'{"cells": [{"cell_type": "code" "source": ""}]}', b"\xff\xfe", b""])
def test_what_is_no_notebook_is_not_changed(raw: bytes) -> None:
    with pytest.raises(NotEditableError, match="not a notebook"):
        open_document(raw, Path("broken.ipynb"))


def edit(line: int, column: int, end_line: int, end_column: int, text: str) -> Edit:
    return Edit(Location("train.py", None, line, column, end_line, end_column), text)


def finding(*edits: Edit, code: str = "TFL001", path: str = "train.py", line: int = 1) -> Finding:
    fixing = Fix(Safety.SAFE, "Do it", edits) if edits else None
    place = Location(path, None, line, 1, line, 2)
    return Finding(code, "name", Severity.ERROR, "certain", "what", "why", "advice", place, fixing)


def test_of_two_fixes_that_clash_the_first_is_made() -> None:
    first, second = finding(edit(1, 1, 1, 5, "a")), finding(edit(1, 3, 1, 8, "b"))
    insertion, other = finding(edit(1, 9, 1, 9, ", x=1")), finding(edit(1, 9, 1, 9, ", y=2"))
    behind = finding(edit(1, 5, 1, 7, "c"))
    assert disjoint([first, second, behind, insertion, other]) == ([first, behind, insertion], [second, other])


def test_fixes_that_need_the_same_import_share_it() -> None:
    needed = edit(1, 1, 1, 1, "import evaluate\n")
    both = [finding(needed, edit(3, 1, 3, 2, "x")), finding(needed, edit(4, 1, 4, 2, "y"))]
    chosen, clashing = disjoint(both)
    assert (chosen, clashing) == (both, [])
    edits = [one for each in chosen if each.fix for one in each.fix.edits]
    assert edited("a\r\nb\r\nc\r\nd\r\n", edits) == "import evaluate\r\na\r\nb\r\nx\r\ny\r\n"


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 6), st.integers(0, 3), st.text("xy\n", max_size=3))))
def test_disjoint_edits_leave_the_text_between_them(spots: list[tuple[int, int, int, str]]) -> None:
    text = "abcde\nfghij\nklmno\npqrst"
    wanted = [finding(edit(line, column, line, min(column + length, 6), new)) for line, column, length, new in spots]
    chosen, _ = disjoint(wanted)
    edits = {one for each in chosen if each.fix for one in each.fix.edits}
    after = edited(text, list(edits))
    removed = sum(one.location.end_column - one.location.column for one in edits)
    assert len(after) == len(text) - removed + sum(len(one.text) for one in edits)


def test_what_would_not_parse_is_never_written(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "train.py").write_text("a = f(1)\nb = f(2)\n", encoding="utf-8")
    bad, good = finding(edit(1, 5, 1, 9, "f((1)")), finding(edit(2, 7, 2, 8, "3"), code="TFL002")
    result = scan([here], ScanOptions(isolated=True))
    left = [(bad, good), (bad,), (bad,)]

    def scan_with_findings(*_: object) -> Any:
        return replace(result, findings=left.pop(0))

    monkeypatch.setattr("tflint_hf.editing.fixing.scan", scan_with_findings)
    done = fix([here], ScanOptions(isolated=True), ALL)
    assert [change.after for change in done.changes] == [b"a = f(1)\nb = f(3)\n"]
    assert done.findings == (good,)
    assert [(one.code, why) for one, why in done.refused] == [("TFL001", "it would leave text that is not Python")]


def fixed_text(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    done = fix([path], ScanOptions(isolated=True), ALL)
    return done.changes[0].after.decode() if done.changes else text


PROGRAMS = sorted(path for path in FIXTURES.glob("*/bad*.py") if path.parent.name != "unreadable-code")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_all_fixes_at_once_leave_python_without_new_faults(program: Path, here: Path) -> None:
    script = here / "train.py"
    text = program.read_text(encoding="utf-8")
    script.write_text(text, encoding="utf-8")
    before = {f.code for f in scan([script], ScanOptions(isolated=True)).findings}
    once = fixed_text(script, text)
    ast.parse(once)
    assert fixed_text(script, once) == once
    left = scan([script], ScanOptions(isolated=True)).findings
    assert not [f for f in left if f.fix is not None]
    assert {f.code for f in left} <= before


def test_comments_are_put_behind_statements_and_hide_their_findings(here: Path) -> None:
    text = (FIXTURES / "course" / "train.py").read_text(encoding="utf-8")
    (here / "train.py").write_text(text, encoding="utf-8")
    done = run("train.py", "--add-ignore=known since May")
    assert (done.exit_code, done.stdout) == (0, "All checks passed in 1 file\n")
    after = (here / "train.py").read_text(encoding="utf-8")
    assert ")  # tflint-hf: ignore[TFL001, TFO001] known since May\n" in after
    assert [line.partition("  # tflint-hf")[0] for line in after.splitlines()] == text.splitlines()
    assert run("train.py", "--add-ignore").exit_code == 0
    assert (here / "train.py").read_text(encoding="utf-8") == after


def test_a_comment_that_is_there_gets_the_other_codes(here: Path) -> None:
    compiled = 'model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")'
    lines = PROGRAM.splitlines()
    text = [*lines[:2], lines[3], f"{compiled}  # noqa: E501 # tflint-hf: ignore[TFO001]"]
    (here / "train.py").write_text("\n".join(text), encoding="utf-8")
    done = run("train.py", "--add-ignore", "--select", "TFL001,TFO001")
    assert done.exit_code == 0
    last = (here / "train.py").read_text(encoding="utf-8").splitlines()[-1]
    assert last == f"{compiled}  # noqa: E501 # tflint-hf: ignore[TFO001, TFL001]"


def test_comments_in_notebooks_and_lists_of_requirements(here: Path) -> None:
    (here / "train.ipynb").write_text(split(notebook(PROGRAM)), encoding="utf-8")
    (here / "requirements.txt").write_text("tensorflow==2.17.0\ntransformers==4.57.6\n", encoding="utf-8")
    assert run(".", "--fail-on", "info").exit_code == 1
    assert run(".", "--add-ignore", "--fail-on", "info").exit_code == 0
    assert run(".", "--fail-on", "info").exit_code == 0
    assert (here / "requirements.txt").read_text(encoding="utf-8").count("# tflint-hf: ignore[") == 1
    json.loads((here / "train.ipynb").read_text(encoding="utf-8"))


def test_no_comment_belongs_to_code_that_cannot_be_read(here: Path) -> None:
    (here / "broken.py").write_text("import transformers, tensorflow\nmodel.fit(\n", encoding="utf-8")
    done = run("broken.py", "--add-ignore")
    assert done.exit_code == 1
    assert "broken.py:2:10: TFX001 cannot be hidden: it belongs to no statement" in done.stderr
    assert ignore([], "why") == ((), ())


@pytest.mark.parametrize("reason", ["a # b", "a\nb"])
def test_a_reason_is_the_rest_of_a_comment(reason: str, here: Path) -> None:
    (here / "train.py").write_text(PROGRAM, encoding="utf-8")
    done = run("train.py", f"--add-ignore={reason}")
    assert (done.exit_code, (here / "train.py").read_text(encoding="utf-8")) == (2, PROGRAM)
    assert "a reason is the rest of a comment" in done.stderr


def test_a_path_behind_add_ignore_is_no_reason(here: Path) -> None:
    (here / "train.py").write_text(PROGRAM, encoding="utf-8")
    assert run("--add-ignore", "train.py").exit_code == 0
    assert "ignore[TFO004]\n" in (here / "train.py").read_text(encoding="utf-8")


def test_a_diff_shows_what_would_be_done_and_does_nothing(here: Path) -> None:
    (here / "train.py").write_text(PROGRAM, encoding="utf-8")
    shown = run("train.py", "--diff")
    assert shown.exit_code == 1
    assert (
        "-model.compile(optimizer=tf.keras.optimizers.Adam(2e-5, decay=0))\n+model.compile(optimizer=" in shown.stdout
    )
    assert (here / "train.py").read_text(encoding="utf-8") == PROGRAM
    (here / "clean.py").write_text(CLEAN, encoding="utf-8")
    assert (run("clean.py", "--diff").exit_code, run("clean.py", "--diff").stdout) == (0, "")


def test_a_diff_names_the_cell_and_a_missing_newline() -> None:
    change = Change(
        Path("a.ipynb"), "a.ipynb", notebook("x = 1", "y = 2").encode(), notebook("x = 1", "y = 3").encode()
    )
    assert render_diff([change], Style()) == (
        "--- a.ipynb cell 3\n+++ a.ipynb cell 3\n@@ -1 +1 @@\n"
        "-y = 2\n\\ No newline at end of file\n+y = 3\n\\ No newline at end of file\n"
    )


def test_unsafe_fixes_are_made_when_asked_for(here: Path) -> None:
    source = FIXTURES / "missing-num-labels" / "bad_ag_news.py"
    (here / "train.py").write_bytes(source.read_bytes())
    run("train.py", "--fix")
    safe = (here / "train.py").read_bytes()
    run("train.py", "--fix", "--unsafe-fixes")
    assert b"num_labels=" not in safe
    assert b"num_labels=" in (here / "train.py").read_bytes()


@pytest.mark.usefixtures("here")
def test_text_of_standard_input_comes_back_fixed() -> None:
    given = PROGRAM.replace("\n", "\r\n").encode()
    done = run("-", "--fix", stdin=given)
    assert done.written == CLEAN.replace("\n", "\r\n").encode()
    assert "Found 2 info in 1 file" in done.stderr
    untouched = run("-", "--fix", stdin=CLEAN.encode())
    assert (untouched.stdout, untouched.exit_code) == (CLEAN, 0)


def test_a_file_that_changed_meanwhile_is_left_alone(here: Path) -> None:
    (here / "train.py").write_text("new", encoding="utf-8")
    [failure] = write([Change(here / "train.py", "train.py", b"old", b"fixed")])
    assert "changed meanwhile" in failure.message
    assert (here / "train.py").read_text(encoding="utf-8") == "new"


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="nothing is read-only here")
def test_a_file_that_may_not_be_written_is_an_error(here: Path) -> None:
    (here / "train.py").write_text(PROGRAM, encoding="utf-8")
    (here / "train.py").chmod(0o444)
    done = run("train.py", "--fix")
    assert done.exit_code == 2
    assert "train.py: cannot be written" in done.stderr


@pytest.mark.parametrize(
    "flags", [["--unsafe-fixes"], ["--fix", "--add-ignore"], ["--fix", "--confirm"], ["--diff", "--format", "json"]]
)
@pytest.mark.usefixtures("here")
def test_flags_that_do_not_go_together(flags: list[str]) -> None:
    assert run(*flags).exit_code == 2


def test_fixes_end(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "train.py").write_text("a = 1\n", encoding="utf-8")
    result = scan([here], ScanOptions(isolated=True))
    scans = io.StringIO()

    def always(*_: object) -> Any:
        scans.write(".")
        return replace(result, findings=(finding(edit(1, 5, 1, 6, str(len(scans.getvalue()) % 7))),))

    monkeypatch.setattr("tflint_hf.editing.fixing.scan", always)
    fix([here], ScanOptions(isolated=True), ALL)
    assert len(scans.getvalue()) == MAX_PASSES + 1
