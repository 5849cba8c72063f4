"""`tflint-hf lsp`: the language server, for editors."""

from __future__ import annotations

import click

from tflint_hf import extras

NEEDED = ("pygls", "lsprotocol")


@click.command("lsp")
@click.option("--stdio", is_flag=True, help="Talk over standard input and output, which it does anyway.")
def lsp_command(stdio: bool) -> None:  # noqa: ARG001
    """Serve an editor: findings while you type, fixes, explanations, and confirming by running.

    The editor starts it and talks to it over standard input and output.
    """
    try:
        from tflint_hf.lsp.server import start
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in NEEDED:
            raise
        raise click.ClickException(extras.missing(library, "lsp")) from None
    start()
