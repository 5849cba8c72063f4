"""The command line as people use it: paths and options in, a report and an exit code out."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tflint_hf
from tflint_hf.cli import main
from tflint_hf.cli.output import wants_color

BAD = """\
import tensorflow as tf
from transformers import TFAutoModelForSequenceClassification

model = TFAutoModelForSequenceClassification.from_pretrained("bert-base-cased", num_labels=3)
model.compile(optimizer=tf.keras.optimizers.Adam(learning_rate=3e-5), loss="sparse_categorical_crossentropy")
model.fit(load("train"), epochs=3)
"""
CLEAN = "print('hello')\n"
PACKAGE_ROOT = Path(tflint_hf.__file__).parents[1]
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and pipes")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one bad and one clean script, as the working directory."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(BAD, encoding="utf-8")
    (folder / "clean.py").write_text(CLEAN, encoding="utf-8")
    monkeypatch.chdir(folder)
    for variable in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(variable, raising=False)
    return folder


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tflint_hf", *arguments]


def environment(**variables: str) -> dict[str, str]:
    search_path = os.pathsep.join(part for part in (os.environ.get("PYTHONPATH"), str(PACKAGE_ROOT)) if part)
    return {**os.environ, "PYTHONPATH": search_path, **variables}


def type_text(text: str | bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    data = text.encode() if isinstance(text, str) else text
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


# Reports and exit codes -------------------------------------------------------------------------------------------


def test_a_fault_is_reported_on_standard_output_with_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "train.py"]) == 1
    output = capsys.readouterr()
    assert "train.py:5:" in output.out
    assert "error TFL001 crossentropy-on-logits" in output.out
    assert output.err == ""


def test_without_a_path_the_working_directory_is_scanned(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "--format", "concise"]) == 1
    assert capsys.readouterr().out.startswith(("train.py:", "./train.py:"))


def test_a_clean_file_gives_exit_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "clean.py"]) == 0
    assert capsys.readouterr().err == ""


def test_a_missing_path_gives_exit_code_2_and_the_rest_is_still_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "train.py", "gone.py"]) == 2
    output = capsys.readouterr()
    assert "TFL001" in output.out
    assert "gone.py" in output.err
    assert "not everything could be checked: 1 message on standard error" in output.out


@pytest.mark.parametrize(("fail_on", "code"), [("error", 1), ("warning", 1), ("info", 1), ("never", 0)])
def test_fail_on_sets_the_least_severity_that_fails(fail_on: str, code: int) -> None:
    assert main(["scan", "train.py", "--fail-on", fail_on]) == code


@pytest.mark.parametrize(("fail_on", "code"), [("error", 1), ("never", 0)])
def test_fail_on_in_the_configuration(fail_on: str, code: int, project: Path) -> None:
    (project / "tflint-hf.toml").write_text(f'fail-on = "{fail_on}"\n', encoding="utf-8")
    assert main(["scan", "train.py"]) == code


def test_fail_on_never_still_fails_where_nothing_could_be_read() -> None:
    assert main(["scan", "gone.py", "--fail-on", "never"]) == 2


@pytest.mark.parametrize("format_name", ["text", "concise", "json", "github", "sarif"])
def test_every_format_is_the_same_at_each_run(format_name: str, capsys: pytest.CaptureFixture[str]) -> None:
    reports = []
    for _ in range(2):
        assert main(["scan", ".", "--format", format_name]) == 1
        reports.append(capsys.readouterr().out)
    assert "TFL001" in reports[0]
    assert reports[0] == reports[1]


def test_quiet_prints_findings_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "clean.py", "-q"]) == 0
    assert capsys.readouterr().out == ""


def test_statistics_instead_of_findings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", ".", "--statistics", "--format", "json", "--select", "TFL001"]) == 1
    assert json.loads(capsys.readouterr().out)["statistics"] == [
        {"code": "TFL001", "name": "crossentropy-on-logits", "severity": "error", "count": 1}
    ]


# Which rules ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [["--select", "TFO,TFD"], ["--ignore", "TFL001"], ["--ignore", "TFO", "--ignore", "crossentropy-on-logits"]],
)
def test_a_rule_that_is_not_selected_does_not_speak(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main(["scan", "train.py", *options])
    assert "TFL001" not in capsys.readouterr().out


def test_an_unknown_rule_is_a_usage_error_with_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "train.py", "--select", "crosentropy-on-logits"]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert "did you mean crossentropy-on-logits?" in output.err


# Configuration ----------------------------------------------------------------------------------------------------


def test_the_configuration_of_the_scanned_folder_counts(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "tflint-hf.toml").write_text('output-format = "concise"\n')
    monkeypatch.chdir(tmp_path)
    assert main(["scan", "project"]) == 1
    assert "why:" not in capsys.readouterr().out
    main(["scan", "project", "--isolated"])
    assert "why:" in capsys.readouterr().out


@pytest.mark.parametrize("options", [["--config", "wrong.toml"], ["--config", "gone.toml"]])
def test_a_wrong_configuration_gives_exit_code_2(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("wrong.toml").write_text('selekt = ["TFL"]\n')
    assert main(["scan", "train.py", *options]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert options[1] in output.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["scan", "--no-such-option"],
        ["scan", "--format", "xml"],
        ["scan", "--target", "transformers"],
        ["scan", "--target", "=4.38"],
        ["scan", "--jobs", "0"],
        ["scan", "-", "train.py"],
        ["scan", "--isolated", "--config", "train.py"],
        ["scan", "--statistics", "--format", "sarif"],
        ["scan", "--output", "no/such/folder/report.txt"],
        ["scan", "--output", "."],
        ["no-such-command"],
        ["rule", "TFL"],
    ],
    ids=" ".join,
)
def test_wrong_usage_gives_exit_code_2_and_no_report(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    type_text(BAD, monkeypatch)
    assert main(arguments) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert "Error: " in output.err


# Standard input ---------------------------------------------------------------------------------------------------


def test_standard_input_is_scanned_under_the_name_that_an_editor_gives(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    type_text(BAD, monkeypatch)
    assert main(["scan", "-", "--stdin-filename", "src/model.py", "--format", "concise"]) == 1
    assert "src/model.py:5:" in capsys.readouterr().out


def test_standard_input_may_declare_its_encoding(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    type_text(b"# coding: latin-1\n# caf\xe9\n" + BAD.encode(), monkeypatch)
    assert main(["scan", "-"]) == 1
    assert ":7:" in capsys.readouterr().out


def test_standard_input_that_is_no_text_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    type_text(b"\xff\xfe\x00", monkeypatch)
    assert main(["scan", "-"]) == 2
    assert "standard input is not text" in capsys.readouterr().err


# Output file ------------------------------------------------------------------------------------------------------


def test_a_report_file_replaces_the_old_one_and_leaves_nothing_else(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = project / "out" / "report.json"
    report.parent.mkdir()
    report.write_text("old")
    assert main(["scan", "train.py", "--format", "json", "--output", str(report)]) == 1
    assert capsys.readouterr().out == ""
    assert json.loads(report.read_text())["findings"]
    assert list(report.parent.iterdir()) == [report]


@posix_only
def test_a_report_file_has_the_permissions_of_any_new_file(project: Path) -> None:
    (project / "usual").touch()
    main(["scan", "train.py", "--output", "report.txt"])
    assert (project / "report.txt").stat().st_mode == (project / "usual").stat().st_mode


@posix_only
def test_a_report_goes_through_a_link_into_its_target(project: Path) -> None:
    (project / "latest.txt").symlink_to("report.txt")
    main(["scan", "train.py", "--output", "latest.txt"])
    assert (project / "latest.txt").is_symlink()
    assert "TFL001" in (project / "report.txt").read_text()


# Colour -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "variables", "terminal", "expected"),
    [
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": "", "FORCE_COLOR": "1"}, False, True),
        ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ("auto", {"TERM": "dumb"}, True, False),
        ("always", {"NO_COLOR": "1"}, False, True),
        ("never", {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_colour_follows_the_option_then_the_environment(
    choice: str, variables: dict[str, str], terminal: bool, expected: bool
) -> None:
    assert wants_color(choice, variables, terminal=terminal) is expected


def test_a_pipe_gets_no_colour_unless_asked(capsys: pytest.CaptureFixture[str]) -> None:
    main(["scan", "train.py"])
    assert "\x1b[" not in capsys.readouterr().out
    main(["scan", "train.py", "--color", "always"])
    assert "\x1b[" in capsys.readouterr().out


# Rules explain themselves -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("spelling", ["TFL001", "tfl001", "crossentropy-on-logits"])
def test_a_rule_explains_itself(spelling: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", spelling]) == 0
    page = capsys.readouterr().out
    assert page.startswith("# TFL001 crossentropy-on-logits\n")
    assert page.count("```python\n") >= 2
    assert "<bad>" not in page


def test_rules_are_listed_for_people_and_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert main(["rules", "--format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)["rules"]
    assert [line.split()[0] for line in lines] == [rule["code"] for rule in listed]
    assert "TFL001" in {rule["code"] for rule in listed}


def test_a_misspelt_rule_gets_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "string-optimiser"]) == 2
    assert "did you mean string-optimizer" in capsys.readouterr().err


# The process ------------------------------------------------------------------------------------------------------


def test_the_version_is_printed_without_loading_the_scanner() -> None:
    probe = (
        "import sys; from tflint_hf.cli import main; code = main(['--version'])\n"
        "heavy = {'libcst', 'yaml', 'rich', 'packaging', 'pathspec', 'tflint_hf.engine'} & set(sys.modules)\n"
        "print(sorted(heavy)); sys.exit(code)"
    )
    run = subprocess.run(
        [sys.executable, "-c", probe], env=environment(), capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.splitlines() == [f"tflint-hf, version {tflint_hf.__version__}", "[]"]


def test_a_console_without_the_characters_of_the_source_gets_escapes(project: Path) -> None:
    (project / "train.py").write_text(BAD.replace("loss=", "name='分類器', loss="), encoding="utf-8")
    run = subprocess.run(
        command("scan", "train.py", "--isolated"),
        env=environment(PYTHONIOENCODING="cp1252", PYTHONUTF8="0"),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert run.returncode == 1
    assert b"\\u5206" in run.stdout
    assert run.stderr == b""


@posix_only
def test_a_reader_that_goes_away_is_no_failure() -> None:
    with subprocess.Popen(
        command("scan", "train.py"), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 1


# A process that a shell starts in the background ignores interrupts, and its children do, too.
LISTENING = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "


@posix_only
def test_an_interrupt_ends_with_130_and_no_traceback() -> None:
    program = f"{LISTENING}from tflint_hf.__main__ import run; print('up', flush=True); sys.exit(run())"
    with subprocess.Popen(
        [sys.executable, "-c", program, "scan", "-"],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        time.sleep(0.2)  # by now it waits for its input
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert process.stderr.read().split() == [b"interrupted"]


@pytest.mark.parametrize("verbose", [False, True])
def test_a_fault_of_the_tool_is_told_in_a_sentence(
    verbose: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr("tflint_hf.engine.scan", fail)
    assert main(["scan", "train.py", *(["--verbose"] if verbose else [])]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert "tflint-hf failed: KeyError: 'lost'" in output.err
    assert "Please report it" in output.err
    assert ("Traceback (most recent call last)" in output.err) is verbose


COURSE_SCRIPT = Path(__file__).parent.parent / "fixtures" / "course" / "train.py"


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ('threshold = "high"', "must be a number above 0"),
        ("threshold = true", "must be a number above 0"),
        ("treshold = 1e-3", "has no option treshold; it has threshold"),
    ],
)
def test_an_option_that_a_rule_does_not_know_is_an_error_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], setting: str, complaint: str
) -> None:
    (tmp_path / "tflint-hf.toml").write_text(f"[rules.TFO002]\n{setting}\n")
    (tmp_path / "train.py").write_text("import tensorflow\n")
    assert main(["scan", str(tmp_path)]) == 2
    message = capsys.readouterr().err
    assert complaint in message
    assert "tflint-hf.toml:2:" in message


@pytest.mark.parametrize("target", ["transfomers=4.1", "transformers=abc", "transformers"])
def test_a_target_that_is_none_is_an_error_of_use(capsys: pytest.CaptureFixture[str], target: str) -> None:
    assert main(["scan", "--target", target, str(COURSE_SCRIPT)]) == 2
    assert "fault of tflint-hf" not in capsys.readouterr().err


def test_targets_may_be_ranges_and_several(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["scan", "--format", "json", "--target", "transformers>=4.38,<5,datasets=2.0.0", str(COURSE_SCRIPT)]) == 1
    )
    assert '"datasets": "2.0.0"' in capsys.readouterr().out


def test_a_suppression_of_no_rule_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train.py").write_text("import tensorflow  # tflint-hf: ignore[stirng-optimizer]\n")
    assert main(["scan", "--isolated", "--format", "concise", str(tmp_path)]) == 1
    assert "TFX002" in capsys.readouterr().out


def test_a_missing_requirement_is_told_once_for_all_programs_that_need_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("requirements.txt").write_text("tensorflow==2.17.0\ntransformers==4.57.6\n", encoding="utf-8")
    for name in ("train.py", "evaluate.py"):
        Path(name).write_text(
            "from transformers import TFAutoModelForSequenceClassification as Auto\n\n"
            'model = Auto.from_pretrained("bert-base-uncased", num_labels=3)\n',
            encoding="utf-8",
        )
    assert main(["scan", "--format", "json", "--select", "TFO007"]) == 1
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert [(finding["path"], finding["line"]) for finding in findings] == [("requirements.txt", 1)]


def test_a_comment_in_the_requirements_hides_what_is_said_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text("from transformers import TFAutoModel\n", encoding="utf-8")
    for line, code in (
        ("tensorflow==2.17.0", 1),
        ("tensorflow==2.17.0  # noqa: TFO007", 0),
        ("# tflint-hf: ignore[missing-tf-keras] comes with the image\ntensorflow==2.17.0", 0),
        ("# noqa: TFO007\n# of last year\ntensorflow==2.17.0", 0),
        ("tensorflow==2.17.0  # noqa: TFL001", 1),
        ("# noqa: TFO007\nnumpy\ntensorflow==2.17.0", 1),
    ):
        Path("requirements.txt").write_text(f"transformers==4.57.6\n{line}\n", encoding="utf-8")
        assert main(["scan", "--format", "concise", "--select", "TFO007,TFX002"]) == code, line
        assert "TFX002" not in capsys.readouterr().out


def test_a_notebook_that_installs_libraries_has_versions_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("requirements.txt").write_text("transformers==4.50.0\n", encoding="utf-8")
    cells = ["!pip install transformers==4.30.2", "from transformers import TFAutoModel"]
    empty: dict[str, object] = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    made = [empty | {"source": source} for source in cells]
    notebook = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    Path("train.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    main(["scan", "--format", "json"])
    targets = json.loads(capsys.readouterr().out)["targets"]
    assert targets["train.ipynb"]["transformers"] == "4.30.2"
    assert [versions["transformers"] for place, versions in targets.items() if place != "train.ipynb"] == ["4.50.0"]


INTERRUPTED_IMPORT = f"""
{LISTENING}import os

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[-1]:
            sys.argv.pop()
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
from tflint_hf.__main__ import run
sys.exit(run())
"""


@posix_only
@pytest.mark.parametrize("module", ["click", "packaging", "libcst", "libcst.metadata", "tflint_hf.static.reader"])
def test_an_interrupt_during_the_imports_is_quiet_too(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_IMPORT, "scan", "--isolated", str(COURSE_SCRIPT), module],
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr.split()) == (130, b"", [b"interrupted"])


# Slips ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train.py"], "train.py is no command: did you mean `tflint-hf scan train.py`?"),
        (["gone.ipynb", "-q"], "gone.ipynb is no command: did you mean `tflint-hf scan gone.ipynb -q`?"),
        (["skan", "train.py"], "No such command 'skan'"),
        (["confirm", "train.py", "--epochs", "3"], "What the program itself takes follows --, as in: -- --epochs ..."),
    ],
)
def test_a_slip_is_told_with_what_was_meant(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("pyproject.toml", "[tool.tflint_hf]\nignore = []\n", "pyproject.toml:1: `tool.tflint_hf` is not read: the"),
        ("tflint-hf.toml", '[per-file-ignores]\n"legacy/*" = ["TFOO"]\n', 'tflint-hf.toml:2: no rule is called "TFOO"'),
    ],
)
def test_settings_that_would_do_nothing_are_errors(
    project: Path, capsys: pytest.CaptureFixture[str], name: str, settings: str, message: str
) -> None:
    (project / name).write_text(settings, encoding="utf-8")
    assert main(["scan"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("scan tra", ["file,tra"]),
        ("confirm tra", ["file,tra"]),
        ("test-rules ru", ["dir,ru"]),
        ("rule string-o", ["plain,string-optimizer"]),
        ("scan --select TFL001,missing-num", ["plain,TFL001,missing-num-labels"]),
    ],
)
def test_bash_completes_files_and_rules(words: str, offered: list[str]) -> None:
    asked = {
        "_TFLINT_HF_COMPLETE": "bash_complete",
        "COMP_WORDS": f"tflint-hf {words}",
        "COMP_CWORD": str(len(words.split())),
    }
    done = subprocess.run(command(), env=environment(**asked), capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == offered
