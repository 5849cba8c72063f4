"""`tflint-hf diagnose`: from a log to the rules whose symptom it shows."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import click

from tflint_hf.cli.exits import Exit
from tflint_hf.cli.options import loading, with_rule_sources
from tflint_hf.cli.output import forget_standard_output, print_errors, print_text, wants_color
from tflint_hf.report.style import DEFAULT_WIDTH, Style

STDIN = "-"


@click.command("diagnose")
@click.argument("log", default=STDIN, metavar="[LOG]", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "--script",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The script or notebook that wrote the log.",
)
@click.option("--format", "format_name", type=click.Choice(["text", "json"]), default="text", help="Default: text.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Default: auto.")
@with_rule_sources
def diagnose_command(log: str, script: Path | None, format_name: str, color: str, **sources: Any) -> int:
    """Name the faults whose symptoms a traceback or the log of a training shows, the most likely first.

    LOG is a file, a notebook with its outputs, or - for standard input, which is the default. With --script the
    faults that the program really has come first, with their places; a notebook is its own script.

    Exit code: 0 nothing was recognised, 1 a symptom was, 2 something could not be done.
    """
    from tflint_hf.config import ConfigError
    from tflint_hf.diagnose import diagnose, read_log
    from tflint_hf.engine import rules_for, scan
    from tflint_hf.report.diagnosis import render_json, render_text

    read = read_log(_bytes(log))
    program = script or (Path(log) if read.is_notebook and log != STDIN else None)
    try:
        options = loading(**sources)
        rules = rules_for(program or Path.cwd(), options)
        result = scan((program,), options) if program is not None else None
    except ConfigError as error:
        raise click.ClickException(str(error)) from None
    errors = rules.failures if result is None else result.errors
    print_errors(errors)
    report = diagnose(read, rules.table, result.findings if result is not None else ())
    style = _style(color)
    try:
        print_text(render_json(report) if format_name == "json" else render_text(report, style), color=style.color)
    except BrokenPipeError:  # `| head` has seen enough: the exit code still tells what was found
        forget_standard_output()
    if errors:
        return Exit.FAILED
    return Exit.FINDINGS if report.diagnoses else Exit.CLEAN


def _bytes(log: str) -> bytes:
    if log == STDIN:
        if sys.stdin.isatty():
            raise click.UsageError("name a LOG, or pipe one in: python train.py 2>&1 | tflint-hf diagnose")
        return sys.stdin.buffer.read()
    try:
        return Path(log).read_bytes()
    except OSError as error:
        raise click.UsageError(f"{log} cannot be read: {error.strerror or error}") from None


def _style(color: str) -> Style:
    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if terminal else DEFAULT_WIDTH
    return Style(color=wants_color(color, os.environ, terminal=terminal), width=width)
