"""One run: read the job, prepare the interpreter, execute the user's program, say how it ended."""

import builtins
import json
import linecache
import os
import platform
import signal
import sys
import threading
import types

from . import hooks, sandbox, stand_ins
from .context import Context
from .environment import say_environment
from .errors import say_error
from .places import CELL_MARK


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
    say_environment(context)
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
    signal.signal(signal.SIGTERM, lambda *_: _stop(context))
    folder = os.path.dirname(job["script"])
    sys.argv = [job["script"]] + list(job["arguments"])
    sys.path[0] = folder
    if job["cells"] is not None:
        os.chdir(folder)


def _stop(context):
    raise context.enough


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
        code = stop.code
        if code not in (None, 0):
            context.channel.send("exited", code=code if isinstance(code, int) else str(code))
        return "exited"
    except KeyboardInterrupt:
        return "interrupted"
    except BaseException as error:
        say_error(context, error)
        return "failed"
    _join_threads(context)
    return "ended"


def _main_module(path):
    module = types.ModuleType("__main__")
    module.__file__ = path
    module.__builtins__ = builtins
    sys.modules["__main__"] = module
    return module


def _run_script(context):
    path = context.job["script"]
    module = _main_module(path)
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    exec(code, module.__dict__)


def _run_cells(context):
    """Run the cells of a notebook in order; after a cell that fails the others go on, as a person would try."""
    path = context.job["script"]
    module = _main_module(path)
    del module.__file__
    module.__dict__["display"] = lambda *objects, **_: None
    failed = 0
    for number, text in context.job["cells"]:
        name = f"{path}{CELL_MARK}{number}"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        try:
            exec(compile(text, name, "exec", dont_inherit=True), module.__dict__)
        except Exception as error:
            failed += 1
            say_error(context, error, cell=number)
            if failed > context.job["cells_may_fail"]:
                return


def _join_threads(context):
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join(max(0.0, min(5.0, context.seconds_left())))
