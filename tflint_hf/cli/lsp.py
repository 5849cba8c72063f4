"""`tflint-hf lsp`: the language server, for editors."""

from __future__ import annotations

import sys

import click

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
        if error.name is None or error.name.partition(".")[0] not in NEEDED:
            raise
        raise click.ClickException(
            f"the language server needs {error.name.partition('.')[0]}. Install it with\n"
            f'    {sys.executable} -m pip install "tflint-hf[lsp]"'
        ) from None
    start()
