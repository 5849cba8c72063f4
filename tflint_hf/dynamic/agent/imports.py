"""Call a function right after a module was imported for the first time, without importing it."""

import importlib.abc
import sys


class AfterImport(importlib.abc.MetaPathFinder):
    """Finds nothing by itself: it lets the other finders look, and adds what must happen after the module ran."""

    def __init__(self, trouble):
        self._wanted = {}
        self._trouble = trouble

    def install(self):
        sys.meta_path.insert(0, self)

    def call(self, name, function):
        """Have `function(module)` called after the module `name` is imported, or now if it is there already."""
        if name in sys.modules:
            self._run(function, name)
        self._wanted.setdefault(name, []).append(function)

    def find_spec(self, fullname, path=None, target=None):
        if fullname not in self._wanted:
            return None
        spec = None
        for finder in list(sys.meta_path):
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                break
        if spec is not None and hasattr(spec.loader, "exec_module"):
            self._extend(spec.loader, fullname)
        return spec

    def _extend(self, loader, name):
        execute = loader.exec_module

        def exec_module(module):
            execute(module)
            for function in self._wanted[name]:
                self._run(function, name)

        try:
            loader.exec_module = exec_module
        except AttributeError as error:
            self._trouble("the import of " + name, error)

    def _run(self, function, name):
        # A module may put another object into sys.modules for itself, as those of transformers do.
        try:
            function(sys.modules[name])
        except Exception as error:
            self._trouble("after the import of " + name, error)
