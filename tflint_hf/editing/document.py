"""A file as texts that can be changed, and back to bytes: what is not changed stays as it is, byte for byte."""

from __future__ import annotations

import io
import json
import tokenize
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.source.cells import CellSource, cell_sources, rewritten
from tflint_hf.source.lines import NEWLINE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

BOM = b"\xef\xbb\xbf"


class NotEditableError(Exception):
    """The file cannot be changed. The message is a sentence for people, without the file's name."""


@dataclass(frozen=True, slots=True)
class Document:
    """`texts` are what can be changed, by cell; a script has one, under None."""

    texts: Mapping[int | None, str]
    _whole: str
    _encoding: str
    _cells: Mapping[int | None, CellSource]

    def with_texts(self, texts: Mapping[int | None, str]) -> bytes:
        """The file with these texts instead of its own. Raises NotEditableError for a character it cannot hold."""
        if None in self.texts:
            whole = texts.get(None, self._whole)
        else:
            changed = {cell: text for cell, text in texts.items() if text != self.texts[cell]}
            whole = rewritten(self._whole, {self._cells[cell]: text for cell, text in changed.items()})
        try:
            return whole.encode(self._encoding, "surrogatepass" if self._cells else "strict")
        except UnicodeEncodeError as error:
            character = error.object[error.start]
            raise NotEditableError(f"its encoding {error.encoding} has no {character!r}") from None


def open_document(raw: bytes, path: Path) -> Document:
    """The texts of a file. Raises NotEditableError if it is no text, or no notebook."""
    if path.suffix.lower() == ".ipynb":
        return _notebook(raw)
    encoding = "utf-8-sig" if raw.startswith(BOM) else "utf-8"
    try:
        if path.suffix.lower() not in {".md", ".mdx", ".markdown", ".txt", ".in"}:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
        text = raw.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise NotEditableError(f"it is not text in its encoding: {error}") from None
    return Document({None: text}, text, encoding, {})


def _notebook(raw: bytes) -> Document:
    encoding = json.detect_encoding(raw)
    try:
        whole = raw.decode(encoding, "surrogatepass")
        cells: dict[int | None, CellSource] = dict(cell_sources(whole).items())
    except ValueError as error:
        raise NotEditableError(f"it is not a notebook: {error}") from None
    return Document({number: cell.text for number, cell in cells.items()}, whole, encoding, cells)


def newline_at(text: str, offset: int) -> str:
    """How the line at an offset ends, or else how the lines of the text do."""
    found = NEWLINE.search(text, offset) or NEWLINE.search(text)
    return found[0] if found else "\n"
