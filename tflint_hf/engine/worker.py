"""Reading and judging one program, in this process or in a worker."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tflint_hf.findings import Finding, Location, ScanError
from tflint_hf.interrupts import deferred
from tflint_hf.own_rules.bundle import failed
from tflint_hf.rule_set import load_rule_set
from tflint_hf.rules import RuleTable
from tflint_hf.source import Source, SourceKind, lines_in_file, source_from_bytes, source_from_text
from tflint_hf.source.requirements import install_requirements
from tflint_hf.suppression import Suppression, find_suppressions, suppressions_in_lines
from tflint_hf.target import Pin, Target, find_target, pins_in_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tflint_hf.findings import Fix
    from tflint_hf.fixes import PlannedFix
    from tflint_hf.source import Problem

from tflint_hf.engine.tasks import Task, repository_of

PARSE_RULE = "TFX001"


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """What came of one program. `own_targets` are those of the files that install libraries themselves."""

    findings: tuple[Finding, ...]
    errors: tuple[ScanError, ...]
    suppressions: Mapping[str, tuple[Suppression, ...]]
    root: Path
    texts: Mapping[tuple[str, int | None], tuple[str, ...]]
    own_targets: Mapping[str, Target] = field(default_factory=dict)
    file_lines: Mapping[tuple[str, int | None], tuple[int, ...]] = field(default_factory=dict)


def scan_program(task: Task) -> ProgramResult:
    """Read one program and judge it. A failure of the tool itself is an error of that program, not of the scan."""
    try:
        return _scan_program(task)
    except Exception as error:
        shown = next((name for name in task.shown.values() if name), str(task.program.files[0]))
        trouble = f"internal error: {type(error).__name__}: {error}"
        return ProgramResult((), (ScanError(shown, trouble),), {}, task.root, {})


def _scan_program(task: Task) -> ProgramResult:
    with deferred():
        from tflint_hf.judge import judge, to_findings
        from tflint_hf.static.edits import Resolver
        from tflint_hf.static.modules import ProgramFiles
        from tflint_hf.static.reader import read_program
        from tflint_hf.trace.places import FilePlace

    rule_set = load_rule_set(task.rule_sources)
    rules = rule_set.table
    files = ProgramFiles(task.root)
    problems: list[tuple[Source, Problem]] = []
    sources: dict[Path, Source] = {}
    for path in task.program.files:
        if task.text is not None:
            source = source_from_text(*task.text)
        else:
            source = source_from_bytes(task.contents[path], path, task.shown[path] or str(path))
        parsed = files.add(source)
        if task.shown[path]:
            sources[path] = source
            problems.extend((source, problem) for problem in parsed.problems)
    entries = _entries(task, sources)
    errors: list[ScanError] = []
    shown = next((name for name in task.shown.values() if name), str(task.program.files[0]))

    def on_failure(code: str, error: BaseException) -> None:
        errors.append(failed(rules.by_code[code], shown, error))

    judgements = [
        judgement
        for trace, target in read_program(files, entries, _retarget)
        for judgement in judge(trace, target, rule_set.checks_for(target, task.codes), task.options, on_failure)
    ]
    resolver = Resolver(files.units, files.origins)
    reported = {name for name in task.shown.values() if name}
    judgements = [
        j for j in judgements if isinstance(j.fault.at, FilePlace) or resolver.path(j.fault.at) in (*reported, None)
    ]
    hidden = {unit.source.display for unit in files.units} - reported

    def resolved(planned: PlannedFix) -> Fix | None:
        """The fix, unless it changes a file that nobody asked about."""
        fix = resolver.fix(planned)
        return None if fix is None or any(edit.location.path in hidden for edit in fix.edits) else fix

    findings = to_findings(judgements, rules, resolver.location, resolved, on_failure)
    if PARSE_RULE in task.codes:
        findings.extend(_unparsed(source, problem, rules) for source, problem in problems)
    texts = {(s.display, cell): tuple(lines) for s in sources.values() for cell, lines in s.texts.items()}
    texts.update({(path, None): lines for path, lines in resolver.other_files.items()})
    suppressions = {
        path: suppressions_in_lines(path, lines, rules.prefixes) for path, lines in resolver.other_files.items()
    }
    suppressions.update({s.display: find_suppressions(s, rules.prefixes) for s in sources.values()})
    own_targets = {sources[path].display: target for path, target, _ in entries if sources[path].requirements}
    file_lines = _file_lines(task, sources, findings)
    return ProgramResult(tuple(findings), tuple(errors), suppressions, task.root, texts, own_targets, file_lines)


def _file_lines(
    task: Task, sources: Mapping[Path, Source], findings: Sequence[Finding]
) -> dict[tuple[str, int | None], tuple[int, ...]]:
    """The lines of the file under those of cells. To find them takes its time: only for notebooks with findings."""
    named = {finding.location.path for finding in findings}
    return {
        (source.display, cell): lines
        for path, source in sources.items()
        if source.kind is SourceKind.NOTEBOOK and source.display in named
        for cell, lines in lines_in_file(task.contents[path] if task.text is None else task.text[0]).items()
    }


def _retarget(path: Path, installs: Sequence[str]) -> Target:
    """The target of a script that runs pip itself."""
    said = [requirement for command in installs for requirement in install_requirements(command)]
    return find_target(path.parent, stop=repository_of(path), notebook_requirements=said)


def _entries(task: Task, sources: Mapping[Path, Source]) -> list[tuple[Path, Target, bool]]:
    """The files to execute as scripts, those first that no other imports; the flag says: even if it was imported."""
    order = [*task.program.roots, *(p for p in task.program.files if p not in task.program.roots)]
    entries = []
    for path in order:
        source = sources.get(path)
        if source is None:
            continue
        target = task.targets[path]
        if source.requirements:
            target = find_target(path.parent, stop=repository_of(path), notebook_requirements=source.requirements)
            target = replace(target, pins=(*_own_pins(source), *target.pins))
        is_root = path in task.program.roots or b"__main__" in task.contents[path]
        entries.append((path, target, is_root))
    return entries


def _own_pins(source: Source) -> Iterator[Pin]:
    for requirement in source.requirements:
        where = source.line_with(requirement)
        if where is not None:
            cell, line = where
            yield from pins_in_text(requirement, source.display, line, cell)


def _unparsed(source: Source, problem: Problem, rules: RuleTable) -> Finding:
    from tflint_hf.findings import Severity

    rule = rules.by_code[PARSE_RULE]
    values = {"problem": problem.message}
    place = Location(source.display, problem.cell, problem.line, problem.column, problem.line, problem.column)
    severity = rule.severity if problem.whole_file else Severity.INFO
    return Finding(
        rule.code,
        rule.name,
        severity,
        rule.confidence,
        rule.message.format_map(values),
        rule.why.format_map(values),
        rule.advice.format_map(values),
        place,
        url=rule.url,
    )
