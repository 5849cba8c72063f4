"""From the locations of findings to the editor's documents and ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.uris import from_fs_path

from tflint_hf.discovery import absolute
from tflint_hf.lsp.positions import Lines

if TYPE_CHECKING:
    from tflint_hf.findings import Location
    from tflint_hf.lsp.documents import Documents
    from tflint_hf.lsp.scanning import Scanned


@dataclass(frozen=True, slots=True)
class Where:
    """A text that a location is in. `version` is None for what is not open."""

    uri: str
    version: int | None
    lines: Lines


class Places:
    """Finds the texts of locations: among the open documents, else in what the scan has read."""

    def __init__(self, documents: Documents, scanned: Scanned) -> None:
        self._documents = documents
        self._scanned = scanned
        self._open = {subject.path: subject for subject in documents.subjects()}
        self._known: dict[tuple[str, int | None], Where | None] = {}

    def find(self, location: Location) -> Where | None:
        """The text of a location; None for one that the editor cannot show."""
        key = (location.path, location.cell)
        if key not in self._known:
            self._known[key] = self._find(location)
        return self._known[key]

    def link(self, location: Location) -> types.Location | None:
        """A location as the editor goes to it."""
        where = self.find(location)
        return None if where is None else types.Location(where.uri, where.lines.range(location))

    def _find(self, location: Location) -> Where | None:
        path = absolute(location.path)
        encoding = self._documents.encoding
        subject = self._open.get(path)
        if subject is not None:
            text = subject.texts.get(location.cell)
            return None if text is None else Where(text.uri, text.version, Lines(text.text, encoding))
        lines = self._scanned.result.sources.get((location.path, location.cell))
        if location.cell is not None:
            return None
        uri: str = from_fs_path(str(path)) or path.as_uri()
        if lines is None:
            try:
                return Where(uri, None, Lines(path.read_bytes().decode("utf-8", "replace"), encoding))
            except OSError:
                return None
        return Where(uri, None, Lines("\n".join(lines), encoding))
