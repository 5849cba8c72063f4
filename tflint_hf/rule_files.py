"""The files of rules: one YAML file a rule, read strictly; those of the tool are kept parsed in the user's cache."""

from __future__ import annotations

import difflib
import functools
import hashlib
import json
import os
import re
import string
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tflint_hf import __version__
from tflint_hf.findings import Severity
from tflint_hf.rules import CURVES, STRENGTHS, Rule, RuleTable, Symptom, comparisons, is_range

if TYPE_CHECKING:
    from collections.abc import Mapping

    import yaml

KNOWLEDGE_FOLDER = "knowledge"
OWN_CODE = re.compile(r"(?!TF)[A-Z]{2,5}\d{3}")
"""What begins with TF is kept for the rules of the tool."""
BUILT_IN_CODE = re.compile(r"TF[A-Z]\d{3}")


class RuleFileError(Exception):
    """A rule's own file is wrong: a fault of whoever wrote the rule, not of the code that is scanned."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"the rule file {path} is wrong: {problem}")
        self.path = path
        self.problem = problem


@functools.lru_cache(maxsize=1)
def load_rules() -> RuleTable:
    """The rules that come with the tool. Raises RuleFileError when one of their files is wrong."""
    from tflint_hf.knowledge import rules_folder

    return RuleTable(_cached_rules(rules_folder(), user_cache_folder()))


def read_rules(folder: Path) -> list[Rule]:
    """Every rule below `folder`, read from YAML. Raises RuleFileError."""
    rules: dict[str, Rule] = {}
    for path in _rule_files(folder):
        rule = read_rule(path)
        for other in rules.values():
            if rule.code == other.code or rule.name == other.name:
                raise RuleFileError(path, f"its code or name is also that of {other.family}/{other.name}.yaml")
        rules[rule.code] = rule
    return list(rules.values())


def user_cache_folder() -> Path:
    """The folder for data that may be lost at any time."""
    if chosen := os.environ.get("TFLINT_HF_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.path.expanduser(base), "tflint-hf")  # noqa: PTH111 - Path.expanduser raises without a home


def _rule_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*/*.yaml") if path.parent.name != KNOWLEDGE_FOLDER)


# Cache -----------------------------------------------------------------------------------------------------------


def _cached_rules(folder: Path, cache_folder: Path) -> list[Rule]:
    """The rules of `folder`, from the cache while no file has changed: YAML takes longer than a whole small scan."""
    place = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    cache_file = cache_folder / f"rules-{place}.json"
    key = [__version__, [field.name for field in fields(Rule)]] + [
        [path.name, status.st_size, status.st_mtime_ns] for path in _rule_files(folder) for status in (path.stat(),)
    ]
    with suppress(OSError, ValueError, TypeError, KeyError):
        stored = json.loads(cache_file.read_bytes())
        if stored["key"] == key:
            return [_stored_rule(rule) for rule in stored["rules"]]
    rules = read_rules(folder)
    _store(cache_file, {"key": key, "rules": [asdict(rule) for rule in rules]})
    return rules


def _stored_rule(rule: dict[str, Any]) -> Rule:
    symptoms = tuple(Symptom(**symptom) for symptom in rule["symptoms"])
    return Rule(**{**rule, "severity": Severity(rule["severity"]), "symptoms": symptoms})


def _store(cache_file: Path, content: object) -> None:
    # The cache only saves time: where it cannot be written, the next start parses the YAML again.
    with suppress(OSError):
        cache_file.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=cache_file.parent, prefix=cache_file.name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(content, file)
            Path(temporary).replace(cache_file)
        except OSError:
            Path(temporary).unlink(missing_ok=True)


# Reading and validation of one file ------------------------------------------------------------------------------

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FORMS = {
    BUILT_IN_CODE: "TF, a capital letter and three digits",
    OWN_CODE: "two to five capital letters that do not begin with TF, and three digits",
    _NAME: "small letters and digits in words joined by hyphens",
}
_CONFIDENCES = ("certain", "likely")
_FIXES = ("safe", "unsafe", "none")
_OPTION_KINDS: Mapping[str, tuple[Any, str]] = {
    "number": (int | float, "a number above 0"),
    "integer": (int, "a whole number"),
    "string": (str, "a string"),
    "boolean": (bool, "true or false"),
    "array": (list, "a list"),
}
_OPTION_TYPES = tuple(_OPTION_KINDS)
_REQUIRED_KEYS = (
    *("code", "name", "severity", "confidence", "applies", "fix", "probe"),
    *("message", "why", "advice", "bad", "good", "page", "options"),
)
_OPTIONAL_KEYS = ("probe_reason", "symptoms")
_TEXT_KEYS = ("kind", "strength", "pattern")
_TEXT_KINDS = ("error", "warning", "log")


def option_trouble(kind: str, value: object) -> str | None:
    """What is wrong with the value of a rule's option of this kind; None if nothing is."""
    type_, words = _OPTION_KINDS[kind]
    is_flag = isinstance(value, bool) and type_ is not bool
    if is_flag or not isinstance(value, type_) or (kind == "number" and not value > 0):
        return f"must be {words}"
    return None


def read_rule(
    path: Path,
    code: re.Pattern[str] = BUILT_IN_CODE,
    family: str | None = None,
    defaults: Mapping[str, object] | None = None,
) -> Rule:
    """The rule that one file describes. Raises RuleFileError.

    Its code has to match `code`; its `family` is the name of the file's folder unless another is given. `defaults` are
    the values of keys that the file may lack.
    """
    import yaml

    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=_strict_loader())
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise RuleFileError(path, f"it cannot be read: {_said_by(error)}") from error
    if defaults and isinstance(data, dict):
        data = {**defaults, **data}
        if data["probe"] != "none":
            data.pop("probe_reason", None)
    return _RuleFile(path, data).rule(code, family or path.parent.name)


@functools.cache
def _strict_loader() -> Any:
    """The loader of YAML, to which a key that a mapping has twice is an error, and not lost."""
    import yaml

    def mapping(loader: Any, node: yaml.MappingNode) -> dict[Any, Any]:
        keys: set[str] = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in keys:
                raise yaml.MarkedYAMLError(problem=f"the key {key.value!r} is there twice", problem_mark=key.start_mark)
            keys.add(key.value)
        return dict(loader.construct_mapping(node, deep=True))

    loader: Any = type("StrictLoader", (getattr(yaml, "CSafeLoader", yaml.SafeLoader),), {})
    loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
    return loader


def _said_by(error: Exception) -> str:
    """What is wrong with a YAML file, in one line."""
    mark = getattr(error, "problem_mark", None)
    return f"{getattr(error, 'problem', None)}, in line {mark.line + 1}" if mark is not None else str(error)


class _RuleFile:
    """One parsed file on its way to a Rule: each method takes a key's value or says what is wrong with it."""

    def __init__(self, path: Path, data: object) -> None:
        self.path = path
        if not isinstance(data, dict):
            raise self.error("it is not a mapping of keys")
        self.data: dict[str, Any] = data
        for key in data:
            if key not in (*_REQUIRED_KEYS, *_OPTIONAL_KEYS):
                near = difflib.get_close_matches(str(key), (*_REQUIRED_KEYS, *_OPTIONAL_KEYS), 1)
                raise self.error(f"unknown key `{key}`" + (f": did you mean `{near[0]}`?" if near else ""))
        for key in _REQUIRED_KEYS:
            if key not in data:
                raise self.error(f"key `{key}` is missing")

    def error(self, problem: str) -> RuleFileError:
        return RuleFileError(self.path, problem)

    def rule(self, code: re.Pattern[str], family: str) -> Rule:
        name = self.matching("name", _NAME)
        if name != self.path.stem:
            raise self.error(f"key `name` is {name}, but the file is called {self.path.name}")
        probe = self.text("probe")
        reason = self.text("probe_reason") if "probe_reason" in self.data else None
        if (probe == "none") != (reason is not None):
            raise self.error("key `probe_reason` belongs to `probe: none`, and only to it")
        return Rule(
            code=self.matching("code", code),
            name=name,
            severity=Severity.parse(self.one_of("severity", tuple(severity.label for severity in Severity))),
            confidence=self.one_of("confidence", _CONFIDENCES),
            applies=self.applies(),
            fix=self.one_of("fix", _FIXES),
            probe=None if probe == "none" else probe,
            probe_reason=reason,
            message=self.format_string("message"),
            why=self.format_string("why"),
            advice=self.format_string("advice"),
            page=self.page(),
            bad=self.program("bad"),
            good=self.program("good"),
            options=self.options(),
            family=family,
            symptoms=self.symptoms(),
        )

    def text(self, key: str) -> str:
        value = self.data[key]
        if not isinstance(value, str) or not value.strip():
            raise self.error(f"key `{key}` must be a text that is not empty, not {value!r}")
        return value.strip()

    def matching(self, key: str, pattern: re.Pattern[str]) -> str:
        value = self.text(key)
        if not pattern.fullmatch(value):
            raise self.error(f"key `{key}` is {value!r}, which is not {_FORMS[pattern]}")
        return value

    def one_of(self, key: str, choices: tuple[str, ...]) -> str:
        value = self.text(key)
        if value not in choices:
            raise self.error(f"key `{key}` must be one of {', '.join(choices)}, not {value!r}")
        return value

    def format_string(self, key: str) -> str:
        value = " ".join(self.text(key).split())
        try:
            parts = list(string.Formatter().parse(value))
        except ValueError as error:
            raise self.error(f"key `{key}` is not a format string: {error}") from None
        for _, field, spec, conversion in parts:
            if field is not None and (not field.isidentifier() or spec or conversion):
                raise self.error(f"key `{key}` may hold plain {{names}} only, not {{{field}}}; double a literal brace")
        return value

    def page(self) -> str:
        page = self.text("page")
        for placeholder in ("<bad>", "<good>"):
            if page.splitlines().count(placeholder) != 1:
                raise self.error(f"key `page` must hold the line {placeholder} once")
        return page

    def program(self, key: str) -> str:
        return self.text(key) + "\n"

    def applies(self) -> dict[str, str]:
        value = self.data["applies"]
        if not isinstance(value, dict):
            raise self.error("key `applies` must map libraries to versions ({} = always)")
        for library, specifier in value.items():
            if not is_range(specifier):
                raise self.error(f"key `applies.{library}` is not a version range: {specifier!r}")
        return value

    def symptoms(self) -> tuple[Symptom, ...]:
        value = self.data.get("symptoms", [])
        if not isinstance(value, list):
            raise self.error("key `symptoms` must be a list")
        return tuple(self.symptom(f"symptoms[{place}]", entry) for place, entry in enumerate(value))

    def symptom(self, key: str, entry: object) -> Symptom:
        if not isinstance(entry, dict):
            raise self.error(f"key `{key}` must be a mapping")
        needed, may = (("strength", "curve"), {"note"}) if "curve" in entry else (_TEXT_KEYS, {"note", "where"})
        if not set(needed) <= set(entry) <= {*needed, *may}:
            raise self.error(f"key `{key}` needs {', '.join(needed)}, and may have {', '.join(sorted(may))}")
        if unwritten := [name for name, text in entry.items() if not isinstance(text, str) or not text.strip()]:
            raise self.error(f"key `{key}.{unwritten[0]}` must be a text that is not empty")
        choices = {"strength": STRENGTHS, "kind": _TEXT_KINDS, "curve": CURVES}
        for name, known in choices.items():
            if name in entry and entry[name] not in known:
                raise self.error(f"key `{key}.{name}` must be one of {', '.join(known)}, not {entry[name]!r}")
        if "pattern" in entry:
            self.pattern(key, entry["pattern"], entry.get("where"))
        note = " ".join(entry["note"].split()) if "note" in entry else None
        return Symptom(
            entry.get("kind", "curve"),
            entry["strength"],
            entry.get("pattern"),
            entry.get("curve"),
            entry.get("where"),
            note,
        )

    def pattern(self, key: str, pattern: str, where: str | None) -> None:
        try:
            compiled = re.compile(pattern, re.MULTILINE)
        except re.error as error:
            raise self.error(f"key `{key}.pattern` is not a regular expression: {error}") from None
        if compiled.search(""):
            raise self.error(f"key `{key}.pattern` matches an empty text")
        try:
            compared = comparisons(where) if where is not None else []
        except ValueError as error:
            raise self.error(f"key `{key}.where` is wrong: {error}") from None
        named = {term for left, _, right in compared for term in f"{left} * {right}".split(" * ") if term.isalpha()}
        if unknown := sorted(named - set(compiled.groupindex)):
            raise self.error(f"key `{key}.where` speaks of {unknown[0]}, which the pattern does not name")

    def options(self) -> dict[str, Any]:
        value = self.data["options"]
        if not isinstance(value, dict):
            raise self.error("key `options` must be a mapping ({} = none)")
        for name, option in value.items():
            if not isinstance(name, str):
                raise self.error(f"key `options.{name}` must be a text")
            if not isinstance(option, dict) or set(option) != {"type", "default", "description"}:
                raise self.error(f"key `options.{name}` needs exactly type, default and description")
            if not isinstance(option["description"], str):
                raise self.error(f"key `options.{name}.description` must be a text")
            if option["type"] not in _OPTION_TYPES:
                raise self.error(f"key `options.{name}.type` must be one of {', '.join(_OPTION_TYPES)}")
            if trouble := option_trouble(option["type"], option["default"]):
                raise self.error(f"key `options.{name}.default` {trouble}, not {option['default']!r}")
        return value
