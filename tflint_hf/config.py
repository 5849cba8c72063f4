"""The configuration: `[tool.tflint-hf]` of a pyproject.toml, or a tflint-hf.toml."""

from __future__ import annotations

import difflib
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tflint_hf.discovery import absolute
from tflint_hf.findings import FAIL_ON, Severity

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FILE_NAME = "tflint-hf.toml"
PROJECT_FILE = "pyproject.toml"
TABLE = "tflint-hf"
NEAR_TABLE = "tflint_hf"
"""As the package is imported: a slip that would switch all settings off."""
OUTPUT_FORMATS = (
    *("text", "concise", "html"),
    *("json", "jsonl", "lsp", "sarif"),
    *("github", "gitlab", "azure", "junit", "rdjson"),
)
LIBRARIES = ("transformers", "tensorflow", "tf-keras", "keras", "datasets")
VERSION_PATTERN = (
    r"^\s*(==|!=|<=|>=|<|>|~=)?\s*v?[0-9]+(\.[0-9]+)*(\.\*|[-_.]?(a|b|c|rc|alpha|beta|pre|preview|post|dev)[-_.]?[0-9]*)?"
    r"\s*(,\s*(==|!=|<=|>=|<|>|~=)\s*v?[0-9]+(\.[0-9]+)*(\.\*)?\s*)*$"
)
"""A version or a range of versions: 4.38.2, >=4.30,<5."""

OptionValue = bool | int | float | str | list[Any]


class ConfigError(Exception):
    """The configuration is wrong. `line` counts from 1, None where the file cannot be read at all."""

    def __init__(self, path: Path, line: int | None, message: str) -> None:
        super().__init__(path, line, message)
        self.path = path
        self.line = line
        self.message = message

    def __str__(self) -> str:
        where = self.path.as_posix() if self.line is None else f"{self.path.as_posix()}:{self.line}"
        return f"{where}: {self.message}"


@dataclass(frozen=True)
class Config:
    """What a project asks for; `Config()` is what holds without a file. `exclude` None means the default exclusions.

    Exclusions and the patterns of `per_file_ignores` are relative to the folder of `path`; `baseline` and `rule_paths`
    were, and are whole here.
    """

    path: Path | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    exclude: tuple[str, ...] | None = None
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    respect_gitignore: bool = True
    fail_on: str = Severity.WARNING.label
    target_versions: Mapping[str, str] = field(default_factory=dict)
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rule_options: Mapping[str, Mapping[str, OptionValue]] = field(default_factory=dict)
    output_format: str | None = None
    baseline: Path | None = None
    rule_paths: tuple[Path, ...] = ()


def find_config(path: Path) -> Path | None:
    """The configuration for a file (which need not exist) or a folder: the nearest one upward.

    In one folder tflint-hf.toml goes before pyproject.toml, which counts only if it speaks of tflint-hf.
    """
    start = Path(path).absolute()
    for folder in (start, *start.parents) if start.is_dir() else start.parents:
        own = folder / FILE_NAME
        project = folder / PROJECT_FILE
        try:
            if own.is_file():
                return own
            if project.is_file() and _speaks_of_us(project):
                return project
        except OSError:  # a folder that may not be entered; the walk says so
            continue
    return None


def _speaks_of_us(project: Path) -> bool:
    try:
        raw = project.read_bytes()
        if not any(name.encode() in raw for name in (TABLE, NEAR_TABLE)):
            return False
        tool = tomllib.loads(raw.decode("utf-8")).get("tool")
    except OSError:
        return False
    except ValueError:
        return f"[tool.{TABLE}".encode() in raw  # load_config says what is wrong with the file
    return isinstance(tool, dict) and not tool.keys().isdisjoint((TABLE, NEAR_TABLE))


def load_config(path: Path) -> Config:
    """The configuration of that file. Raises ConfigError with the line of what is wrong."""
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigError(path, line, "is not valid UTF-8") from None
    except OSError as error:
        raise ConfigError(path, None, f"cannot be read: {error.strerror}") from None
    text = text.removeprefix("\ufeff")
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _toml_error(path, text, error) from None
    except RecursionError:
        raise ConfigError(path, 1, "is nested too deeply") from None
    prefix: tuple[str, ...] = ()
    table: object = document
    if path.name == PROJECT_FILE:
        prefix = ("tool", TABLE)
        tool = document.get("tool", {})
        table = tool.get(TABLE, {}) if isinstance(tool, dict) else {}
        if isinstance(tool, dict) and NEAR_TABLE in tool:
            wrong = f"`tool.{NEAR_TABLE}` is not read: the table is called `tool.{TABLE}`"
            raise ConfigError(path, _line_of(text, ("tool", NEAR_TABLE)), wrong)
    try:
        values = _read_table(table)
    except _Wrong as wrong:
        raise ConfigError(path, _line_of(text, (*prefix, *wrong.keys)), str(wrong)) from None
    if "baseline" in values:
        values["baseline"] = path.parent / values["baseline"]
    if "rule_paths" in values:
        values["rule_paths"] = tuple(absolute(path.parent / folder) for folder in values["rule_paths"])
    return Config(path=path, **values)


def _toml_error(path: Path, text: str, error: ValueError) -> ConfigError:
    message = str(error)
    place = re.search(r" ?\(at (?:line (\d+), column \d+|end of document)\)", message)
    if place is None:
        return ConfigError(path, 1, f"is not valid TOML: {message}")
    line = int(place[1]) if place[1] else text.count("\n") + 1
    return ConfigError(path, line, f"is not valid TOML: {message[: place.start()].lower()}")


def key_error(path: Path, keys: tuple[str, ...], message: str) -> ConfigError:
    """An error about a key of a configuration file that was read before, with its line."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ConfigError(path, None, message)
    inside = ("tool", TABLE) if path.name == PROJECT_FILE else ()
    return ConfigError(path, _line_of(text, (*inside, *keys)), message)


def _line_of(text: str, keys: tuple[str, ...]) -> int:
    """The line where `keys` is set: after the longest beginning of the file that is valid and does not hold it."""
    if not keys:
        return 1
    lines = text.split("\n")
    without = 0
    for number in range(1, len(lines) + 1):
        try:
            value: Any = tomllib.loads("\n".join(lines[:number]))
        except ValueError:
            continue  # inside a value of several lines
        for key in keys:
            value = value.get(key, _ABSENT) if isinstance(value, dict) else _ABSENT
        if value is not _ABSENT:
            break
        without = number
    return without + 1


_ABSENT = object()


class _Wrong(Exception):  # noqa: N818  # never leaves this module
    """A value that cannot be used, at this path of keys."""

    def __init__(self, message: str, *keys: str) -> None:
        super().__init__(message)
        self.keys = keys

    def below(self, key: str) -> _Wrong:
        return _Wrong(str(self), key, *self.keys)


def _read_table(table: object) -> dict[str, Any]:
    """The arguments of Config that the table gives."""
    if not isinstance(table, dict):
        raise _Wrong(f"`tool.{TABLE}` must be a table, not {_kind(table)}")
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _READERS:
            raise _Wrong(_unknown("option", key, _READERS), key)
        name, read = _READERS[key]
        try:
            values[name] = read(key, value)
        except _Wrong as wrong:
            raise wrong.below(key) from None
    return values


def _strings(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _Wrong(f"`{name}` must be a list of strings, not {_kind(value)}")
    for item in value:
        if not isinstance(item, str) or not item:
            raise _Wrong(f"`{name}` must hold strings that are not empty, not {_shown(item)}")
    return tuple(value)


def _boolean(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _Wrong(f"`{name}` must be true or false, not {_shown(value)}")
    return value


def _one_of(name: str, value: object, choices: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in choices:
        near = difflib.get_close_matches(value, choices, 1) if isinstance(value, str) else []
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise _Wrong(f"`{name}` must be one of {', '.join(choices)}, not {_shown(value)}{hint}")
    return value


def _least_severity(name: str, value: object) -> str:
    return _one_of(name, value, FAIL_ON)


def _output_format(name: str, value: object) -> str:
    return _one_of(name, value, OUTPUT_FORMATS)


def _file(name: str, value: object) -> Path:
    if not isinstance(value, str) or not value or "\0" in value:
        raise _Wrong(f"`{name}` must be the name of a file, not {_shown(value)}")
    return Path(value)


def _folders(name: str, value: object) -> tuple[Path, ...]:
    folders = _strings(name, value)
    if wrong := [folder for folder in folders if "\0" in folder]:
        raise _Wrong(f"`{name}` must hold the names of folders, not {_shown(wrong[0])}")
    return tuple(map(Path, folders))


def _table(name: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Wrong(f"`{name}` must be a table, not {_kind(value)}")
    return value


def _target_versions(name: str, value: object) -> dict[str, str]:
    versions = _table(name, value)
    for library, version in versions.items():
        if library not in LIBRARIES:
            raise _Wrong(_unknown("library", library, LIBRARIES), library)
        if not isinstance(version, str) or not re.search(VERSION_PATTERN, version):
            message = f'`{name}.{library}` must be a version or range as "4.38.2" or ">=4.30,<5", not {_shown(version)}'
            raise _Wrong(message, library)
    return versions


def _per_file_ignores(name: str, value: object) -> dict[str, tuple[str, ...]]:
    ignores: dict[str, tuple[str, ...]] = {}
    for pattern, rules in _table(name, value).items():
        try:
            ignores[pattern] = _strings(f"{name}.{pattern}", rules)
        except _Wrong as wrong:
            raise wrong.below(pattern) from None
    return ignores


def _rule_options(name: str, value: object) -> dict[str, dict[str, OptionValue]]:
    rules = _table(name, value)
    for rule, options in rules.items():
        if not isinstance(options, dict):
            raise _Wrong(f"`{name}.{rule}` must be a table of options, not {_kind(options)}", rule)
        for option, setting in options.items():
            items = setting if isinstance(setting, list) else [setting]
            if not all(isinstance(item, bool | int | float | str) for item in items):
                message = f"`{name}.{rule}.{option}` must be a boolean, a number, a string or a list of them"
                raise _Wrong(message, rule, option)
    return rules


_READERS: dict[str, tuple[str, Callable[[str, object], object]]] = {
    "select": ("select", _strings),
    "ignore": ("ignore", _strings),
    "extend-select": ("extend_select", _strings),
    "exclude": ("exclude", _strings),
    "extend-exclude": ("extend_exclude", _strings),
    "force-exclude": ("force_exclude", _boolean),
    "respect-gitignore": ("respect_gitignore", _boolean),
    "fail-on": ("fail_on", _least_severity),
    "output-format": ("output_format", _output_format),
    "baseline": ("baseline", _file),
    "rule-paths": ("rule_paths", _folders),
    "target-versions": ("target_versions", _target_versions),
    "per-file-ignores": ("per_file_ignores", _per_file_ignores),
    "rules": ("rule_options", _rule_options),
}


def _unknown(what: str, key: str, known: Mapping[str, object] | tuple[str, ...]) -> str:
    near = difflib.get_close_matches(key.lower().replace("_", "-"), list(known), 1)
    return f"unknown {what} `{key}`" + (f": did you mean `{near[0]}`?" if near else f": use one of {', '.join(known)}")


def _kind(value: object) -> str:
    """What TOML calls the kind of this value."""
    kinds = {bool: "a boolean", str: "a string", list: "an array", dict: "a table", int: "a number", float: "a number"}
    return kinds.get(type(value), "a date or time")


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, bool | int | float | str) else _kind(value)
