"""Comments that hide the findings there are, so that only new ones are reported."""

from __future__ import annotations

import io
import re
import tokenize
from typing import TYPE_CHECKING

from tflint_hf.discovery import absolute
from tflint_hf.editing.document import NotEditableError, open_document
from tflint_hf.editing.edits import edited
from tflint_hf.editing.fixing import Change, is_program, parses_as_well
from tflint_hf.findings import Edit, Location
from tflint_hf.source import SourceError, read_bytes, source_from_bytes, split_lines
from tflint_hf.suppression import find_suppressions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from tflint_hf.findings import Finding
    from tflint_hf.source import Source
    from tflint_hf.suppression import Suppression

OF_THE_TOOL = "TFX"
"""Findings on unreadable code and on comments of this kind have no statement that a comment could belong to."""
_LAYOUT = frozenset({tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER})
_AT_THE_TOP = re.compile(r"#!|[ \t\f]*#.*?coding[:=]")
_CODES = re.compile(r"\[([^\]]*)\]")


def ignore(
    findings: Sequence[Finding], reason: str, unsaved: Mapping[Path, bytes] | None = None
) -> tuple[tuple[Change, ...], tuple[tuple[Finding, str], ...]]:
    """Files with a comment behind each statement that has findings, and the findings that no comment can hide.

    Nothing is written. `unsaved` are contents to take instead of those of the files, by absolute path.
    """
    if "#" in reason or "\n" in reason:
        raise ValueError("a reason is the rest of a comment: it has no # and no line break")
    by_file: dict[str, list[Finding]] = {}
    refused: list[tuple[Finding, str]] = []
    for finding in findings:
        if finding.code.startswith(OF_THE_TOOL):
            refused.append((finding, "it belongs to no statement"))
        else:
            by_file.setdefault(finding.location.path, []).append(finding)
    changes: list[Change] = []
    for name, some in sorted(by_file.items()):
        try:
            changes.append(_with_comments(name, _content(name, unsaved or {}), some, reason))
        except (NotEditableError, SourceError) as error:
            refused += [(finding, str(error)) for finding in some]
    return tuple(changes), tuple(refused)


def ignore_in_file(finding: Finding, unsaved: Mapping[Path, bytes] | None = None) -> Change:
    """The finding's file with a comment, above its code, that hides all findings of this rule. Nothing is written.

    Raises NotEditableError, and SourceError if the file cannot be read.
    """
    name = finding.location.path
    path, before = absolute(name), _content(name, unsaved or {})
    document = open_document(before, path)
    source = source_from_bytes(before, path, name)
    known = next((s for s in find_suppressions(source) if s.kind == "ignore-file" and s.codes), None)
    if known is not None:
        place = known.location
        line = source.text_lines(place.cell)[place.line - 1]
        edit = _comment(name, place.cell, place.line, line, {finding.code}, [known], "")
    else:
        edit = _file_comment(source, finding.code)
    cell = edit.location.cell
    return Change(path, name, before, document.with_texts({cell: edited(document.texts[cell], [edit])}))


def _file_comment(source: Source, code: str) -> Edit:
    """A comment on a line of its own above the first code, behind the lines that only count at the top of a file."""
    for fragment in source.fragments:
        lines = fragment.original
        if not any(line.strip() for line in lines) or lines[0].startswith("%%"):
            continue
        skipped = 0
        while fragment.cell is None and skipped < min(2, len(lines) - 1) and _AT_THE_TOP.match(lines[skipped]):
            skipped += 1
        text = lines[skipped]
        indent = text[: len(text) - len(text.lstrip())] if skipped == 0 else ""
        number = fragment.first_line + skipped
        place = Location(source.display, fragment.cell, number, 1, number, 1)
        return Edit(place, f"{indent}# tflint-hf: ignore-file[{code}]\n")
    raise NotEditableError("it has no code that a comment could stand above")


def _content(name: str, unsaved: Mapping[Path, bytes]) -> bytes:
    path = absolute(name)
    content = unsaved.get(path)
    return read_bytes(path) if content is None else content


def _with_comments(name: str, before: bytes, findings: Sequence[Finding], reason: str) -> Change:
    path = absolute(name)
    document = open_document(before, path)
    source = source_from_bytes(before, path, name)
    known = find_suppressions(source) if is_program(path) else ()
    ends = dict(_ends(source)) if is_program(path) else {}
    wanted: dict[tuple[int | None, int], set[str]] = {}
    for finding in findings:
        place = finding.location
        wanted.setdefault((place.cell, ends.get((place.cell, place.line), place.line)), set()).add(finding.code)
    by_cell: dict[int | None, list[Edit]] = {}
    for (cell, line), codes in sorted(wanted.items(), key=lambda one: (one[0][0] or 0, one[0][1])):
        lines = split_lines(document.texts[cell])
        by_cell.setdefault(cell, []).append(_comment(name, cell, line, lines[line - 1], codes, known, reason))
    after = document.with_texts({cell: edited(document.texts[cell], edits) for cell, edits in by_cell.items()})
    if is_program(path) and not parses_as_well(before, after, path):
        raise NotEditableError("a comment here would leave text that is not Python")
    return Change(path, name, before, after)


def _comment(
    name: str, cell: int | None, line: int, text: str, codes: set[str], known: Sequence[Suppression], reason: str
) -> Edit:
    """More codes for a comment that is there, else a comment at the end of the line."""
    for suppression in known:
        place = suppression.location
        if suppression.kind != "noqa" and suppression.codes and (place.cell, place.line) == (cell, line):
            said = text[place.column - 1 : place.end_column - 1]
            brackets = _CODES.search(said)
            if brackets is not None:
                column = place.column + brackets.start(1)
                merged = ", ".join([*suppression.codes, *sorted(codes - set(suppression.codes))])
                where = Location(name, cell, line, column, line, column + len(brackets[1]))
                return Edit(where, merged)
    end = len(text) + 1
    written = f"# tflint-hf: ignore[{', '.join(sorted(codes))}] {reason}".rstrip()
    gap = "" if not text.strip() else "  "
    return Edit(Location(name, cell, line, end - (len(text) - len(text.rstrip())), line, end), gap + written)


def _ends(source: Source) -> Iterator[tuple[tuple[int | None, int], int]]:
    """For each line of a statement the last one, behind which a comment can stand; of a compound one, of its header."""
    for fragment in source.fragments:
        first: int | None = None
        try:
            for token in tokenize.generate_tokens(io.StringIO(fragment.text).readline):
                if token.type == tokenize.NEWLINE:
                    last = token.start[0]
                    for line in range(first or last, last + 1):
                        yield (fragment.cell, fragment.first_line + line - 1), fragment.first_line + last - 1
                    first = None
                elif token.type not in _LAYOUT and first is None:
                    first = token.start[0]
        except (tokenize.TokenError, SyntaxError):
            continue
