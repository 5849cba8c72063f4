"""A scan from paths to a result."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING

from tflint_hf.checks.fault import Once
from tflint_hf.discovery import display_path
from tflint_hf.engine.options import Configs, ScanOptions, selected_codes
from tflint_hf.engine.suppressed import wanted, without_suppressed
from tflint_hf.engine.tasks import Task, find_candidates, make_tasks, place_of_stdin, shown_target, stdin_task
from tflint_hf.engine.worker import ProgramResult, scan_program
from tflint_hf.findings import Finding, RuleSources, ScanError, ScanResult, Severity
from tflint_hf.interrupts import end_quietly
from tflint_hf.rule_set import RuleSet, load_rule_set
from tflint_hf.target import project_root

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from tflint_hf.checks.fault import Check
    from tflint_hf.discovery import Candidate
    from tflint_hf.suppression import Suppression
    from tflint_hf.target import FolderCache

MIN_PROGRAMS_FOR_WORKERS = 24
RUNNABLE = frozenset({".py", ".ipynb"})

__all__ = ["ScanOptions", "rule_sources_for", "rules_for", "scan", "wanted"]


def scan(paths: Sequence[Path], options: ScanOptions, progress: Callable[[int, int], None] | None = None) -> ScanResult:
    """Scan files and folders, or the text of standard input.

    Raises ConfigError for a wrong configuration and UnknownRule for a selector that means no rule.
    """
    configs = Configs(options)
    errors: list[ScanError] = []
    tasks: list[Task] = []
    cache: FolderCache = {}
    targets: dict[str, dict[str, str]] = {}
    candidates: list[Candidate] = []
    if options.stdin is not None:
        rule_sources = configs.rule_sources([place_of_stdin(options.stdin[1])])
        rule_set = load_rule_set(rule_sources)
        tasks = [stdin_task(options.stdin, options, configs, rule_set.table, rule_sources, cache)]
        files = 1
    else:
        candidates, errors = find_candidates(paths, options, configs)
        files = len(candidates)
        rule_sources = configs.rule_sources([candidate.path for candidate in candidates])
        rule_set = load_rule_set(rule_sources)
        tasks = make_tasks(candidates, options, configs, rule_set.table, rule_sources, cache, errors)
    rules = rule_set.table
    errors.extend(rule_set.failures)
    for task in tasks:
        for path, target in task.targets.items():
            targets.setdefault(display_path(project_root(path.parent)), shown_target(target))
    results = run_all(tasks, options.jobs, progress)
    findings: list[Finding] = []
    suppressions: dict[str, tuple[Suppression, ...]] = {}
    texts: dict[tuple[str, int | None], tuple[str, ...]] = {}
    file_lines: dict[tuple[str, int | None], tuple[int, ...]] = {}
    said: set[tuple[object, ...]] = set()
    for result in results:
        findings.extend(_said_once(result, said, rule_set.checks))
        errors.extend(result.errors)
        suppressions.update(result.suppressions)
        texts.update(result.texts)
        file_lines.update(result.file_lines)
        targets.update({path: shown_target(target) for path, target in result.own_targets.items()})
    kept = without_suppressed(findings, suppressions, rules, configs, options, texts)
    kept.sort(key=lambda finding: finding.sort_key)
    known: list[Finding] = []
    if options.baseline is not None:
        kept, known = options.baseline.split(kept, texts)
    named = {place for finding in (*kept, *known) for place in _places(finding)}
    return ScanResult(
        tuple(kept),
        tuple(sorted(set(errors))),
        {key: lines for key, lines in texts.items() if key in named},
        targets,
        files,
        _started_by(tasks, {finding.location.path for finding in kept}),
        tuple(known),
        _checked(candidates, tasks, results, errors, lambda path: selected_codes(configs.of(path), options, rules)),
        rule_sources=rule_sources,
        file_lines={key: lines for key, lines in file_lines.items() if key in named},
    )


def rule_sources_for(path: Path, options: ScanOptions) -> RuleSources:
    """Where a scan of a file or folder has its rules from. Raises ConfigError."""
    return Configs(options).rule_sources([path.absolute()])


def rules_for(path: Path, options: ScanOptions) -> RuleSet:
    """The rules that a scan of a file or folder knows. Raises ConfigError."""
    return load_rule_set(rule_sources_for(path, options))


def _places(finding: Finding) -> Iterator[tuple[str, int | None]]:
    """The texts that a report on a finding points into."""
    edits = finding.fix.edits if finding.fix is not None else ()
    related = (one.location for one in finding.related)
    for place in (finding.location, *related, *(edit.location for edit in edits)):
        yield place.path, place.cell


def _checked(
    candidates: Sequence[Candidate],
    tasks: Sequence[Task],
    results: Sequence[ProgramResult],
    errors: Sequence[ScanError],
    selected: Callable[[Path], frozenset[str]],
) -> dict[str, frozenset[str]]:
    """The rules that looked at each file, also at those in which there was nothing to see."""
    by_folder: dict[Path, frozenset[str]] = {}
    for candidate in candidates:
        folder = candidate.path.parent
        if folder not in by_folder:
            by_folder[folder] = selected(candidate.path)
    checked = {candidate.display: by_folder[candidate.path.parent] for candidate in candidates}
    unread = {error.path for error in errors}
    for task, result in zip(tasks, results, strict=True):
        names = {name for name in task.shown.values() if name}
        checked.update(dict.fromkeys(names, task.codes))
        if result.errors:
            unread |= names
    return {name: checked[name] for name in sorted(checked.keys() - unread)}


def _started_by(tasks: Sequence[Task], paths: set[str]) -> dict[str, tuple[str, ...]]:
    """For each of these files the scanned programs to run if it is to be executed, by their names in reports."""
    found: dict[str, tuple[str, ...]] = {}
    for task in tasks:
        names = {path: name for path, name in task.shown.items() if name and path.suffix in RUNNABLE}
        roots = tuple(names[path] for path in task.program.roots if path in names)
        for path, name in names.items():
            if name in paths:
                is_script = path in task.program.roots or b"__main__" in task.contents[path]
                found[name] = (name,) if is_script else roots or (name,)
    return found


def _said_once(result: ProgramResult, said: set[tuple[object, ...]], checks: Mapping[str, Check]) -> list[Finding]:
    """The findings of a program, without what was already said of its project."""
    kept = []
    for finding in result.findings:
        check = checks.get(finding.code)
        once = check.once if check is not None else None
        if once is not None:
            of_project = once is Once.EVERYTHING or finding.severity is Severity.INFO
            place = () if of_project else (finding.location.path, finding.location.cell, finding.location.line)
            if (result.root, finding.code, *place) in said:
                continue
            said.add((result.root, finding.code, *place))
        kept.append(finding)
    return kept


def run_all(
    tasks: Sequence[Task], jobs: int | None, progress: Callable[[int, int], None] | None
) -> list[ProgramResult]:
    workers = (
        jobs if jobs is not None else min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1, 8)
    )
    results: list[ProgramResult] = []
    if workers > 1 and len(tasks) >= MIN_PROGRAMS_FOR_WORKERS:
        with ProcessPoolExecutor(workers, initializer=end_quietly) as pool:
            try:
                for result in pool.map(scan_program, tasks, chunksize=4):
                    results.append(result)
                    if progress is not None:
                        progress(len(results), len(tasks))
            except KeyboardInterrupt:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return results
    for task in tasks:
        results.append(scan_program(task))
        if progress is not None:
            progress(len(results), len(tasks))
    return results
