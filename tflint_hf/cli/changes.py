"""`--fix`, `--diff` and `--add-ignore`: what a scan does to the user's files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tflint_hf.cli.output import print_text
from tflint_hf.editing.files import write_bytes
from tflint_hf.editing.fixing import fix
from tflint_hf.editing.ignoring import ignore
from tflint_hf.engine import scan
from tflint_hf.findings import Safety, ScanError
from tflint_hf.report.summary import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tflint_hf.editing.fixing import Change
    from tflint_hf.engine import ScanOptions
    from tflint_hf.findings import Finding, ScanResult

    Progress = Callable[[int, int], None] | None

SAFE = frozenset({Safety.SAFE})
ALL = frozenset(Safety)


def fixed(
    paths: Sequence[Path], options: ScanOptions, progress: Progress, *, unsafe: bool
) -> tuple[tuple[Change, ...], ScanResult]:
    """The changes that fixes make, and what a scan says after them."""
    done = fix(paths, options, ALL if unsafe else SAFE, progress)
    _say_refused(done.refused, "was not fixed")
    if done.findings:
        fixes = f"{len(done.findings)} {'fix' if len(done.findings) == 1 else 'fixes'}"
        print_text(f"{fixes} in {counted(len(done.changes), 'file')}\n", err=True)
    return done.changes, done.result


def ignored(
    paths: Sequence[Path], options: ScanOptions, progress: Progress, reason: str
) -> tuple[tuple[Change, ...], ScanResult]:
    """The changes that hide all findings there are, and what a scan says after them."""
    found = scan(paths, options, progress)
    try:
        changes, refused = ignore(found.findings, reason)
    except ValueError as error:
        raise click.UsageError(f"--add-ignore: {error}") from None
    _say_refused(refused, "cannot be hidden")
    unsaved = {change.path: change.after for change in changes}
    result = scan(paths, replace(options, unsaved={**options.unsaved, **unsaved}), progress)
    hidden = len(found.findings) - len(result.findings)
    if hidden:
        print_text(f"{counted(hidden, 'finding')} hidden by comments\n", err=True)
    return changes, result


def write(changes: Sequence[Change]) -> tuple[ScanError, ...]:
    """Write what changed. A file that is not what the scan read any more stays as it is."""
    failures: list[ScanError] = []
    for change in changes:
        try:
            if change.path.read_bytes() != change.before:
                failures.append(ScanError(change.display, "was changed meanwhile, and is left as it is: scan again"))
                continue
            write_bytes(change.path, change.after)
        except OSError as error:
            failures.append(ScanError(change.display, f"cannot be written: {error.strerror or error}"))
    return tuple(failures)


def _say_refused(refused: Sequence[tuple[Finding, str]], what: str) -> None:
    for finding, why in refused:
        print_text(f"{finding.location}: {finding.code} {what}: {why}\n", err=True)
