"""From the texts of a source to syntax trees. A text that does not parse becomes a problem, the others are kept."""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from tflint_hf.source import Problem, SourceKind

if TYPE_CHECKING:
    from tflint_hf.source import Source


@dataclass(frozen=True, eq=False, slots=True)
class Unit:
    """One parsed text: a script, a notebook's cell, a fenced block of Markdown."""

    source: Source
    fragment: int
    tree: cst.Module

    @property
    def text(self) -> str:
        """What was parsed."""
        return self.source.fragments[self.fragment].text

    @property
    def module(self) -> str:
        """The file that this text is written to; empty for one that runs where it stands."""
        return self.source.fragments[self.fragment].module


@dataclass(frozen=True, eq=False, slots=True)
class ParsedSource:
    source: Source
    units: tuple[Unit, ...]
    problems: tuple[Problem, ...]


def _parse_anew(_path: str, _fragment: int, text: str) -> cst.Module:
    return cst.parse_module(text)


_parse = _parse_anew


def keep_trees(number: int) -> None:
    """Keep so many trees for when the same text stands at the same place again: in a process that scans over and over,
    most files beside the one that is written, and most cells of a notebook, stay what they are."""
    global _parse
    _parse = functools.lru_cache(maxsize=number)(_parse_anew)


def _trouble(text: str, error: cst.ParserSyntaxError) -> tuple[int, int, str]:
    """Line, column (from 0) and a sentence. Python names the place and the reason better than libcst does."""
    try:
        ast.parse(text)
    except SyntaxError as said:
        if said.lineno is not None:
            return said.lineno, max((said.offset or 1) - 1, 0), f"is not valid Python: {said.msg}"
    except (ValueError, RecursionError, MemoryError):
        pass
    return error.raw_line, max(error.raw_column, 0), "is not valid Python"


def parse_source(source: Source) -> ParsedSource:
    """Parse every fragment of a source."""
    units: list[Unit] = []
    problems = list(source.problems)
    for index, fragment in enumerate(source.fragments):
        try:
            tree = _parse(str(source.path), index, fragment.text)
        except cst.ParserSyntaxError as error:
            if source.kind is SourceKind.MARKDOWN or fragment.module:
                # A fenced block may be an excerpt or an output; that is no fault of the document. What a cell writes to
                # a file may be a template, or a part of it.
                continue
            line, column, message = _trouble(fragment.text, error)
            place = source.location(index, line, column, line, column)
            whole_file = source.kind is SourceKind.SCRIPT
            problems.append(Problem(fragment.cell, place.line, place.column, message, whole_file))
        except (RecursionError, ValueError, TypeError, UnicodeError) as error:
            problems.append(
                Problem(
                    fragment.cell,
                    fragment.first_line,
                    1,
                    f"cannot be parsed: {error}",
                    source.kind is SourceKind.SCRIPT,
                )
            )
        else:
            units.append(Unit(source, index, tree))
    return ParsedSource(source, tuple(units), tuple(problems))
