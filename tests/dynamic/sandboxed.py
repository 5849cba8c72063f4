"""Run a program in the sandbox of the agent, in a process of its own, and compare the user's files before and after."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

AGENT = Path(__file__).parents[2] / "tflint_hf" / "dynamic" / "agent"
PYTHON = os.environ.get("TFLINT_HF_TEST_PYTHON", sys.executable)
"""An older interpreter can be tried by this variable: the agent supports Python 3.8 and newer."""
START = """
import importlib.util, json, os, sys, time
folder, job, script = sys.argv[1:4]
spec = importlib.util.spec_from_file_location(
    "_tflint_hf_agent", folder + "/__init__.py", submodule_search_locations=[folder]
)
module = sys.modules["_tflint_hf_agent"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
from _tflint_hf_agent import sandbox
from _tflint_hf_agent.context import Context
context = Context(json.loads(job))
context.after_import.install()
sandbox.install(context)
sys.argv = [script]
sys.path[0] = os.path.dirname(script)
with open(script, "rb") as file:
    code = compile(file.read(), script, "exec")
main = {"__name__": "__main__", "__file__": script}
sys.modules["__main__"].__dict__.update(main)
exec(code, sys.modules["__main__"].__dict__)
"""


@dataclass(frozen=True)
class Run:
    """What came out of a run."""

    status: int
    output: str
    errors: str
    messages: list[dict[str, Any]]

    @property
    def lines(self) -> list[str]:
        return self.output.splitlines()

    def kept(self, what: str) -> list[str]:
        """The paths that were said to be kept back under this name."""
        return [message["path"] for message in self.messages if message.get("what") == what]


def tree(folder: Path) -> dict[str, tuple[object, ...]]:
    """Names, kinds, times and bytes of everything below a folder."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(folder.rglob("*")):
        facts = path.lstat()
        if path.is_symlink():
            content: object = os.readlink(path)  # noqa: PTH115
        else:
            content = path.read_bytes() if path.is_file() else None
        found[path.relative_to(folder).as_posix()] = (facts.st_mode, facts.st_mtime_ns, content)
    return found


def run_sandboxed(
    tmp_path: Path,
    program: str,
    stand_ins: str = "auto",
    start: str = START,
    environment: dict[str, str] | None = None,
    timeout: float = 60,
) -> Run:
    """Run `program` as home/project/train.py. The test fails where anything of home changes.

    `start` may do something before the sandbox is installed, such as switching Landlock off.
    """
    project = tmp_path / "home" / "project"
    # Sockets of multiprocessing lie in it, and their paths must be short.
    work = Path(tempfile.mkdtemp(prefix="tflint-hf-"))
    (project / "data" / "deep").mkdir(parents=True, exist_ok=True)
    (project / "data" / "rows.csv").write_text("a,b\n1,2\n")
    (project / "data" / "deep" / "more.txt").write_text("more")
    if not (project / "link").is_symlink() and os.name != "nt":
        (project / "link").symlink_to("data", target_is_directory=True)
        (project / "rows-link.csv").symlink_to("data/rows.csv")
    script = project / "train.py"
    script.write_text(textwrap.dedent(program))
    before = tree(tmp_path / "home")
    channel = tmp_path / "channel"
    job = {
        "work": str(work), "root": str(project), "stand_ins": stand_ins, "channel": str(channel), "budget_seconds": 100,
    }  # fmt: skip
    home = {**os.environ, "HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "home" / ".cache")}
    done = subprocess.run(
        [PYTHON, "-c", start, str(AGENT), json.dumps(job), str(script)],
        cwd=project, env={**home, **(environment or {})}, capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip
    shutil.rmtree(work)
    after = tree(tmp_path / "home")
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    assert not changed, f"the user's files changed: {sorted(changed)}\n{done.stdout}\n{done.stderr}"
    messages = [json.loads(line) for line in channel.read_text().splitlines()]
    assert not [message for message in messages if message["kind"] == "trouble"], messages
    return Run(done.returncode, done.stdout, done.stderr, messages)
