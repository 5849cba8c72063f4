"""Nothing that the program does in a run lasts: its files go to a folder of the run, nothing leaves this machine.

Three layers. The *overlay* lets the program go on with what it saved, at the paths that it knows. The *guard* has the
interpreter refuse what goes past the overlay. *Landlock*, where the kernel has it, refuses the rest, native code and
other programs included.
"""

import contextlib
import os
import sys
import tempfile

from . import children, files, hub, landlock, modules, native, network, shell, trackers
from .guard import Guard
from .overlay import Overlay
from .refusal import Refused, Unreachable
from .report import Report

KERNEL_WATCHES = "TFLINT_HF_LANDLOCK"
__all__ = ["Refused", "Unreachable", "install", "is_refusal"]


def install(context):
    """Shut this process in. To be called before the program runs and before there are other threads."""
    try:
        children.install(context)
        install_parts(context)
    except Exception as error:
        # Better no run than one that leaves its files everywhere.
        context.channel.send("sandbox", failed="{}: {}".format(type(error).__name__, error))
        raise SystemExit("tflint-hf confirm: the program cannot be shut in: {}".format(error)) from error


def install_parts(context, child=False):
    """What this process and those that it starts have in common."""
    work = os.path.realpath(context.job["work"])
    temporary = os.path.join(work, "tmp")
    os.makedirs(temporary, exist_ok=True)
    for name in ("TMPDIR", "TEMP", "TMP"):
        os.environ[name] = temporary
    tempfile.tempdir = None
    _no_core_dumps()
    sys.dont_write_bytecode = True
    report = Report(context)
    closed = context.job["stand_ins"] != "never"
    why_not = None if child else _kernel(work, closed)
    overlay = Overlay(work, report.file)
    net = network.Network(closed, report.kept)
    files.install(overlay)
    modules.install(overlay)
    shell.install(overlay, report.kept)
    network.install(context, net)
    native.install(context, overlay)
    hub.install(context, report.kept)
    trackers.install(context, report.kept)
    kernel = (child and os.environ.get(KERNEL_WATCHES) == "1") or why_not is None
    Guard(overlay, net, kernel).install()
    context.overlay = overlay
    if not child:
        os.environ[KERNEL_WATCHES] = "1" if kernel else "0"
        context.channel.send("sandbox", landlock=kernel, why=why_not)


def _no_core_dumps():
    """A crash would leave one in the current folder, written by the kernel itself."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _kernel(work, closed):
    """Have the kernel watch too. Returns why it cannot, None if it does."""
    drivers = os.path.expanduser("~/.nv")  # what the driver of the GPU compiled; without it each start may take minutes
    try:
        return landlock.restrict([work, "/dev", "/proc", drivers], connect=not closed)
    except (OSError, AttributeError, ValueError) as error:
        return "Landlock: {}".format(error)


def text_of(error):
    """What an exception says; those of the program may not be able to say it."""
    try:
        return str(error)
    except Exception as other:
        return "({} in its text)".format(type(other).__name__)


def is_refusal(error):
    """Whether an exception comes from the sandbox and not from the program: a refusal in Python, or by the kernel."""
    text = text_of(error)
    if isinstance(error, (Refused, Unreachable, network.Unresolved)) or "tflint-hf confirm: " in text:
        return True
    # The kernel says no more than this.
    denied = isinstance(error, PermissionError) or "Permission denied" in text
    return denied and os.environ.get(KERNEL_WATCHES) == "1"
