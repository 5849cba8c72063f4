"""Modules that the program wrote in this run can be imported, although the import system looks at real folders."""

import importlib.abc
import importlib.machinery
import os
import sys

from .overlay import NOTHING


class WrittenModules(importlib.abc.MetaPathFinder):
    """Asked last: looks above the folders of sys.path, or of a package."""

    def __init__(self, overlay):
        self._overlay = overlay

    def find_spec(self, fullname, path=None, target=None):
        overlay = self._overlay
        if overlay.counter[:8] == NOTHING:
            return None
        folders = [overlay.above(overlay.key(entry or os.curdir)) for entry in (sys.path if path is None else path)]
        folders = [folder for folder in folders if os.path.isdir(folder)]
        if not folders:
            return None
        importlib.machinery.PathFinder.invalidate_caches()
        return importlib.machinery.PathFinder.find_spec(fullname, folders, target)


def install(overlay):
    sys.meta_path.append(WrittenModules(overlay))
    # Libraries copy code from the hub there, to import it.
    os.environ["HF_MODULES_CACHE"] = os.path.join(overlay.work, "modules")
