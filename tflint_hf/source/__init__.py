"""Scripts, notebooks and Markdown: the Python text to read, and the way back to the user's file, cell and line."""

from __future__ import annotations

from tflint_hf.source.cells import lines_in_file
from tflint_hf.source.lines import line_starts, lines_with_ends, split_lines
from tflint_hf.source.model import (
    MAX_CODE_CHARACTERS,
    Fragment,
    Problem,
    Source,
    SourceError,
    SourceKind,
)
from tflint_hf.source.nesting import too_deep
from tflint_hf.source.read import read_bytes, read_source, source_from_bytes, source_from_text

__all__ = [
    "MAX_CODE_CHARACTERS",
    "Fragment",
    "Problem",
    "Source",
    "SourceError",
    "SourceKind",
    "line_starts",
    "lines_in_file",
    "lines_with_ends",
    "read_bytes",
    "read_source",
    "source_from_bytes",
    "source_from_text",
    "split_lines",
    "too_deep",
]
