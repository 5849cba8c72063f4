"""`tflint-hf confirm`: run a program for a few steps and say which findings hold."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tflint_hf import extras
from tflint_hf.cli.exits import Exit, exit_code
from tflint_hf.cli.options import LEAST_BUDGET, NO_PLUGINS, NO_RULE_PATHS, Seconds, loading
from tflint_hf.cli.output import check_output_file, print_text, wants_color, write_file
from tflint_hf.cli.progress import RunStatus
from tflint_hf.findings import FAIL_ON
from tflint_hf.report.style import DEFAULT_WIDTH, Style

if TYPE_CHECKING:
    from tflint_hf.dynamic.job import StandIns

PROGRAMS = frozenset({".py", ".pyw", ".ipynb", ""})
PROGRAM = click.Path(exists=True, dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class Flags:
    """The options of one call, as click read them and in its names."""

    script: Path
    arguments: tuple[str, ...]
    format_name: str
    output: Path | None
    report: Path | None
    python: str
    budget: float
    steps: int
    rows: int
    stand_ins: StandIns
    seed: int
    stdin: Path | None
    fail_on: str
    quiet: bool
    no_plugins: bool
    no_rule_paths: bool


class _ConfirmCommand(click.Command):
    """Says where the program's own options belong."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(context, args)
        except click.NoSuchOption as error:
            hint = f"What the program itself takes follows --, as in: -- {error.option_name} ..."
            raise click.UsageError(f"{error.format_message()} {hint}", context) from None


@click.command("confirm", cls=_ConfirmCommand)
@click.argument("script", type=PROGRAM, metavar="SCRIPT|NOTEBOOK")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGS]...")
@click.option("--format", "format_name", type=click.Choice(["text", "json"]), default="text", help="Default: text.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the report to FILE.")
@click.option("--report", type=click.Path(path_type=Path), metavar="FILE.html", help="Write a page too, with pictures.")
@click.option(
    "--python",
    default=sys.executable,
    metavar="PATH",
    help="The interpreter that runs the program, as .venv/bin/python. Default: this one.",
)
@click.option(
    "--budget",
    type=Seconds(min=LEAST_BUDGET),
    default=120.0,
    metavar="SECONDS",
    help="The time for all, imports included; then the run is ended. Default: 120.",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    default=4,
    metavar="N",
    help="Batches of each fit that are trained on. Default: 4.",
)
@click.option(
    "--rows",
    type=click.IntRange(min=8),
    default=256,
    metavar="N",
    help="Rows that are kept of each split of a data set from the hub. Default: 256.",
)
@click.option(
    "--stand-ins",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Tiny random models and made-up data: in place of what is not on this machine (auto, the default), of all "
    "checkpoints and data sets, or of none.",
)
@click.option("--seed", type=int, default=42, help="Of Python, NumPy and TensorFlow. Default: 42.")
@click.option(
    "--stdin", type=PROGRAM, metavar="FILE", help="What the program reads from standard input. Default: nothing."
)
@click.option("--fail-on", type=click.Choice(FAIL_ON), default="warning", help="As for scan. Default: warning.")
@click.option("--quiet", "-q", is_flag=True, help="Show no progress.")
@NO_RULE_PATHS
@NO_PLUGINS
def confirm_command(**options: object) -> int:
    """Run a program for a few steps, and say which findings the run confirms and which it refutes.

    It executes your code, in a process of its own: what the program saves goes to a temporary folder that is removed,
    and nothing is uploaded. What follows -- are the program's own arguments.

    Exit code: 0 no findings, or the run refutes them, 1 findings that stand, 2 none stand and the program fails, or it
    could not be run.
    """
    return run(Flags(**options))  # type: ignore[arg-type]


def run(flags: Flags) -> int:
    from tflint_hf.baseline import BaselineError, of_configuration
    from tflint_hf.config import ConfigError
    from tflint_hf.dynamic.confirm import confirm, missing_library
    from tflint_hf.dynamic.job import RunOptions
    from tflint_hf.dynamic.runner import NotStartedError
    from tflint_hf.dynamic.sweep import with_findings
    from tflint_hf.engine import scan, wanted
    from tflint_hf.report import render, run_html, run_json, run_text, run_words
    from tflint_hf.rule_set import load_rule_set
    from tflint_hf.source import SourceError

    if flags.script.suffix not in PROGRAMS:
        raise click.UsageError(f"{flags.script} is neither a script nor a notebook: what runs ends in .py or .ipynb")
    for path, option in ((flags.output, "--output"), (flags.report, "--report")):
        if path:
            check_output_file(path, option)
    if flags.report:
        try:
            run_html.check_template_engine()
        except run_html.MissingTemplateEngine as error:
            raise click.ClickException(str(error)) from None
    try:
        rules_from = loading((), no_rule_paths=flags.no_rule_paths, no_plugins=flags.no_plugins)
        scanned = replace(rules_from, respect_gitignore=False, baseline=of_configuration(flags.script))
        result = scan((flags.script,), scanned)
    except (BaselineError, ConfigError) as error:
        raise click.ClickException(str(error)) from None
    rules = load_rule_set(result.rule_sources)
    options = RunOptions(
        python=flags.python,
        budget_seconds=flags.budget,
        steps=flags.steps,
        rows=flags.rows,
        stand_ins=flags.stand_ins,
        seed=flags.seed,
        arguments=flags.arguments,
        stdin=flags.stdin,
    )
    try:
        with RunStatus(shown=not flags.quiet and sys.stderr.isatty()) as status:
            confirmation = confirm(flags.script, result.findings, rules, options, status.listen)
    except NotStartedError as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{flags.python} cannot be started: {error.strerror or error}") from None
    except SourceError as error:
        raise click.ClickException(f"{flags.script} cannot be read: {error}") from None
    library = missing_library(confirmation.observation)
    if library is not None:
        print_text(what_to_install(flags.python, library, "--python"), err=True)
        return Exit.FAILED
    known = set(result.findings)
    found = {replace(finding, verdict=None): finding for finding in confirmation.findings}
    shown = wanted([finding for bare, finding in found.items() if bare not in known], scanned)
    result = replace(result, errors=tuple(dict.fromkeys((*result.errors, *confirmation.failures))))
    result = with_findings(result, (*(finding for bare, finding in found.items() if bare in known), *shown))
    confirmation = replace(confirmation, findings=result.findings)
    if flags.report:
        write_file(flags.report, run_html.render(result, confirmation))
    style = _style(flags)
    if flags.format_name == "json":
        report = run_json.render(result, confirmation)
    else:
        report = render("text", result, style, lambda: rules.table) + "\n" + run_text.render_run(confirmation, style)
    if flags.output:
        write_file(flags.output, report)
    else:
        print_text(report, color=style.color)
    code = exit_code(result, flags.fail_on)
    failure = run_words.failure(confirmation)
    if code is Exit.CLEAN and failure:
        print_text(f"error: {flags.script} {failure}\n", err=True)
        return Exit.FAILED
    return code


def _style(flags: Flags) -> Style:
    terminal = flags.output is None and sys.stdout.isatty()
    color = wants_color("auto", os.environ if flags.output is None else {}, terminal=terminal)
    return Style(color=color, width=shutil.get_terminal_size().columns if terminal else DEFAULT_WIDTH)


def what_to_install(python: str, library: str, option: str) -> str:
    """What to say where the interpreter of a run lacks one of the libraries of TensorFlow programs."""
    said = extras.missing(library, "confirm", python)
    return f"error: {said}\nor name the interpreter of your project with {option}.\n"
