"""Which files belong together: a program is a set of files that import each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.discovery import imported_stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Program:
    """Files that import each other, directly or not. `roots` are those that no other one imports."""

    files: tuple[Path, ...]
    roots: tuple[Path, ...]


def programs(contents: Mapping[Path, bytes], of_interest: Iterable[Path]) -> list[Program]:
    """The programs among these files that hold at least one file of interest, by the names in their import lines.

    Two files are taken together when one imports a module of the other's name; that is more than Python would see,
    never less.
    """
    stems: dict[str, list[Path]] = {}
    for path in contents:
        if path.suffix == ".py":
            name = path.parent.name if path.stem == "__init__" else path.stem
            stems.setdefault(name, []).append(path)
    parent: dict[Path, Path] = {path: path for path in contents}

    def find(path: Path) -> Path:
        while parent[path] != path:
            parent[path] = parent[parent[path]]
            path = parent[path]
        return path

    imported: set[Path] = set()
    for path, raw in contents.items():
        for name in imported_stems(raw) & stems.keys():
            for other in stems[name]:
                if other != path and _near(path, other):
                    imported.add(other)
                    parent[find(other)] = find(path)
    wanted = {find(path) for path in of_interest}
    members: dict[Path, list[Path]] = {}
    for path in contents:
        if find(path) in wanted:
            members.setdefault(find(path), []).append(path)
    found = []
    for files in members.values():
        files.sort()
        roots = tuple(path for path in files if path not in imported)
        found.append(Program(tuple(files), roots or tuple(files[:1])))
    return sorted(found, key=lambda program: program.files)


def _near(path: Path, other: Path) -> bool:
    """Whether an import in one file can mean the other: one's folder, or its parent, holds the other."""
    here = path.parent
    return other.is_relative_to(here) or any(
        other.parent in (folder, folder / "src") or other.parent.parent == folder
        for folder in (here, *here.parents[:3])
    )
