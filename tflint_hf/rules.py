"""The table of rules: one YAML file a rule under rules/, read strictly, kept parsed in the user's cache folder."""

from __future__ import annotations

import difflib
import functools
import hashlib
import json
import math
import operator
import os
import re
import string
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tflint_hf import __version__
from tflint_hf.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

DOCUMENTATION_URL = ""
KNOWLEDGE_FOLDER = "knowledge"


class RuleFileError(Exception):
    """A rule's own file is wrong: a fault of this tool, not of the code that is scanned."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"the rule file {path} is wrong: {problem}")


class UnknownRule(ValueError):  # noqa: N818 - it reads as what it is where it is caught
    """No rule answers to a selector that a person wrote."""

    def __init__(self, selector: str, close: tuple[str, ...]) -> None:
        hint = f": did you mean {' or '.join(close)}?" if close else ": `tflint-hf rules` lists all rules"
        super().__init__(f'no rule is called "{selector}"{hint}')
        self.selector = selector
        self.close = close


_COMPARISONS = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_TERM = r"(?:-?\d+|[a-z]+)"
_PRODUCT = rf"{_TERM}(?: \* {_TERM})*"
_COMPARISON = re.compile(rf"({_PRODUCT}) (==|!=|<=|>=|<|>) ({_PRODUCT})")


def _comparisons(where: str) -> list[tuple[str, str, str]]:
    """The comparisons that `where` joins by "and". Raises ValueError for anything else."""
    found = [(part, _COMPARISON.fullmatch(part)) for part in where.split(" and ")]
    if wrong := [part for part, match in found if match is None]:
        raise ValueError(f"{wrong[0]!r} is not a comparison")
    return [(match[1], match[2], match[3]) for _, match in found if match is not None]


def _product(text: str, match: re.Match[str]) -> int:
    return math.prod(int(match[term] if term.isalpha() else term) for term in text.split(" * "))


@dataclass(frozen=True, slots=True)
class Symptom:
    """What the log of a program with the fault of a rule shows: a text, or a shape of the training's numbers.

    `kind` is error (of a traceback), warning, log (any other line) or curve. `pattern` is a regular expression on the
    text of the log, None for a curve; `curve` is the name of a shape. `where` compares the numbers that the pattern
    names, as `labels == rows * classes and rows > 1`. `note` says what the symptom means here. A `strength` of vague is
    for texts of many programs: they count only where the program is seen to have the fault.
    """

    kind: str
    strength: str
    pattern: str | None = None
    curve: str | None = None
    where: str | None = None
    note: str | None = None

    def holds(self, match: re.Match[str]) -> bool:
        """Whether the numbers of a match of the pattern are as `where` asks."""
        return self.where is None or all(
            _COMPARISONS[operator](_product(left, match), _product(right, match))
            for left, operator, right in _comparisons(self.where)
        )


@dataclass(frozen=True, slots=True)
class Rule:
    """All words and data of one rule. `message`, `why` and `advice` are format strings."""

    code: str
    name: str
    severity: Severity
    confidence: str
    applies: dict[str, str]
    fix: str
    probe: str | None
    probe_reason: str | None
    message: str
    why: str
    advice: str
    page: str
    bad: str
    good: str
    options: dict[str, Any]
    family: str
    symptoms: tuple[Symptom, ...] = ()

    @property
    def url(self) -> str:
        """The address of the rule's page, empty as long as the pages are not published."""
        return f"{DOCUMENTATION_URL}/rules/{self.name}/" if DOCUMENTATION_URL else ""

    @property
    def summary(self) -> str:
        """The first sentence of the page's section "What it does"."""
        section = re.search(r"^## What it does\s+(.+?)(?:\n\s*\n|\Z)", self.page, re.DOTALL | re.MULTILINE)
        paragraph = " ".join(section[1].split()) if section else self.why
        return re.split(r"(?<=\.)\s(?=[A-Z`])", paragraph, maxsplit=1)[0]


class RuleTable:
    """Every rule, in the order of the codes."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(sorted(rules, key=lambda rule: rule.code))
        self.by_code: Mapping[str, Rule] = {rule.code: rule for rule in self._rules}
        self.by_name: Mapping[str, Rule] = {rule.name: rule for rule in self._rules}

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    def __len__(self) -> int:
        return len(self._rules)

    def find(self, code_or_name: str) -> Rule:
        """The one rule with this code or name, in any case. Raises UnknownRule."""
        rule = self.by_code.get(code_or_name.upper()) or self.by_name.get(code_or_name.lower())
        if rule is None:
            raise self._unknown(code_or_name)
        return rule

    def resolve(self, selector: str) -> frozenset[str]:
        """The codes that a code, a prefix of codes, a name or "ALL" stands for. Raises UnknownRule."""
        wanted = selector.strip().upper()
        if wanted == "ALL":
            return frozenset(self.by_code)
        if named := self.by_name.get(wanted.lower()):
            return frozenset((named.code,))
        codes = frozenset(code for code in self.by_code if wanted and code.startswith(wanted))
        if not codes:
            raise self._unknown(selector)
        return codes

    def _unknown(self, selector: str) -> UnknownRule:
        wanted = selector.strip()
        close = difflib.get_close_matches(wanted.upper(), self.by_code, n=2, cutoff=0.8)
        close += difflib.get_close_matches(wanted.lower(), self.by_name, n=2, cutoff=0.6)
        return UnknownRule(selector, tuple(close[:2]))


@functools.lru_cache(maxsize=1)
def load_rules() -> RuleTable:
    """The rules that come with the tool. Raises RuleFileError when one of their files is wrong."""
    from tflint_hf.knowledge import rules_folder

    return RuleTable(_cached_rules(rules_folder(), user_cache_folder()))


def read_rules(folder: Path) -> list[Rule]:
    """Every rule below `folder`, read from YAML. Raises RuleFileError."""
    rules: dict[str, Rule] = {}
    for path in _rule_files(folder):
        rule = _read_rule(path)
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

_CODE = re.compile(r"TF[A-Z]\d{3}")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_CONFIDENCES = ("certain", "likely")
_FIXES = ("safe", "unsafe", "none")
_OPTION_TYPES = ("number", "integer", "string", "boolean", "array")
_REQUIRED_KEYS = (
    *("code", "name", "severity", "confidence", "applies", "fix", "probe"),
    *("message", "why", "advice", "bad", "good", "page", "options"),
)
_OPTIONAL_KEYS = ("probe_reason", "symptoms")
_TEXT_KEYS = ("kind", "strength", "pattern")
_TEXT_KINDS = ("error", "warning", "log")
STRENGTHS = ("certain", "likely", "possible", "vague")
CURVES = (
    *("loss-nan-at-once", "loss-nan-later", "loss-negative", "loss-zero", "loss-constant"),
    *("loss-frozen-at-ln-classes", "loss-near-ln-classes", "accuracy-constant", "accuracy-zero"),
    *("learning-rate-zero", "one-loss-of-two-outputs"),
)


def _read_rule(path: Path) -> Rule:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise RuleFileError(path, f"it cannot be read: {error}") from error
    return _RuleFile(path, data).rule()


class _RuleFile:
    """One parsed file on its way to a Rule: each method takes a key's value or says what is wrong with it."""

    def __init__(self, path: Path, data: object) -> None:
        self.path = path
        if not isinstance(data, dict):
            raise self.error("it is not a mapping of keys")
        self.data: dict[str, Any] = data
        for key in data:
            if key not in (*_REQUIRED_KEYS, *_OPTIONAL_KEYS):
                raise self.error(f"unknown key `{key}`")
        for key in _REQUIRED_KEYS:
            if key not in data:
                raise self.error(f"key `{key}` is missing")

    def error(self, problem: str) -> RuleFileError:
        return RuleFileError(self.path, problem)

    def rule(self) -> Rule:
        name = self.matching("name", _NAME)
        if name != self.path.stem:
            raise self.error(f"key `name` is {name}, but the file is called {self.path.name}")
        probe = self.text("probe")
        reason = self.text("probe_reason") if "probe_reason" in self.data else None
        if (probe == "none") != (reason is not None):
            raise self.error("key `probe_reason` belongs to `probe: none`, and only to it")
        return Rule(
            code=self.matching("code", _CODE),
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
            family=self.path.parent.name,
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
            raise self.error(f"key `{key}` is {value!r}, which does not look like {pattern.pattern}")
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
        from packaging.specifiers import InvalidSpecifier, SpecifierSet

        value = self.data["applies"]
        if not isinstance(value, dict):
            raise self.error("key `applies` must map libraries to versions ({} = always)")
        for library, specifier in value.items():
            try:
                SpecifierSet(specifier)
            except (InvalidSpecifier, AttributeError, TypeError):
                raise self.error(f"key `applies.{library}` is not a version range: {specifier!r}") from None
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
            comparisons = _comparisons(where) if where is not None else []
        except ValueError as error:
            raise self.error(f"key `{key}.where` is wrong: {error}") from None
        named = {term for left, _, right in comparisons for term in f"{left} * {right}".split(" * ") if term.isalpha()}
        if unknown := sorted(named - set(compiled.groupindex)):
            raise self.error(f"key `{key}.where` speaks of {unknown[0]}, which the pattern does not name")

    def options(self) -> dict[str, Any]:
        value = self.data["options"]
        if not isinstance(value, dict):
            raise self.error("key `options` must be a mapping ({} = none)")
        for name, option in value.items():
            if not isinstance(option, dict) or set(option) != {"type", "default", "description"}:
                raise self.error(f"key `options.{name}` needs exactly type, default and description")
            if option["type"] not in _OPTION_TYPES:
                raise self.error(f"key `options.{name}.type` must be one of {', '.join(_OPTION_TYPES)}")
        return value
