"""The findings in files that are not open, for editors that list them all: a scan of what is saved, in its own process.

A process, since a scan of many files takes its time, and shall take none of that of the text that is being written.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.uris import from_fs_path

from tflint_hf.discovery import absolute
from tflint_hf.findings import Finding, Location, Severity
from tflint_hf.lsp.diagnostics import diagnostic
from tflint_hf.lsp.places import Where
from tflint_hf.lsp.positions import Lines

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

LOG = logging.getLogger("tflint_hf.lsp")


class Files:
    """The texts of files on disk, as places of findings."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._known: dict[str, Where | None] = {}

    def find(self, location: Location) -> Where | None:
        """The text of a location; None for a cell of a notebook, whose name only the editor knows."""
        if location.cell is None and location.path not in self._known:
            path = absolute(location.path)
            try:
                text = path.read_bytes().decode("utf-8-sig", "replace")
                uri = from_fs_path(str(path)) or path.as_uri()
                self._known[location.path] = Where(uri, None, Lines(text, self._encoding))
            except OSError:
                self._known[location.path] = None
        return None if location.cell is not None else self._known[location.path]

    def link(self, location: Location) -> types.Location | None:
        """A location as the editor goes to it."""
        where = self.find(location)
        return None if where is None else types.Location(where.uri, where.lines.range(location))


class Workspace:
    """Answers what is found in the folders, and holds the answer back while nothing has changed."""

    def __init__(self) -> None:
        self.rule_paths = False
        self._generation = 0
        self._scanned = -1
        self._found: dict[Path, list[types.Diagnostic]] = {}
        self._changed = asyncio.Event()
        self._lock = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None

    def outdated(self) -> None:
        """Something on disk has changed."""
        self._generation += 1
        self._changed.set()

    def close(self) -> None:
        """End a scan that is under way."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    async def reports(
        self,
        folders: Sequence[Path],
        previous: Mapping[str, str],
        which_open: Callable[[], Collection[Path]],
        encoding: str,
    ) -> list[types.WorkspaceFullDocumentDiagnosticReport]:
        """What has changed since the editor's `previous` results; as soon as anything has, unless there were none."""
        while True:
            self._changed.clear()
            async with self._lock:
                if self._scanned != self._generation:
                    generation = self._generation
                    self._found = await self._scan(folders, encoding)
                    self._scanned = generation
            reports, is_open = [], which_open()
            for path, diagnostics in self._found.items():
                uri, name = from_fs_path(str(path)) or path.as_uri(), _name(diagnostics)
                if path not in is_open and previous.get(uri) != name:
                    reports.append(types.WorkspaceFullDocumentDiagnosticReport(uri, diagnostics, result_id=name))
            known = {from_fs_path(str(path)) or path.as_uri() for path in (*self._found, *is_open)}
            reports += [types.WorkspaceFullDocumentDiagnosticReport(uri, []) for uri in sorted(previous.keys() - known)]
            if reports or not previous:
                return reports
            await self._changed.wait()

    async def _scan(self, folders: Sequence[Path], encoding: str) -> dict[Path, list[types.Diagnostic]]:
        command = ["-m", "tflint_hf", "scan", "--format", "json", "--fail-on", "never", "--quiet"]
        command += ["--"] if self.rule_paths else ["--no-rule-paths", "--"]
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, *command, *map(str, folders)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            said, errors = await self._process.communicate()
        finally:
            self.close()
        try:
            findings = json.loads(said)["findings"]
        except (ValueError, KeyError):
            LOG.error("the workspace could not be scanned: %s", errors.decode("utf-8", "replace").strip())
            return {}
        files = Files(encoding)
        found: dict[Path, list[types.Diagnostic]] = {}
        for one in map(_finding, findings):
            shown = diagnostic(one, files)
            if shown is not None:
                found.setdefault(absolute(one.location.path), []).append(shown)
        return found


def _finding(said: Mapping[str, Any]) -> Finding:
    place = Location(*(said[key] for key in ("path", "cell", "line", "column", "end_line", "end_column")))
    return Finding(
        said["code"],
        said["name"],
        Severity.parse(said["severity"]),
        said["confidence"],
        said["message"],
        said["why"],
        said["advice"],
        place,
        depends_on=said["depends_on"],
        url=said["url"],
    )


def _name(diagnostics: Sequence[types.Diagnostic]) -> str:
    """The same for the same diagnostics, also in another process."""
    return hashlib.sha256(repr(diagnostics).encode("utf-8", "replace")).hexdigest()[:16]
