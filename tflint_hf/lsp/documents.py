"""What the editor has open: texts, and notebooks of several texts.

pygls keeps texts too, but by Python's idea of a line, which a form feed or U+2028 ends.
"""

from __future__ import annotations

import io
import os
import re
import tokenize
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol.types import NotebookCellKind, TextDocumentContentChangePartial
from pygls.uris import to_fs_path

from tflint_hf.lsp.notebooks import notebook_bytes
from tflint_hf.lsp.pages import is_page
from tflint_hf.lsp.positions import Lines
from tflint_hf.source import SourceError, source_from_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lsprotocol.types import (
        NotebookCell,
        NotebookDocument,
        NotebookDocumentCellChanges,
        TextDocumentContentChangeEvent,
        TextDocumentItem,
    )

    from tflint_hf.source import Source

SUFFIXES = {"python": ".py", "markdown": ".md", "mdx": ".mdx"}
"""What a text of a language would be called. Texts of other languages are none of our business."""
_OWN_SUFFIXES = {"python": {".py"}, "markdown": {".md", ".markdown"}, "mdx": {".mdx"}}
_SURROGATE = re.compile("[\ud800-\udfff]")
_NAME = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class Text:
    """One text of the editor: a file, something without a file, or a cell."""

    uri: str
    language: str
    version: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a notebook: `uri` is that of its text."""

    uri: str
    kind: NotebookCellKind


@dataclass(frozen=True, slots=True)
class Subject:
    """What is scanned as one file: a text, or a notebook with its cells in their order.

    `path` is where it is, or would be if it had a file; `texts` are by cell, from 1, or by None.
    """

    uri: str
    path: Path
    texts: Mapping[int | None, Text]
    content: bytes

    @property
    def is_notebook(self) -> bool:
        return self.path.suffix == ".ipynb"

    def cell_of(self, uri: str) -> int | None:
        """The cell that a text of this subject is."""
        return next((cell for cell, text in self.texts.items() if text.uri == uri), None)

    def source(self) -> Source | None:
        """The text as the scan reads it; None if it cannot be read."""
        try:
            return source_from_bytes(self.content, self.path, str(self.path))
        except SourceError:
            return None


class Documents:
    """The open documents. `folder` is the place of what has no file."""

    def __init__(self) -> None:
        self.encoding = "utf-16"
        self.folder = Path.cwd()
        self._texts: dict[str, Text] = {}
        self._notebooks: dict[str, tuple[Cell, ...]] = {}
        self._notebook_of: dict[str, str] = {}
        self._made: dict[str, Subject] = {}

    def open(self, item: TextDocumentItem) -> None:
        self._texts[item.uri] = Text(item.uri, item.language_id.lower(), item.version, item.text)
        self._made.pop(item.uri, None)

    def change(self, uri: str, version: int | None, changes: Sequence[TextDocumentContentChangeEvent]) -> None:
        known = self._texts.get(uri)
        if known is None:
            return
        text = known.text
        for change in changes:
            text = changed(text, change, self.encoding)
        self._texts[uri] = replace(known, version=version, text=text)
        self._made.pop(self._notebook_of.get(uri, uri), None)

    def close(self, uri: str) -> None:
        self._texts.pop(uri, None)
        self._made.pop(uri, None)

    def open_notebook(self, notebook: NotebookDocument, texts: Sequence[TextDocumentItem]) -> None:
        for item in texts:
            self.open(item)
        self._set_cells(notebook.uri, notebook.cells)

    def change_notebook(self, uri: str, changes: NotebookDocumentCellChanges) -> list[str]:
        """Take over what changed in a notebook's cells; gives the texts that are gone."""
        if uri not in self._notebooks:
            return []
        gone: list[str] = []
        if changes.structure is not None:
            array = changes.structure.array
            cells = list(self._notebooks[uri])
            cells[array.start : array.start + array.delete_count] = _cells(array.cells or ())
            for item in changes.structure.did_open or ():
                self.open(item)
            for closed in changes.structure.did_close or ():
                self.close(closed.uri)
                self._notebook_of.pop(closed.uri, None)
                gone.append(closed.uri)
            self._keep_cells(uri, cells)
        if changes.data:
            new = {cell.uri: cell for cell in _cells(changes.data)}
            self._keep_cells(uri, [new.get(cell.uri, cell) for cell in self._notebooks[uri]])
        for content in changes.text_content or ():
            self.change(content.document.uri, content.document.version, content.changes)
        return gone

    def close_notebook(self, uri: str) -> list[str]:
        """Forget a notebook; gives its texts."""
        cells = [cell.uri for cell in self._notebooks.pop(uri, ())]
        for cell in cells:
            self.close(cell)
            self._notebook_of.pop(cell, None)
        self._made.pop(uri, None)
        return cells

    def subject(self, uri: str) -> Subject | None:
        """What is scanned for a document, for a cell its notebook.

        None if it is closed, of another language, or the page of a rule.
        """
        uri = self._notebook_of.get(uri, uri)
        made = self._made.get(uri) or self._make(uri)
        if made is not None:
            self._made[uri] = made
        return made

    def subjects(self) -> Iterator[Subject]:
        """All that is open and can be scanned."""
        for uri in (*self._notebooks, *(uri for uri in self._texts if uri not in self._notebook_of)):
            found = self.subject(uri)
            if found is not None:
                yield found

    def _set_cells(self, uri: str, cells: Sequence[NotebookCell]) -> None:
        self._keep_cells(uri, _cells(cells))

    def _keep_cells(self, uri: str, cells: Sequence[Cell]) -> None:
        self._notebooks[uri] = tuple(cells)
        self._notebook_of.update((cell.uri, uri) for cell in cells)
        self._made.pop(uri, None)

    def _make(self, uri: str) -> Subject | None:
        if uri in self._notebooks:
            cells = self._notebooks[uri]
            texts: dict[int | None, Text] = {
                number: self._texts[cell.uri] for number, cell in enumerate(cells, 1) if cell.uri in self._texts
            }
            code = [
                texts[number].text if number in texts and _is_code(cell, texts[number]) else None
                for number, cell in enumerate(cells, 1)
            ]
            return Subject(uri, self._path(uri, ".ipynb", {".ipynb"}), texts, notebook_bytes(code))
        text = self._texts.get(uri)
        if text is None or text.language not in SUFFIXES:
            return None
        path = self._path(uri, SUFFIXES[text.language], _OWN_SUFFIXES[text.language])
        return None if is_page(path) else Subject(uri, path, {None: text}, encoded(text.text, path))

    def _path(self, uri: str, suffix: str, known: set[str]) -> Path:
        file = to_fs_path(uri)
        if file is None:
            path = self.folder / (_NAME.sub("-", uri.partition(":")[2]).strip("-.") or "untitled")
        else:
            path = Path(os.path.abspath(file))  # noqa: PTH100
        return path if path.suffix.lower() in known else path.with_name(path.name + suffix)


def changed(text: str, change: TextDocumentContentChangeEvent, encoding: str) -> str:
    """The text after one change."""
    if not isinstance(change, TextDocumentContentChangePartial):
        return change.text
    lines = Lines(text, encoding)
    return text[: lines.offset(change.range.start)] + change.text + text[lines.offset(change.range.end) :]


def encoded(text: str, path: Path) -> bytes:
    """The bytes of the file that this text would be, with as many characters."""
    text = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    raw = text.encode("utf-8")
    if path.suffix == ".py":
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
            return text.encode(encoding, "replace")
        except (SyntaxError, LookupError):
            pass
    return raw


def _cells(cells: Sequence[NotebookCell]) -> list[Cell]:
    return [Cell(cell.document, cell.kind) for cell in cells]


def _is_code(cell: Cell, text: Text) -> bool:
    return cell.kind == NotebookCellKind.Code and text.language.startswith(("python", "ipython"))
