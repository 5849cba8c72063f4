"""From paths to programs to read: discovery, the text gate, and what belongs together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tflint_hf.config import key_error
from tflint_hf.discovery import Candidate, discover, may_hold_training_code, prefer
from tflint_hf.findings import ScanError
from tflint_hf.own_rules.bundle import FIXTURES
from tflint_hf.programs import Program, programs
from tflint_hf.rule_files import option_trouble
from tflint_hf.source import SourceError, read_bytes
from tflint_hf.target import Target, find_target, project_root

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tflint_hf.config import Config
    from tflint_hf.findings import RuleSources
    from tflint_hf.rules import RuleTable
    from tflint_hf.target import FolderCache

from tflint_hf.engine.options import Configs, ScanOptions, named_in, selected_codes


@dataclass(frozen=True, slots=True)
class Task:
    """One program to read: its files' texts, what the rules may know of them, and which rules to run.

    `shown` maps each path to its name in reports, or to None for files that are read but not reported on. A worker
    loads the rules of `rule_sources` itself: functions of a user's folder cannot be sent to it.
    """

    program: Program
    contents: Mapping[Path, bytes]
    shown: Mapping[Path, str | None]
    root: Path
    targets: Mapping[Path, Target]
    codes: frozenset[str]
    options: Mapping[str, Mapping[str, Any]]
    rule_sources: RuleSources
    text: tuple[str, str] | None = None


def find_candidates(
    paths: Sequence[Path], options: ScanOptions, configs: Configs
) -> tuple[list[Candidate], list[ScanError]]:
    found: list[Candidate] = []
    errors: list[ScanError] = []
    for path in paths:
        config = configs.of(path.absolute())
        root = config.path.parent if config.path is not None else Path.cwd()
        some, failures = discover(
            [path],
            exclude=options.exclude if options.exclude is not None else config.exclude,
            extend_exclude=(*config.extend_exclude, *options.extend_exclude, *map(_fixtures_of, config.rule_paths)),
            force_exclude=options.force_exclude or config.force_exclude,
            respect_gitignore=config.respect_gitignore
            if options.respect_gitignore is None
            else options.respect_gitignore,
            root=root,
        )
        found.extend(some)
        errors.extend(failures)
    unique: dict[str, Candidate] = {}
    for candidate in found:
        prefer(unique, candidate)
    return sorted(unique.values(), key=lambda candidate: candidate.display), errors


def _fixtures_of(rules: Path) -> str:
    """The exclusion of the programs that test a folder of rules: their faults are there on purpose."""
    return re.sub(r"([*?\[\]\\])", r"\\\1", (rules / FIXTURES).as_posix()) + "/"


def make_tasks(
    candidates: Sequence[Candidate],
    options: ScanOptions,
    configs: Configs,
    rules: RuleTable,
    sources: RuleSources,
    cache: FolderCache,
    errors: list[ScanError],
) -> list[Task]:
    """One task for each program that the text gate lets in."""
    contents: dict[Path, bytes] = {}
    shown: dict[Path, str | None] = {}
    of_interest: list[Path] = []
    for candidate in candidates:
        try:
            raw = _content(candidate.path, options)
        except SourceError as error:
            errors.append(ScanError(candidate.display, str(error)))
            continue
        contents[candidate.path] = raw
        shown[candidate.path] = candidate.display
        if may_hold_training_code(raw) or _unreadable(candidate.path, raw) or b"tflint-hf" in raw:
            of_interest.append(candidate.path)
    for path, raw in _neighbours(of_interest, contents, options).items():
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
                selected_codes(config, options, rules),
                _rule_options(config, rules),
                sources,
            )
        )
    return tasks


def _unreadable(path: Path, raw: bytes) -> bool:
    """Whether a file that the user's tools would try to run cannot be what its name says."""
    if path.suffix == ".ipynb":
        text = raw.strip()
        return not (text.startswith(b"{") and text.endswith(b"}") and (b'"cells"' in text or b'"worksheets"' in text))
    return path.suffix == ".py" and b"\0" in raw[:4096]


def _content(path: Path, options: ScanOptions) -> bytes:
    unsaved = options.unsaved.get(path)
    return read_bytes(path) if unsaved is None else unsaved


def _neighbours(of_interest: Sequence[Path], contents: Mapping[Path, bytes], options: ScanOptions) -> dict[Path, bytes]:
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
                    found[path] = _content(path, options)
                except SourceError:
                    continue
    return found


def _target(path: Path, options: ScanOptions, config: Config, cache: FolderCache) -> Target:
    overrides = {**config.target_versions, **options.target_versions}
    return find_target(path.parent, stop=repository_of(path), overrides=overrides, cache=cache)


def repository_of(path: Path) -> Path:
    """The top of the repository that a file is in, else its project's root."""
    for folder in path.parents:
        if (folder / ".git").exists():
            return folder
    return project_root(path.parent)


def _rule_options(config: Config, rules: RuleTable) -> dict[str, dict[str, Any]]:
    """The options of each rule as the configuration sets them. Raises ConfigError for what a rule does not know."""
    found = rules.default_options
    for name, given in config.rule_options.items():
        for code in named_in(config, (name,), ("rules", name), rules):
            known = rules.by_code[code].options
            for option, value in given.items():
                trouble = _option_trouble(rules.by_code[code].name, option, value, known)
                if trouble is not None and config.path is not None:
                    raise key_error(config.path, ("rules", name, option), trouble)
            found[code] = {**found.get(code, {}), **given}
    return found


def _option_trouble(rule: str, option: str, value: Any, known: Mapping[str, Any]) -> str | None:
    if option not in known:
        names = ", ".join(sorted(known)) or "none"
        return f"{rule} has no option {option}; it has {names}"
    trouble = option_trouble(known[option]["type"], value)
    return f"{option} of {rule} {trouble}" if trouble is not None else None


def stdin_task(
    stdin: tuple[str, str],
    options: ScanOptions,
    configs: Configs,
    rules: RuleTable,
    sources: RuleSources,
    cache: FolderCache,
) -> Task:
    _text, name = stdin
    path = Path(name).absolute()
    config = configs.of(place_of_stdin(name))
    return Task(
        Program((path,), (path,)),
        {path: b""},
        {path: name},
        project_root(path.parent),
        {path: _target(path, options, config, cache)},
        selected_codes(config, options, rules),
        _rule_options(config, rules),
        sources,
        text=stdin,
    )


def place_of_stdin(name: str) -> Path:
    """The folder whose configuration counts for a text with this name."""
    folder = Path(name).absolute().parent
    return folder if folder.is_dir() else Path.cwd()


def shown_target(target: Target) -> dict[str, str]:
    return {
        "datasets": str(target.datasets),
        "tensorflow": str(target.tensorflow),
        "transformers": str(target.transformers),
    }
