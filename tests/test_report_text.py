"""Reports for people: text, concise and statistics."""

from __future__ import annotations

import dataclasses
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import BROKEN, FULL, LOSS, METRIC, OPTIMIZER, result
from rich.cells import cell_len

from tflint_hf.findings import Location, ScanResult
from tflint_hf.report import concise, statistics, text
from tflint_hf.report.style import Style
from tflint_hf.report.summary import summary


def at(line: str, marked: str) -> ScanResult:
    """A scan that found `marked` within `line`, line 1 of a.py."""
    start = line.index(marked) + 1
    finding = dataclasses.replace(LOSS, location=Location("a.py", None, 1, start, 1, start + len(marked)), related=())
    return dataclasses.replace(result(finding), sources={("a.py", None): (line,)})


def excerpt_of(report: str) -> tuple[str, str]:
    """The code line and the line of carets, without the gutter."""
    code, carets = (line.split(" | ", 1)[1] for line in report.splitlines() if re.match(r"\s*\d* \| ", line))
    return code, carets


def marked_cells(carets: str) -> tuple[int, int]:
    return len(carets) - len(carets.lstrip()), len(carets)


def test_a_finding_tells_where_what_why_and_what_to_write_instead() -> None:
    report = text.render(result(LOSS), Style())
    assert report == (
        "train.py:7:10: error TFL001 crossentropy-on-logits\n"
        '  "sparse_categorical_crossentropy" reads probabilities, but the model puts out logits\n'
        '  7 |     loss="sparse_categorical_crossentropy",\n'
        "    |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "  why: once all logits of a row are below zero the gradient is exactly 0\n"
        "  instead: use SparseCategoricalCrossentropy(from_logits=True)\n"
        "  fix: Use a loss object that reads logits (unsafe: it changes what is trained)\n"
        "  see: train.py:4:9: the model is made here\n"
        "\n"
        "Found 1 error in 1 file\n"
    )


def test_a_notebook_finding_names_the_cell_and_the_versions_it_rests_on_are_said() -> None:
    assert "nb/eval, final.ipynb cell 3:1:1: info TFE010" in text.render(FULL, Style())
    assert "  depends on: tensorflow>=2.16\n" in text.render(FULL, Style())


def test_the_same_result_gives_the_same_text() -> None:
    assert text.render(FULL, Style()) == text.render(FULL, Style())


@pytest.mark.parametrize(
    "line",
    [
        'model.compile(loss="mse")',
        '\t\tmodel.compile(loss="mse")',
        'compile(name="分類器", loss="mse")',
        'compile(name="👩‍🔬🎉", loss="mse")',
        'compile(name="e\u0301te\u0301", loss="mse")',
        'compile(name="\x1b[31mred\u202e", loss="mse")',
    ],
    ids=["ascii", "tabs", "east-asian", "emoji", "combining", "control"],
)
def test_carets_stand_below_the_marked_text_whatever_stands_before_it(line: str) -> None:
    code, carets = excerpt_of(text.render(at(line, '"mse"'), Style()))
    start, end = marked_cells(carets)
    before = code.split('"mse"')[0]
    assert start == cell_len(before)
    assert end == cell_len(before + '"mse"')


def test_wide_marked_text_gets_a_caret_for_each_cell() -> None:
    _, carets = excerpt_of(text.render(at('loss="分類"', '"分類"'), Style()))
    assert carets.count("^") == 6


def test_source_text_cannot_steer_the_terminal() -> None:
    report = text.render(at('x = "\x1b]0;title\x07" + loss  # \u202e', "loss"), Style())
    assert "\x1b" not in report
    assert "\u202e" not in report


@pytest.mark.parametrize("padding", [0, 10, 1000])
@pytest.mark.parametrize("tail", [0, 1000])
def test_a_long_line_is_cut_around_the_marked_text(padding: int, tail: int) -> None:
    line = "x" * padding + 'loss="mse"' + "y" * tail
    report = text.render(at(line, '"mse"'), Style(width=60))
    code, carets = excerpt_of(report)
    start, end = marked_cells(carets)
    assert code[start:end] == '"mse"'
    assert all(cell_len(shown) <= 60 for shown in report.splitlines() if " | " in shown)
    assert code.startswith("…") == (padding == 1000)
    assert code.endswith("…") == (tail == 1000)


def test_a_marked_text_wider_than_the_terminal_is_cut_too() -> None:
    code, carets = excerpt_of(text.render(at("f(" + "x" * 500 + ")", "x" * 500), Style(width=40)))
    assert code.endswith("…")
    assert set(carets.strip()) == {"^"}
    assert len(carets) <= 40


def test_a_range_over_many_lines_shows_its_start_and_its_end() -> None:
    lines = ("f(", *(f"    {number}," for number in range(20)), ")")
    finding = dataclasses.replace(LOSS, location=Location("a.py", None, 1, 1, 22, 2))
    report = text.render(dataclasses.replace(result(finding), sources={("a.py", None): lines}), Style())
    assert " 1 | f(\n" in report
    assert "22 | )\n" in report
    assert "| …\n" in report
    assert "    10," not in report


@pytest.mark.parametrize(
    "location",
    [
        Location("train.py", None, 99, 1, 99, 2),
        Location("train.py", None, 5, 500, 5, 600),
        Location("train.py", None, 5, 3, 5, 3),
        Location("train.py", None, 2, 1, 99, 1),
        Location("other.py", None, 1, 1, 1, 2),
    ],
    ids=["line-outside", "column-outside", "empty", "end-outside", "no-source"],
)
def test_odd_ranges_do_not_break_the_report(location: Location) -> None:
    report = text.render(result(dataclasses.replace(LOSS, location=location)), Style())
    assert report.startswith(f"{location}: error TFL001")


def test_colour_is_only_there_when_asked_for() -> None:
    assert "\x1b[" not in text.render(FULL, Style())
    colored = text.render(FULL, Style(color=True))
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == text.render(FULL, Style())


def test_concise_has_one_line_a_finding() -> None:
    lines = concise.render(FULL, Style(summary=False)).splitlines()
    assert len(lines) == 3
    place, remark = "train.py:6:15: warning TFO001", "(string-optimizer; depends on tensorflow>=2.16)"
    assert lines[1] == f'{place} "adam" means a learning rate of 0.001 {remark}'


@pytest.mark.parametrize(
    ("scan", "sentence"),
    [
        (FULL, "Found 1 error, 1 warning, 1 info in 2 files"),
        (result(LOSS, LOSS, OPTIMIZER), "Found 2 errors, 1 warning in 1 file"),
        (result(files_scanned=1), "All checks passed in 1 file"),
        (
            result(files_scanned=0),
            "No files to scan (.py, .ipynb, .md, .mdx that are neither ignored nor excluded)",
        ),
        (BROKEN, "No finding; not everything could be checked: 1 message on standard error"),
    ],
)
def test_the_last_line_sums_up(scan: ScanResult, sentence: str) -> None:
    assert summary(scan, Style()) == sentence


def test_quiet_and_clean_prints_nothing() -> None:
    assert text.render(result(), Style(summary=False)) == ""
    assert concise.render(result(), Style(summary=False)) == ""


def test_statistics_count_each_rule_most_often_first() -> None:
    table = statistics.render_table(result(METRIC, LOSS, LOSS, OPTIMIZER), Style())
    assert table.splitlines() == [
        "2  TFL001  crossentropy-on-logits  error",
        "1  TFE010  removed-load-metric     info",
        "1  TFO001  string-optimizer        warning",
        "Found 2 errors, 1 warning, 1 info in 2 files",
    ]


@given(line=st.text(max_size=200), column=st.integers(1, 210), length=st.integers(0, 50), width=st.integers(1, 150))
def test_any_line_of_source_is_shown_within_the_width(line: str, column: int, length: int, width: int) -> None:
    location = Location("a.py", None, 1, column, 1, column + length)
    scan = dataclasses.replace(
        result(dataclasses.replace(LOSS, location=location, related=())), sources={("a.py", None): (line,)}
    )
    report = text.render(scan, Style(width=width))
    shown = [row for row in report.split("\n") if re.match(r"  [1 ] \|", row)]
    assert 1 <= len(shown) <= 2
    assert all(cell_len(row) <= max(width, 30) for row in shown)
    assert not any(unicodedata.category(character) in ("Cc", "Cs") for row in shown for character in row)


@pytest.mark.parametrize("width", [16, 24, 39])
@pytest.mark.parametrize("color", [False, True])
def test_a_narrow_terminal_gets_lines_that_it_need_not_break(width: int, color: bool) -> None:
    report = text.render(FULL, Style(width=width, color=color))
    plain = re.sub(r"\x1b\[[\d;]*m", "", report)
    assert all(cell_len(line) <= width for line in plain.splitlines())
    assert "crossentropy-on-logits" in plain.replace("\n", "")
    assert "gradient is exactly 0" in " ".join(plain.split())
