"""Where a report goes: standard output or a file, with or without colour."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from tflint_hf.editing.files import write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from tflint_hf.findings import ScanError


def wants_color(choice: str, environment: Mapping[str, str], *, terminal: bool) -> bool:
    """`choice` is always, never or auto; auto follows NO_COLOR and FORCE_COLOR, then whether a terminal reads it."""
    if choice != "auto":
        return choice == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return terminal and environment.get("TERM") != "dumb"


class OutputError(Exception):
    """Standard output takes no more."""


def print_text(text: str, *, color: bool = False, err: bool = False) -> None:
    """Print on a console or pipe of any encoding: a character that it lacks is written as an escape."""
    stream = sys.stderr if err else sys.stdout
    if stream is None:
        raise OutputError("standard output is closed")
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    try:
        click.echo(text, nl=False, color=color, err=err)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(error.strerror or str(error)) from None


def print_errors(errors: Iterable[ScanError]) -> None:
    """Say on standard error what could not be scanned or loaded."""
    for error in errors:
        print_text(f"error: {error.path}: {error.message}\n", err=True)


def forget_standard_output() -> None:
    """Keep the interpreter from complaining at its exit about a reader (`| head`) that went away."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def check_output_file(path: Path, option: str = "--output") -> None:
    """Complain about a file that cannot be written, before a long scan rather than after it."""
    if path.is_dir():
        raise click.UsageError(f"{option} {path} is a folder: name a file")
    if not path.parent.is_dir():
        raise click.UsageError(f"{option} {path} cannot be written: the folder {path.parent} does not exist")


def write_file(path: Path, text: str) -> None:
    """Put a report into `path` at once."""
    try:
        write_bytes(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise click.ClickException(f"the report cannot be written to {path}: {error.strerror or error}") from error
