"""The findings in files that are not open, for editors that list them all: a scan of what is saved, in its own process.

A process, since a scan of many files takes its time, and shall take none of that of the text that is being written.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.uris import from_fs_path

from tflint_hf.discovery import absolute
from tflint_hf.findings import Finding, Location, Severity
from tflint_hf.lsp.diagnostics import diagnostic
from tflint_hf.lsp.places import Where
from tflint_hf.lsp.positions import Lines
from tflint_hf.report.words import in_cell
from tflint_hf.source import lines_in_file

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

LOG = logging.getLogger("tflint_hf.lsp")


LONGEST_LINE = 1000
"""A longer one is that of a notebook in one line: not all of it is shown as faulty."""


class Files:
    """The texts of files on disk, as places of findings."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._known: dict[str, Where | None] = {}
        self._cells: dict[str, Mapping[int, tuple[int, ...]]] = {}

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

    def in_file(self, finding: Finding) -> Finding:
        """A finding in a cell as one in the lines of the notebook's file, which has a name before it is opened."""
        place = finding.location
        if place.cell is None:
            return finding
        whole = replace(place, cell=None)
        where = self.find(whole)
        if where is None:
            return finding
        if place.path not in self._cells:
            self._cells[place.path] = lines_in_file(where.lines.text)
        known = self._cells[place.path].get(place.cell, ())
        if place.end_line > len(known):
            return finding
        first, last = known[place.line - 1], known[place.end_line - 1]
        start, end = where.lines.line(first - 1), where.lines.line(last - 1)
        is_short = max(len(start), len(end)) <= LONGEST_LINE
        column = len(start) - len(start.lstrip()) + 1 if is_short else 1
        there = replace(
            whole, line=first, column=column, end_line=last, end_column=len(end) + 1 if is_short else column
        )
        return replace(finding, location=there, message=in_cell(finding, finding.message), fix=None)

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

    def opened(self) -> None:
        """What is open has findings of its own."""
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
            # An open text is asked for by itself. An open notebook is not: its cells have the findings now.
            notebooks = {path for path in is_open if path.suffix.lower() == ".ipynb"}
            known = {
                from_fs_path(str(path)) or path.as_uri() for path in {*self._found, *is_open} if path not in notebooks
            }
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
            shown = diagnostic(files.in_file(one), files)
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
