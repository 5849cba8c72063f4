"""Form feeds before statements, as Emacs and older projects have them between sections.

For Python a form feed sets the column of its line back to 0. libcst takes it for one more character of indentation: it
refuses a block some of whose lines begin with one, and counts the columns of the others wrongly.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tflint_hf.source.nesting import STRING

if TYPE_CHECKING:
    from collections.abc import Sequence

_PIECE = re.compile(rf"{STRING} | \#[^\n]* | ^(?P<lead>[ \t\f]*\f)", re.VERBOSE | re.DOTALL | re.MULTILINE)


def without_form_feeds(lines: Sequence[str]) -> tuple[Sequence[str], Sequence[int]]:
    """Lines of Python without what a form feed before their code makes void, and how many characters each lost.

    Those in strings stay.
    """
    text = "\n".join(lines)
    if "\f" not in text:
        return lines, ()
    removed = [0] * len(lines)
    for found in _PIECE.finditer(text):
        if found["lead"]:
            removed[text.count("\n", 0, found.start())] = len(found["lead"])
    return [line[gone:] for line, gone in zip(lines, removed, strict=True)], removed
