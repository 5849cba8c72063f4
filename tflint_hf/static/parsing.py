"""From the texts of a source to syntax trees. A text that does not parse becomes a problem, the others are kept."""

from __future__ import annotations

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


@dataclass(frozen=True, eq=False, slots=True)
class ParsedSource:
    source: Source
    units: tuple[Unit, ...]
    problems: tuple[Problem, ...]


def parse_source(source: Source) -> ParsedSource:
    """Parse every fragment of a source."""
    units: list[Unit] = []
    problems = list(source.problems)
    for index, fragment in enumerate(source.fragments):
        try:
            tree = cst.parse_module(fragment.text)
        except cst.ParserSyntaxError as error:
            place = source.location(index, error.raw_line, max(error.raw_column, 0), error.raw_line, error.raw_column)
            problems.append(
                Problem(
                    fragment.cell,
                    place.line,
                    place.column,
                    "is not valid Python",
                    source.kind is SourceKind.SCRIPT,
                )
            )
        except (RecursionError, ValueError, TypeError, UnicodeError) as error:
            problems.append(
                Problem(fragment.cell, fragment.first_line, 1, f"cannot be parsed: {error}", source.kind is SourceKind.SCRIPT)
            )
        else:
            units.append(Unit(source, index, tree))
    return ParsedSource(source, tuple(units), tuple(problems))
