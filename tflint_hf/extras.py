"""What the extras of the package bring, and the words for an interpreter that lacks it."""

from __future__ import annotations

import sys

EXTRAS = {
    "lsp": ("pygls>=2.0", "lsprotocol>=2025.0"),
    "html": ("jinja2>=3.1",),
    "confirm": ("tensorflow>=2.16", "tf-keras>=2.16", "transformers>=4.40,<5", "datasets>=2.19", "jinja2>=3.1"),
}
"""The requirements of `extras/*.txt`: to install them needs no place that the package itself comes from."""


def missing(library: str, extra: str, interpreter: str = sys.executable) -> str:
    """That an interpreter has no library, and how to install what comes with its extra."""
    typed = install_command(extra, interpreter)
    return f'{interpreter} has no {library}, of the extra "{extra}". Install it with\n    {typed}'


def install_command(extra: str, interpreter: str) -> str:
    """What to type, so that an interpreter has what an extra brings."""
    wanted = " ".join(f'"{requirement}"' for requirement in EXTRAS[extra])
    return f"{_quoted(interpreter)} -m pip install {wanted}"


def _quoted(interpreter: str) -> str:
    if not any(character.isspace() for character in interpreter):
        return interpreter
    return f'& "{interpreter}"' if sys.platform == "win32" else f'"{interpreter}"'
