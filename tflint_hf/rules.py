"""The rules: their words and data, and the table of them."""

from __future__ import annotations

import difflib
import math
import operator
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tflint_hf.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

DOCUMENTATION_URL = ""
STRENGTHS = ("certain", "likely", "possible", "vague")
CURVES = (
    *("loss-nan-at-once", "loss-nan-later", "loss-negative", "loss-zero", "loss-constant"),
    *("loss-frozen-at-ln-classes", "loss-near-ln-classes", "accuracy-constant", "accuracy-zero"),
    *("learning-rate-zero", "one-loss-of-two-outputs"),
)


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


def comparisons(where: str) -> list[tuple[str, str, str]]:
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
            for left, operator, right in comparisons(self.where)
        )


@dataclass(frozen=True, slots=True)
class Rule:
    """All words and data of one rule. `message`, `why` and `advice` are format strings.

    Of rules that do not come with the tool, `origin` says for people where they come from, `home` is the real path
    of the folder of their files, and `packaged` whether that is an installed package.
    """

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
    origin: str = ""
    home: str = ""
    packaged: bool = False

    @property
    def url(self) -> str:
        """The address of the rule's page, empty for a page that is not published."""
        return f"{DOCUMENTATION_URL}/rules/{self.name}/" if DOCUMENTATION_URL and not self.origin else ""

    @property
    def summary(self) -> str:
        """The first sentence of the page's section "What it does"."""
        paragraph = self.first_paragraph("What it does") or self.why
        return re.split(r"(?<=\.)\s(?=[A-Z`])", paragraph, maxsplit=1)[0]

    def first_paragraph(self, section: str) -> str:
        """The beginning of a section of the page, without the marks of lists; empty if the page lacks it."""
        found = re.search(rf"^## {re.escape(section)}\s+(.+?)(?:\n\s*\n|\Z)", self.page, re.DOTALL | re.MULTILINE)
        return " ".join(re.sub(r"^\s*- ", "", found[1], flags=re.MULTILINE).split()) if found else ""


def without_values(text: str) -> str:
    """The words of a rule where no program gives their values: `num_labels=<classes>`."""
    return re.sub(r"\{(\w+)\}", lambda one: f"<{one[1].replace('_', ' ')}>", text).replace("{{", "{").replace("}}", "}")


class RuleTable:
    """Every rule, in the order of the codes, but for those that are `withheld`, and those that `failed` to load."""

    def __init__(self, rules: Iterable[Rule], *, withheld: bool = False, failed: bool = False) -> None:
        self._withheld = withheld
        self._failed = failed
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

    def usable(self, folders: Iterable[Path]) -> frozenset[str]:
        """The codes that count for files whose configuration names these folders of rules."""
        named = {os.path.realpath(folder) for folder in folders}
        return frozenset(rule.code for rule in self if not rule.home or rule.packaged or rule.home in named)

    def may_lack(self, selector: str, *, asked_for: bool = False) -> bool:
        """Whether what means no rule here may mean one that was not loaded. Who asked for it now withholds nothing."""
        lacks = self._failed or (self._withheld and not asked_for)
        return lacks and not selector.strip().upper().startswith("TF")

    @property
    def default_options(self) -> dict[str, dict[str, Any]]:
        """The options of each rule that has any, as they are where nothing else is said."""
        return {
            rule.code: {name: option["default"] for name, option in rule.options.items()}
            for rule in self
            if rule.options
        }

    @property
    def prefixes(self) -> frozenset[str]:
        """The letters that codes begin with."""
        return frozenset(code.rstrip("0123456789") for code in self.by_code)

    def close_to(self, selector: str) -> tuple[str, ...]:
        """Codes or names that may be meant by what is neither, the likeliest first, at most two."""
        wanted = selector.strip()
        close = [code] if (code := _with_three_digits(wanted)) in self.by_code else []
        close += difflib.get_close_matches(wanted.upper(), self.by_code, n=2, cutoff=0.8)
        close += difflib.get_close_matches(wanted.lower(), self.by_name, n=2, cutoff=0.6)
        return tuple(dict.fromkeys(close))[:2]

    def _unknown(self, selector: str) -> UnknownRule:
        return UnknownRule(selector, self.close_to(selector))


def _with_three_digits(selector: str) -> str:
    """The code that a slip of digits may mean: `TFL0O1` and `TFL01` are TFL001."""
    parts = re.fullmatch(r"(TF[A-Z]|[A-Z]{2,5}?)([0-9OIL]+)", selector.upper())
    if parts is None:
        return ""
    return f"{parts[1]}{int(parts[2].translate(str.maketrans('OIL', '011'))):03d}"


def is_range(versions: object) -> bool:
    """Whether it is a range of versions as `>=4.20,<5`."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        return isinstance(versions, str) and SpecifierSet(versions) is not None
    except InvalidSpecifier:
        return False
