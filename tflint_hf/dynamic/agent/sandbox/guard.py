"""The net in Python: the interpreter tells of every file it opens to write, every program it starts, every connection.

It holds on every system, for what does not come through the functions of `files.py`: io.FileIO, the module posix, code
that kept the original functions.
"""

import functools
import os
import shlex
import sys

from .files import WRITING
from .network import EVENTS as NETWORK_EVENTS
from .refusal import Refused

PATHS_OF = {
    "os.mkdir": (0,), "os.remove": (0,), "os.rmdir": (0,), "os.rename": (0, 1), "os.link": (1,), "os.symlink": (1,),
    "os.truncate": (0,), "os.chmod": (0,), "os.chown": (0,), "os.utime": (0,), "os.setxattr": (0,),
    "os.removexattr": (0,), "os.chflags": (0,),
}  # fmt: skip
FOLLOWING = {"os.truncate", "os.chmod", "os.chown", "os.utime", "os.setxattr", "os.removexattr", "os.chflags"}
STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile")
HARMLESS = {
    "nvidia-smi", "rocm-smi", "uname", "which", "where", "ldconfig", "lscpu", "lsb_release", "sw_vers", "sysctl",
    "hostname", "whoami", "ls", "dir", "cat", "head", "tail", "wc", "du", "df", "free", "nproc", "ver", "exit", "echo",
    "true", "false", "pwd", "sleep", "date",
    "objdump", "readelf", "ptxas", "fc-list", "system_profiler", "git",
}  # fmt: skip
HARMLESS_OF_GIT = {"rev-parse", "log", "status", "describe", "diff", "show", "version", "--version"}


class Guard:
    """`kernel` tells whether the kernel watches over the programs that are started."""

    def __init__(self, overlay, network, kernel):
        self._overlay = overlay
        self._network = network
        self._kernel = kernel

    def install(self):
        handlers = {"open": self._open}
        for event, indexes in PATHS_OF.items():
            handlers[event] = functools.partial(self._changes, indexes, event in FOLLOWING)
        for event in NETWORK_EVENTS:
            handlers[event] = functools.partial(self._network.event, event)
        for event in STARTS:
            handlers[event] = functools.partial(self._start, event)
        look_up = handlers.get

        def hook(event, arguments):
            handler = look_up(event)
            if handler is not None:
                handler(*arguments)

        sys.addaudithook(hook)

    def _changes(self, indexes, follow, *arguments):
        # The functions of the sandbox know whether they change a link or what it leads to.
        if follow and getattr(self._overlay.trusted, "now", False):
            return
        for index in indexes:
            self._change(arguments[index], follow)

    def _open(self, path, mode, flags):
        if isinstance(path, int) or path is None:
            return
        writes = flags & WRITING if isinstance(flags, int) else any(letter in (mode or "") for letter in "wax+")
        if writes:
            self._change(path)

    def _change(self, path, follow=True):
        if isinstance(path, int) or path is None:
            return
        overlay = self._overlay
        if not overlay.is_free(overlay.key(path, follow)):
            raise Refused("nothing is written outside the folder of the run", path)

    def _start(self, event, *arguments):
        self._overlay.parents_may_lack = True
        if not self._kernel and not is_harmless(words_of(event, arguments)):
            raise Refused("no other program is started where the kernel cannot watch over it", _shown(arguments[0]))


def _shown(command):
    return os.fsdecode(command) if isinstance(command, (str, bytes, os.PathLike)) else str(command)


def words_of(event, arguments):
    """The words of the command that is to be started; a "?" where it is more than a simple command."""
    if event in ("os.system", "os.startfile"):
        return _split(arguments[0])
    words = arguments[2] if event == "os.spawn" else arguments[1]
    if isinstance(words, (str, bytes, os.PathLike)):
        return _split(words)
    words = [os.fsdecode(word) for word in words]
    if len(words) == 3 and words[1] in ("-c", "/c") and os.path.basename(words[0]) in ("sh", "bash", "cmd.exe"):
        return _split(words[2])
    return words or ["?"]


def _split(command):
    command = os.fsdecode(command)
    if any(mark in command for mark in ";|&><`$\n"):
        return ["?"]
    try:
        return shlex.split(command) or ["?"]
    except ValueError:
        return ["?"]


def is_harmless(words):
    """Whether a command is known to change no file; Python itself comes with a sandbox of its own."""
    name = os.path.basename(words[0]).lower()
    name = name[:-4] if name.endswith(".exe") else name
    if name == "git":
        return len(words) > 1 and words[1] in HARMLESS_OF_GIT
    if name.startswith("python"):
        return not any(
            word.startswith("-") and not word.startswith("--") and set(word) & set("IES") for word in words[1:2]
        )
    return name in HARMLESS
