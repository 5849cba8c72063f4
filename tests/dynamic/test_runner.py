"""The parent survives whatever a program does, and leaves no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tflint_hf.dynamic.job import RunOptions
from tflint_hf.dynamic.record import Observation, observation_of
from tflint_hf.dynamic.runner import Ended, RunRecord, run_program

LONG_NAP = 300


def run(folder: Path, code: str, *, budget: float = 20.0, stdin: Path | None = None) -> RunRecord:
    script = folder / "program.py"
    script.write_text(textwrap.dedent(code), encoding="utf-8")
    return run_program(script, RunOptions(budget_seconds=budget, stand_ins="never", stdin=stdin))


def observe(folder: Path, code: str) -> Observation:
    return observation_of(run(folder, code))


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/status")
    return not (status.exists() and "State:\tZ" in status.read_text(encoding="utf-8"))


def wait_until_gone(pid: int) -> bool:
    end = time.monotonic() + 5
    while time.monotonic() < end:
        if not is_alive(pid):
            return True
        time.sleep(0.05)
    return False


def test_a_program_that_ends_is_finished(tmp_path: Path) -> None:
    record = run(tmp_path, "print('hello')")
    assert record.ended is Ended.FINISHED
    assert record.output == "hello\n"


def test_a_program_that_hangs_is_stopped_at_the_end_of_its_time(tmp_path: Path) -> None:
    record = run(tmp_path, f"import time; time.sleep({LONG_NAP})", budget=2.0)
    assert record.seconds < 15
    assert record.messages[0]["kind"] == "started"


def test_a_program_that_ignores_all_signals_is_killed(tmp_path: Path) -> None:
    code = f"""
        import signal, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        time.sleep({LONG_NAP})
    """
    record = run(tmp_path, code, budget=2.0)
    assert record.ended is Ended.OUT_OF_TIME
    assert record.signal == signal.SIGKILL


def test_a_program_killed_from_outside_is_told_from_one_that_ends(tmp_path: Path) -> None:
    record = run(tmp_path, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert record.ended is Ended.KILLED
    assert record.signal == signal.SIGKILL


def test_a_crash_of_the_interpreter_keeps_what_was_said_before(tmp_path: Path) -> None:
    record = run(tmp_path, "import os; os.abort()")
    assert record.ended is Ended.KILLED
    assert [message["kind"] for message in record.messages][:1] == ["started"]


def test_a_program_that_leaves_without_a_word(tmp_path: Path) -> None:
    assert run(tmp_path, "import os; os._exit(0)").ended is Ended.STOPPED


@pytest.mark.parametrize("code", ["0", "3", "'no data'"])
def test_an_exit_of_the_programs_own_is_an_end(tmp_path: Path, code: str) -> None:
    record = run(tmp_path, f"import sys; sys.exit({code})")
    assert record.ended is Ended.FINISHED


def test_an_exception_is_said_with_its_line(tmp_path: Path) -> None:
    observation = observe(tmp_path, "def fail():\n    raise KeyError('loss')\n\nfail()\n")
    (error,) = observation.errors
    assert (error.type, error.text) == ("KeyError", "'loss'")
    assert [frame.line for frame in error.at] == [2, 4]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    observation = observe(tmp_path, "open('reviews.csv')")
    assert observation.errors[0].missing_file.endswith("reviews.csv")


def test_a_program_that_is_not_python_is_said(tmp_path: Path) -> None:
    assert observe(tmp_path, "this is no Python").errors[0].type == "SyntaxError"


def test_a_flood_of_output_is_cut(tmp_path: Path) -> None:
    record = run(tmp_path, "for _ in range(40000): print('x' * 200)\nprint('the end')")
    assert record.ended is Ended.FINISHED
    assert len(record.output) <= 64 * 1024
    assert record.output.endswith("the end\n")


def test_a_program_that_closes_and_redirects_its_streams_is_still_heard(tmp_path: Path) -> None:
    code = """
        import io, os, sys
        sys.stdout = io.StringIO()
        sys.stderr.close()
        os.closerange(0, 3)
        raise ValueError("heard")
    """
    assert observe(tmp_path, code).errors[0].text == "heard"


def test_a_program_that_changes_its_folder_is_still_heard(tmp_path: Path) -> None:
    observation = observe(tmp_path, "import os; os.chdir('/'); raise ValueError('heard')")
    assert observation.errors[0].at[0].path == str((tmp_path / "program.py").resolve())


def test_a_program_that_asks_a_question_gets_the_end_of_its_input(tmp_path: Path) -> None:
    assert observe(tmp_path, "input('how many epochs? ')").errors[0].type == "EOFError"


def test_answers_come_from_a_file(tmp_path: Path) -> None:
    answers = tmp_path / "answers.txt"
    answers.write_text("3\n", encoding="utf-8")
    record = run(tmp_path, "print(int(input()) + 1)", stdin=answers)
    assert record.output == "4\n"


def test_arguments_and_name_are_those_of_a_script(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text("import sys; print(sys.argv[1:], __name__)", encoding="utf-8")
    record = run_program(script, RunOptions(arguments=("--epochs", "3"), stand_ins="never", budget_seconds=20.0))
    assert record.output == "['--epochs', '3'] __main__\n"


def test_modules_beside_the_program_are_found(tmp_path: Path) -> None:
    (tmp_path / "batches.py").write_text("NAME = 'the one of the program'", encoding="utf-8")
    assert run(tmp_path, "import batches; print(batches.NAME)").output == "the one of the program\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_that_leaves_its_process_group_is_found(tmp_path: Path) -> None:
    code = f"""
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                print(os.getpid(), flush=True)
                os.closerange(1, 3)
                time.sleep({LONG_NAP})
            os._exit(0)
        os.wait()
        time.sleep(0.5)
    """
    record = run(tmp_path, code)
    assert record.ended is Ended.FINISHED
    assert wait_until_gone(int(record.output))


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_ends_the_run_and_all_its_processes(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(f"import time; time.sleep({LONG_NAP})", encoding="utf-8")
    code = (
        "import sys; from pathlib import Path\n"
        "from tflint_hf.dynamic.job import RunOptions\n"
        "from tflint_hf.dynamic.runner import run_program\n"
        "def listen(message):\n"
        "    print(message.get('pid'), flush=True)\n"
        "run_program(Path(sys.argv[1]), RunOptions(stand_ins='never'), listen)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "program.py")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # What starts the tests in the background of a shell has them ignore the signal.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.send_signal(signal.SIGINT)
    _, errors = parent.communicate(timeout=20)
    assert "KeyboardInterrupt" in errors
    assert wait_until_gone(child)


def test_threads_that_never_end_do_not_hold_up_a_run(tmp_path: Path) -> None:
    code = f"""
        import threading, time
        for _ in range(2):
            threading.Thread(target=lambda: time.sleep({LONG_NAP})).start()
        print("the end")
    """
    record = run(tmp_path, code, budget=60.0)
    assert record.ended is Ended.FINISHED
    assert record.seconds < 40
    assert record.output == "the end\n"


@pytest.mark.skipif(not Path("/proc/self/oom_score_adj").exists(), reason="the killer of Linux")
def test_the_program_is_the_first_to_go_where_memory_runs_out(tmp_path: Path) -> None:
    code = """
        import os, time
        time.sleep(0.5)
        print(open("/proc/self/oom_score_adj").read(), end="")
    """
    assert run(tmp_path, code).output == "1000\n"
