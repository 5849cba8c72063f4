"""What a scan is asked for, and which rules and settings that means for each file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tflint_hf.config import Config, find_config, key_error, load_config
from tflint_hf.rules import UnknownRule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tflint_hf.baseline import Baseline
    from tflint_hf.rules import RuleTable


@dataclass(frozen=True, slots=True)
class ScanOptions:
    """What the command line asks for. None means: as the configuration says.

    `unsaved` are contents to read instead of those of the files, as an editor has them, by absolute path. The findings
    that `baseline` knows are set apart.
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

    def _load(self, path: Path) -> Config:
        if path not in self._by_file:
            self._by_file[path] = load_config(path)
        return self._by_file[path]


def _of_config(config: Config, key: str, rules: RuleTable) -> frozenset[str]:
    """The rules that a list of the configuration names."""
    selectors: Sequence[str] = getattr(config, key) or ()
    try:
        return resolve_all(selectors, rules)
    except UnknownRule as error:
        if config.path is None:
            raise
        raise key_error(config.path, (key.replace("_", "-"),), str(error)) from None


def selected_codes(config: Config, options: ScanOptions, rules: RuleTable) -> frozenset[str]:
    """The rules to run: selected ones, more of them, less the ignored ones; the command line has the last word."""
    asked = resolve_all((*(options.select or ()), *options.extend_select), rules)
    if options.select is not None:
        codes = resolve_all(options.select, rules)
    else:
        codes = rules.resolve("ALL") if config.select is None else _of_config(config, "select", rules)
    ignored = _of_config(config, "ignore", rules) - asked
    codes |= _of_config(config, "extend_select", rules) | resolve_all(options.extend_select, rules)
    return codes - ignored - resolve_all(options.ignore, rules)


def resolve_all(selectors: Sequence[str], rules: RuleTable) -> frozenset[str]:
    return frozenset(code for selector in selectors for code in rules.resolve(selector))
