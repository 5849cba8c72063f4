"""A progress bar for scans that take longer than a moment."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, TaskID

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
