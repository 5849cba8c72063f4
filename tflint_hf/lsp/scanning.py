"""The scan of one open document, together with the files that it forms a program with."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.baseline import of_configuration
from tflint_hf.discovery import absolute, display_path
from tflint_hf.engine import ScanOptions, scan
from tflint_hf.programs import programs
from tflint_hf.source import SourceError, read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tflint_hf.findings import Finding, ScanResult
    from tflint_hf.lsp.documents import Subject

MOST_FILES = 12
"""A program of more files is not scanned as a whole at each change: then its other files are only read."""
MOST_SIBLINGS = 200


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a scan says of one document.

    `name` is the document's path in findings. `files` are those of its program: a change of one of them calls for
    another scan. `elsewhere` are findings in files that nobody opens to see them, as lists of requirements.
    """

    name: str
    findings: tuple[Finding, ...]
    elsewhere: Mapping[Path, tuple[Finding, ...]]
    files: frozenset[Path]
    result: ScanResult


def scan_subject(subject: Subject, unsaved: Mapping[Path, bytes], *, rule_paths: bool) -> Scanned:
    """Scan a document. `unsaved` are the contents of all open ones, by path. Raises as `scan` does, and
    BaselineError."""
    options, paths, name = how_to_scan(subject, unsaved, rule_paths=rule_paths)
    files = frozenset({subject.path})
    if paths:
        files = program_of(subject.path, unsaved)
        others = files if len(files) <= MOST_FILES else files & unsaved.keys()
        paths = (subject.path, *sorted(others - {subject.path}))
    result = scan(paths, options)
    elsewhere: dict[Path, list[Finding]] = {}
    for finding in result.findings:
        path = absolute(finding.location.path)
        if path.suffix in {".txt", ".in"} and path not in unsaved:
            elsewhere.setdefault(path, []).append(finding)
    return Scanned(
        name,
        tuple(finding for finding in result.findings if finding.location.path == name),
        {path: tuple(findings) for path, findings in elsewhere.items()},
        files,
        result,
    )


def how_to_scan(
    subject: Subject, unsaved: Mapping[Path, bytes], *, rule_paths: bool
) -> tuple[ScanOptions, tuple[Path, ...], str]:
    """The options and paths for a scan of a document alone, and its name in the findings.

    What has no file is scanned as a text. What is open is checked unless the project excludes it.
    """
    if subject.path.is_file():
        known = of_configuration(subject.path)
        options = ScanOptions(force_exclude=True, jobs=1, unsaved=unsaved, config_rule_paths=rule_paths, baseline=known)
        return options, (subject.path,), display_path(subject.path)
    name = str(subject.path)
    text = subject.content.decode("utf-8", "replace")
    return ScanOptions(jobs=1, stdin=(text, name), config_rule_paths=rule_paths), (), name


def program_of(path: Path, unsaved: Mapping[Path, bytes]) -> frozenset[Path]:
    """The files beside a file, and the open ones, that belong to its program, itself among them."""
    contents = {**_siblings(path.parent), **unsaved}
    return next((frozenset(p.files) for p in programs(contents, [path]) if path in p.files), frozenset({path}))


def _siblings(folder: Path) -> dict[Path, bytes]:
    found = {}
    try:
        paths = sorted(folder.glob("*.py"))[:MOST_SIBLINGS]
    except OSError:
        return {}
    for path in paths:
        try:
            status = path.stat()
            found[path] = _content(path, status.st_mtime_ns, status.st_size)
        except (OSError, SourceError):
            continue
    return found


@functools.lru_cache(maxsize=4 * MOST_SIBLINGS)
def _content(path: Path, _changed: int, _size: int) -> bytes:
    return read_bytes(path)
