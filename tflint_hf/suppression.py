"""Comments that hide findings: `# noqa: TFL001`, `# tflint-hf: ignore[TFL001] reason`, `# tflint-hf: ignore-file`."""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from tflint_hf.findings import Location

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tflint_hf.findings import Finding
    from tflint_hf.source import Source

Kind = Literal["noqa", "ignore", "ignore-file"]

_MENTION = re.compile(r"noqa|tflint-hf", re.IGNORECASE)
_DIRECTIVE = re.compile(
    r"""
      \#\s*noqa\b (?:\s*:\s* (?P<noqa_codes> [\w-]+ (?:[\s,]+ [A-Za-z]+[0-9]+\b | \s*,\s* [\w-]+)* )? )?
    | \#\s*tflint-hf\s*:\s* (?P<kind>ignore-file|ignore)\b(?!-)
      (?: \s*\[ (?P<codes>[^\]\#]*) \]? )? \s* (?P<reason>[^\#]*)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BEGUN = re.compile(
    r"""
      \#\s*noqa\s*:\s* (?P<noqa_codes> (?:[\w-]+\s*,\s*)* ) [\w-]*\Z
    | \#\s*tflint-hf\s*:\s* (?:(?P<kind>ignore-file|ignore)\s*\[ (?P<codes>[^\]\#]*?))? [\w-]*\Z
    """,
    re.IGNORECASE | re.VERBOSE,
)
_COMMENT = re.compile(r"(?:^|(?<=\s))#")
_NO_CONTENT = re.compile(r"\s*(#|$)")
_WORD = re.compile(r"[\w-]*\Z")
_SEPARATOR = re.compile(r"[\s,]+")
_ANY_CODE = re.compile(r"[A-Za-z]+[0-9]+\Z|[A-Z]{1,4}\Z")
_OUR_CODE = re.compile(r"TF[A-Z][0-9]*\Z", re.IGNORECASE)
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+\Z")
_LEADING_CODE = re.compile(r"([A-Za-z]{2,5}[0-9]{3})\b[\s,]*")
_LAYOUT = frozenset({tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER})

ALL = "ALL"


@dataclass(frozen=True, slots=True)
class Suppression:
    """A comment that hides findings.

    `codes` are codes, prefixes or names as the user wrote them; None hides all. It covers the lines from `first_line`
    to `last_line` of its cell or file, which are those of one statement; an `ignore-file` covers all cells.
    """

    location: Location
    codes: tuple[str, ...] | None
    first_line: int
    last_line: int
    cell: int | None
    kind: Kind
    reason: str | None

    def covers(self, place: Location) -> bool:
        if self.kind == "ignore-file":
            return True
        return self.cell == place.cell and self.first_line <= place.line <= self.last_line


@dataclass(frozen=True, slots=True)
class Begun:
    """A comment as far as it is written. `kind` is None where that is what comes next, else the next of `codes`.

    `typed` is what there is of the next word.
    """

    kind: Kind | None
    codes: tuple[str, ...]
    typed: str


def begun(text: str) -> Begun | None:
    """The comment that a line ends in, up to where somebody writes; None if there is none that could hide a finding."""
    match = _BEGUN.search(text)
    if match is None:
        return None
    typed = _WORD.search(text)
    assert typed is not None
    kind = _kind(match["kind"]) if match["kind"] else None if match["noqa_codes"] is None else "noqa"
    return Begun(kind, codes_in(match["codes"] or match["noqa_codes"] or ""), typed[0])


def codes_in(text: str) -> tuple[str, ...]:
    """The codes of a list as it stands in a comment."""
    return tuple(filter(None, _SEPARATOR.split(text)))


def find_suppressions(source: Source, prefixes: frozenset[str] = frozenset()) -> tuple[Suppression, ...]:
    """The suppressions of a file, in the order of its text.

    A `noqa` also speaks to other tools; `prefixes` are letters that codes of this one's rules begin with.
    """
    found: list[Suppression] = []
    for number, fragment in enumerate(source.fragments):
        if not _MENTION.search(fragment.text):
            continue
        for comment, first, last in _comments(fragment.text):
            line, start = comment.start
            for match in _DIRECTIVE.finditer(comment.string):
                directive = _directive(match, prefixes)
                if directive is None:
                    continue
                kind, codes, reason = directive
                end = start + match.start() + len(match.group().rstrip())
                location = source.location(number, line, start + match.start(), line, end)
                offset = fragment.first_line - 1
                found.append(Suppression(location, codes, first + offset, last + offset, fragment.cell, kind, reason))
    return tuple(found)


def suppressions_in_lines(
    path: str, lines: Sequence[str], prefixes: frozenset[str] = frozenset()
) -> tuple[Suppression, ...]:
    """The suppressions of a file that is not Python but has its comments, as a list of requirements.

    A comment counts for its own line, one on a line of its own for the next line that is no comment.
    """
    found: list[Suppression] = []
    for number, line in enumerate(lines, start=1):
        comment = _COMMENT.search(line)
        if comment is None:
            continue
        covered = number
        while covered < len(lines) and not line[: comment.start()].strip() and _NO_CONTENT.match(lines[covered - 1]):
            covered += 1
        for match in _DIRECTIVE.finditer(line, comment.start()):
            directive = _directive(match, prefixes)
            if directive is not None:
                kind, codes, reason = directive
                end = match.start() + len(match.group().rstrip())
                place = Location(path, None, number, match.start() + 1, number, end + 1)
                found.append(Suppression(place, codes, number, covered, None, kind, reason))
    return tuple(found)


def _kind(word: str) -> Kind:
    return "ignore-file" if word.lower() == "ignore-file" else "ignore"


def _directive(
    match: re.Match[str], prefixes: frozenset[str]
) -> tuple[Kind, tuple[str, ...] | None, str | None] | None:
    """Kind, codes and reason of a comment's directive; None if it is none of our business."""
    if match["kind"]:
        kind = _kind(match["kind"])
        if match["codes"] is not None:
            return kind, codes_in(match["codes"]), match["reason"].strip() or None
        named, reason = _unbracketed(match["reason"], prefixes)
        return kind, named, reason.strip() or None
    words = _SEPARATOR.split(match["noqa_codes"]) if match["noqa_codes"] else []
    if not any(_ANY_CODE.match(word) or _NAME.match(word) for word in words):
        return "noqa", None, None  # as flake8: without a code after the colon it hides everything
    ours = tuple(word for word in words if _is_ours(word, prefixes))
    return ("noqa", ours, None) if ours else None


def _unbracketed(text: str, prefixes: frozenset[str]) -> tuple[tuple[str, ...] | None, str]:
    """The codes that stand behind the word without brackets, as in a noqa, and what follows them."""
    codes: list[str] = []
    rest = text.lstrip(": \t")
    while (word := _LEADING_CODE.match(rest)) and _is_ours(word[1], prefixes):
        codes.append(word[1])
        rest = rest[word.end() :]
    return (tuple(codes), rest) if codes else (None, text)


def _is_ours(word: str, prefixes: frozenset[str]) -> bool:
    letters = word.rstrip("0123456789").upper()
    return letters in prefixes or bool(_OUR_CODE.match(word) or _NAME.match(word))


def _comments(text: str) -> Iterator[tuple[tokenize.TokenInfo, int, int]]:
    """Each comment with the first and last line of the logical line that it belongs to.

    A comment on a line of its own belongs to the statement below, or to the one that it stands in. Of a compound
    statement that is the header.
    """
    waiting: list[tokenize.TokenInfo] = []
    first: int | None = None
    last = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                waiting.append(token)
            elif token.type == tokenize.NEWLINE:
                last = max(last, token.start[0])
                for comment in waiting:
                    yield comment, comment.start[0] if first is None else first, last
                waiting, first = [], None
            elif token.type not in _LAYOUT:
                first = token.start[0] if first is None else first
                last = token.end[0]
    except (tokenize.TokenError, SyntaxError):
        pass  # what cannot be tokenised has no findings, but a comment above may speak for the whole file
    for comment in waiting:
        line = comment.start[0]
        yield comment, line if first is None else first, max(last, line) if first is not None else line


def apply(
    findings: Sequence[Finding],
    suppressions: Mapping[str, Sequence[Suppression]],
    matches: Callable[[str, str, str], bool],
    checked: Callable[[str, str], bool] | None = None,
) -> tuple[list[Finding], list[Suppression]]:
    """The findings that no comment hides, and the suppressions that hid nothing.

    `suppressions` are by the path of a finding's location. `matches(selector, code, name)` says whether a selector
    means a rule, `checked(path, selector)` whether this run could have found anything there that it means (None:
    always), which for a suppression without codes is asked of "ALL". An unused suppression of several codes is given
    with its unused ones only. A bare `# noqa` and a bare `ignore-file` are never unused: other tools and later changes
    need them.
    """
    kept: list[Finding] = []
    used: set[tuple[Suppression, str]] = set()
    for finding in findings:
        hidden = False
        for suppression in suppressions.get(finding.location.path, ()):
            if not suppression.covers(finding.location):
                continue
            if suppression.codes is None:
                used.add((suppression, ALL))
                hidden = True
                continue
            hiding = [code for code in suppression.codes if matches(code, finding.code, finding.name)]
            used.update((suppression, code) for code in hiding)
            hidden = hidden or bool(hiding)
        if not hidden:
            kept.append(finding)
    unused: list[Suppression] = []
    for path in sorted(suppressions):
        for suppression in suppressions[path]:
            if suppression.codes is None:
                if (
                    suppression.kind == "ignore"
                    and (suppression, ALL) not in used
                    and (not checked or checked(path, ALL))
                ):
                    unused.append(suppression)
                continue
            idle = tuple(code for code in suppression.codes if (suppression, code) not in used)
            if checked:
                idle = tuple(code for code in idle if checked(path, code))
            if idle or not suppression.codes:
                unused.append(replace(suppression, codes=idle))
    return kept, unused
