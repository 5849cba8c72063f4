"""A scan whose programs are run: those with findings, one after the other, and a verdict for each finding."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tflint_hf.dynamic.confirm import RANK, confirm, missing_library
from tflint_hf.engine import wanted
from tflint_hf.findings import Finding, Location, ScanError, ScanResult, Verdict
from tflint_hf.source import SourceError, SourceKind, lines_in_file, source_from_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from tflint_hf.dynamic.job import RunOptions
    from tflint_hf.engine import ScanOptions
    from tflint_hf.rule_set import RuleSet


class MissingLibraryError(Exception):
    """The interpreter that was to run the programs lacks a library that any of them needs."""

    def __init__(self, library: str) -> None:
        super().__init__(library)
        self.library = library


def programs_to_run(result: ScanResult) -> tuple[str, ...]:
    """The scanned scripts and notebooks that execute the code of some finding."""
    paths = sorted({finding.location.path for finding in result.findings})
    return tuple(dict.fromkeys(program for path in paths for program in result.started_by.get(path, ())))


def confirm_scan(
    result: ScanResult,
    scanned: ScanOptions,
    rules: RuleSet,
    options: RunOptions,
    begin: Callable[[str, int, int], None],
    listen: Callable[[Mapping[str, Any]], None],
) -> ScanResult:
    """The result with verdicts, and with what only the runs show. `begin` hears of each program before it runs.

    Raises MissingLibraryError, and OSError if the interpreter cannot be started.
    """
    programs = programs_to_run(result)
    known: dict[Finding, Verdict | None] = dict.fromkeys(result.findings)
    shown: dict[tuple[str, Location], Finding] = {}
    failures: dict[ScanError, None] = {}
    for number, program in enumerate(programs, 1):
        begin(program, number, len(programs))
        mine = tuple(f for f in result.findings if program in result.started_by.get(f.location.path, ()))
        try:
            confirmation = confirm(Path(program), mine, rules, options, listen)
        except SourceError:  # the scan has said so
            continue
        library = missing_library(confirmation.observation)
        if library is not None:
            raise MissingLibraryError(library)
        failures.update(dict.fromkeys(confirmation.failures))
        for finding in confirmation.findings:
            verdict = finding.verdict
            original = replace(finding, verdict=None)
            if original not in known:
                shown[finding.code, finding.location] = finding
            elif verdict is not None and _tells_more(verdict, known[original]):
                known[original] = verdict
    findings = [replace(finding, verdict=verdict) for finding, verdict in known.items()]
    added = wanted(tuple(shown.values()), scanned)
    result = replace(result, errors=(*result.errors, *(one for one in failures if one not in result.errors)))
    return with_findings(result, (*findings, *added))


def with_findings(result: ScanResult, findings: Iterable[Finding]) -> ScanResult:
    """The result with these findings for its own, and the texts that their excerpts are taken from."""
    kept = tuple(sorted(findings, key=lambda finding: finding.sort_key))
    sources, file_lines = dict(result.sources), dict(result.file_lines)
    for path in {f.location.path for f in kept if (f.location.path, f.location.cell) not in sources}:
        try:
            content = Path(path).read_bytes()
            source = source_from_bytes(content, Path(path), path)
        except (OSError, SourceError):
            continue
        sources.update({(path, cell): tuple(lines) for cell, lines in source.texts.items()})
        if source.kind is SourceKind.NOTEBOOK:
            file_lines.update({(path, cell): lines for cell, lines in lines_in_file(content).items()})
    return replace(result, findings=kept, sources=sources, file_lines=file_lines)


def _tells_more(verdict: Verdict, before: Verdict | None) -> bool:
    """Several programs may execute one file: what one of them shows counts more than what others do not reach."""
    return before is None or RANK[verdict.outcome] > RANK[before.outcome]
