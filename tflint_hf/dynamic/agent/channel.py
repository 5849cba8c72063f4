"""The agent's way to speak: JSON lines, appended to a file that the parent follows.

A file and not a pipe: a line that is written survives the death of the process, and a slow reader blocks nobody.
"""

import json
import os
import threading
import time


class Channel:
    """Only the process that opened it speaks; its forks are silent."""

    def __init__(self, path):
        self._file = open(path, "a", encoding="utf-8", buffering=1)  # noqa: SIM115
        self._owner = os.getpid()
        self._start = time.monotonic()
        self._lock = threading.RLock()
        self._said = set()

    def send(self, kind, **facts):
        """Say one thing. Numbers of numpy and other objects are written as the nearest of JSON."""
        if os.getpid() != self._owner:
            return
        facts["kind"] = kind
        facts["seconds"] = round(time.monotonic() - self._start, 3)
        line = json.dumps(facts, default=plain, ensure_ascii=True)
        with self._lock:
            self._file.write(line + "\n")
            self._file.flush()

    def trouble(self, where, error):
        """Say once that a part of the agent itself failed; the program goes on."""
        text = f"{where}: {type(error).__name__}: {error}"
        if text not in self._said:
            self._said.add(text)
            self.send("trouble", where=where, error=text[:2000])


def plain(value):
    """A value as JSON can hold it."""
    for convert in ("item", "tolist"):
        if hasattr(value, convert):
            try:
                return getattr(value, convert)()
            except Exception:
                continue
    if hasattr(value, "numpy"):
        try:
            return plain(value.numpy())
        except Exception:
            return str(value)
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)
