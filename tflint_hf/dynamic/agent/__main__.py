"""Start the agent as `python .../agent JOB`: under a name of its own, so that it shadows no module of the program."""

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


if __name__ == "__main__":
    load_agent()
    from _tflint_hf_agent.run import run_job

    sys.exit(run_job(sys.argv[1]))
