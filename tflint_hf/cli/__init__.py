"""The command line. Its modules import the rest of the package only when a command runs, so that it starts fast."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tflint_hf import __version__
from tflint_hf.cli.confirm import confirm_command
from tflint_hf.cli.diagnose import diagnose_command
from tflint_hf.cli.exits import Exit, Invocation
from tflint_hf.cli.lsp import lsp_command
from tflint_hf.cli.output import OutputError, forget_standard_output
from tflint_hf.cli.rule_tests import test_rules_command
from tflint_hf.cli.rules import rule_command, rules_command
from tflint_hf.cli.scan import scan_command

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Group(click.Group):
    """Names the command that a file as the first argument is for."""

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(context, args)
        except click.UsageError:
            if not Path(args[0]).exists() and Path(args[0]).suffix not in {".py", ".ipynb"}:
                raise
            meant = f"did you mean `tflint-hf scan {shlex.join(args)}`?"
            raise click.UsageError(f"{args[0]} is no command: {meant}", context) from None


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tflint-hf")
def cli() -> None:
    """Find silent faults in TensorFlow/Keras training code that uses Hugging Face transformers."""


cli.add_command(scan_command)
cli.add_command(confirm_command)
cli.add_command(diagnose_command)
cli.add_command(lsp_command)
cli.add_command(rule_command)
cli.add_command(rules_command)
cli.add_command(test_rules_command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    invocation = Invocation()
    try:
        result = cli.main(
            list(arguments) if arguments is not None else None,
            prog_name="tflint-hf",
            standalone_mode=False,
            obj=invocation,
        )
        return result if isinstance(result, int) else Exit.CLEAN
    except click.ClickException as error:
        error.show()
        return Exit.FAILED
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return Exit.INTERRUPTED
    except BrokenPipeError:
        forget_standard_output()
        return Exit.CLEAN
    except OutputError as error:
        click.echo(f"error: the report cannot be written: {error}", err=True)
        forget_standard_output()
        return Exit.FAILED
    except Exception as error:
        _report_internal_error(error, verbose=invocation.verbose)
        return Exit.FAILED


def _report_internal_error(error: Exception, *, verbose: bool) -> None:
    click.echo(
        f"tflint-hf failed: {type(error).__name__}: {error}\n"
        "This is a fault of tflint-hf, not of your code. Please report it to the project with the file that was "
        "scanned and " + ("this traceback:" if verbose else "the traceback that --verbose prints."),
        err=True,
    )
    if verbose:
        import traceback

        click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
