"""Run a program once and keep what the run said, for tests that need no TensorFlow:

python scripts/record_run.py PROGRAM --python .venv/bin/python > tests/data/runs/NAME.jsonl
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from tflint_hf.dynamic.job import RunOptions
from tflint_hf.dynamic.runner import RunRecord, run_program

TEXT_KEPT = 2000
OF_THIS_MACHINE = frozenset({"pid", "platform", "took", "landlock"})
"""What tells of the machine alone."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--budget", type=float, default=300.0)
    arguments = parser.parse_args()
    record = run_program(arguments.program, RunOptions(python=arguments.python, budget_seconds=arguments.budget))
    for line in lines_of(record, Path.cwd().resolve()):
        print(json.dumps(line, ensure_ascii=False))


def lines_of(record: RunRecord, root: Path) -> list[dict[str, Any]]:
    """The messages of a run after a head that says how it ended. Paths are those below `root`."""
    head = {"ended": record.ended.value, "exit_code": record.exit_code, "seconds": round(record.seconds, 1)}
    return [head, *(trimmed(message, root) for message in record.messages)]


def trimmed(value: Any, root: Path) -> Any:
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if key not in OF_THIS_MACHINE}
        if isinstance(kept.get("at"), float):
            del kept["at"]  # a time, not a place
        return {key: trimmed(one, root) for key, one in kept.items()}
    if isinstance(value, list | tuple):
        return [trimmed(one, root) for one in value]
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, str):
        text = re.sub(r"/\S*?/site-packages/", "site-packages/", value.replace(f"{root}/", ""))
        half = TEXT_KEPT // 2
        return text if len(text) <= TEXT_KEPT else f"{text[:half]} [...] {text[-half:]}"
    return value


if __name__ == "__main__":
    main()
