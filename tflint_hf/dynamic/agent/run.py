"""One run: read the job, prepare the interpreter, execute the user's program, say how it ended."""

import ast
import builtins
import importlib.machinery
import json
import linecache
import os
import platform
import signal
import sys
import threading
import types
from time import monotonic

from . import hooks, notebook, sandbox, stand_ins
from .context import Context
from .environment import say_environment
from .errors import say_error
from .places import CELL_MARK

SECONDS_FOR_THREADS = 5.0
"""Threads of the program that go on after its end get this long to come to theirs."""


class Enough(BaseException):
    """Raised inside the user's program when all that was to be seen has been seen."""


def run_job(path):
    """Run the job described by the JSON file `path`. Returns the exit status of the child process."""
    with open(path, encoding="utf-8") as file:
        context = Context(json.load(file))
    context.enough = Enough
    context.channel.send("started", python=platform.python_version(), pid=os.getpid(), platform=platform.platform())
    _prepare(context)
    status = _execute(context)
    try:
        say_environment(context)
    except Exception as error:  # whatever the program made of the interpreter
        context.channel.trouble("the versions", error)
    context.channel.send("finished", status=status)
    return 0


def _prepare(context):
    job = context.job
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("MPLBACKEND", "agg")
    context.after_import.install()
    for part in (sandbox, stand_ins, hooks):
        try:
            part.install(context)
        except Exception as error:
            context.channel.trouble("the start of " + part.__name__.rpartition(".")[2], error)
    _seed(context)
    _listen_to_the_parent(context)
    folder = os.path.dirname(job["script"])
    sys.argv = [job["script"]] + list(job["arguments"])
    sys.path[0] = folder
    if job["cells"] is not None:
        os.chdir(folder)


def _listen_to_the_parent(context):
    """A SIGTERM ends the program in order; processes that it forks end at once, as they would without the agent."""

    def stop(*_):
        raise context.enough

    def forget():
        if signal.getsignal(signal.SIGTERM) is stop:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    signal.signal(signal.SIGTERM, stop)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forget)


def _seed(context):
    import random

    seed = context.job["seed"]
    random.seed(seed)
    context.after_import.call("numpy", lambda module: module.random.seed(seed))
    # TensorFlow gets none: with a seed for everything, data that are shuffled anew come in the same order each time.


def _execute(context):
    """Run the program to its end. Returns how it ended, as a word."""
    try:
        if context.job["cells"] is None:
            _run_script(context)
        else:
            _run_cells(context)
    except Enough:
        return "enough"
    except SystemExit as stop:
        _say_exit(context, stop)
        return "exited"
    except KeyboardInterrupt:
        return "interrupted"
    except BaseException as error:
        try:
            say_error(context, error)
        except Exception as other:
            context.channel.trouble("the exception of the program", other)
        return "failed"
    _join_threads(context)
    return "ended"


def _say_exit(context, stop):
    """An exit of the program's own with a code that means failure, as for arguments that are missing."""
    if stop.code in (None, 0):
        return
    code = stop.code if isinstance(stop.code, int) else str(stop.code)
    context.channel.send("exited", code=code, at=context.places.of_traceback(stop.__traceback__))


def _main_module(path):
    module = types.ModuleType("__main__")
    module.__file__ = path
    module.__builtins__ = builtins
    module.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    module.__dict__.update(__cached__=None, __annotations__={})
    sys.modules["__main__"] = module
    return module


def _run_script(context):
    path = context.job["script"]
    module = _main_module(path)
    with open(path, "rb") as file:
        text = file.read()
    code = compile(text, path, "exec", dont_inherit=True)
    levels = _levels_of_imports(text)
    if levels:
        module.__package__ = _package_of(path, levels)
    exec(code, module.__dict__)


def _levels_of_imports(text):
    """How far up the relative imports of a script go; 0 if it has none."""
    return max((node.level for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)), default=0)


def _package_of(path, levels):
    """The package of a script that `python -m` would run, with the folder that holds it put on the path."""
    names, folder = [], os.path.dirname(path)
    while len(names) < levels or os.path.exists(os.path.join(folder, "__init__.py")):
        folder, name = os.path.split(folder)
        if not name:
            break
        names.insert(0, name)
    sys.path[0] = folder
    return ".".join(names)


def _run_cells(context):
    """Run the cells of a notebook in order; after a cell that fails the others go on, as a person would try."""
    path = context.job["script"]
    module = _main_module(path)
    del module.__file__
    module.__dict__.update(notebook.names())
    notebook.Absent().install()
    cells = notebook.Cells(module.__dict__)
    failed = 0
    for number, text in context.job["cells"]:
        name = f"{path}{CELL_MARK}{number}"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        try:
            cells.execute(text, name)
        except Exception as error:
            failed += 1
            say_error(context, error, cell=number)
            if failed > context.job["cells_may_fail"]:
                return


def _join_threads(context):
    end = monotonic() + SECONDS_FOR_THREADS
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join(max(0.0, min(end - monotonic(), context.seconds_left())))
