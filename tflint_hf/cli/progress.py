"""A progress bar for scans that take longer than a moment, and a line that says what a run is doing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tflint_hf.dynamic.status import words_for

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Any

    from rich.progress import Progress, TaskID
    from rich.status import Status

PATIENCE_SECONDS = 1.0


class ProgressBar:
    """Appears on standard error once a scan has taken longer than PATIENCE_SECONDS, and leaves nothing behind."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> ProgressBar:
        return self

    def __call__(self, done: int, total: int) -> None:
        if self._bar is None and time.monotonic() - self._start > PATIENCE_SECONDS:
            from rich.console import Console
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("Scanning", total=total)
            self._bar.start()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, total=total)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


class RunStatus:
    """One line on standard error, as long as a run lasts."""

    def __init__(self, *, shown: bool) -> None:
        self._shown = shown
        self._status: Status | None = None
        self._program = ""

    def __enter__(self) -> RunStatus:
        if self._shown:
            from rich.console import Console

            self._status = Console(stderr=True).status("starting the program")
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def begin(self, program: str, number: int, total: int) -> None:
        """Say which program of several runs now."""
        self._program = f"{number} of {total}, {program}: "
        if self._status is not None:
            self._status.update(f"{self._program}starting")

    def listen(self, message: Mapping[str, Any]) -> None:
        """Say what the run does by now, from what it says itself."""
        words = words_for(message)
        if self._status is not None and words is not None:
            self._status.update(self._program + words)
