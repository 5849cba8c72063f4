"""Changes of files as a unified diff; of a notebook, cell by cell."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from tflint_hf.editing.document import open_document
from tflint_hf.report.style import BOLD, CYAN, GREEN, RED, printable
from tflint_hf.source import lines_with_ends

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tflint_hf.editing.fixing import Change
    from tflint_hf.report.style import Style

_COLORS = {"+": GREEN, "-": RED, "@": CYAN}


def render_diff(changes: Sequence[Change], style: Style) -> str:
    """What `patch` reads, as far as scripts go; nothing for no changes."""
    return "".join(line for change in changes for line in _lines(change, style))


def _lines(change: Change, style: Style) -> Iterator[str]:
    before, after = (open_document(content, change.path).texts for content in (change.before, change.after))
    for cell, text in before.items():
        if after[cell] == text:
            continue
        name = change.display if cell is None else f"{change.display} cell {cell}"
        for number, line in enumerate(
            difflib.unified_diff(lines_with_ends(text), lines_with_ends(after[cell]), name, name)
        ):
            yield _painted(line, style, header=number < 2)


def _painted(line: str, style: Style, *, header: bool) -> str:
    body = line.rstrip("\r\n")
    end = line[len(body) :]
    color = BOLD if header else _COLORS.get(line[:1])
    shown = printable(body) if style.color else body
    painted = style.paint(shown, color) if color else shown
    return painted + end if end else f"{painted}\n\\ No newline at end of file\n"
