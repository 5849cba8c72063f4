"""`tflint-hf scan`: options in, report and exit code out."""

from __future__ import annotations

import io
import os
import shutil
import stat
import sys
import tokenize
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tflint_hf.cli.exits import Exit, Invocation, exit_code
from tflint_hf.cli.options import (
    CONFIG_FILE,
    LEAST_BUDGET,
    ScanFlags,
    Seconds,
    listed,
    loading,
    rules_begun,
    target_versions,
    with_rule_sources,
)
from tflint_hf.cli.output import (
    check_output_file,
    forget_standard_output,
    print_errors,
    print_text,
    wants_color,
    write_file,
)
from tflint_hf.cli.progress import ProgressBar
from tflint_hf.findings import FAIL_ON, ScanResult
from tflint_hf.interrupts import deferred
from tflint_hf.report import FORMATS, STATISTICS_FORMATS, UnavailableFormat, check, render, render_statistics
from tflint_hf.report.style import DEFAULT_WIDTH, Style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tflint_hf.editing.fixing import Change
    from tflint_hf.engine import ScanOptions
    from tflint_hf.rule_set import RuleSet

STDIN = "-"


def _remember_verbose(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    context.ensure_object(Invocation).verbose = value


class _ScanCommand(click.Command):
    """`--add-ignore PATH` names a path: only what follows an equals sign is the reason."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        options = [f"{arg}=" if arg == "--add-ignore" else arg for arg in args[:end]]
        return super().parse_args(context, options + args[end:])


@click.command("scan", cls=_ScanCommand)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(allow_dash=True))
@click.option("--format", "format_name", type=click.Choice(FORMATS), help="How the report is written. Default: text.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the report to FILE.")
@click.option("--statistics", is_flag=True, help="Report how often each rule was broken, not the findings.")
@click.option(
    "--select",
    multiple=True,
    callback=listed,
    shell_complete=rules_begun,
    metavar="RULES",
    help="Check these rules only.",
)
@click.option(
    "--ignore",
    multiple=True,
    callback=listed,
    shell_complete=rules_begun,
    metavar="RULES",
    help="Leave these rules out.",
)
@click.option(
    "--extend-select",
    multiple=True,
    callback=listed,
    shell_complete=rules_begun,
    metavar="RULES",
    help="Check these rules as well.",
)
@click.option("--fail-on", type=click.Choice(FAIL_ON), help="Least severity that gives exit code 1. Default: warning.")
@click.option("--exclude", multiple=True, callback=listed, metavar="PATTERNS", help="Skip these, not the defaults.")
@click.option("--extend-exclude", multiple=True, callback=listed, metavar="PATTERNS", help="Skip these as well.")
@click.option("--force-exclude", is_flag=True, help="Skip excluded files even if they are named as PATH.")
@click.option("--no-gitignore", is_flag=True, help="Scan files that git ignores.")
@click.option("--config", type=CONFIG_FILE, metavar="FILE", help="Read the configuration from FILE.")
@click.option("--isolated", is_flag=True, help="Read no configuration file.")
@with_rule_sources
@click.option("--target", multiple=True, metavar="LIB=VERSION", help="A library version that the code is for.")
@click.option("--stdin-filename", default=STDIN, metavar="NAME", help="What the text that `scan -` reads is called.")
@click.option("--jobs", "-j", type=click.IntRange(min=1), metavar="N", help="How many processes scan.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Default: auto.")
@click.option("--quiet", "-q", is_flag=True, help="Print findings only: no summary, no progress bar.")
@click.option("--fix", is_flag=True, help="Make the fixes that keep the program's meaning, and report what is left.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: also those that change what is trained.")
@click.option("--diff", is_flag=True, help="Show what --fix or --add-ignore would change, and change nothing.")
@click.option(
    "--add-ignore",
    metavar="[=REASON]",
    help="Write a comment that hides it, with the reason if there is one, for each finding there is.",
)
@click.option("--baseline", type=click.Path(path_type=Path), metavar="FILE", help="Hide the findings that FILE knows.")
@click.option("--write-baseline", is_flag=True, help="Write the findings there are into the baseline, and report none.")
@click.option("--no-baseline", is_flag=True, help="Report also what the baseline of the configuration hides.")
@click.option("--confirm", is_flag=True, help="Run the programs that have findings, as `tflint-hf confirm` does.")
@click.option(
    "--confirm-budget",
    type=Seconds(min=LEAST_BUDGET),
    default=120.0,
    metavar="SECONDS",
    help="For the run of each program. Default: 120.",
)
@click.option("--confirm-python", default=sys.executable, metavar="PATH", help="What runs them. Default: this Python.")
@click.option(
    "--verbose", is_flag=True, expose_value=False, callback=_remember_verbose, help="Show tracebacks of failures."
)
def scan_command(**options: object) -> int:
    """Scan scripts, notebooks and Markdown files. PATH is a file, a folder, or - for standard input; default: here.

    RULES are codes (TFL001), prefixes of codes (TFL), names (crossentropy-on-logits) or ALL, separated by commas.

    Exit code: 0 nothing found at or above --fail-on, 1 findings, 2 something could not be done.
    """
    return run(ScanFlags(**options))  # type: ignore[arg-type]


def run(flags: ScanFlags) -> int:
    with deferred():
        from tflint_hf.baseline import BaselineError
        from tflint_hf.cli import baselines
        from tflint_hf.config import Config, ConfigError, find_config, load_config
        from tflint_hf.rules import UnknownRule
        from tflint_hf.target import VersionError

    from_stdin = STDIN in flags.paths
    _check_changes(flags, from_stdin=from_stdin)
    if from_stdin and len(flags.paths) > 1:
        raise click.UsageError("- reads standard input and cannot be mixed with other paths")
    if flags.isolated and flags.config:
        raise click.UsageError("--isolated reads no configuration file, so --config cannot be given with it")
    if flags.confirm and from_stdin:
        raise click.UsageError("--confirm runs files: - cannot be given with it")
    if flags.confirm and flags.statistics:
        raise click.UsageError("--statistics counts findings without their verdicts, so --confirm cannot be given")
    if flags.output:
        check_output_file(flags.output)
    paths = () if from_stdin else tuple(Path(path) for path in flags.paths or (".",))
    options = replace(
        loading(flags.rule_path, no_rule_paths=flags.no_rule_paths, no_plugins=flags.no_plugins),
        select=flags.select or None,
        ignore=flags.ignore,
        extend_select=flags.extend_select,
        exclude=flags.exclude or None,
        extend_exclude=flags.extend_exclude,
        force_exclude=flags.force_exclude,
        respect_gitignore=False if flags.no_gitignore else None,
        config_path=flags.config,
        isolated=flags.isolated,
        target_versions=target_versions(flags.target),
        jobs=flags.jobs,
        stdin=(_read_stdin(), flags.stdin_filename) if from_stdin else None,
    )
    try:
        config_path = None if flags.isolated else flags.config or find_config(_common_place(paths, flags))
        config = load_config(config_path) if config_path else Config()
        known = baselines.chosen(flags, config)
        options = replace(options, baseline=known)
        format_name = flags.format_name or config.output_format or FORMATS[0]
        if flags.statistics and format_name not in STATISTICS_FORMATS:
            raise click.UsageError(f"--statistics has no {format_name} form: use {', '.join(STATISTICS_FORMATS)}")
        check(format_name)
        with ProgressBar() if _shows_progress(flags) else nullcontext() as progress:
            changes, result = _scanned(paths, options, flags, progress)
        if known is not None and flags.write_baseline:
            result = baselines.written(known, result, paths, quiet=flags.quiet)
        elif known is not None and not (from_stdin or flags.quiet):
            baselines.tell_stale(known, result, paths)
    except (ConfigError, UnknownRule, VersionError, BaselineError, UnavailableFormat) as error:
        raise click.ClickException(str(error)) from None
    if flags.diff:
        return _show_diff(changes, result, flags)
    if from_stdin and flags.fix:
        print_text(_text_after(changes, options))
    elif changes:
        result = _written(changes, paths, options)
    if flags.confirm:
        result = _confirmed(result, options, flags)

    print_errors(result.errors)
    style = _style(flags)
    if flags.statistics:
        report = render_statistics(format_name, result, style)
    else:
        report = render(format_name, result, style, lambda: _rules_of(result).table)
    _deliver(report, flags, style, err=from_stdin and flags.fix)
    return exit_code(result, flags.fail_on or config.fail_on)


def _check_changes(flags: ScanFlags, *, from_stdin: bool) -> None:
    changes = flags.fix or flags.diff or flags.add_ignore is not None
    if flags.unsafe_fixes and (not (flags.fix or flags.diff) or flags.add_ignore is not None):
        raise click.UsageError("--unsafe-fixes says which fixes to make: give --fix or --diff with it")
    if flags.fix and flags.add_ignore is not None:
        raise click.UsageError("--fix and --add-ignore are two answers to a finding: give one of them")
    if flags.add_ignore is not None and from_stdin:
        raise click.UsageError("--add-ignore writes into files: - cannot be given with it")
    if flags.baseline and flags.no_baseline:
        raise click.UsageError("--no-baseline uses no baseline, so --baseline cannot be given with it")
    if flags.write_baseline and (changes or flags.confirm or flags.no_baseline or from_stdin):
        raise click.UsageError(
            "--write-baseline writes down what a scan of files finds:"
            " --fix, --diff, --add-ignore, --confirm, --no-baseline and - cannot be given with it"
        )
    if changes and flags.confirm:
        raise click.UsageError("--confirm runs programs as they are: change them in a call of its own")
    if flags.diff and (flags.format_name or flags.output or flags.statistics):
        raise click.UsageError("--diff prints a diff and no report: --format, --output and --statistics go without it")


def _scanned(
    paths: tuple[Path, ...], options: ScanOptions, flags: ScanFlags, progress: ProgressBar | None
) -> tuple[tuple[Change, ...], ScanResult]:
    """What is to be changed, and what the scan says after it."""
    if flags.add_ignore is None and not (flags.fix or flags.diff):
        from tflint_hf.engine import scan

        return (), scan(paths, options, progress)
    from tflint_hf.cli import changes

    if flags.add_ignore is not None:
        return changes.ignored(paths, options, progress, flags.add_ignore)
    return changes.fixed(paths, options, progress, unsafe=flags.unsafe_fixes)


def _show_diff(changes: Sequence[Change], result: ScanResult, flags: ScanFlags) -> Exit:
    """Exit code 1 says that there is something to change."""
    from tflint_hf.report.diff import render_diff

    print_errors(result.errors)
    style = _style(flags)
    _deliver(render_diff(changes, style), flags, style)
    if result.errors:
        return Exit.FAILED
    return Exit.FINDINGS if changes else Exit.CLEAN


def _text_after(changes: Sequence[Change], options: ScanOptions) -> str:
    """What was read from standard input goes to standard output, changed or not."""
    if changes:
        return changes[0].after.decode("utf-8", "surrogatepass")
    return options.stdin[0] if options.stdin is not None else ""


def _written(changes: Sequence[Change], paths: tuple[Path, ...], options: ScanOptions) -> ScanResult:
    """Write the changes. What is left is read again: a list of requirements may have been among them."""
    from tflint_hf.cli.changes import write
    from tflint_hf.engine import scan

    failures = write(changes)
    result = scan(paths, options)
    return replace(result, errors=(*result.errors, *failures))


def _rules_of(result: ScanResult) -> RuleSet:
    from tflint_hf.rule_set import load_rule_set

    return load_rule_set(result.rule_sources)


def _confirmed(result: ScanResult, options: ScanOptions, flags: ScanFlags) -> ScanResult:
    from tflint_hf.cli.confirm import what_to_install
    from tflint_hf.cli.progress import RunStatus
    from tflint_hf.dynamic.job import RunOptions
    from tflint_hf.dynamic.runner import NotStartedError
    from tflint_hf.dynamic.sweep import MissingLibraryError, confirm_scan

    python = flags.confirm_python
    asked = RunOptions(python=python, budget_seconds=flags.confirm_budget)
    try:
        with RunStatus(shown=_shows_progress(flags)) as status:
            return confirm_scan(result, options, _rules_of(result), asked, status.begin, status.listen)
    except MissingLibraryError as error:
        raise click.ClickException(
            what_to_install(python, error.library, "--confirm-python").removeprefix("error: ").rstrip()
        ) from None
    except NotStartedError as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{python} cannot be started: {error.strerror or error}") from None


def _common_place(paths: Sequence[Path], flags: ScanFlags) -> Path:
    """Where the configuration of the report as a whole is looked for; each scanned file still has its nearest one."""
    places = [os.path.abspath(path) for path in paths or (flags.stdin_filename,)]  # noqa: PTH100
    try:
        return Path(os.path.commonpath(places))
    except ValueError:  # several drives
        return Path.cwd()


def _read_stdin() -> str:
    data = sys.stdin.buffer.read()
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise click.UsageError(f"standard input is not text that Python can read: {error}") from None


def _shows_progress(flags: ScanFlags) -> bool:
    if flags.quiet or not sys.stderr.isatty():
        return False
    if flags.output or sys.stdout.isatty():
        return True
    try:
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):
        return False


def _style(flags: ScanFlags) -> Style:
    terminal = flags.output is None and sys.stdout.isatty()
    color = wants_color(flags.color, os.environ if flags.output is None else {}, terminal=terminal)
    width = shutil.get_terminal_size().columns if terminal else DEFAULT_WIDTH
    return Style(color=color, width=width, summary=not flags.quiet)


def _deliver(report: str, flags: ScanFlags, style: Style, *, err: bool = False) -> None:
    if flags.output:
        write_file(flags.output, report)
        return
    try:
        print_text(report, color=style.color, err=err)
    except BrokenPipeError:  # `| head` has seen enough: the exit code still tells what was found
        forget_standard_output()
