"""The commands with their options, as the command line itself knows them, for docs/command-line.md."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from tflint_hf.cli import cli

NAME = "tflint-hf"


def commands() -> str:
    return "".join(line for name, command in cli.commands.items() for line in _lines(name, command))


def _lines(name: str, command: click.Command) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=click.Context(cli, info_name=NAME))
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"\n## {NAME} {name}\n\n```text\n{usage}\n```\n"
    for paragraph in (command.help or "").split("\n\n"):
        yield f"\n{_escaped(' '.join(paragraph.split()))}\n"
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    if options:
        yield "\n| option | meaning |\n| --- | --- |\n"
        yield from (f"| {_spelling(option)} | {_meaning(option)} |\n" for option in options)


def _spelling(option: click.Option) -> str:
    """Its names; the last one with the value, unless the meaning lists the values."""
    value = option.metavar or option.type.name.upper()
    if option.is_flag or isinstance(option.type, click.Choice):
        value = ""
    elif not value.startswith("["):
        value = f" {value}"
    names = sorted([*option.opts, *option.secondary_opts], key=len)
    return ", ".join(f"`{name}`" for name in [*names[:-1], names[-1] + value])


def _meaning(option: click.Option) -> str:
    """The help, which names the default; click's own is what stands on the machine that asks."""
    parts = [_escaped(" ".join((option.help or "").split()))]
    if isinstance(option.type, click.Choice):
        parts.append(f"One of {', '.join(f'`{choice}`' for choice in option.type.choices)}.")
    if isinstance(option.type, click.IntRange | click.FloatRange) and option.type.min is not None:
        parts.append(f"At least {option.type.min}.")
    if option.multiple:
        parts.append("May be given several times.")
    return " ".join(filter(None, parts))


def _escaped(text: str) -> str:
    """Words for a table in Markdown; options in them are code, so that no `--` becomes a dash."""
    text = text.replace("<", "&lt;").replace("|", "&#124;").replace("*", "\\*")
    return re.sub(r"`[^`]*`|(?<![\w-])--?(?:[a-z][\w-]*|(?=\s))", lambda found: f"`{found[0].strip('`')}`", text)
