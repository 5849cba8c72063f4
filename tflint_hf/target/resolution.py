"""From what the files of a project say to the versions that a scan takes for granted.

The nearest file that says something about a library speaks: a notebook's own `!pip install` (it runs right before the
code that is read), then the folders from the file upwards, then what an image installs. A bare name says that a
library is used, not which release, so the search goes on behind it. A lock file counts in its folder before the other
files; one further up counts where it agrees with the nearer range, because an installer keeps what already fits.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from tflint_hf import knowledge
from tflint_hf.target.files import FileStatement, FolderFacts, read_folder
from tflint_hf.target.statements import exact_version, holding, library_name, parse_pip_arguments

# The newest stack that still has TF classes: what is assumed where nothing is pinned.
UNKNOWN = {"transformers": "4.57.6", "tensorflow": "2.21.0", "datasets": "4.8.5"}
_LIBRARIES = tuple(UNKNOWN)
# Those whose version is worked out; of all others it only counts whether they are listed.
_WORKED_OUT = (*_LIBRARIES, "tf-keras", "keras", "pandas")
_ROOT_MARKERS = frozenset(
    {".git", "pyproject.toml", "setup.cfg", "setup.py", "environment.yml", "environment.yaml", "Pipfile"}
    | {"uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "Pipfile.lock"}
)

FolderCache = MutableMapping[Path, FolderFacts]


@dataclass(frozen=True, slots=True)
class Pin:
    """One place that says which releases of a library are allowed; `cell` is that of a notebook."""

    library: str
    specifier: str
    path: str
    line: int
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """The library versions that the rules take for granted, and how sure they are.

    `pinned` are those of the three, tf-keras and keras that something restricts, a range counts; `given` are libraries
    whose version was given by hand, on the command line or in the configuration; `listed` are all libraries that the
    project's files name, by their normalised names (a build of TensorFlow also as tensorflow). `ranges` holds for each
    pinned library the specifier that its version was taken from.
    """

    transformers: Version
    tensorflow: Version
    datasets: Version
    pinned: frozenset[str] = frozenset()
    listed: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    complete: bool = False
    allows_transformers_5: bool = True
    legacy_keras_env: bool | None = None
    pins: tuple[Pin, ...] = ()
    ranges: tuple[tuple[str, str], ...] = ()

    def version(self, library: str) -> Version | None:
        """The version of a library, None where it is neither one of the three nor pinned."""
        known = {"transformers": self.transformers, "tensorflow": self.tensorflow, "datasets": self.datasets}
        specifier = dict(self.ranges).get(library)
        return known.get(library) or (_newest(library, specifier) if specifier is not None else None)

    def satisfies(self, applies: Mapping[str, str]) -> bool:
        """Whether all versions lie in `applies`, as {"transformers": ">=4.20,<5"}. Unknown libraries lie nowhere."""
        for library, specifier in applies.items():
            version = self.version(library)
            if version is None or not SpecifierSet(specifier).contains(version, prereleases=True):
                return False
        return True

    def depends_on(self, applies: Mapping[str, str]) -> str | None:
        """The part of `applies` that the project's pins do not settle, as "tensorflow>=2.16"; None if they do."""
        ranges = dict(self.ranges)
        unsettled = [
            f"{library}{specifier}"
            for library, specifier in applies.items()
            if not _settles(library, ranges.get(library), specifier)
        ]
        return ", ".join(unsettled) or None


def pins_in_text(requirement: str, path: str, line: int, cell: int | None) -> list[Pin]:
    """What an install command or a metadata block of a program itself pins."""
    said = holding(parse_pip_arguments(requirement))
    return [Pin(s.library, s.specifier, path, line, cell) for s in said if s.library in _LIBRARIES and s.specifier]


def unknown_target() -> Target:
    """The target of code about whose libraries nothing is known."""
    versions = {library: Version(text) for library, text in UNKNOWN.items()}
    return Target(versions["transformers"], versions["tensorflow"], versions["datasets"])


def project_root(folder: Path) -> Path:
    """The nearest folder upwards that holds a repository or a dependency list, `folder` itself if there is none."""
    for candidate in (folder, *folder.parents):
        try:
            names = os.listdir(candidate)  # noqa: PTH208 - names alone are needed
        except OSError:
            continue
        for name in names:
            if name in _ROOT_MARKERS or (name.startswith("requirements") and name.endswith(".txt")):
                return candidate
    return folder


def find_target(
    folder: Path,
    *,
    stop: Path,
    overrides: Mapping[str, str] | None = None,
    notebook_requirements: Sequence[str] = (),
    cache: FolderCache | None = None,
) -> Target:
    """The versions for code in `folder`, from the files of the folders from there up to `stop`.

    `overrides` come from the command line or the configuration, a version or a specifier for each library; ValueError
    if one is neither. `notebook_requirements` are requirements or whole `pip install` commands. `cache` keeps what
    was read of each folder for the next call.
    """
    forced = {library_name(name): _override(name, text) for name, text in (overrides or {}).items()}
    cache = {} if cache is None else cache
    folders = [_facts(each, cache) for each in _upwards(folder, stop)]
    own = [
        FileStatement(folder, said)
        for said in holding(each for text in notebook_requirements for each in parse_pip_arguments(text))
    ]
    sources = _Sources(tuple(own), tuple(folders))
    everything = tuple(sources.all())
    listed = {name for each in everything if not each.said.constraint for name in each.said.names}
    ranges = dict(forced)
    for library in sorted(set(_WORKED_OUT) - set(forced)):
        specifier = _specifier(library, sources)
        if specifier:
            ranges[library] = specifier
    versions = {library: _newest(library, ranges.get(library, "")) for library in _LIBRARIES}
    transformers_range = SpecifierSet(ranges.get("transformers", ""))
    return Target(
        transformers=versions["transformers"],
        tensorflow=versions["tensorflow"],
        datasets=versions["datasets"],
        pinned=frozenset(ranges),
        listed=frozenset(listed),
        given=frozenset(forced),
        complete=any(facts.has_dependency_list for facts in folders),
        allows_transformers_5=_allows_5(transformers_range),
        legacy_keras_env=next((f.legacy_keras for f in folders if f.legacy_keras is not None), None),
        pins=tuple(
            Pin(each.said.library, each.said.specifier, _display(each.path), each.said.line)
            for each in everything
            if each.said.library in _LIBRARIES and each.said.specifier and each.path != folder
        ),
        ranges=tuple(sorted(ranges.items())),
    )


@dataclass(frozen=True, slots=True)
class _Sources:
    """All statements in reach, nearest folder first."""

    notebook: tuple[FileStatement, ...]
    folders: tuple[FolderFacts, ...]

    def all(self) -> Iterator[FileStatement]:
        yield from self.notebook
        for facts in self.folders:
            yield from (*facts.locked, *facts.listed)
        for facts in self.folders:
            yield from facts.installed

    def groups(self, library: str) -> Iterator[tuple[bool, list[str]]]:
        """Specifiers by distance: whether they come from a lock file, and those that stand at one place."""
        yield False, _specifiers(self.notebook, library)
        for facts in self.folders:
            yield True, _specifiers(facts.locked, library)
            yield False, _specifiers(facts.listed, library)
        for facts in self.folders:
            yield False, _specifiers(facts.installed, library)


def _specifiers(statements: Sequence[FileStatement], library: str) -> list[str]:
    own = [each.said for each in statements if each.said.library == library and each.said.specifier]
    return [said.specifier for said in sorted(own, key=lambda said: said.implied)]


def _specifier(library: str, sources: _Sources) -> str:
    nearest = ""
    for is_lock, specifiers in sources.groups(library):
        if not specifiers:
            continue
        if is_lock:
            # Several versions of one library in a lock are for several Pythons or platforms: the newest is taken.
            locked = max(specifiers, key=_locked_version)
            if not nearest:
                return locked
            version = exact_version(locked)
            if version is not None and SpecifierSet(nearest).contains(version, prereleases=True):
                return locked
        elif not nearest:
            nearest = _combined(library, specifiers)
            if exact_version(nearest) is not None:
                return nearest
    return nearest


def _locked_version(specifier: str) -> Version:
    return exact_version(specifier) or Version("0")


def _combined(library: str, specifiers: list[str]) -> str:
    """All of them where some release fits all; else as many as agree, the first ones before the others."""
    combined = specifiers[0]
    for specifier in specifiers[1:]:
        both = str(SpecifierSet(combined) & SpecifierSet(specifier))
        exact = exact_version(both)
        fits = SpecifierSet(both).contains(exact, prereleases=True) if exact is not None else any(_known(library, both))
        if fits:
            combined = both
    return combined


def _known(library: str, specifier: str) -> list[Version]:
    allowed = SpecifierSet(specifier)
    return [version for version in _releases(library) if allowed.contains(version)]


@lru_cache(maxsize=8)
def _releases(library: str) -> tuple[Version, ...]:
    return tuple(Version(text) for text in knowledge.releases(library))


@lru_cache(maxsize=1024)
def _newest(library: str, specifier: str) -> Version:
    """The version that a specifier stands for.

    Of a range the newest known release, but none newer than the assumed stack if an older one fits: TF classes exist
    only below transformers 5, and the rules are checked against that stack.
    """
    exact = exact_version(specifier)
    if exact is not None:
        return exact
    if not specifier and library in UNKNOWN:
        return Version(UNKNOWN[library])
    known = _known(library, specifier)
    if library in UNKNOWN:
        known = [version for version in known if version <= Version(UNKNOWN[library])] or known
    if known:
        return known[-1]
    # No release that is known fits: something newer than the table, say. Its own numbers are the best guess.
    named = [_lenient_version(part.version) for part in SpecifierSet(specifier)]
    return max((version for version in named if version is not None), default=Version(UNKNOWN.get(library, "0")))


def _lenient_version(text: str) -> Version | None:
    try:
        return Version(text.removesuffix(".*"))
    except InvalidVersion:
        return None


def _allows_5(allowed: SpecifierSet) -> bool:
    exact = exact_version(str(allowed))
    if exact is not None:
        return exact.major >= 5
    return any(version.major >= 5 and allowed.contains(version) for version in _releases("transformers"))


@lru_cache(maxsize=1024)
def _settles(library: str, pinned: str | None, applies: str) -> bool:
    """Whether every release that the pin allows lies in `applies`."""
    if not pinned:
        return False
    wanted = SpecifierSet(applies)
    exact = exact_version(pinned)
    known = [exact] if exact is not None else _known(library, pinned)
    return bool(known) and all(wanted.contains(version, prereleases=True) for version in known)


class VersionError(ValueError):
    """A version that was given by hand and is none."""


def _override(name: str, text: str) -> str:
    try:
        return f"=={Version(text)}"
    except InvalidVersion:
        pass
    try:
        return str(SpecifierSet(text))
    except InvalidSpecifier:
        raise VersionError(
            f"{text!r} is no version of {name}: write a version such as 4.40.2 or a range such as '>=4.30,<5'"
        ) from None


def _upwards(folder: Path, stop: Path) -> Iterator[Path]:
    yield folder
    if folder != stop and stop in folder.parents:
        for parent in folder.parents:
            yield parent
            if parent == stop:
                return


def _facts(folder: Path, cache: FolderCache) -> FolderFacts:
    if folder not in cache:
        cache[folder] = read_folder(folder)
    return cache[folder]


def _display(path: Path) -> str:
    here = Path.cwd()
    absolute = path if path.is_absolute() else here / path
    return (absolute.relative_to(here) if absolute.is_relative_to(here) else absolute).as_posix()
