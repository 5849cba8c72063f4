"""Which files a scan reads, and the cheap look at their bytes that tells training code from the rest."""

from __future__ import annotations

import errno
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tflint_hf.findings import ScanError
from tflint_hf.ignore_files import IgnoreRules, directory_rules, rules_above

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SUFFIXES = frozenset({".py", ".ipynb", ".md", ".mdx", ".markdown"})

DEFAULT_EXCLUDE = (
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".git-rewrite",
    ".hg",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pants.d",
    ".pyenv",
    ".pytest_cache",
    ".pytype",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    ".vscode",
    "__pycache__",
    "__pypackages__",
    "_build",
    "buck-out",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
)
"""Ruff's defaults, and the caches of Python and pytest."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file to look at. `explicit`: the user named it, it was not found in a folder."""

    path: Path
    display: str
    explicit: bool


def discover(
    paths: Sequence[Path],
    *,
    exclude: Sequence[str] | None,
    extend_exclude: Sequence[str],
    force_exclude: bool,
    respect_gitignore: bool,
    root: Path,
) -> tuple[list[Candidate], list[ScanError]]:
    """The files that `paths` name or hold, each once and in the order of their names, and what could not be looked at.

    The patterns are those of .gitignore, relative to `root`; None for `exclude` means the defaults. What the user
    names is scanned even if it is excluded or ignored, unless `force_exclude`, which counts for exclusions only.
    """
    patterns = DEFAULT_EXCLUDE if exclude is None else tuple(exclude)
    root = absolute(root)
    excluded = IgnoreRules.parse(root, [_relative_pattern(pattern, root) for pattern in (*patterns, *extend_exclude)])
    candidates: dict[str, Candidate] = {}
    errors: dict[str, ScanError] = {}

    def fail(path: Path, message: str) -> None:
        shown = display_path(path)
        errors.setdefault(shown, ScanError(shown, message))

    def add(path: Path, *, explicit: bool) -> None:
        prefer(candidates, Candidate(path, display_path(path), explicit))

    for path in sorted(map(absolute, paths)):
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError) as error:
            if _leads_nowhere(error):
                fail(path, "is a link to a file that does not exist" if path.is_symlink() else "no such file or folder")
            else:
                fail(path, f"cannot be looked at: {_reason(error)}")
            continue
        if force_exclude and excluded.ignores_with_parents(path, is_folder=stat.S_ISDIR(mode)):
            continue
        if stat.S_ISREG(mode):
            add(path, explicit=True)
        elif stat.S_ISDIR(mode):
            for found in _walk(path, excluded, respect_gitignore=respect_gitignore):
                if isinstance(found, Path):
                    add(found, explicit=False)
                else:
                    fail(*found)
        else:
            fail(path, "is neither a regular file nor a folder")
    found_files = sorted(candidates.values(), key=lambda candidate: (candidate.display, str(candidate.path)))
    return found_files, sorted(errors.values())


def prefer(candidates: dict[str, Candidate], candidate: Candidate) -> None:
    """Add a file to those by their real paths. Of several names for one file the best one stays: what the user named
    comes first, then the file itself before a link to it, then the first in order."""
    identity = os.path.realpath(candidate.path)
    known = candidates.get(identity)
    candidates[identity] = candidate if known is None else min(known, candidate, key=_rank)


def _rank(candidate: Candidate) -> tuple[bool, bool, bool, str]:
    through_a_link = str(candidate.path) != os.path.realpath(candidate.path)
    return not candidate.explicit, candidate.path.is_symlink(), through_a_link, candidate.display


def display_path(path: Path) -> str:
    """The path as reports print it: relative to the working directory if below it, with forward slashes."""
    whole = absolute(path)
    try:
        shown = whole.relative_to(Path.cwd())
    except ValueError:
        shown = whole
    # A name that is not UTF-8 must not break a report.
    return os.fsencode(shown.as_posix()).decode("utf-8", "replace")


def absolute(path: Path | str) -> Path:
    """The path from the root, by the names that the user knows."""
    # resolve() would follow links, and a report would not say the name that the user knows.
    return Path(os.path.abspath(path))  # noqa: PTH100


def _relative_pattern(pattern: str, root: Path) -> str:
    """An exclusion as .gitignore would spell it: absolute paths and `./` are understood too."""
    folder = root.as_posix().rstrip("/") + "/"
    if pattern.startswith(folder):
        return "/" + pattern[len(folder) :]
    return pattern[1:] if pattern.startswith("./") else pattern


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _leads_nowhere(error: Exception) -> bool:
    """Whether there is no file: no such name, or a link to none, or to itself."""
    return isinstance(error, OSError) and error.errno in {errno.ENOENT, errno.ELOOP}


def _walk(top: Path, excluded: IgnoreRules, *, respect_gitignore: bool) -> Iterator[Path | tuple[Path, str]]:
    """The files of ours below `top`, and (path, message) for what cannot be looked at.

    Links to folders are not followed, so that no loop is possible; a link to a file is that file. One that leads
    nowhere is nothing to scan: a checkout may hold links to data that is elsewhere.
    """
    inherited = rules_above(top) if respect_gitignore else ()
    pending: list[tuple[Path, tuple[IgnoreRules, ...]]] = [(top, inherited)]
    while pending:
        folder, rules = pending.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            yield folder, f"the folder cannot be read: {_reason(error)}"
            continue
        if respect_gitignore:
            rules = directory_rules(folder, {entry.name for entry in entries}, rules)
        for entry in entries:
            is_ours = Path(entry.name).suffix.lower() in SUFFIXES
            is_folder = entry.is_dir(follow_symlinks=False)
            if not (is_ours or is_folder):
                continue
            path = Path(entry.path)
            verdicts = (level.verdict(path, is_folder=is_folder) for level in reversed(rules))
            if excluded.verdict(path, is_folder=is_folder) or next((v for v in verdicts if v is not None), False):
                continue
            if is_folder:
                pending.append((path, rules))
                continue
            try:
                mode = entry.stat().st_mode
            except OSError as error:
                if not _leads_nowhere(error):
                    yield path, f"cannot be looked at: {_reason(error)}"
                continue
            if stat.S_ISREG(mode):
                yield path


_WORDS = (
    b"tensorflow",
    b"keras",
    b"load_metric",
    b"create_optimizer",
    b"_tf_dataset",
    b"AdamWeightDecay",
    b"PushToHubCallback",
)
_TF_CLASS = re.compile(rb"\bTF[A-Z]\w")
_IMPORT = re.compile(rb"import\b[ \t]*(\([^)]{0,2000}|[^\n\"#]*)")
_BEFORE_IMPORT = re.compile(rb"[ \t>.]*(?:from[ \t.]+([\w.]*)[ \t]*)?")
_LONGEST_IMPORT = 500
_NAME = re.compile(rb"\w+")


def may_hold_training_code(raw: bytes) -> bool:
    """Whether a file with this content can hold anything that a rule looks at. Cheap, and never wrongly False."""
    return any(word in raw for word in _WORDS) or (b"TF" in raw and _TF_CLASS.search(raw) is not None)


def imported_stems(raw: bytes) -> frozenset[str]:
    """All names that may be modules in the import lines of this content: a file that never says TensorFlow is of
    interest when it imports a file that does."""
    names: set[bytes] = set()
    for statement in _IMPORT.finditer(raw):
        end = statement.start()
        window = max(0, end - _LONGEST_IMPORT)
        # A line of a notebook begins after a quote, or after an escaped line feed.
        marks = ((raw.rfind(mark, window, end), len(mark)) for mark in (b"\n", b'"', b"\\n"))
        start = max((found + length for found, length in marks if found >= 0), default=window)
        before = _BEFORE_IMPORT.fullmatch(raw, start, end)
        if before:
            names.update(_NAME.findall(before[1] or b""), _NAME.findall(statement[1]))
    return frozenset(name.decode("utf-8", "ignore") for name in names)
