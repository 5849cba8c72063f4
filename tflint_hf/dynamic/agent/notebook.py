"""What a notebook finds around its cells: the names of IPython, and `await` at the top of a cell."""

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import sys
import types

from .sandbox.inert import Inert


class Lines(list):
    """What a command of the shell gives to the variable it is assigned to. None is run, so it has no lines."""

    n = s = p = ""


def names():
    """The names that a notebook has from the start. Commands and magics do nothing here."""
    shell = Inert()
    return {
        "display": lambda *objects, **_: None,
        "get_ipython": lambda: shell,
        "__shell__": Lines,
        "In": [],
        "Out": {},
        "_": "",
        "__": "",
        "___": "",
    }


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives modules of IPython without content where IPython is not installed: only what shows things is lost."""

    def install(self):
        if importlib.util.find_spec("IPython") is None:
            sys.meta_path.append(self)

    def find_spec(self, fullname, path=None, target=None):
        if fullname.split(".")[0] != "IPython":
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        return Nothing(spec.name)

    def exec_module(self, module):
        pass


class Nothing(types.ModuleType):
    """A module whose every name is something that does nothing."""

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Inert()


class Cells:
    """Executes cells one after the other, in one namespace and one event loop."""

    def __init__(self, namespace):
        self._namespace = namespace
        self._loop = None

    def execute(self, text, name):
        flags = getattr(ast, "PyCF_ALLOW_TOP_LEVEL_AWAIT", 0)
        code = compile(text, name, "exec", flags, dont_inherit=True)
        if not code.co_flags & inspect.CO_COROUTINE:
            exec(code, self._namespace)
            return
        import asyncio

        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        self._loop.run_until_complete(eval(code, self._namespace))
