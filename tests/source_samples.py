"""Scripts, notebooks and documents for tests, and places in them."""

from __future__ import annotations

from pathlib import Path

import nbformat

from tflint_hf.source import Source, source_from_bytes, source_from_text


def script(raw: bytes) -> Source:
    return source_from_bytes(raw, Path("train.py"), "train.py")


def notebook(*cells: str, language: str = "python") -> Source:
    """A notebook as Jupyter writes it, with a text cell in front."""
    book = nbformat.v4.new_notebook()  # type: ignore[no-untyped-call]
    book.metadata["language_info"] = {"name": language}
    book.cells = [nbformat.v4.new_markdown_cell("# Training"), *map(nbformat.v4.new_code_cell, cells)]  # type: ignore[no-untyped-call]
    return source_from_text(nbformat.writes(book), "train.ipynb")  # type: ignore[no-untyped-call]


def python_of(cell: str) -> str:
    (fragment,) = notebook(cell).fragments
    return fragment.text


def place_of(source: Source, needle: str) -> tuple[int | None, int, int]:
    """Where the user finds `needle`, which stands in one of the fragments."""
    for number, fragment in enumerate(source.fragments):
        for line, text in enumerate(fragment.text.split("\n"), start=1):
            if needle in text:
                column = text.index(needle)
                location = source.location(number, line, column, line, column + len(needle))
                user_line = source.text_lines(location.cell)[location.line - 1]
                assert user_line[location.column - 1 : location.end_column - 1] == needle
                return location.cell, location.line, location.column
    raise AssertionError(f"{needle} is in no fragment")


def markdown(text: str) -> Source:
    return source_from_text(text, "README.md")
