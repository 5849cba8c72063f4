"""Fixing what a scan finds, until there is nothing left to fix."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tflint_hf.discovery import SUFFIXES, absolute
from tflint_hf.editing.document import NotEditableError, open_document
from tflint_hf.editing.edits import disjoint, edited
from tflint_hf.engine import scan
from tflint_hf.source import SourceError, read_bytes, source_from_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tflint_hf.engine import ScanOptions
    from tflint_hf.findings import Edit, Finding, Safety, ScanResult

MAX_PASSES = 10
"""A fix may make room for the next one. More passes than this only fixes that undo each other would need."""
NOT_PYTHON = "it would leave text that is not Python"


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after. `display` is its name in reports."""

    path: Path
    display: str
    before: bytes
    after: bytes


@dataclass(frozen=True, slots=True)
class Fixed:
    """What was fixed. `refused` are fixes that were not made, with the reason.

    `result` is what a scan says of the changed programs, and of other files (lists of requirements) as they were.
    """

    changes: tuple[Change, ...]
    findings: tuple[Finding, ...]
    result: ScanResult
    refused: tuple[tuple[Finding, str], ...]


def fix(
    paths: Sequence[Path],
    options: ScanOptions,
    safeties: frozenset[Safety],
    progress: Callable[[int, int], None] | None = None,
) -> Fixed:
    """The files of a scan without the faults that fixes of these kinds mend. Nothing is written.

    Each pass makes all fixes that do not touch each other; of two that clash the first is made, and the other one in
    the next pass, if it is still called for. Raises as `scan` does.
    """
    texts = _Texts(options)
    result = scan(paths, options, progress)
    fixed: list[Finding] = []
    refused: dict[tuple[str, Edit], tuple[Finding, str]] = {}
    for _ in range(MAX_PASSES):
        wanted = [f for f in result.findings if f.fix is not None and f.fix.safety in safeties]
        unmade = [f for f in wanted if (f.code, _first(f)) not in refused and not texts.is_settled(f)]
        chosen, _clashing = disjoint(unmade)
        made, failed = texts.make(chosen)
        refused.update({(finding.code, _first(finding)): (finding, why) for finding, why in failed})
        if not made:
            break
        fixed += made
        result = scan(paths, texts.options(), progress)
    return Fixed(texts.changes(), tuple(fixed), result, tuple(refused.values()))


def _first(finding: Finding) -> Edit:
    assert finding.fix is not None
    return finding.fix.edits[0]


class _Texts:
    """The contents of files as they become."""

    def __init__(self, options: ScanOptions) -> None:
        self._options = options
        self._before: dict[str, bytes] = {}
        self._after: dict[str, bytes] = {}
        if options.stdin is not None:
            text, name = options.stdin
            self._before[name] = self._after[name] = text.encode("utf-8", "surrogatepass")

    def options(self) -> ScanOptions:
        """Those of a scan that reads the contents as they are now."""
        if self._options.stdin is not None:
            name = self._options.stdin[1]
            return replace(self._options, stdin=(self._after[name].decode("utf-8", "surrogatepass"), name))
        unsaved = {absolute(name): content for name, content in self._after.items()}
        return replace(self._options, unsaved={**self._options.unsaved, **unsaved})

    def changes(self) -> tuple[Change, ...]:
        return tuple(
            Change(absolute(name), name, self._before[name], after)
            for name, after in sorted(self._after.items())
            if after != self._before[name]
        )

    def is_settled(self, finding: Finding) -> bool:
        """Whether it is about another file that was changed already: a scan knows only what is saved of those."""
        if self._options.stdin is not None:
            return False
        names = {edit.location.path for edit in _edits(finding)}
        return any(not is_program(absolute(name)) and name in self._after for name in names)

    def make(self, findings: Sequence[Finding]) -> tuple[list[Finding], list[tuple[Finding, str]]]:
        """Make disjoint fixes. Gives those that were made, and the others with the reason."""
        after, troubles = self._edited(findings)
        if not troubles:
            self._after.update(after)
            return list(findings), []
        made: list[Finding] = []
        failed: list[tuple[Finding, str]] = []
        for finding in findings:
            if any(edit.location.path in troubles for edit in _edits(finding)):
                after, trouble = self._edited([*made, finding])
                if trouble:
                    failed.append((finding, next(iter(trouble.values()))))
                    continue
            made.append(finding)
        self._after.update(self._edited(made)[0])
        return made, failed

    def _edited(self, findings: Sequence[Finding]) -> tuple[dict[str, bytes], dict[str, str]]:
        """The contents after these fixes, and for files that cannot take theirs, why."""
        by_file: dict[str, dict[int | None, list[Edit]]] = {}
        for finding in findings:
            for edit in _edits(finding):
                by_file.setdefault(edit.location.path, {}).setdefault(edit.location.cell, []).append(edit)
        after: dict[str, bytes] = {}
        troubles: dict[str, str] = {}
        for name, edits in by_file.items():
            try:
                after[name] = self._file_edited(name, edits)
            except (NotEditableError, SourceError) as error:
                troubles[name] = str(error)
        return after, troubles

    def _file_edited(self, name: str, edits: Mapping[int | None, Sequence[Edit]]) -> bytes:
        path = absolute(name)
        if name not in self._after:
            unsaved = self._options.unsaved.get(path)
            self._before[name] = self._after[name] = read_bytes(path) if unsaved is None else unsaved
        document = open_document(self._after[name], path)
        texts = {cell: edited(document.texts.get(cell, ""), some) for cell, some in edits.items()}
        after = document.with_texts(texts)
        if is_program(path) and not parses_as_well(self._after[name], after, path):
            raise NotEditableError(NOT_PYTHON)
        return after


def _edits(finding: Finding) -> tuple[Edit, ...]:
    return finding.fix.edits if finding.fix is not None else ()


def is_program(path: Path) -> bool:
    """Whether a scan reads the file as code, and not as a list of requirements."""
    return path.suffix.lower() in SUFFIXES


def parses_as_well(before: bytes, after: bytes, path: Path) -> bool:
    """Whether all that was Python still is."""
    from tflint_hf.static.parsing import parse_source

    sources = [source_from_bytes(content, path, "") for content in (before, after)]
    one, other = map(parse_source, sources)
    broken = [sum(not_python(fragment.text) is not None for fragment in source.fragments) for source in sources]
    return len(other.units) >= len(one.units) and len(other.problems) <= len(one.problems) and broken[1] <= broken[0]


def not_python(text: str) -> str | None:
    """What Python says against a text; None if it compiles, which asks more than a tree: no argument twice."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except SyntaxError as error:
        return f"{error.msg} (line {error.lineno})"
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return str(error)
    return None
