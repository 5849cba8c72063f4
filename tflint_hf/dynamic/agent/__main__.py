"""Start the agent as `python .../agent JOB`: under a name of its own, so that it shadows no module of the program."""

import atexit
import contextlib
import gc
import importlib.util
import os
import sys

NAME = "_tflint_hf_agent"


def load_agent():
    folder = os.path.dirname(os.path.abspath(__file__))
    spec = importlib.util.spec_from_file_location(
        NAME, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module
    spec.loader.exec_module(module)


def leave(status):
    """End the process after the program's exit handlers, without taking TensorFlow apart, which takes a second."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    # What is imported and traced are many objects that stay: to go through them again and again takes a tenth of a run.
    gc.set_threshold(100_000, 50, 100)
    load_agent()
    from _tflint_hf_agent.run import run_job

    leave(run_job(sys.argv[1]))
