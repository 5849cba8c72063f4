"""Processes of Python that the program starts get the sandbox too: by a folder of the run on their PYTHONPATH.

Forks have it anyway. Multiprocessing with spawn, launchers, `subprocess.run([sys.executable, ...])` come through here.
"""

import json
import os
import sys

SITE = """\
import sys
if sys.version_info >= (3, 8):
    import importlib.util, os
    _folder = {agent!r}
    _spec = importlib.util.spec_from_file_location(
        "_tflint_hf_agent", os.path.join(_folder, "__init__.py"), submodule_search_locations=[_folder]
    )
    _module = sys.modules["_tflint_hf_agent"] = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(_module)
    from _tflint_hf_agent.sandbox import children
    children.install_here({job!r})
sys.path[:] = [entry for entry in sys.path if entry != {site!r}]
_this = sys.modules.pop("sitecustomize")
try:
    import sitecustomize
except ImportError:
    sys.modules["sitecustomize"] = _this
"""


def install(context):
    """Have all later children of this process start with the sandbox."""
    work = os.path.realpath(context.job["work"])
    site = os.path.join(work, "site")
    os.makedirs(site, exist_ok=True)
    agent = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    job = {key: context.job[key] for key in ("work", "root", "stand_ins")}
    with open(os.path.join(site, "sitecustomize.py"), "w", encoding="utf-8") as file:
        file.write("# -*- coding: utf-8 -*-\n" + SITE.format(agent=agent, job=json.dumps(job), site=site))
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = site + (os.pathsep + before if before else "")
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True


def install_here(job):
    """Called in a child before anything of the program runs there."""
    from ..imports import AfterImport
    from ..places import Places
    from . import install_parts

    context = Silent()
    context.job = json.loads(job)
    context.channel = context
    context.places = Places(context.job["root"])
    context.after_import = AfterImport(context.trouble)
    context.after_import.install()
    install_parts(context, child=True)


class Silent:
    """A context and channel of a child: only the first process speaks to the parent."""

    def send(self, kind, **facts):
        pass

    def trouble(self, where, error):
        pass
