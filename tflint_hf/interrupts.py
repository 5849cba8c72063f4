"""Ctrl-C while modules are imported."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def deferred() -> Iterator[None]:
    """Hold an interrupt back until the end of a block of imports.

    Raised in the midst of one it can get lost in a callback of the import system, or leave half a module behind.
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    caught: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _frame: caught.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if caught:
        raise KeyboardInterrupt


def end_quietly() -> None:
    """Let an interrupt end this process at once: a worker has nothing to say about it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
