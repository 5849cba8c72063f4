"""`tflint-hf test-rules`: whether rules of your own do what their files and fixtures say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tflint_hf.cli.exits import Exit
from tflint_hf.cli.output import print_errors, print_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tflint_hf.engine import ScanOptions
    from tflint_hf.rules import Rule


@click.command("test-rules")
@click.argument(
    "folders",
    nargs=-1,
    metavar="[FOLDER]...",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
def test_rules_command(folders: tuple[Path, ...]) -> int:
    """Test rules of your own: their examples, their fixtures, their fixes.

    FOLDER holds rules; default: the folders that the configuration here names in rule-paths, and installed packages.

    Exit code: 0 all is as it should be, 1 something is not, 2 something could not be loaded.
    """
    from tflint_hf.config import ConfigError
    from tflint_hf.discovery import absolute
    from tflint_hf.engine import ScanOptions, rule_sources_for, rules_for

    named = tuple(dict.fromkeys(map(absolute, folders)))
    options = ScanOptions(isolated=True, packages=False, rule_paths=named, jobs=1)
    try:
        if not folders:
            options = replace(options, packages=True, rule_paths=rule_sources_for(Path.cwd(), ScanOptions()).folders)
        known = rules_for(Path.cwd(), options)
    except ConfigError as error:
        raise click.ClickException(str(error)) from None
    print_errors(known.failures)
    rules = [rule for rule in known.table if rule.origin]
    if not (rules or known.failures):
        where = ", ".join(map(str, folders)) or "neither rule-paths nor an installed package"
        raise click.ClickException(f"there is no rule in {where}" if folders else f"{where} brings a rule")
    failed = False
    for rule in rules:
        problems = list(_problems(rule, options))
        failed = failed or bool(problems)
        print_text(f"{rule.code} {rule.name}: {'not as it should be' if problems else 'ok'}\n")
        print_text("".join(f"  {problem}\n" for problem in problems))
    if known.failures:
        return Exit.FAILED
    return Exit.FINDINGS if failed else Exit.CLEAN


def _problems(rule: Rule, options: ScanOptions) -> Iterator[str]:
    from tflint_hf.own_rules.bundle import FIXTURES
    from tflint_hf.rule_testing import (
        EXPECTED,
        ExpectationError,
        problems_of_examples,
        problems_of_fixes,
        problems_of_fixtures,
        targets_for,
    )

    if rule.probe is not None:
        from tflint_hf.dynamic.verdicts import probes

        if rule.probe not in probes():
            yield f"no probe is called {rule.probe}; there are {', '.join(sorted(probes()))}"
    mine = replace(options, select=(rule.code,))
    yield from problems_of_examples(rule, replace(mine, target_versions=targets_for(rule)))
    fixtures = Path(rule.home) / FIXTURES / rule.name
    if not (fixtures / EXPECTED).is_file():
        yield f"it has no fixtures: {fixtures / EXPECTED} is missing"
        return
    try:
        yield from problems_of_fixtures(fixtures, mine)
    except ExpectationError as error:
        yield str(error)
    yield from problems_of_fixes(fixtures, mine, rule.fix)
