"""How long a run of the course's script takes, against importing TensorFlow and transformers alone.

Both are measured in turn, in fresh processes on the same machine: `python scripts/course_benchmark.py`. Needs the extra
`confirm`. Prints the medians and their ratio.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

PROGRAM = Path(__file__).parent.parent / "fixtures" / "course" / "train.py"
IMPORTS = "import tensorflow, transformers; transformers.TFDistilBertForSequenceClassification"


def seconds(command: list[str], *codes: int) -> float:
    """The time that a command takes. Raises if it ends with another exit code."""
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode not in codes:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has TensorFlow")
    options = parser.parse_args()
    imports, runs = [], []
    for _ in range(options.rounds):
        imports.append(seconds([options.python, "-c", IMPORTS], 0))
        confirm = [sys.executable, "-m", "tflint_hf", "confirm", "--python", options.python, str(PROGRAM)]
        runs.append(seconds(confirm, 1))
    alone, run = statistics.median(imports), statistics.median(runs)
    print(f"imports alone {alone:.1f} s, the run {run:.1f} s: {run / alone:.2f} times (medians of {options.rounds})")


if __name__ == "__main__":
    main()
