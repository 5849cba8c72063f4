"""Commands that programs start to prepare folders: they are done in Python, so that they act on the merged view.

Anything else is started as it is, and finds the user's files as they are.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import zipfile

from . import real
from .guard import words_of

SEPARATOR = re.compile(r"&&|;|\n")
INSTALLERS = {"pip", "pip3", "conda", "mamba", "apt", "apt-get", "sudo", "uv", "brew", "poetry"}


def install(overlay, say):
    """Have os.system and subprocess ask here first."""

    def system(command):
        status, rest = play_line(command, say)
        if rest is None:
            return status << 8
        try:
            return real.system(rest)
        except PermissionError as error:
            sys.stderr.write("{}\n".format(error))
            return 126 << 8

    os.system = system
    start = subprocess.Popen.__init__

    def __init__(self, args, *rest, **named):  # noqa: N807
        if len(rest) < 9 and named.get("cwd") is not None:
            named["cwd"] = overlay.read(named["cwd"])
        elif len(rest) < 9:
            args = _played(args, named, say)
        start(self, args, *rest, **named)

    subprocess.Popen.__init__ = __init__


def _played(args, named, say):
    """What is still to be started once the known commands are done."""
    if named.get("executable"):
        return args
    if named.get("shell") and isinstance(args, str):
        status, rest = play_line(args, say)
        return "exit {}".format(status) if rest is None else rest
    try:
        words = words_of("subprocess.Popen", (None, args))
    except (TypeError, ValueError):
        return args
    status = play(words, say)
    if status is None:
        return args
    named["shell"] = True
    return "exit {}".format(status)


def play_line(line, say):
    """Do the known commands at the start of a line for a shell. Returns the last status, and the rest, None if none."""
    line = os.fsdecode(line)
    status = 0
    while line.strip():
        found = SEPARATOR.search(line)
        status_here = play(words_of("os.system", (line[: found.start()] if found else line,)), say)
        if status_here is None:
            return status, line
        status = status_here
        if not found or (status and found.group() == "&&"):
            break
        line = line[found.end() :]
    return status, None


def play(words, say):
    """Do a command in Python. Returns its exit status, None if it is none of those that are known."""
    name = os.path.basename(words[0])
    if name in INSTALLERS or _is_pip(words):
        say("command", " ".join(words))
        return 0
    act = COMMANDS.get(name)
    if act is None or any("=" in word or word.startswith("--") for word in words[1:]):
        return None
    options = "".join(word[1:] for word in words[1:] if word.startswith("-") and len(word) > 1)
    if set(options) - set(KNOWN_OPTIONS[name]):
        return None
    paths = []
    for word in words[1:]:
        if not word.startswith("-"):
            word = os.path.expanduser(os.path.expandvars(word))
            paths.extend(glob.glob(word) or [word])
    if not paths:
        return None
    try:
        act(paths, options)
    except (OSError, shutil.Error, zipfile.BadZipFile, ValueError) as error:
        sys.stderr.write("{}: {}\n".format(name, error))
        return 0 if name == "rm" and "f" in options else 1
    return 0


def _is_pip(words):
    return len(words) > 3 and os.path.basename(words[0]).startswith("python") and words[1:3] == ["-m", "pip"]


def _mkdir(paths, options):
    for path in paths:
        if "p" in options:
            os.makedirs(path, exist_ok=True)
        else:
            os.mkdir(path)


def _rm(paths, options):
    for path in paths:
        if os.path.isdir(path) and not os.path.islink(path):
            if "r" not in options.lower():
                raise IsADirectoryError(path + ": is a folder")
            shutil.rmtree(path)
        else:
            os.remove(path)


def _rmdir(paths, options):
    for path in paths:
        os.rmdir(path)


def _touch(paths, options):
    for path in paths:
        with open(path, "a", encoding="utf-8"):
            pass


def _cp(paths, options):
    sources, target = paths[:-1], paths[-1]
    for source in sources:
        if os.path.isdir(source):
            inner = os.path.join(target, os.path.basename(source.rstrip("/"))) if os.path.isdir(target) else target
            shutil.copytree(source, inner)
        else:
            shutil.copy(source, target)


def _mv(paths, options):
    for source in paths[:-1]:
        shutil.move(source, paths[-1])


def _unzip(paths, options):
    folder = paths[1] if "d" in options and len(paths) == 2 else "."
    with zipfile.ZipFile(paths[0]) as archive:
        archive.extractall(folder)


COMMANDS = {"mkdir": _mkdir, "rm": _rm, "rmdir": _rmdir, "touch": _touch, "cp": _cp, "mv": _mv, "unzip": _unzip}
KNOWN_OPTIONS = {"mkdir": "pv", "rm": "rRfv", "rmdir": "", "touch": "", "cp": "rRafpv", "mv": "fv", "unzip": "qod"}
