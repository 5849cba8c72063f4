"""The parent's side of a run: start the agent, listen to it, and survive whatever happens to it."""

from __future__ import annotations

import enum
import json
import os
import signal
import subprocess
import tempfile
import threading
import time
import uuid
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from tflint_hf.dynamic.job import channel_of, write_job

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tflint_hf.dynamic.job import RunOptions

AGENT = Path(__file__).parent / "agent"
MARK = "TFLINT_HF_RUN"
"""The environment variable by which a process of a run is known, whatever it made of its process group."""
POLL_SECONDS = 0.05
GRACE_SECONDS = 3.0
OUTPUT_KEPT = 64 * 1024


class Ended(enum.Enum):
    """How a run came to its end."""

    FINISHED = "finished"
    OUT_OF_TIME = "out of time"
    KILLED = "killed"
    STOPPED = "stopped"


class CancelledError(Exception):
    """The caller did not want the run to go on."""


class NotStartedError(Exception):
    """The agent did not come to run the program: the interpreter is none, is too old, or cannot be shut in."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """All that a run said. `signal` is what killed it; `output` and `errors` are the ends of its two streams."""

    messages: tuple[Mapping[str, Any], ...]
    ended: Ended
    exit_code: int | None
    seconds: float
    output: str
    errors: str

    @property
    def signal(self) -> int | None:
        return -self.exit_code if self.exit_code is not None and self.exit_code < 0 else None


def run_program(
    script: Path,
    options: RunOptions,
    listen: Callable[[Mapping[str, Any]], None] | None = None,
    unwanted: Callable[[], bool] | None = None,
) -> RunRecord:
    """Run a program under the agent. `listen` hears each message as it comes; `unwanted` says when to give up.

    No process of the run is left when this returns or raises, KeyboardInterrupt included. Raises SourceError if the
    program cannot be read, OSError if the interpreter cannot be started, NotStartedError if it does not run the agent,
    CancelledError if the run became unwanted.
    """
    with tempfile.TemporaryDirectory(prefix="tflint-hf-run-", ignore_cleanup_errors=True) as folder:
        work = Path(folder)
        job = write_job(script, options, work)
        channel_of(work).touch()
        record = _follow(job, work, options, listen or (lambda _message: None), unwanted or (lambda: False))
    _check_start(record, options.python)
    return record


def _check_start(record: RunRecord, python: str) -> None:
    refused = next((m["failed"] for m in record.messages if m["kind"] == "sandbox" and "failed" in m), None)
    if refused is not None:
        raise NotStartedError(f"the program cannot be shut in, so it was not run: {refused}")
    if record.ended is not Ended.OUT_OF_TIME and not any(m["kind"] == "started" for m in record.messages):
        last = next((line.strip() for line in reversed(record.errors.splitlines()) if line.strip()), "it said nothing")
        raise NotStartedError(f"{python} is not Python 3.8 or newer, or cannot start here: {last[:300]}")


def _follow(
    job: Path,
    work: Path,
    options: RunOptions,
    listen: Callable[[Mapping[str, Any]], None],
    unwanted: Callable[[], bool],
) -> RunRecord:
    mark = uuid.uuid4().hex
    environment = dict(os.environ, **{MARK: mark}, PYTHONUNBUFFERED="1")
    start = time.monotonic()
    messages: list[Mapping[str, Any]] = []
    streams: list[_Tail] = []
    stdin: IO[bytes] | int = options.stdin.open("rb") if options.stdin is not None else subprocess.DEVNULL
    process = subprocess.Popen(
        [options.python, str(AGENT), str(job)],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    )
    _first_to_go(process)
    out_of_time = False
    finished_at: float | None = None
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        streams = [_Tail(process.stdout), _Tail(process.stderr)]
        channel = _lines(channel_of(work))
        while True:
            alive = process.poll() is None
            if unwanted():
                raise CancelledError
            for message in channel:
                if message is None:
                    break
                messages.append(message)
                listen(message)
                if message["kind"] == "finished":
                    finished_at = time.monotonic()
            # What goes on after the end of the program are threads and handlers of its exit: nothing more is said.
            if not alive or (finished_at is not None and time.monotonic() - finished_at > GRACE_SECONDS):
                break
            if time.monotonic() - start > options.budget_seconds:
                out_of_time = True
                _terminate(process)
            else:
                time.sleep(POLL_SECONDS)
    finally:
        _leave_nothing(process, mark)
        if not isinstance(stdin, int):
            stdin.close()
    output, errors = (stream.text() for stream in streams)
    ended = _ending(process, messages, out_of_time=out_of_time)
    return RunRecord(tuple(messages), ended, process.returncode, time.monotonic() - start, output, errors)


def _first_to_go(process: subprocess.Popen[bytes]) -> None:
    """Where memory runs out, let Linux kill the program of the run and nothing of the user's."""
    with suppress(OSError):
        Path(f"/proc/{process.pid}/oom_score_adj").write_text("1000", encoding="ascii")


def _ending(process: subprocess.Popen[bytes], messages: list[Mapping[str, Any]], *, out_of_time: bool) -> Ended:
    finished = next((message for message in messages if message["kind"] == "finished"), None)
    if finished is not None and not (out_of_time and finished.get("status") == "enough"):
        return Ended.FINISHED
    if out_of_time:
        return Ended.OUT_OF_TIME
    return Ended.KILLED if process.returncode is not None and process.returncode < 0 else Ended.STOPPED


def _lines(path: Path) -> Iterator[Mapping[str, Any] | None]:
    """The messages in the file as they are written; None whenever there is no whole one yet."""
    with path.open("rb") as file:
        rest = b""
        while True:
            piece = file.read()
            if not piece:
                yield None
                continue
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                with suppress(ValueError):
                    message = json.loads(line)
                    if isinstance(message, dict) and "kind" in message:
                        yield message


class _Tail:
    """Reads a stream to its end, however much that is, and keeps the last of it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._pieces: deque[bytes] = deque()
        self._size = 0
        self._stream = stream
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with suppress(OSError, ValueError):
            while piece := os.read(self._stream.fileno(), 65536):
                self._pieces.append(piece)
                self._size += len(piece)
                while self._size - len(self._pieces[0]) > OUTPUT_KEPT:
                    self._size -= len(self._pieces.popleft())

    def text(self) -> str:
        self._thread.join(timeout=GRACE_SECONDS)
        with suppress(OSError):
            self._stream.close()
        return b"".join(self._pieces)[-OUTPUT_KEPT:].decode("utf-8", "replace")


def _terminate(process: subprocess.Popen[bytes]) -> None:
    """Ask the program to stop, and kill it if it does not listen."""
    process.terminate()
    try:
        process.wait(timeout=GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _leave_nothing(process: subprocess.Popen[bytes], mark: str) -> None:
    """Kill what the run has started: its process group, and what has left that group but still bears its mark."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
    wanted = f"{MARK}={mark}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(int(folder.name), signal.SIGKILL)
