"""A project that begins to use the linter with faults in it: a baseline hides them, and only new ones are reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tflint_hf.baseline import Baseline, BaselineError, Entry, load
from tflint_hf.cli import main
from tflint_hf.findings import Finding, Location, Severity
from tflint_hf.identity import identities, snippet_key

HEAD = """\
import tensorflow as tf
from transformers import TFAutoModelForSequenceClassification
"""
MODEL = 'model = TFAutoModelForSequenceClassification.from_pretrained("bert-base-cased", num_labels=3)\n'
LOSS = 'model.compile(optimizer=tf.keras.optimizers.Adam(3e-5), loss="sparse_categorical_crossentropy")\n'
ADAM = 'model.compile(optimizer="adam")\n'
BASELINE = "tflint-hf-baseline.json"
RULES = ("--select", "TFL001,TFO001")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "train.py").write_text(HEAD + MODEL + LOSS, encoding="utf-8")
    (folder / "src" / "tune.py").write_text(HEAD + MODEL + ADAM, encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


def scan(*arguments: str) -> int:
    return main(["scan", "--format", "concise", *RULES, *arguments])


def known(path: str = BASELINE) -> list[dict[str, object]]:
    entries: list[dict[str, object]] = json.loads(Path(path).read_text(encoding="utf-8"))["findings"]
    return entries


def edit(path: str, old: str, new: str) -> None:
    file = Path(path)
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


# Day one ----------------------------------------------------------------------------------------------------------


def test_a_baseline_hides_what_there_is_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert scan() == 1
    assert scan("--write-baseline") == 0
    assert capsys.readouterr().err == f"{BASELINE}: 2 known findings\n"
    assert scan("--baseline", BASELINE) == 0
    assert capsys.readouterr().out == "No new finding in 2 files; the baseline hides 2 findings\n"
    Path("new.py").write_text(HEAD + MODEL + ADAM, encoding="utf-8")
    assert scan("--baseline", BASELINE) == 1
    out = capsys.readouterr().out
    assert out.startswith("new.py:4:25: warning TFO001")
    assert "train.py:" not in out


def test_the_file_is_sorted_with_a_finding_on_each_line() -> None:
    scan("--write-baseline")
    assert Path(BASELINE).read_text(encoding="utf-8") == (
        '{\n  "tool": "tflint-hf",\n  "version": 1,\n  "findings": [\n'
        '    {"path": "src/tune.py", "rule": "TFO001", "snippet": "model.compile(optimizer=\\"adam\\")"},\n'
        '    {"path": "train.py", "rule": "TFL001", "snippet": "model.compile(optimizer='
        'tf.keras.optimizers.Adam(3e-5), loss=\\"sparse_categorical_crossentropy\\")"}\n  ]\n}\n'
    )
    before = Path(BASELINE).read_bytes()
    scan("--write-baseline", "--baseline", BASELINE)
    assert Path(BASELINE).read_bytes() == before


def test_a_clean_project_has_an_empty_baseline() -> None:
    assert scan("--write-baseline", "--exclude", "*.py") == 0
    assert known() == []
    assert load(Path(BASELINE)).entries == ()


def test_the_configuration_names_the_baseline(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("tflint-hf.toml").write_text('baseline = "lint/known.json"\n', encoding="utf-8")
    Path("lint").mkdir()
    assert scan("--write-baseline") == 0
    assert [entry["path"] for entry in known("lint/known.json")] == ["../src/tune.py", "../train.py"]
    assert scan() == 0
    assert scan("--no-baseline") == 1
    monkeypatch.chdir(project / "src")  # the same file, from another folder
    assert scan("tune.py") == 0
    assert scan("../train.py") == 0


def test_without_a_name_it_lies_beside_the_configuration(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("tflint-hf.toml").touch()
    monkeypatch.chdir(project / "src")
    assert scan("--write-baseline") == 0
    assert (project / BASELINE).exists()


def test_comments_come_first() -> None:
    edit("train.py", LOSS, LOSS.rstrip() + "  # noqa: TFL001\n")
    scan("--write-baseline")
    assert [entry["rule"] for entry in known()] == ["TFO001"]


def test_reports_for_programs_tell_how_much_is_hidden(capsys: pytest.CaptureFixture[str]) -> None:
    scan("--write-baseline")
    capsys.readouterr()
    main(["scan", "--format", "json", *RULES, "--baseline", BASELINE])
    report = json.loads(capsys.readouterr().out)
    assert (report["findings"], report["known_to_baseline"]) == ([], 2)


# Work goes on -----------------------------------------------------------------------------------------------------


def test_edits_elsewhere_do_not_bring_a_finding_back(capsys: pytest.CaptureFixture[str]) -> None:
    scan("--write-baseline")
    edit("train.py", MODEL, f"# A comment.\n\nEPOCHS = 3\n{MODEL}")
    edit("train.py", 'Adam(3e-5), loss="sparse_categorical_crossentropy")', 'Adam(3e-5),\n    loss="sparse_cat")')
    edit("train.py", '\n    loss="sparse_cat")', ' loss="sparse_categorical_crossentropy" )')
    capsys.readouterr()
    assert scan("--baseline", BASELINE) == 0
    assert capsys.readouterr().err == ""


def test_of_equal_faults_one_more_is_new(capsys: pytest.CaptureFixture[str]) -> None:
    scan("--write-baseline")
    other = MODEL.replace("model", "other", 1)
    edit("src/tune.py", ADAM, ADAM + other + ADAM.replace("model", "other"))
    assert scan("--baseline", BASELINE) == 1
    edit("src/tune.py", other, "model" + other[5:])
    edit("src/tune.py", "other.compile", "model.compile")
    capsys.readouterr()
    assert scan("--baseline", BASELINE) == 1
    out = capsys.readouterr().out
    assert out.startswith("src/tune.py:6:")
    assert "Found 1 warning in 1 file; the baseline hides 2 findings" in out
    scan("--write-baseline")
    assert known()[0]["count"] == 2


def test_what_was_mended_is_stale_and_does_not_fail_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    scan("--write-baseline")
    edit("src/tune.py", '"adam"', "tf.keras.optimizers.Adam(3e-5)")
    capsys.readouterr()
    assert scan("--baseline", BASELINE) == 0
    err = capsys.readouterr().err
    assert err == (
        f"{BASELINE}: 1 known finding not there any more: write it again with --write-baseline\n"
        '  src/tune.py: TFO001 model.compile(optimizer="adam")\n'
    )
    scan("--write-baseline", "--baseline", BASELINE)
    assert [entry["rule"] for entry in known()] == ["TFL001"]


def test_findings_of_a_renamed_file_are_new_and_the_old_name_is_stale(capsys: pytest.CaptureFixture[str]) -> None:
    scan("--write-baseline")
    Path("train.py").rename("main.py")
    capsys.readouterr()
    assert scan("--baseline", BASELINE) == 1
    output = capsys.readouterr()
    assert output.out.startswith("main.py:4:")
    assert "(the file is gone or has another name)" in output.err
    scan("--write-baseline")
    assert [entry["path"] for entry in known()] == ["main.py", "src/tune.py"]


# A scan of a part -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["train.py"], ["src"], ["--select", "TFL001"], ["--exclude", "src"]])
def test_a_scan_of_a_part_calls_nothing_else_stale(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    scan("--write-baseline")
    capsys.readouterr()
    assert main(["scan", "--baseline", BASELINE, "--ignore", "TFV,TFL018", *arguments]) == 0
    assert capsys.readouterr().err == ""


def test_writing_after_a_scan_of_a_part_keeps_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    scan("--write-baseline")
    edit("train.py", LOSS, ADAM)
    Path("src/tune.py").write_text("", encoding="utf-8")
    capsys.readouterr()
    assert scan("--write-baseline", "train.py") == 0
    assert capsys.readouterr().err == f"{BASELINE}: 1 known finding, and 1 that this scan did not look for\n"
    assert [(entry["path"], entry["rule"]) for entry in known()] == [("src/tune.py", "TFO001"), ("train.py", "TFO001")]
    assert main(["scan", "--select", "TFL", "--write-baseline"]) == 0
    assert [(entry["path"], entry["rule"]) for entry in known()] == [("src/tune.py", "TFO001"), ("train.py", "TFO001")]
    assert scan("--write-baseline") == 0
    assert [entry["path"] for entry in known()] == ["train.py"]


def test_a_file_that_cannot_be_read_loses_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    scan("--write-baseline")
    Path("train.py").unlink()
    Path("train.py").symlink_to("nowhere.py")
    capsys.readouterr()
    assert scan("--write-baseline", "train.py", "src") == 2
    assert "train.py" in capsys.readouterr().err
    assert len(known()) == 2


def test_a_list_of_requirements_counts_with_the_programs_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
    Path("requirements.txt").write_text("tensorflow==2.15\ntransformers==5.0.0\n", encoding="utf-8")
    select = ["--select", "TFV001"]
    assert main(["scan", *select, "--write-baseline"]) == 0
    assert known()
    capsys.readouterr()
    assert main(["scan", *select, "--baseline", BASELINE]) == 0
    assert main(["scan", *select, "--baseline", BASELINE, "src"]) == 0
    assert capsys.readouterr().err == ""


def test_a_finding_in_another_cell_is_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    def notebook(*cells: str) -> str:
        made: list[dict[str, object]] = [
            {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": cell}
            for cell in cells
        ]
        return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})

    Path("a.ipynb").write_text(notebook(HEAD, MODEL, ADAM), encoding="utf-8")
    scan("--write-baseline", "a.ipynb")
    Path("a.ipynb").write_text(notebook("print()", HEAD, "x = 1", MODEL + "\n" + ADAM), encoding="utf-8")
    capsys.readouterr()
    assert scan("--baseline", BASELINE, "a.ipynb") == 0
    assert capsys.readouterr().err == ""


# Other ways to change a file --------------------------------------------------------------------------------------


def test_what_is_hidden_is_neither_fixed_nor_commented() -> None:
    scan("--write-baseline")
    Path("new.py").write_text(HEAD + MODEL + LOSS, encoding="utf-8")
    before = Path("train.py").read_bytes()
    assert scan("--baseline", BASELINE, "--fix", "--unsafe-fixes") == 0
    assert Path("train.py").read_bytes() == before
    assert "from_logits" in Path("new.py").read_text(encoding="utf-8")
    Path("new.py").write_text(HEAD + MODEL + LOSS, encoding="utf-8")
    assert main(["scan", *RULES, "--baseline", BASELINE, "--add-ignore"]) == 0
    assert Path("train.py").read_bytes() == before
    assert "ignore[TFL001]" in Path("new.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("other", [["--fix"], ["--diff"], ["--add-ignore"], ["--confirm"], ["--no-baseline"], ["-"]])
def test_writing_a_baseline_goes_with_nothing_that_changes_findings(other: list[str]) -> None:
    assert main(["scan", "--write-baseline", *other]) == 2
    assert not Path(BASELINE).exists()


def test_an_editor_hides_them_in_text_that_is_not_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    from test_cli import type_text

    scan("--write-baseline")
    type_text("# new\n" + HEAD + MODEL + LOSS, monkeypatch)
    assert scan("-", "--stdin-filename", "train.py", "--baseline", BASELINE) == 0


# Files that are none ----------------------------------------------------------------------------------------------

WRONG = {
    "[]": "is not a baseline of tflint-hf",
    '{"version": 1}': "is not a baseline of tflint-hf",
    '{"tool": "tflint-hf", "version": 2, "findings": []}': "was written by a newer tflint-hf",
    '{"tool": "tflint-hf", "version": "1", "findings": []}': "`version` must be a number",
    '{"tool": "tflint-hf", "version": 1, "findings": {}}': "`findings` must be a list",
    '{"tool": "tflint-hf", "version": 1, "findings": [{"path": "a"}]}': "finding 1 has not the form",
    '{"tool": "tflint-hf", "version": 1, "findings": [{"path": "a", "rule": "b", "snippet": "", "count": 0}]}': (
        "finding 1 has not the form"
    ),
    '{\n"tool": ': ":2: is not valid JSON",
    '{\n<<<<<<< HEAD\n"tool"': "a merge left its marks",
    "\udc80": "is not valid UTF-8",
    "[" * 100_000: "is nested too deeply",
}


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_a_wrong_file_is_an_error_and_stays_as_it_is(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = Path("known.json")
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    before = file.read_bytes()
    for more in ([], ["--write-baseline"]):
        assert scan("--baseline", "known.json", *more) == 2
        output = capsys.readouterr()
        assert output.out == ""
        assert "known.json" in output.err
        assert WRONG[text] in output.err
        assert file.read_bytes() == before


def test_a_missing_file_says_how_to_write_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert scan("--baseline", "gone.json") == 2
    assert "there is no such baseline: write it with --write-baseline" in capsys.readouterr().err
    assert scan("--baseline", "gone/known.json", "--write-baseline") == 2
    assert "does not exist" in capsys.readouterr().err


def test_a_configured_name_must_be_one(capsys: pytest.CaptureFixture[str]) -> None:
    Path("tflint-hf.toml").write_text("fail-on = 'error'\nbaseline = true\n", encoding="utf-8")
    assert scan() == 2
    assert "tflint-hf.toml:2: `baseline` must be the name of a file, not True" in capsys.readouterr().err


def test_lines_that_two_branches_added_count_once(tmp_path: Path) -> None:
    line = '{"path": "a.py", "rule": "TFL001", "snippet": "x"}'
    path = tmp_path / "known.json"
    path.write_text(f'{{"tool": "tflint-hf", "version": 1, "findings": [{line}, {line}]}}', encoding="utf-8")
    assert load(path).entries == (Entry("a.py", "TFL001", "x"),)


# Identity ---------------------------------------------------------------------------------------------------------

LINES = st.lists(st.sampled_from(["x = 1", "", "# note", "y = f(x)", "    z()"]), max_size=4)
PLACES = st.lists(st.sampled_from(["fit(a, b)", 'compile("adam")', "fit(c)"]), min_size=1, max_size=5)


def finding(line: int, cell: int | None = None) -> Finding:
    place = Location("a.py", cell, line, 1, line, 4)
    return Finding("TFL001", "name", Severity.ERROR, "certain", "message", "why", "advice", place)


@given(faults=PLACES, data=st.data())
def test_lines_around_a_finding_do_not_make_it_another(faults: list[str], data: st.DataObject) -> None:
    def placed() -> list[str]:
        lines: list[str] = []
        places = []
        for fault in faults:
            lines += data.draw(LINES)
            indentation = data.draw(st.sampled_from(["", "    ", "\t"]))
            lines.append(indentation + fault)
            places.append(len(lines))
        return [one.fingerprint for one in identities([finding(line) for line in places], {("a.py", None): lines})]

    one, other = placed(), placed()
    assert one == other
    assert len(set(one)) == len(faults)


@given(faults=PLACES, data=st.data())
def test_a_baseline_hides_as_many_as_it_knows(faults: list[str], data: st.DataObject) -> None:
    """Whatever was mended or added since: what is reported is what the baseline has too few of."""
    now = data.draw(PLACES)
    entries = tuple(Entry("a.py", "TFL001", one, faults.count(one)) for one in sorted(set(faults)))
    lines: dict[tuple[str, int | None], list[str]] = {("a.py", None): now}
    new, hidden = Baseline(Path("known.json"), entries).split([finding(n + 1) for n in range(len(now))], lines)
    for one in set(now):
        reported = [f for f in new if now[f.location.line - 1] == one]
        assert len(reported) == max(0, now.count(one) - faults.count(one))
    assert len(new) + len(hidden) == len(now)


@given(st.text(alphabet="ab_( ),\n=[]\"'", max_size=30))
def test_a_snippet_is_compared_without_white_space_that_means_nothing(text: str) -> None:
    key = snippet_key(text)
    assert snippet_key(key) == key
    assert snippet_key(text.replace("(", "( ").replace(",", ",\n    ")) == key


@pytest.mark.parametrize(("one", "other"), [("a b", "ab"), ("fit(a)", "fit(b)"), ("x = 1", "x = 2")])
def test_other_code_is_another_snippet(one: str, other: str) -> None:
    assert snippet_key(one) != snippet_key(other)


@given(
    st.lists(
        st.builds(
            Entry,
            path=st.text(min_size=1),
            rule=st.just("TFL001"),
            snippet=st.text(st.characters(exclude_categories=[])),
            count=st.integers(1, 9),
        ),
        unique_by=lambda entry: entry.key,
    )
)
def test_a_saved_baseline_is_read_back(tmp_path_factory: pytest.TempPathFactory, entries: list[Entry]) -> None:
    path = tmp_path_factory.getbasetemp() / "round.json"
    Baseline(path, tuple(entries)).save()
    assert load(path).entries == tuple(sorted(entries))


def test_a_baseline_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match="cannot be written"):
        Baseline(tmp_path / "gone" / "known.json").save()
