"""Runs of many programs that pay the import of TensorFlow once: a server imports it, and forks for each program.

Only what decides nothing is imported beforehand: no Keras and no model code of transformers, for their order is part of
what is tested.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tflint_hf.dynamic.job import RunOptions, channel_of, write_job
from tflint_hf.dynamic.record import Observation, observation_of
from tflint_hf.dynamic.runner import AGENT, Ended, RunRecord

_SERVER = """
import os, sys, signal
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
import numpy, tensorflow, datasets, tokenizers, transformers
sys.path.insert(0, {agent!r})
import __main__
from importlib import util
spec = util.spec_from_file_location("_start", {agent!r} + "/__main__.py")
start = util.module_from_spec(spec)
spec.loader.exec_module(start)
start.load_agent()
from _tflint_hf_agent.run import run_job
sys.path.pop(0)
print("ready", flush=True)
for line in sys.stdin:
    job, out, budget, hidden = line.rstrip("\\n").split("\\t")
    child = os.fork()
    if child == 0:
        os.setsid()
        sink = os.open(out, os.O_WRONLY | os.O_CREAT)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        status = 1
        try:
            sys.path.insert(0, "")
            sys.modules.update(dict.fromkeys(hidden.split()))  # None: not to be found
            status = run_job(job)
        finally:
            sys.stdout.flush()
            os._exit(status)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
    signal.alarm(int(float(budget)))
    _, status = os.waitpid(child, 0)
    signal.alarm(0)
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        pass
    print(status, flush=True)
"""


class WarmRunner:
    """Answers as `run_program` does, from a process that has TensorFlow loaded."""

    def __init__(self, server: subprocess.Popen[str]) -> None:
        self._server = server

    def observe(self, script: Path, options: RunOptions, hidden: Sequence[str] = ()) -> Observation:
        """What the run of a program shows, on a machine without the packages `hidden`."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="tflint-hf-warm-", ignore_cleanup_errors=True) as folder:
            work = Path(folder)
            job, out = write_job(script, options, work), work / "output"
            channel_of(work).touch()
            self._server.stdin.write(f"{job}\t{out}\t{options.budget_seconds}\t{' '.join(hidden)}\n")
            self._server.stdin.flush()
            status = int(self._server.stdout.readline())
            lines = channel_of(work).read_text(encoding="utf-8").splitlines()
            output = out.read_text(encoding="utf-8", errors="replace")
        messages = tuple(json.loads(line) for line in lines)
        finished = any(message["kind"] == "finished" for message in messages)
        code = os.waitstatus_to_exitcode(status)
        ended = Ended.FINISHED if finished else Ended.OUT_OF_TIME if code == -9 else Ended.STOPPED
        return observation_of(RunRecord(messages, ended, code, time.monotonic() - start, output[-65536:], ""))


@contextmanager
def warm_runner(python: str = sys.executable) -> Iterator[WarmRunner]:
    server = subprocess.Popen(
        [python, "-c", _SERVER.format(agent=str(AGENT))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n", "TensorFlow, transformers and datasets can be imported"
        yield WarmRunner(server)
    finally:
        server.kill()
        server.wait()
