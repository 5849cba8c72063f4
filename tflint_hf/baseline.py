"""A baseline: a file of the findings that a project lives with, so that a scan reports only new ones."""

from __future__ import annotations

import json
import os
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tflint_hf.config import find_config, load_config
from tflint_hf.discovery import SUFFIXES
from tflint_hf.editing.files import write_bytes
from tflint_hf.identity import Identity, identities, snippet_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tflint_hf.findings import Finding, ScanResult
    from tflint_hf.identity import Texts

FILE_NAME = "tflint-hf-baseline.json"
TOOL = "tflint-hf"
VERSION = 1
WRITE_AGAIN = "write it again with --write-baseline"


class BaselineError(Exception):
    """The file cannot be used as a baseline. The message names it."""


@dataclass(frozen=True, order=True, slots=True)
class Entry:
    """Findings that a baseline knows: `count` of them are equal. `path` is relative to the baseline's folder."""

    path: str
    rule: str
    snippet: str
    count: int = 1

    @property
    def key(self) -> tuple[str, str, str]:
        return self.path, self.rule, snippet_key(self.snippet)


@dataclass(frozen=True, slots=True)
class Baseline:
    """The content of a baseline file."""

    path: Path
    entries: tuple[Entry, ...] = ()

    def split(self, findings: Sequence[Finding], texts: Texts) -> tuple[list[Finding], list[Finding]]:
        """The findings that are new, and those that the baseline knows. Of equal ones the first are known."""
        counts = {entry.key: entry.count for entry in self.entries}
        new: list[Finding] = []
        known: list[Finding] = []
        names = _Names(self.path)
        for finding, identity in zip(findings, identities(findings, texts), strict=True):
            count = counts.get((names.of(identity.path), identity.rule, identity.key), 0)
            (known if identity.position < count else new).append(finding)
        return new, known

    def stale(self, result: ScanResult, paths: Sequence[Path]) -> tuple[Entry, ...]:
        """The entries that no finding matches any more, with how many of each are too many.

        `paths` are the files and folders that were scanned. What was not scanned, or for other rules only, is not
        stale.
        """
        found = Counter(
            (entry.path, entry.rule, snippet_key(entry.snippet))
            for entry in _entries(self.path, result)
            for _ in range(entry.count)
        )
        scope = _Scope(self.path, result, paths)
        return tuple(
            Entry(entry.path, entry.rule, entry.snippet, entry.count - found[entry.key])
            for entry in self.entries
            if entry.count > found[entry.key] and scope.covers(entry)
        )

    def updated(self, result: ScanResult, paths: Sequence[Path]) -> Baseline:
        """The baseline of all that this scan found. Entries that it says nothing about stay."""
        scope = _Scope(self.path, result, paths)
        found = {entry.key: entry for entry in _entries(self.path, result)}
        kept = [entry for entry in self.entries if entry.key not in found and not scope.covers(entry)]
        return Baseline(self.path, tuple(sorted((*kept, *found.values()))))

    def save(self) -> None:
        """Write the file, at once. Raises BaselineError."""
        lines = ",\n".join(f"    {_line(entry)}" for entry in sorted(self.entries))
        listed = f"[\n{lines}\n  ]" if lines else "[]"
        text = f'{{\n  "tool": "{TOOL}",\n  "version": {VERSION},\n  "findings": {listed}\n}}\n'
        try:
            write_bytes(self.path, text.encode("utf-8"))
        except OSError as error:
            raise BaselineError(f"{self.path}: cannot be written: {error.strerror or error}") from None


def load(path: Path) -> Baseline:
    """The baseline in a file. Raises BaselineError; FileNotFoundError for a file that is not there."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        content = json.loads(text)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise BaselineError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise BaselineError(f"{path}: is not valid UTF-8") from None
    except json.JSONDecodeError as error:
        merged = " (a merge left its marks: resolve it)" if "\n<<<<<<< " in f"\n{text}" else ""
        raise BaselineError(f"{path}:{error.lineno}: is not valid JSON: {error.msg.lower()}{merged}") from None
    except RecursionError:
        raise BaselineError(f"{path}: is nested too deeply") from None
    return Baseline(path, tuple(_read(path, content)))


def of_configuration(path: Path) -> Baseline | None:
    """The baseline that the configuration of a program names. Raises BaselineError and ConfigError."""
    found = find_config(path)
    named = load_config(found).baseline if found is not None else None
    if named is None:
        return None
    try:
        return load(named)
    except FileNotFoundError:
        raise BaselineError(f"{named}: there is no such baseline: write it with --write-baseline") from None


def _read(path: Path, content: object) -> Iterator[Entry]:
    if not isinstance(content, dict) or content.get("tool") != TOOL or "findings" not in content:
        raise BaselineError(f"{path}: is not a baseline of {TOOL}")
    version = content.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise BaselineError(f"{path}: `version` must be a number, not {version!r}")
    if version > VERSION:
        raise BaselineError(f"{path}: version {version} was written by a newer {TOOL}: this one reads {VERSION}")
    findings = content["findings"]
    if not isinstance(findings, list):
        raise BaselineError(f"{path}: `findings` must be a list")
    known: dict[tuple[str, str, str], Entry] = {}
    for number, item in enumerate(findings, 1):
        entry = _entry(item)
        if entry is None:
            form = '{"path": "train.py", "rule": "TFL001", "snippet": "...", "count": 1}'
            raise BaselineError(f"{path}: finding {number} has not the form {form}")
        # Two branches that know the same finding, merged line by line.
        if entry.key not in known or known[entry.key].count < entry.count:
            known[entry.key] = entry
    yield from known.values()


def _entry(item: object) -> Entry | None:
    if not isinstance(item, dict):
        return None
    path, rule, snippet, count = (item.get(key) for key in ("path", "rule", "snippet", "count"))
    count = 1 if count is None else count
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        return None
    if not isinstance(path, str) or not isinstance(rule, str) or not isinstance(snippet, str):
        return None
    return Entry(path, rule, snippet, count)


def _line(entry: Entry) -> str:
    fields: dict[str, Any] = {"path": entry.path, "rule": entry.rule, "snippet": entry.snippet}
    if entry.count > 1:
        fields["count"] = entry.count
    text = json.dumps(fields, ensure_ascii=False)
    return text if _is_utf8(text) else json.dumps(fields)


def _is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _entries(path: Path, result: ScanResult) -> Iterator[Entry]:
    """What a baseline at `path` would say of all that a scan found, hidden or not."""
    findings = sorted((*result.findings, *result.known), key=lambda finding: finding.sort_key)
    names = _Names(path)
    groups: dict[tuple[str, str, str], list[Identity]] = {}
    for identity in identities(findings, result.sources):
        groups.setdefault((names.of(identity.path), identity.rule, identity.key), []).append(identity)
    for (name, rule, _key), some in groups.items():
        yield Entry(name, rule, some[0].snippet, len(some))


class _Names:
    """The names of files in a baseline, from those in reports."""

    def __init__(self, baseline: Path) -> None:
        self._folder = os.path.realpath(baseline.parent)
        self._known: dict[str, str] = {}

    def of(self, shown: str) -> str:
        if shown not in self._known:
            whole = os.path.abspath(shown)  # noqa: PTH100 - links to files keep their names
            folder, name = os.path.split(whole)
            whole = os.path.join(os.path.realpath(folder), name)  # noqa: PTH118
            with suppress(ValueError):  # another drive
                whole = os.path.relpath(whole, self._folder)
            self._known[shown] = whole.replace(os.sep, "/")
        return self._known[shown]


class _Scope:
    """What a scan can say about the entries of a baseline."""

    def __init__(self, baseline: Path, result: ScanResult, paths: Iterable[Path]) -> None:
        names = _Names(baseline)
        self._folder = baseline.parent
        self._checked: Mapping[str, frozenset[str]] = {names.of(path): codes for path, codes in result.checked.items()}
        self._unread = {names.of(error.path) for error in result.errors}
        self._rules = frozenset().union(*result.checked.values())
        self._below = tuple(os.path.realpath(path) for path in paths if path.is_dir())

    def covers(self, entry: Entry) -> bool:
        """Whether a finding like that would have been found."""
        if entry.path in self._checked:
            return entry.rule in self._checked[entry.path]
        there = os.path.normpath(os.path.join(os.path.realpath(self._folder), entry.path))  # noqa: PTH118
        below = any(there.startswith(folder.rstrip(os.sep) + os.sep) for folder in self._below)
        if entry.path in self._unread or not below:
            return False
        if not os.path.lexists(there):
            return True  # the file is gone, or has another name
        # Lists of requirements are read with the programs that they are for.
        return Path(there).suffix.lower() not in SUFFIXES and entry.rule in self._rules
