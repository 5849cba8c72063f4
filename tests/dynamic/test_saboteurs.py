"""Programs that change the interpreter under the agent: it is still heard, and the program goes on as it would."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import pytest

from tflint_hf.dynamic.job import RunOptions
from tflint_hf.dynamic.record import Observation, observation_of
from tflint_hf.dynamic.runner import Ended, RunRecord, run_program


def run(script: Path, code: str | bytes, *arguments: str) -> RunRecord:
    script.write_bytes(code if isinstance(code, bytes) else textwrap.dedent(code).encode())
    return run_program(script, RunOptions(arguments=arguments, budget_seconds=30.0, stand_ins="never"))


def observe(folder: Path, code: str) -> Observation:
    return observation_of(run(folder / "program.py", code))


SABOTAGE = {
    "json and time": """
        import json, time
        json.dumps = json.JSONEncoder.encode = time.monotonic = time.time = lambda *_, **__: 1 / 0
    """,
    "open": "import builtins, os; builtins.open = os.open = os.write = lambda *_, **__: 1 / 0",
    "the process id": "import os; os.getpid = lambda: 0",
    "modules": """
        import sys
        for name in set(sys.modules) - {"sys", "builtins", "__main__"}:
            del sys.modules[name]
    """,
    "excepthook": "import sys; sys.excepthook = lambda *_: None; sys.stdout = sys.stderr = None",
    "warnings": "import warnings; warnings.simplefilter('error')",
    "the recursion limit": "import sys; sys.setrecursionlimit(120)",
    "a folder that is gone": "import os, tempfile; d = tempfile.mkdtemp(); os.chdir(d); os.rmdir(d)",
}


@pytest.mark.parametrize("sabotage", SABOTAGE)
def test_an_error_after_sabotage_is_heard(sabotage: str, tmp_path: Path) -> None:
    observation = observe(tmp_path, textwrap.dedent(SABOTAGE[sabotage]).strip() + "\nraise ValueError('heard')\n")
    assert observation.record.ended is Ended.FINISHED, observation.record.errors
    assert [error.text for error in observation.errors] == ["heard"]
    assert not observation.troubles


@pytest.mark.skipif(os.name != "posix", reason="descriptors of POSIX")
def test_a_program_that_closes_all_descriptors_is_heard_and_its_next_file_is_its_own(tmp_path: Path) -> None:
    code = """
        import os, tempfile
        for number in range(3, 256):
            try:
                os.close(number)
            except OSError:
                pass
        files = [tempfile.TemporaryFile() for _ in range(8)]
        try:
            raise ValueError("heard")
        finally:
            print(sum(os.fstat(file.fileno()).st_size for file in files), flush=True)
    """
    observation = observe(tmp_path, code)
    assert [error.text for error in observation.errors] == ["heard"]
    assert observation.record.output == "0\n"


def test_an_exception_that_cannot_say_what_it_is(tmp_path: Path) -> None:
    code = """
        class Mute(Exception):
            def __str__(self):
                raise RuntimeError
        raise Mute
    """
    observation = observe(tmp_path, code)
    assert observation.record.ended is Ended.FINISHED
    assert [error.type for error in observation.errors] == ["Mute"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forks_end_by_a_signal_without_a_traceback(tmp_path: Path) -> None:
    code = """
        import multiprocessing

        def square(number):
            return number * number

        with multiprocessing.get_context("fork").Pool(2) as pool:
            print(pool.map(square, [1, 2]))
    """
    record = run(tmp_path / "program.py", code)
    assert record.output == "[1, 4]\n"
    assert "Traceback" not in record.errors


def test_arguments_that_are_missing_are_said(tmp_path: Path) -> None:
    code = """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--data", required=True)
        print(parser.parse_args().data)
    """
    script = tmp_path / "program.py"
    (error,) = observation_of(run(script, code)).errors
    assert error.type == "SystemExit"
    assert "--data" in error.text
    assert error.at[0].line == 5
    assert run(script, code, "--data", "reviews.csv").output == "reviews.csv\n"


def test_an_exit_that_says_why_is_an_error_and_one_that_says_all_is_well_is_none(tmp_path: Path) -> None:
    assert [error.text for error in observe(tmp_path, "exit('no data')").errors] == ["no data"]
    assert observe(tmp_path, "exit(0)").errors == ()


@pytest.mark.parametrize(
    ("code", "output"),
    [
        (b"# -*- coding: latin-1 -*-\nprint(len('caf\xe9'))", "4\n"),
        (b"\xef\xbb\xbfprint('a mark of the byte order')", "a mark of the byte order\n"),
    ],
)
def test_sources_in_other_encodings(code: bytes, output: str, tmp_path: Path) -> None:
    assert run(tmp_path / "program.py", code).output == output


def test_a_script_of_a_package_runs_with_its_relative_imports(tmp_path: Path) -> None:
    package = tmp_path / "trainer" / "tasks"
    package.mkdir(parents=True)
    for folder in (package.parent, package):
        (folder / "__init__.py").touch()
    (package.parent / "names.py").write_text("NAME = 'reviews'")
    record = run(package / "train.py", "from ..names import NAME\nprint(NAME, __package__, __name__)")
    assert record.output == "reviews trainer.tasks __main__\n"


def test_the_main_module_is_that_of_a_script(tmp_path: Path) -> None:
    code = "print(__name__, __package__, __spec__, __cached__, type(__loader__).__name__)\nprint(__annotations__)"
    assert run(tmp_path / "program.py", code).output.startswith("__main__ None None None SourceFileLoader\n")


@pytest.mark.skipif(os.name != "posix", reason="links and names of POSIX")
def test_paths_with_spaces_and_links(tmp_path: Path) -> None:
    folder = tmp_path / "mein räum 数据"
    folder.mkdir()
    (folder / "names.py").write_text("NAME = 'beside the script itself'")
    script = folder / "train it.py"
    link = tmp_path / "link.py"
    script.touch()
    link.symlink_to(script)
    assert run(script, "import names\nprint(names.NAME)").output == "beside the script itself\n"
    linked = run_program(link, RunOptions(budget_seconds=30.0, stand_ins="never"))
    assert linked.output == "beside the script itself\n"
