"""What the editor offers while a comment that hides findings is written: its keywords, then rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol import types

from tflint_hf.lsp.diagnostics import UNUSED_COMMENT
from tflint_hf.suppression import begun, codes_in, find_suppressions

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tflint_hf.findings import Finding
    from tflint_hf.lsp.positions import Lines
    from tflint_hf.rules import Rule, RuleTable
    from tflint_hf.source import Source
    from tflint_hf.suppression import Begun

TRIGGERS = ("[", ",", " ", ":")
"""What is typed in front of a keyword or a code. Many editors ask for nothing else inside of comments."""
_KEYWORDS = {
    "ignore": "Hides findings of this statement.",
    "ignore-file": "Hides findings of this file, in a notebook those of all its cells.",
}
_WORD = re.compile(r"[\w-]*")
_LIST = re.compile(r"[^\]#]*")


def comment_at(lines: Lines, position: types.Position) -> Begun | None:
    """The comment that is written at a position, from its line alone: this is asked at every space that is typed."""
    return begun(_before(lines, position))


def keywords(comment: Begun, lines: Lines, position: types.Position, *, commit: bool) -> types.CompletionList:
    """How a comment goes on after the name of the tool. `commit`: the editor lets a bracket choose a word."""
    place = _word_range(comment, lines, position)
    items = [
        types.CompletionItem(
            word,
            kind=types.CompletionItemKind.Keyword,
            documentation=what,
            text_edit=types.TextEdit(place, word),
            commit_characters=["["] if commit else None,
        )
        for word, what in _KEYWORDS.items()
        if word.startswith(comment.typed.lower())
    ]
    return types.CompletionList(is_incomplete=False, items=items)


def codes(
    comment: Begun,
    lines: Lines,
    position: types.Position,
    rules: RuleTable,
    broken: Collection[str],
    *,
    form: types.MarkupKind,
    beside: bool,
) -> types.CompletionList:
    """The rules that are meant by what is typed, by code or by name: first those that are `broken` where the comment
    counts, never those that it has already. `beside`: the editor shows the names of all of them beside the codes.

    The list is made anew at each letter, since editors filter by one text alone, and many by its beginning.
    """
    place = _word_range(comment, lines, position)
    known = {one.upper() for one in (*comment.codes, *_listed_behind(lines, position))}
    items = []
    for rule in rules:
        meant = _meant(rule, comment.typed)
        if meant is None or rule.code in known or rule.name.upper() in known:
            continue
        items.append(
            types.CompletionItem(
                rule.code,
                kind=types.CompletionItemKind.EnumMember,
                label_details=types.CompletionItemLabelDetails(description=rule.name) if beside else None,
                detail=rule.name,
                documentation=types.MarkupContent(form, f"{rule.summary} ({rule.severity.label})"),
                filter_text=meant,
                sort_text=f"{0 if rule.code in broken else 1}{rule.code}",
                text_edit=types.TextEdit(place, rule.code),
            )
        )
    return types.CompletionList(is_incomplete=True, items=items)


def is_code(source: Source, cell: int | None, line: int) -> bool:
    """Whether a line is one of Python: of a script, of a cell of code, of a block of Python in Markdown."""
    return any(
        part.cell == cell and part.first_line <= line < part.first_line + len(part.original)
        for part in source.fragments
    )


def broken_at(
    source: Source, findings: Sequence[Finding], cell: int | None, line: int, prefixes: frozenset[str]
) -> set[str]:
    """The codes of the findings that a comment on a line can hide, but for one on itself."""
    comments = [
        one for one in find_suppressions(source, prefixes) if (one.location.cell, one.location.line) == (cell, line)
    ]
    return {
        finding.code
        for finding in findings
        if finding.code != UNUSED_COMMENT
        and (
            any(one.covers(finding.location) for one in comments)
            or (finding.location.cell, finding.location.line) == (cell, line)
        )
    }


def _meant(rule: Rule, typed: str) -> str | None:
    """What of a rule begins with what was typed: its code, or its name from one of its words on."""
    if rule.code.startswith(typed.upper()):
        return rule.code
    found = re.search(rf"\b{re.escape(typed.lower())}", rule.name)
    return rule.name[found.start() :] if found else None


def _before(lines: Lines, position: types.Position) -> str:
    return lines.line(position.line)[: lines.place(position)[1] - 1]


def _behind(lines: Lines, position: types.Position) -> tuple[str, str]:
    """The rest of the word at a position, and what follows on its line."""
    text = lines.line(position.line)[lines.place(position)[1] - 1 :]
    rest = _WORD.match(text)
    assert rest is not None
    return rest[0], text[rest.end() :]


def _listed_behind(lines: Lines, position: types.Position) -> tuple[str, ...]:
    listed = _LIST.match(_behind(lines, position)[1])
    return codes_in(listed[0]) if listed else ()


def _word_range(comment: Begun, lines: Lines, position: types.Position) -> types.Range:
    """The whole of the word at a position, which what is chosen replaces."""
    line, column = lines.place(position)
    return types.Range(
        lines.position(line, column - len(comment.typed)),
        lines.position(line, column + len(_behind(lines, position)[0])),
    )
