"""A scan from paths to a result: discovery, reading, judging, suppression."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tflint_hf.config import Config, find_config, load_config
from tflint_hf.discovery import Candidate, discover, display_path, may_hold_training_code
from tflint_hf.findings import Finding, Location, ScanError, ScanResult
from tflint_hf.programs import Program, programs
from tflint_hf.rules import RuleTable, load_rules
from tflint_hf.source import Source, SourceError, read_bytes, source_from_bytes, source_from_text
from tflint_hf.suppression import Suppression, apply, find_suppressions
from tflint_hf.target import Target, find_target, project_root

if TYPE_CHECKING:
    from tflint_hf.source import Problem
    from tflint_hf.target import FolderCache

PARSE_RULE, UNUSED_RULE = "TFX001", "TFX002"
MIN_PROGRAMS_FOR_WORKERS = 24


@dataclass(frozen=True, slots=True)
class ScanOptions:
    """What the command line asks for. None means: as the configuration says."""

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    exclude: tuple[str, ...] | None = None
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    respect_gitignore: bool | None = None
    config_path: Path | None = None
    isolated: bool = False
    target_versions: Mapping[str, str] = field(default_factory=dict)
    jobs: int | None = None
    stdin: tuple[str, str] | None = None
    cache: bool = True


@dataclass(frozen=True, slots=True)
class Task:
    """One program to read: its files' texts, what the rules may know of them, and which rules to run.

    `shown` maps each path to its name in reports, or to None for files that are read but not reported on.
    """

    program: Program
    contents: Mapping[Path, bytes]
    shown: Mapping[Path, str | None]
    root: Path
    targets: Mapping[Path, Target]
    codes: frozenset[str]
    options: Mapping[str, Mapping[str, Any]]
    text: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class ProgramResult:
    findings: tuple[Finding, ...]
    errors: tuple[ScanError, ...]
    suppressions: Mapping[str, tuple[Suppression, ...]]
    texts: Mapping[tuple[str, int | None], tuple[str, ...]]


def scan(
    paths: Sequence[Path], options: ScanOptions, progress: Callable[[int, int], None] | None = None
) -> ScanResult:
    """Scan files and folders, or the text of standard input.

    Raises ConfigError for a wrong configuration and UnknownRule for a selector that means no rule.
    """
    rules = load_rules()
    configs = _Configs(options)
    errors: list[ScanError] = []
    tasks: list[Task] = []
    cache: FolderCache = {}
    targets: dict[str, dict[str, str]] = {}
    if options.stdin is not None:
        tasks = [_stdin_task(options.stdin, options, configs, rules, cache)]
        files = 1
    else:
        candidates, errors = _candidates(paths, options, configs)
        files = len(candidates)
        tasks = _tasks(candidates, options, configs, rules, cache, errors)
    for task in tasks:
        for path, target in task.targets.items():
            targets.setdefault(display_path(project_root(path.parent)), _shown_target(target))
    results = _run_all(tasks, options.jobs, progress)
    findings: list[Finding] = []
    suppressions: dict[str, tuple[Suppression, ...]] = {}
    texts: dict[tuple[str, int | None], tuple[str, ...]] = {}
    for result in results:
        findings.extend(result.findings)
        errors.extend(result.errors)
        suppressions.update(result.suppressions)
        texts.update(result.texts)
    kept = _suppressed(findings, suppressions, rules, configs, options)
    kept.sort(key=lambda finding: finding.sort_key)
    shown = {(f.location.path, f.location.cell) for f in kept}
    return ScanResult(
        tuple(kept),
        tuple(sorted(set(errors))),
        {key: lines for key, lines in texts.items() if key in shown},
        targets,
        files,
    )


# Configuration


class _Configs:
    """The configuration of each folder, read once."""

    def __init__(self, options: ScanOptions) -> None:
        self._options = options
        self._by_folder: dict[Path, Config] = {}
        self._by_file: dict[Path, Config] = {}

    def of(self, path: Path) -> Config:
        """The configuration that counts for a file or folder."""
        if self._options.isolated:
            return Config()
        if self._options.config_path is not None:
            return self._load(self._options.config_path)
        folder = path if path.is_dir() else path.parent
        if folder not in self._by_folder:
            found = find_config(folder)
            self._by_folder[folder] = Config() if found is None else self._load(found)
        return self._by_folder[folder]

    def _load(self, path: Path) -> Config:
        if path not in self._by_file:
            self._by_file[path] = load_config(path)
        return self._by_file[path]


def _codes(config: Config, options: ScanOptions, rules: RuleTable) -> frozenset[str]:
    """The rules to run: selected ones, more of them, less the ignored ones; the command line has the last word."""
    selected = options.select if options.select is not None else config.select
    codes = rules.resolve("ALL") if selected is None else _resolved(selected, rules)
    ignored = _resolved((*config.ignore,), rules) - _resolved((*(options.select or ()), *options.extend_select), rules)
    codes |= _resolved((*config.extend_select, *options.extend_select), rules)
    return codes - ignored - _resolved(options.ignore, rules)


def _resolved(selectors: Sequence[str], rules: RuleTable) -> frozenset[str]:
    return frozenset(code for selector in selectors for code in rules.resolve(selector))


# Programs


def _candidates(
    paths: Sequence[Path], options: ScanOptions, configs: _Configs
) -> tuple[list[Candidate], list[ScanError]]:
    found: list[Candidate] = []
    errors: list[ScanError] = []
    for path in paths:
        config = configs.of(path.absolute())
        root = config.path.parent if config.path is not None else Path.cwd()
        some, failures = discover(
            [path],
            exclude=options.exclude if options.exclude is not None else config.exclude,
            extend_exclude=(*config.extend_exclude, *options.extend_exclude),
            force_exclude=options.force_exclude or config.force_exclude,
            respect_gitignore=config.respect_gitignore if options.respect_gitignore is None else options.respect_gitignore,
            root=root,
        )
        found.extend(some)
        errors.extend(failures)
    unique = {candidate.path: candidate for candidate in found}
    return sorted(unique.values(), key=lambda candidate: candidate.display), errors


def _tasks(
    candidates: Sequence[Candidate],
    options: ScanOptions,
    configs: _Configs,
    rules: RuleTable,
    cache: FolderCache,
    errors: list[ScanError],
) -> list[Task]:
    """One task for each program that the text gate lets in."""
    contents: dict[Path, bytes] = {}
    shown: dict[Path, str | None] = {}
    of_interest: list[Path] = []
    for candidate in candidates:
        try:
            raw = read_bytes(candidate.path)
        except SourceError as error:
            errors.append(ScanError(candidate.display, str(error)))
            continue
        contents[candidate.path] = raw
        shown[candidate.path] = candidate.display
        if may_hold_training_code(raw) or _unreadable(candidate.path, raw) or b"tflint-hf" in raw:
            of_interest.append(candidate.path)
    for path, raw in _neighbours(of_interest, contents).items():
        contents[path] = raw
        shown[path] = None
    tasks: list[Task] = []
    for program in programs(contents, of_interest):
        first = program.files[0]
        config = configs.of(first)
        roots = [project_root(path.parent) for path in program.files]
        tasks.append(
            Task(
                program,
                {path: contents[path] for path in program.files},
                {path: shown[path] for path in program.files},
                min(roots, key=lambda root: len(root.parts)),
                {path: _target(path, options, configs.of(path), cache) for path in program.files if shown[path]},
                _codes(config, options, rules),
                _rule_options(config, rules),
            )
        )
    return tasks


def _unreadable(path: Path, raw: bytes) -> bool:
    """Whether a file that the user's tools would try to run cannot be Python at all."""
    return path.suffix in {".py", ".ipynb"} and b"\0" in raw[:4096]


def _neighbours(of_interest: Sequence[Path], contents: Mapping[Path, bytes]) -> dict[Path, bytes]:
    """Modules beside the files of interest that were not asked for: read for what they say, not reported on."""
    found: dict[Path, bytes] = {}
    for folder in sorted({path.parent for path in of_interest}):
        try:
            siblings = sorted(folder.glob("*.py"))[:200]
        except OSError:
            continue
        for path in siblings:
            if path not in contents and path.is_file():
                try:
                    found[path] = read_bytes(path)
                except SourceError:
                    continue
    return found


def _target(path: Path, options: ScanOptions, config: Config, cache: FolderCache) -> Target:
    overrides = {**config.target_versions, **options.target_versions}
    return find_target(path.parent, stop=_repository(path), overrides=overrides, cache=cache)


def _repository(path: Path) -> Path:
    """The top of the repository that a file is in, else its project's root."""
    for folder in path.parents:
        if (folder / ".git").exists():
            return folder
    return project_root(path.parent)


def _rule_options(config: Config, rules: RuleTable) -> dict[str, dict[str, Any]]:
    return {code: dict(given) for name, given in config.rule_options.items() for code in rules.resolve(name)}


def _stdin_task(
    stdin: tuple[str, str], options: ScanOptions, configs: _Configs, rules: RuleTable, cache: FolderCache
) -> Task:
    text, name = stdin
    path = Path(name).absolute()
    config = configs.of(path.parent if path.parent.is_dir() else Path.cwd())
    return Task(
        Program((path,), (path,)),
        {path: b""},
        {path: name},
        project_root(path.parent),
        {path: _target(path, options, config, cache)},
        _codes(config, options, rules),
        _rule_options(config, rules),
        text=stdin,
    )


def _shown_target(target: Target) -> dict[str, str]:
    return {
        "datasets": str(target.datasets),
        "tensorflow": str(target.tensorflow),
        "transformers": str(target.transformers),
    }


# Running


def _run_all(
    tasks: Sequence[Task], jobs: int | None, progress: Callable[[int, int], None] | None
) -> list[ProgramResult]:
    import os

    workers = jobs if jobs is not None else min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1, 8)
    results: list[ProgramResult] = []
    if workers > 1 and len(tasks) >= MIN_PROGRAMS_FOR_WORKERS:
        with ProcessPoolExecutor(workers) as pool:
            for result in pool.map(scan_program, tasks, chunksize=4):
                results.append(result)
                if progress is not None:
                    progress(len(results), len(tasks))
        return results
    for task in tasks:
        results.append(scan_program(task))
        if progress is not None:
            progress(len(results), len(tasks))
    return results


def scan_program(task: Task) -> ProgramResult:
    """Read one program and judge it. A failure of the tool itself is an error of that program, not of the scan."""
    try:
        return _scan_program(task)
    except Exception as error:
        shown = next((name for name in task.shown.values() if name), str(task.program.files[0]))
        trouble = f"internal error: {type(error).__name__}: {error}"
        return ProgramResult((), (ScanError(shown, trouble),), {}, {})


def _scan_program(task: Task) -> ProgramResult:
    from tflint_hf.judge import judge, to_findings
    from tflint_hf.static.edits import Resolver
    from tflint_hf.static.modules import ProgramFiles
    from tflint_hf.static.reader import read_program

    rules = load_rules()
    files = ProgramFiles(task.root)
    problems: list[tuple[Source, Problem]] = []
    sources: list[Source] = []
    for path in task.program.files:
        if task.text is not None:
            source = source_from_text(*task.text)
        else:
            source = source_from_bytes(task.contents[path], path, task.shown[path] or str(path))
        parsed = files.add(source)
        if task.shown[path]:
            sources.append(source)
            problems.extend((source, problem) for problem in parsed.problems)
    entries = _entries(task, {source.path: source for source in sources})
    judgements = [
        judgement
        for trace, target in read_program(files, entries)
        for judgement in judge(trace, target, task.codes, task.options)
    ]
    resolver = Resolver(files.units)
    reported = {name for name in task.shown.values() if name}
    judgements = [j for j in judgements if resolver.path(j.fault.at) in reported]
    findings = to_findings(judgements, rules, resolver.location, resolver.fix)
    if PARSE_RULE in task.codes:
        findings.extend(_unparsed(source, problem, rules) for source, problem in problems)
    texts = {(s.display, cell): tuple(lines) for s in sources for cell, lines in s.texts.items()}
    return ProgramResult(tuple(findings), (), {s.display: find_suppressions(s) for s in sources}, texts)


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
            target = find_target(path.parent, stop=_repository(path), notebook_requirements=source.requirements)
        is_root = path in task.program.roots or b"__main__" in task.contents[path]
        entries.append((path, target, is_root))
    return entries


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


# Suppression


def _suppressed(
    findings: Sequence[Finding],
    suppressions: Mapping[str, tuple[Suppression, ...]],
    rules: RuleTable,
    configs: _Configs,
    options: ScanOptions,
) -> list[Finding]:
    """The findings that stay, with those about suppressions that hid nothing."""

    def matches(selector: str, code: str, name: str) -> bool:
        wanted = selector.upper()
        return code.startswith(wanted) or name.upper() == wanted or wanted == "ALL"

    def checked(selector: str) -> bool:
        config = configs.of(Path.cwd())
        codes = _codes(config, options, rules)
        return any(matches(selector, code, rules.by_code[code].name) for code in codes)

    kept, unused = apply(_not_ignored(findings, rules, configs), suppressions, matches, checked)
    rule = rules.by_code.get(UNUSED_RULE)
    if rule is None or UNUSED_RULE not in _codes(configs.of(Path.cwd()), options, rules):
        return kept
    for suppression in unused:
        values = {"selector": ", ".join(suppression.codes or ("ALL",))}
        kept.append(
            Finding(
                rule.code,
                rule.name,
                rule.severity,
                rule.confidence,
                rule.message.format_map(values),
                rule.why.format_map(values),
                rule.advice.format_map(values),
                suppression.location,
                url=rule.url,
            )
        )
    return kept


def _not_ignored(findings: Sequence[Finding], rules: RuleTable, configs: _Configs) -> list[Finding]:
    """The findings that no `per-file-ignores` leaves out."""
    from fnmatch import fnmatch

    kept = []
    for finding in findings:
        path = Path(finding.location.path).absolute()
        config = configs.of(path)
        base = config.path.parent if config.path is not None else Path.cwd()
        try:
            relative = path.relative_to(base.absolute()).as_posix()
        except ValueError:
            relative = path.as_posix()
        ignored = any(
            (fnmatch(relative, pattern) or fnmatch(path.name, pattern)) and finding.code in _resolved(selectors, rules)
            for pattern, selectors in config.per_file_ignores.items()
        )
        if not ignored:
            kept.append(finding)
    return kept
