"""What reading a file gives: fragments of Python with their places in the file."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.findings import Location
from tflint_hf.source.form_feeds import without_form_feeds
from tflint_hf.source.nesting import refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

MAX_CODE_CHARACTERS = 1_500_000
"""Longer code is generated data. Parsing it would take minutes."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class SourceError(Exception):
    """The file cannot be read at all. The message is a sentence for people."""


class SourceKind(enum.Enum):
    SCRIPT = "script"
    NOTEBOOK = "notebook"
    MARKDOWN = "markdown"


@dataclass(frozen=True, slots=True)
class Fragment:
    """A run of Python that is parsed as one module: a script, a code cell, a fenced block.

    `text` has the same lines as `original`, with what is not Python replaced. `indents` says for each line how many
    columns were taken away in front of its code; an empty tuple means none anywhere. `first_line` is the line of the
    file (or cell) where the fragment starts, from 1. `module` is the file that a cell writes instead of running, by its
    path from the notebook's folder.
    """

    text: str
    original: tuple[str, ...]
    cell: int | None
    first_line: int
    indents: tuple[int, ...] = ()
    module: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Text that cannot be read as Python. Lines and columns count from 1; `whole_file`: nothing of it was read."""

    cell: int | None
    line: int
    column: int
    message: str
    whole_file: bool


@dataclass(frozen=True, slots=True)
class Source:
    """A file, taken apart.

    `requirements` are the arguments of its pip and conda install commands. `texts` holds the user's lines by cell
    (None for scripts and Markdown).
    """

    path: Path
    display: str
    kind: SourceKind
    fragments: tuple[Fragment, ...]
    problems: tuple[Problem, ...]
    requirements: tuple[str, ...]
    texts: Mapping[int | None, tuple[str, ...]]

    def text_lines(self, cell: int | None) -> tuple[str, ...]:
        """The user's lines of that cell, or of the file for None. Empty if there is no such cell."""
        return self.texts.get(cell, ())

    def line_with(self, part: str) -> tuple[int | None, int] | None:
        """The cell and line in which a piece of text stands first."""
        for cell, lines in self.texts.items():
            for number, line in enumerate(lines, start=1):
                if part in line:
                    return cell, number
        return None

    def location(self, fragment: int, line: int, column: int, end_line: int, end_column: int) -> Location:
        """The user's place for a range of `fragments[fragment].text`: lines from 1, columns from 0."""
        part = self.fragments[fragment]
        start = _place(part, line, column)
        end = max(start, _place(part, end_line, end_column))
        return Location(self.display, part.cell, *start, *end)


def _place(fragment: Fragment, line: int, column: int) -> tuple[int, int]:
    """Line and column from 1 in the file or cell, kept inside the text that the user wrote."""
    last = len(fragment.original)
    if line > last:
        line, column = last, len(fragment.original[-1])
    shift = fragment.indents[line - 1] if fragment.indents else 0
    return fragment.first_line + line - 1, min(column + shift, len(fragment.original[line - 1])) + 1


def without_surrogates(text: str) -> str:
    """Half characters, which JSON escapes can spell, cannot be encoded: the parser and every report would fail."""
    return text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def make_fragment(
    code: Sequence[str],
    original: Sequence[str],
    *,
    cell: int | None = None,
    first_line: int = 1,
    indents: Sequence[int] = (),
    whole_file: bool = False,
    module: str = "",
) -> Fragment | Problem:
    """A fragment, or why the parser must not see it. `code` and `original` have the same number of lines."""
    code, removed = without_form_feeds(code)
    if removed:
        indents = [before + gone for before, gone in zip(indents or [0] * len(code), removed, strict=True)]
    shifts = tuple(indents) if any(indents) else ()
    text = "\n".join(code)

    def problem(line: int, column: int, message: str) -> Problem:
        shift = shifts[line - 1] if shifts else 0
        return Problem(cell, first_line + line - 1, column + shift, message, whole_file)

    if len(text) > MAX_CODE_CHARACTERS:
        message = f"has {len(text):,} characters of code, more than the {MAX_CODE_CHARACTERS:,} that are read"
        return Problem(cell, first_line, 1, message, whole_file)
    if "\0" in text:
        before = text[: text.index("\0")]
        return problem(before.count("\n") + 1, len(before) - before.rfind("\n"), "holds a NUL character")
    refused = refusal(text)
    if refused is not None:
        return problem(refused.line, refused.column, refused.message)
    return Fragment(text, tuple(original), cell, first_line, shifts, module)
