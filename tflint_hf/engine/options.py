"""What a scan is asked for, and which rules and settings that means for each file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tflint_hf.config import Config, find_config, key_error, load_config
from tflint_hf.discovery import display_path
from tflint_hf.findings import RuleSources
from tflint_hf.rules import UnknownRule

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from tflint_hf.baseline import Baseline
    from tflint_hf.rules import RuleTable


@dataclass(frozen=True, slots=True)
class ScanOptions:
    """What the command line asks for. None means: as the configuration says.

    `unsaved` are contents to read instead of those of the files, as an editor has them, by absolute path. The findings
    that `baseline` knows are set apart.

    Rules of installed `packages` and of the rule-paths of configurations count unless these are False, those of the
    folders `rule_paths` always.
    """

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
    unsaved: Mapping[Path, bytes] = field(default_factory=dict)
    packages: bool = True
    config_rule_paths: bool = True
    rule_paths: tuple[Path, ...] = ()
    baseline: Baseline | None = None


class Configs:
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

    def rule_sources(self, paths: Iterable[Path]) -> RuleSources:
        """Where the rules for these files come from. Raises ConfigError for a folder of rules that is not there."""
        configs = {config.path: config for config in map(self.of, paths)}
        options = self._options
        if options.config_rule_paths:
            named = {folder for config in configs.values() for folder in _rule_folders(config)}
            return RuleSources(tuple(sorted(named.union(options.rule_paths))), options.packages)
        withheld = any(config.rule_paths for config in configs.values())
        return RuleSources(options.rule_paths, options.packages, withheld)

    def _load(self, path: Path) -> Config:
        if path not in self._by_file:
            self._by_file[path] = load_config(path)
        return self._by_file[path]


def _rule_folders(config: Config) -> tuple[Path, ...]:
    for folder in config.rule_paths:
        if config.path is not None and not folder.is_dir():
            problem = f"`rule-paths` names {display_path(folder)}, which is not a folder"
            raise key_error(config.path, ("rule-paths",), problem)
    return config.rule_paths


def _of_config(config: Config, key: str, rules: RuleTable) -> frozenset[str]:
    """The rules that a list of the configuration names."""
    return named_in(config, getattr(config, key) or (), (key.replace("_", "-"),), rules)


def named_in(config: Config, selectors: Sequence[str], keys: tuple[str, ...], rules: RuleTable) -> frozenset[str]:
    """The rules that selectors of the configuration mean. Raises ConfigError with the line of their keys."""
    try:
        return resolve_all(selectors, rules)
    except UnknownRule as error:
        if config.path is None:
            raise
        raise key_error(config.path, keys, str(error)) from None


def selected_codes(config: Config, options: ScanOptions, rules: RuleTable) -> frozenset[str]:
    """The rules to run: selected ones, more of them, less the ignored ones; the command line has the last word."""
    for pattern, selectors in config.per_file_ignores.items():
        named_in(config, selectors, ("per-file-ignores", pattern), rules)
    asked = resolve_all((*(options.select or ()), *options.extend_select), rules, asked_for=True)
    if options.select is not None:
        codes = resolve_all(options.select, rules, asked_for=True)
    else:
        codes = rules.resolve("ALL") if config.select is None else _of_config(config, "select", rules)
    ignored = _of_config(config, "ignore", rules) - asked
    codes |= _of_config(config, "extend_select", rules) | resolve_all(options.extend_select, rules, asked_for=True)
    usable = rules.usable((*config.rule_paths, *options.rule_paths))
    return (codes - ignored - resolve_all(options.ignore, rules, asked_for=True)) & usable


def resolve_all(selectors: Sequence[str], rules: RuleTable, *, asked_for: bool = False) -> frozenset[str]:
    """The codes that selectors mean, those of the configuration or those that are `asked_for` in this call.

    Raises UnknownRule.
    """
    codes: set[str] = set()
    for selector in selectors:
        try:
            codes |= rules.resolve(selector)
        except UnknownRule:
            if not rules.may_lack(selector, asked_for=asked_for):
                raise
    return frozenset(codes)
