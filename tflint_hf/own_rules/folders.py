"""Rules of a folder: its Python files are imported as modules of a package of their own, whatever they are called."""

from __future__ import annotations

import functools
import hashlib
import importlib.machinery
import importlib.util
import os
import sys
from typing import TYPE_CHECKING, TypeAlias

from tflint_hf.discovery import display_path
from tflint_hf.own_rules.bundle import PACKAGE_OF_A_FOLDER, Bundle, attempted, read_bundle, rule_files_in

if TYPE_CHECKING:
    from pathlib import Path

Stamp: TypeAlias = "tuple[tuple[str, int, int], ...]"


def stamp(folder: Path) -> Stamp:
    """What tells whether a file of the rules in a folder has changed, or a module that these import from there."""
    found = []
    for path in (*sorted(folder.glob("*.py")), *rule_files_in(folder)):
        try:
            status = path.stat()
        except OSError:
            continue
        found.append((str(path), status.st_size, status.st_mtime_ns))
    return tuple(found)


@functools.lru_cache(maxsize=32)
def load_folder(folder: Path, state: Stamp) -> Bundle:
    """The rules of a folder as its files are by its `stamp`."""
    if not rule_files_in(folder):
        return read_bundle(display_path(folder), folder, "", packaged=False)
    package = PACKAGE_OF_A_FOLDER + hashlib.sha256(os.fsencode(folder) + repr(state).encode()).hexdigest()[:16]
    if failures := attempted(lambda: _make_package(package, folder), display_path(folder / "__init__.py")):
        return Bundle(display_path(folder), failures=tuple(failures))
    return read_bundle(display_path(folder), folder, package, packaged=False)


def _make_package(name: str, folder: Path) -> None:
    """Put a package into sys.modules whose modules are those of the folder."""
    own = folder / "__init__.py"
    if own.is_file():
        spec = importlib.util.spec_from_file_location(name, own, submodule_search_locations=[str(folder)])
    else:
        spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if spec.loader is not None:
        spec.loader.exec_module(module)
