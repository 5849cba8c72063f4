"""How long the language server takes from a change to its diagnostics, beside a plain scan of the same text.

    python scripts/lsp_latency.py [--changes 40] [SCRIPT]

The time in which the server waits whether more is typed (the debounce) is counted apart. Without a script one of about
300 lines is made of the lesson in fixtures/course, each function a training. Needs the extras `lsp` and `dev`.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "lsp")]

from editor import connected  # noqa: E402
from lsprotocol import types  # noqa: E402

from tflint_hf.engine import ScanOptions, scan  # noqa: E402
from tflint_hf.lsp.session import DEBOUNCE_SECONDS  # noqa: E402

LINES = 300


def program() -> str:
    """The lesson over and over, as functions of one script."""
    lesson = (ROOT / "fixtures" / "course" / "train.py").read_text(encoding="utf-8").splitlines()
    parts: list[str] = []
    while len(parts) < LINES:
        parts += [f"def train_{len(parts)}():", *(f"    {line}" if line else "" for line in lesson), ""]
    return "\n".join(parts) + "\n"


async def latencies(text: str, changes: int) -> tuple[list[float], int]:
    """Seconds from each change to its diagnostics, and how many diagnostics there are."""
    with tempfile.TemporaryDirectory() as folder:
        async with connected(Path(folder)) as editor:
            arrived = asyncio.Event()
            publish = editor.client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS]

            def note(params: types.PublishDiagnosticsParams) -> None:
                publish(params)
                if params.version == editor.versions[params.uri]:
                    arrived.set()

            editor.client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = note
            uri = editor.open("train.py", text)
            await arrived.wait()
            last = text.count("\n")
            taken = []
            for number in range(changes):
                arrived.clear()
                start = time.perf_counter()
                here = types.Position(last, number)
                editor.change(uri, "#", types.Range(here, here))
                await asyncio.wait_for(arrived.wait(), 60)
                taken.append(time.perf_counter() - start)
            return taken, len(editor.client.diagnostics[uri])


def plain_scans(text: str, number: int) -> list[float]:
    """Seconds of scans in this process, the first one left out."""
    taken = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.py"
        path.write_text(text, encoding="utf-8")
        for count in range(number + 1):
            unsaved = {path: (text + "#" * count).encode()}
            start = time.perf_counter()
            scan((path,), ScanOptions(jobs=1, unsaved=unsaved))
            taken.append(time.perf_counter() - start)
    return taken[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("script", nargs="?", type=Path)
    parser.add_argument("--changes", type=int, default=40)
    given = parser.parse_args()
    text = given.script.read_text(encoding="utf-8") if given.script else program()
    text = text if text.endswith("\n") else text + "\n"
    taken, shown = asyncio.run(latencies(text, given.changes))
    plain = statistics.median(plain_scans(text, given.changes))
    median = statistics.median(taken) - DEBOUNCE_SECONDS
    print(f"{text.count(chr(10))} lines, {shown} diagnostics, {len(taken)} changes")
    print(f"debounce           {DEBOUNCE_SECONDS * 1000:6.1f} ms")
    print(f"change to findings {median * 1000:6.1f} ms more at the median", end="")
    print(f", {(max(taken) - DEBOUNCE_SECONDS) * 1000:.1f} ms at most")
    print(f"plain scan         {plain * 1000:6.1f} ms at the median: a ratio of {median / plain:.2f}")


if __name__ == "__main__":
    main()
