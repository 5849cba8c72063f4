"""The agent's way to speak: JSON lines, appended to a file that the parent follows.

A file and not a pipe: a line that is written survives the death of the process, and a slow reader blocks nobody.
"""

import json
import os
import threading
from os import fstat, getpid, write  # a program may put its own in the place of these
from os import open as open_file
from time import monotonic


class Channel:
    """Only the process that opened it speaks; its forks are silent."""

    def __init__(self, path):
        self._path = path
        self._flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        self._open()
        self._owner = getpid()
        self._start = monotonic()
        self._lock = threading.RLock()
        self._said = set()
        self._encode = json.JSONEncoder(default=plain, ensure_ascii=True).encode

    def _open(self):
        self._file = open_file(self._path, self._flags, 0o600)
        self._identity = self._identity_of(self._file)

    @staticmethod
    def _identity_of(descriptor):
        try:
            facts = fstat(descriptor)
        except OSError:
            return None
        return facts.st_dev, facts.st_ino

    def send(self, kind, **facts):
        """Say one thing. Numbers of numpy and other objects are written as the nearest of JSON."""
        if getpid() != self._owner:
            return
        facts["kind"] = kind
        facts["seconds"] = round(monotonic() - self._start, 3)
        rest = (self._encode(facts) + "\n").encode("ascii")
        with self._lock:
            # A program that closes all descriptors may have a file of its own at this number by now.
            if self._identity_of(self._file) != self._identity:
                self._open()
            while rest:
                rest = rest[write(self._file, rest) :]

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
