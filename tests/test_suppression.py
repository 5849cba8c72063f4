"""Which findings a user's comments hide."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tflint_hf.engine import ScanOptions, scan
from tflint_hf.findings import Finding, Location, Severity
from tflint_hf.source import Source, source_from_text
from tflint_hf.suppression import Suppression, apply, find_suppressions

NAMES = {"TFL001": "crossentropy-on-logits", "TFO002": "learning-rate-too-high"}


def matches(selector: str, code: str, name: str) -> bool:
    return selector == name or code.startswith(selector.upper())


def finding(line: int, code: str = "TFL001", *, cell: int | None = None, path: str = "a.py") -> Finding:
    place = Location(path, cell, line, 1, line, 2)
    return Finding(code, NAMES[code], Severity.ERROR, "certain", "m", "w", "a", place)


def of_text(text: str) -> tuple[Suppression, ...]:
    return find_suppressions(source_from_text(text, "a.py"))


def hidden_lines(text: str, code: str = "TFL001") -> list[int]:
    """The lines of a script on which a finding is hidden."""
    findings = [finding(line, code) for line in range(1, text.count("\n") + 2)]
    kept, _ = apply(findings, {"a.py": of_text(text)}, matches)
    return [one.location.line for one in findings if one not in kept]


def unused(text: str, *findings: Finding) -> list[tuple[str, ...] | None]:
    return [suppression.codes for suppression in apply(findings, {"a.py": of_text(text)}, matches)[1]]


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "#noqa",
        "# NOQA:TFL001",
        "# noqa: tfl001",
        "# noqa: E501, TFL001",
        "# noqa: E501 TFL001 the subclass does it",
        "# noqa: TFL",
        "# noqa: crossentropy-on-logits",
        "# noqa : TFL001",
        "# noqa: because I say so",
        "# tflint-hf: ignore",
        "# tflint-hf:ignore[TFL001]",
        "# TFLINT-HF: Ignore[TFO002, crossentropy-on-logits] from_logits is set by the subclass",
        "# tflint-hf: ignore [TFL001]",
        "# tflint-hf: ignore[TFL001",
        "# type: ignore  # noqa: TFL001",
        "# noqa: E501  # tflint-hf: ignore[TFL001] # x",
        "# see below # noqa",
    ],
)
def test_a_comment_hides_the_finding_on_its_line(comment: str) -> None:
    assert hidden_lines(f"a()\nb()  {comment}\nc()") == [2]


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: E501",
        "# noqa: TFO002, E501",
        "# noqatfl",
        "# flake8: noqa",
        "# tflint-hf: ignore[]",
        "# tflint-hf: ignore[TFO002]",
        "# tflint-hf: ignore-next",
        "# tflint-hf: ignored",
        "# tflint-hf ignore",
        "; s = '# noqa'",
        "; s = '''# tflint-hf: ignore-file'''",
    ],
)
def test_other_comments_and_strings_hide_nothing(comment: str) -> None:
    assert hidden_lines(f"a()\nb()  {comment}\nc()") == []


@pytest.mark.parametrize("line", range(1, 5))
def test_a_comment_counts_on_any_line_of_the_statement(line: int) -> None:
    lines = ["model.compile(", "    loss='mse',", "    metrics=[x],", ")"]
    lines[line - 1] += "  # noqa: TFL001"
    assert hidden_lines("a()\n" + "\n".join(lines) + "\nb()") == [2, 3, 4, 5]


def test_a_comment_covers_only_the_header_of_a_block() -> None:
    assert hidden_lines("with scope(\n    x\n):  # noqa\n    fit()\n") == [1, 2, 3]


def test_a_comment_on_its_own_line_covers_the_next_statement() -> None:
    text = "a()\n\n# tflint-hf: ignore[TFL001]\n# why\n\nb(\n  c\n)\nd()"
    assert [line for line in hidden_lines(text) if line in (1, 6, 7, 8, 9)] == [6, 7, 8]


def test_a_comment_on_its_own_line_inside_a_statement_covers_that_statement() -> None:
    assert hidden_lines("f(\n  # noqa\n  a,\n)\nb()") == [1, 2, 3, 4]


def test_a_comment_before_a_nested_block_and_at_the_end_of_a_file() -> None:
    assert hidden_lines("if a:\n    # noqa\n    b()\n    c()\n# noqa: TFL001") == [3, 5]


def test_backslashes_and_long_strings_belong_to_their_statement() -> None:
    assert hidden_lines("x = 1 + \\\n  2  # noqa\ny = '''\n\n'''  # noqa\nz()") == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("directive", ["ignore-file", "ignore-file[TFL001] generated", "Ignore-File [TFL]"])
def test_a_whole_file_is_ignored(directive: str) -> None:
    assert hidden_lines(f"a()\nb()\n# tflint-hf: {directive}\n") == [1, 2, 3, 4]
    assert hidden_lines(f"a()\nx = [1,  # tflint-hf: {directive}\n") == [1, 2, 3]


def test_a_whole_file_is_ignored_for_the_given_codes_only() -> None:
    assert hidden_lines("a()  # tflint-hf: ignore-file[TFL001]", "TFO002") == []


def notebook(*cells: str) -> Source:
    book = {"cells": [{"cell_type": "code", "source": cell} for cell in cells]}
    return source_from_text(json.dumps(book), "a.py.ipynb")


def test_a_comment_in_a_notebook_covers_its_cell_only() -> None:
    comments = find_suppressions(notebook("a()\nb()", "!ls\nb()  # noqa"))
    findings = [finding(2, cell=1), finding(2, cell=2)]
    assert apply(findings, {"a.py": comments}, matches)[0] == findings[:1]


def test_a_whole_notebook_is_ignored_from_any_cell() -> None:
    comments = find_suppressions(notebook("a()", "# tflint-hf: ignore-file"))
    assert apply([finding(1, cell=1), finding(1, cell=2)], {"a.py": comments}, matches)[0] == []


def test_a_comment_in_markdown_covers_the_lines_of_the_file() -> None:
    source = source_from_text("# Title\n\n  ```py\n  fit()  # noqa: TFL001\n  ```\n", "a.md")
    (comment,) = find_suppressions(source)
    assert (comment.first_line, comment.last_line) == (4, 4)
    assert (comment.location.column, comment.location.end_column) == (10, 24)


def test_the_place_of_a_comment_is_that_of_its_directive() -> None:
    (comment,) = of_text("é()  # see x # tflint-hf: ignore[TFL001] for a reason  \n")
    assert comment.location == Location("a.py", None, 1, 14, 1, 54)
    assert comment.reason == "for a reason"


@pytest.mark.parametrize(
    ("comment", "codes", "reason"),
    [
        ("ignore TFL001", ("TFL001",), None),
        ("ignore: TFL001, tfo001 a toy", ("TFL001", "tfo001"), "a toy"),
        ("ignore-file TFD001", ("TFD001",), None),
        ("ignore MY001 ours", ("MY001",), "ours"),
        ("ignore E501 is for others", None, "E501 is for others"),
        ("ignore a toy, as TFL001 says", None, "a toy, as TFL001 says"),
    ],
)
def test_codes_count_without_brackets_too(comment: str, codes: tuple[str, ...] | None, reason: str | None) -> None:
    (one,) = find_suppressions(source_from_text(f"f()  # tflint-hf: {comment}\n", "a.py"), frozenset({"MY"}))
    assert (one.codes, one.reason) == (codes, reason)


def test_a_comment_with_the_name_of_no_rule_says_what_may_be_meant(tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text("import tensorflow\nx = 1  # tflint-hf: ignore[strnig-optimizer, TFL0O1]\n", encoding="utf-8")
    (finding,) = scan([program], ScanOptions(isolated=True)).findings
    assert "strnig-optimizer (no rule is called so: did you mean string-optimizer" in finding.message
    assert "TFL0O1 (no rule is called so: did you mean TFL001" in finding.message
    assert finding.fix is None  # it is to be mended, not taken away


def test_comments_that_hide_nothing_are_unused_code_by_code() -> None:
    assert unused("a()  # noqa: TFL001, E501") == [("TFL001",)]
    assert unused("a()  # tflint-hf: ignore[TFL001, TFO002]", finding(1)) == [("TFO002",)]
    assert unused("a()  # tflint-hf: ignore[TFL, crossentropy-on-logits]", finding(1)) == []
    assert unused("a()  # tflint-hf: ignore") == [None]
    assert unused("a()  # tflint-hf: ignore[]") == [()]
    assert unused("# tflint-hf: ignore-file[TFL001]") == [("TFL001",)]
    assert unused("a()  # noqa\n# tflint-hf: ignore-file\nb()  # noqa: E501") == []


def test_two_comments_for_one_finding_are_both_used() -> None:
    assert unused("# tflint-hf: ignore[TFL001]\na()  # noqa: TFL001", finding(2)) == []


def test_a_comment_for_a_rule_that_was_not_checked_is_not_called_unused() -> None:
    comments = {"a.py": of_text("a()  # noqa: TFL001, TFO002\nb()  # tflint-hf: ignore")}
    _, idle = apply([], comments, matches, lambda _path, selector: selector == "TFO002")
    assert [suppression.codes for suppression in idle] == [("TFO002",)]


def test_findings_of_other_files_stay() -> None:
    other = finding(1, path="b.py")
    assert apply([other], {"a.py": of_text("a()  # noqa")}, matches)[0] == [other]


@given(
    st.lists(
        st.sampled_from(["#", "noqa", ": ", "TFL001", "[", "]", "tflint-hf: ignore", "\n", "  ", "'", '"""', "(", "x"])
    )
)
def test_any_text_is_looked_through(pieces: list[str]) -> None:
    for suppression in of_text("".join(pieces)):
        assert suppression.first_line <= suppression.last_line


def test_the_settings_of_the_file_say_whether_idle_comments_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "project" / "train.py"
    program.parent.mkdir()
    program.write_text("import tensorflow  # tflint-hf: ignore[TFL001]\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert [finding.code for finding in scan([program], ScanOptions()).findings] == ["TFX002"]
    (program.parent / "tflint-hf.toml").write_text('ignore = ["TFX002"]', encoding="utf-8")
    assert scan([program], ScanOptions()).findings == ()
