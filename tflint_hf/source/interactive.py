"""Code as it is typed into a session: with prompts, indented as a whole, with commands between."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tflint_hf.source.commands import PythonLines, replace_commands

if TYPE_CHECKING:
    from collections.abc import Sequence

_PROMPT = re.compile(r"[ \t]*(?:>>>|\.\.\.)(?: |$)|In \[\d*\]: ?|[ \t]*\.{3,}: ?")
_FIRST_PROMPT = re.compile(r"[ \t]*>>>(?: |$)|In \[\d*\]:")


def _without_prompts(lines: Sequence[str]) -> tuple[list[str], list[int]]:
    """The code of an interactive session, or of lines that are all indented, and the columns before it on each line.

    What a session prints becomes empty lines.
    """
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    if _FIRST_PROMPT.match(first):
        prompts = [_PROMPT.match(line) for line in lines]
        removed = [prompt.end() if prompt else 0 for prompt in prompts]
        return [line[prompt.end() :] if prompt else "" for line, prompt in zip(lines, prompts, strict=True)], removed
    first = next((line for line in lines if line.strip()), "")
    indentation = first[: len(first) - len(first.lstrip(" \t"))]
    if not indentation:
        return list(lines), [0] * len(lines)
    removed = [len(indentation) if line.startswith(indentation) else 0 for line in lines]
    return [line[columns:] for line, columns in zip(lines, removed, strict=True)], removed


def interactive_python(lines: Sequence[str]) -> PythonLines:
    """The Python of lines that were typed into IPython or a session, with all columns that were taken away."""
    code, removed = _without_prompts(lines)
    python = replace_commands(code)
    shifts = tuple(before + shift for before, shift in zip(removed, python.shifts, strict=True))
    return PythonLines(python.lines, shifts, python.commands)
