"""`--baseline` and `--write-baseline`: which file it is, and what is said about it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tflint_hf.baseline import FILE_NAME, WRITE_AGAIN, Baseline, BaselineError, load
from tflint_hf.cli.output import check_output_file, print_text
from tflint_hf.discovery import display_path
from tflint_hf.report.style import printable
from tflint_hf.report.summary import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tflint_hf.cli.options import ScanFlags
    from tflint_hf.config import Config
    from tflint_hf.findings import ScanResult

SHOWN = 5
"""More stale entries than this are only counted."""


def chosen(flags: ScanFlags, config: Config) -> Baseline | None:
    """The baseline that the command line or else the configuration names. Raises BaselineError."""
    if flags.no_baseline:
        return None
    path = flags.baseline or config.baseline
    if path is None and flags.write_baseline:
        path = (config.path.parent if config.path is not None else Path()) / FILE_NAME
    if path is None:
        return None
    if flags.write_baseline:
        check_output_file(path, "--write-baseline")
    try:
        return load(path)
    except FileNotFoundError:
        if not flags.write_baseline:
            raise BaselineError(f"{path}: there is no such baseline: write it with --write-baseline") from None
        return Baseline(path)


def written(known: Baseline, result: ScanResult, paths: Sequence[Path], *, quiet: bool) -> ScanResult:
    """Write the baseline. The result has no new findings after that."""
    updated = known.updated(result, paths)
    updated.save()
    found = (*result.findings, *result.known)
    if not quiet:
        others = sum(entry.count for entry in updated.entries) - len(found)
        more = f", and {others} that this scan did not look for" if others else ""
        print_text(f"{display_path(updated.path)}: {counted(len(found), 'known finding')}{more}\n", err=True)
    return replace(result, findings=(), known=found)


def tell_stale(known: Baseline, result: ScanResult, paths: Sequence[Path]) -> None:
    """Say which entries no finding matches any more."""
    stale = known.stale(result, paths)
    if not stale:
        return
    lines = [
        f"{display_path(known.path)}: {counted(sum(entry.count for entry in stale), 'known finding')}"
        f" not there any more: {WRITE_AGAIN}"
    ]
    for entry in stale[:SHOWN]:
        gone = "" if (known.path.parent / entry.path).exists() else " (the file is gone or has another name)"
        times = f" {entry.count} times" if entry.count > 1 else ""
        lines.append(f"  {entry.path}: {entry.rule} {_short(entry.snippet)}{times}{gone}")
    if len(stale) > SHOWN:
        lines.append(f"  and {len(stale) - SHOWN} more")
    print_text("".join(f"{printable(line)}\n" for line in lines), err=True)


def _short(snippet: str) -> str:
    return snippet if len(snippet) <= 60 else f"{snippet[:59]}…"
