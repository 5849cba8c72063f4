"""The requirements that a text itself states: install commands of notebooks, metadata blocks of scripts."""

from __future__ import annotations

import itertools
import re
import shlex
import sys
from typing import TYPE_CHECKING

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_PIP = re.compile(r"(?:.*/)?pip[\d.]*\Z")
_CONDA = re.compile(r"(?:.*/)?(?:conda|mamba|micromamba)\Z")
# What may stand before pip in a command that runs it: `sudo`, `FOO=1`, `uv`, `python3 -m`, `{sys.executable} -m`.
_BEFORE_PIP = re.compile(r"sudo\Z|uv\Z|.*python[\d.]*\Z|-\w+\Z|[{$].*|.*\}\Z|\w+=.*")
_REDIRECTION = re.compile(r"(\d*|&)(>>?|<)(?![=\d])|\d*>&|\d>")
_CONDA_VERSION = re.compile(r"([\w.-]+)=([\w.*]+)(?:=.*)?\Z")
# fmt: off
_OPTIONS_WITH_VALUE = frozenset({
    "-r", "--requirement", "-c", "--constraint", "-i", "--index-url", "--extra-index-url", "-f",
    "--find-links", "-t", "--target", "--upgrade-strategy", "--progress-bar", "--trusted-host", "--prefix", "--root",
    "--python", "--cache-dir", "--timeout", "--retries", "--proxy", "--platform", "--channel", "-n",
    "--name", "-p", "--file",
})
# fmt: on


def install_requirements(command: str) -> Iterator[str]:
    """The requirements that a shell command line installs, as they stand there, without the options."""
    if "install" not in command:
        return
    for words in _simple_commands(command.lstrip("!%").strip()):
        for position, word in enumerate(words[:-1]):
            if _PIP.match(word) and all(_BEFORE_PIP.match(before) for before in words[:position]):
                arguments = list(itertools.dropwhile(lambda text: text.startswith("-"), words[position + 1 :]))
                if arguments[:1] == ["install"]:
                    yield from _packages(arguments[1:])
                break
            if _CONDA.match(word) and words[position + 1] == "install":
                for package in _packages(words[position + 2 :]):
                    yield _from_conda(package)
                break


def script_requirements(lines: Sequence[str]) -> list[str]:
    """The dependencies of a script's metadata block (PEP 723)."""
    try:
        start = lines.index("# /// script")
        end = lines.index("# ///", start)
    except ValueError:
        return []
    text = "\n".join(line[2:] if line.startswith("# ") else line[1:] for line in lines[start + 1 : end])
    try:
        dependencies = tomllib.loads(text).get("dependencies", [])
    except tomllib.TOMLDecodeError:
        return []
    return [item for item in dependencies if isinstance(item, str)] if isinstance(dependencies, list) else []


def _simple_commands(command: str) -> Iterator[list[str]]:
    """The words of each command of a line that joins several by `&&`, `;` or `|`."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:  # a quote that is never closed
        words = command.split()
    words = list(itertools.takewhile(lambda word: not word.startswith("#"), words))
    for separates, group in itertools.groupby(words, key=lambda word: set(word) <= set(";&|")):
        if not separates:
            yield list(group)


def _packages(arguments: Iterable[str]) -> Iterator[str]:
    words = iter(arguments)
    for word in words:
        redirection = _REDIRECTION.match(word)
        if word in _OPTIONS_WITH_VALUE or (redirection and redirection.end() == len(word)):
            next(words, None)
        elif not (redirection or word.startswith(("-", ".", "/", "~")) or "{" in word or "$" in word):
            yield word


def _from_conda(package: str) -> str:
    """`channel::name=1.2=build` in the spelling of pip."""
    name = package.rpartition("::")[2]
    version = _CONDA_VERSION.match(name)
    return f"{version[1]}=={version[2].rstrip('.*')}.*" if version else name
