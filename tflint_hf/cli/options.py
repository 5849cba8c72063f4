"""Options that commands share, and how their values are read."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from tflint_hf.interrupts import deferred

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tflint_hf.engine import ScanOptions

F = TypeVar("F", bound="Callable[..., Any]")

CONFIG_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_TARGET = re.compile(r"([A-Za-z][\w.-]*)?\s*(==?|>=|<=|<|>|~=|!=)\s*([\w.*+-]+)")
LEAST_BUDGET = 5
RULE_PATHS = click.option(
    "--rule-path",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Load the rules in FOLDER, which runs its Python files.",
)
NO_RULE_PATHS = click.option(
    "--no-rule-paths", is_flag=True, help="Load no rules of the folders that the configuration names."
)
NO_PLUGINS = click.option("--no-plugins", is_flag=True, help="Load neither those nor the rules of installed packages.")


def with_rule_sources(command: F) -> F:
    """Options that say where rules come from: the parameters `rule_path`, `no_rule_paths` and `no_plugins`."""
    return RULE_PATHS(NO_RULE_PATHS(NO_PLUGINS(command)))


def loading(rule_path: Sequence[Path], *, no_rule_paths: bool, no_plugins: bool) -> ScanOptions:
    """The options of a scan with the rules that these parameters ask for."""
    with deferred():
        from tflint_hf.discovery import absolute
        from tflint_hf.engine import ScanOptions

    folders = tuple(dict.fromkeys(map(absolute, rule_path)))
    return ScanOptions(packages=not no_plugins, config_rule_paths=not (no_plugins or no_rule_paths), rule_paths=folders)


class Seconds(click.FloatRange):
    """A time that a run may take: FloatRange alone lets "nan" through, after which no run would ever end."""

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> float:
        seconds: float = super().convert(value, parameter, context)
        if math.isnan(seconds):
            self.fail(f"{value} is no time", parameter, context)
        return seconds


@dataclass(frozen=True, slots=True)
class ScanFlags:
    """The options of one call of `scan`, as click read them and in its names."""

    paths: tuple[str, ...]
    format_name: str | None
    output: Path | None
    statistics: bool
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    extend_select: tuple[str, ...]
    fail_on: str | None
    exclude: tuple[str, ...]
    extend_exclude: tuple[str, ...]
    force_exclude: bool
    no_gitignore: bool
    config: Path | None
    isolated: bool
    target: tuple[str, ...]
    stdin_filename: str
    jobs: int | None
    color: str
    quiet: bool
    fix: bool
    unsafe_fixes: bool
    diff: bool
    add_ignore: str | None
    baseline: Path | None
    write_baseline: bool
    no_baseline: bool
    confirm: bool
    confirm_budget: float
    confirm_python: str
    no_plugins: bool
    no_rule_paths: bool
    rule_path: tuple[Path, ...]


def listed(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """The items of comma separated lists, each of which may be given several times."""
    return tuple(item.strip() for value in values for item in value.split(",") if item.strip())


def rules_begun(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The codes and names that the last item of a comma separated list may become. No code of a project is run."""
    from tflint_hf.rule_files import load_rules

    head, comma, typed = incomplete.rpartition(",")
    rules = load_rules()
    items = [(rule.code, rule.name) for rule in rules if rule.code.startswith(typed.upper())]
    items += [(rule.name, rule.code) for rule in rules if typed and rule.name.startswith(typed)]
    return [CompletionItem(head + comma + item, help=other) for item, other in items]


def target_versions(targets: Sequence[str]) -> dict[str, str]:
    """Library to version or range, from texts such as `transformers=4.38.2` and `transformers>=4.38,<5`."""
    from tflint_hf.config import LIBRARIES

    versions: dict[str, str] = {}
    library = ""
    for part in (piece.strip() for text in targets for piece in text.split(",") if piece.strip()):
        named = _TARGET.fullmatch(part)
        if named is None:
            raise click.UsageError(f"--target {part} is not LIB=VERSION, as in --target transformers=4.38.2")
        name, operator, version = named.groups()
        if not name and library:  # the second half of a range
            versions[library] += f",{operator}{version}"
            continue
        library = name.lower()
        if library not in LIBRARIES:
            raise click.UsageError(f"--target {part}: the libraries are {', '.join(LIBRARIES)}")
        versions[library] = version if operator in {"=", "=="} else f"{operator}{version}"
    return versions
