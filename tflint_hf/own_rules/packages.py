"""Rules of installed packages, which name themselves by an entry point of the group `tflint_hf.rules`."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tflint_hf.findings import ScanError
from tflint_hf.own_rules.bundle import Bundle, attempted, read_bundle

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "tflint_hf.rules"


@functools.cache
def load_packages() -> tuple[Bundle, ...]:
    """What the installed packages bring, in the order of their names."""
    if not any(_is_named_in(Path(folder)) for folder in dict.fromkeys(sys.path)):
        return ()
    from importlib.metadata import entry_points

    found = sorted(entry_points(group=GROUP), key=lambda one: (one.name, one.value))
    return tuple(_load(one) for one in dict.fromkeys(found))


def _is_named_in(folder: Path) -> bool:
    """Whether a package that is installed in a folder may have such an entry point.

    Read here byte for byte: importlib.metadata takes longer to import than a small scan takes.
    """
    try:
        return folder.is_file() or any(
            GROUP.encode() in file.read_bytes()
            for pattern in ("*.dist-info/entry_points.txt", "*.egg-info/entry_points.txt")
            for file in folder.glob(pattern)
        )
    except OSError:
        return False


def _load(point: EntryPoint) -> Bundle:
    origin = f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.name
    if failures := attempted(lambda: importlib.import_module(point.module), origin):
        return Bundle(origin, failures=tuple(failures))
    places = getattr(sys.modules[point.module], "__path__", None)
    folder = next((Path(place) for place in places or () if Path(place).is_dir()), None)
    if folder is None:
        problem = f"its entry point {point.name} = {point.value} must name a package, a folder with an __init__.py"
        return Bundle(origin, failures=(ScanError(origin, problem),))
    return read_bundle(origin, folder, point.module, packaged=True)
