"""What the editor offers to do about findings, as edits of its documents."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from lsprotocol import types

from tflint_hf.discovery import absolute
from tflint_hf.editing.document import NotEditableError, newline_at, open_document
from tflint_hf.editing.edits import edited
from tflint_hf.editing.fixing import fix, parses_as_well
from tflint_hf.editing.ignoring import OF_THE_TOOL, ignore, ignore_in_file
from tflint_hf.findings import Safety
from tflint_hf.lsp.positions import Lines
from tflint_hf.lsp.scanning import how_to_scan
from tflint_hf.source import SourceError, lines_with_ends

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from tflint_hf.editing.fixing import Change
    from tflint_hf.findings import Edit, Finding
    from tflint_hf.lsp.documents import Documents, Subject
    from tflint_hf.lsp.places import Places

FIX_ALL = "source.fixAll.tflint-hf"
FIX_ALL_OF_NOTEBOOK = f"notebook.{FIX_ALL}"
KINDS = (types.CodeActionKind.QuickFix, FIX_ALL, FIX_ALL_OF_NOTEBOOK)
MOST_FINDINGS = 16
"""Of a long selection with more of them, the first ones have actions."""
EXPLAIN = "tflint-hf.explain"

Edits = list[tuple[str, int | None, list[types.TextEdit]]]
"""Edits by document: its uri, the version they are for, and the edits."""


def wants(kind: str, only: Iterable[str] | None) -> bool:
    """Whether the editor asked for actions of this kind: it names kinds, or those above them."""
    return only is None or any(not asked or kind == asked or kind.startswith(f"{asked}.") for asked in only)


def workspace_edit(edits: Edits, *, versioned: bool) -> types.WorkspaceEdit:
    """Edits in the form that the editor reads."""
    if not versioned:
        return types.WorkspaceEdit(changes={uri: some for uri, _, some in edits})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, version), list(some))
            for uri, version, some in edits
        ]
    )


def fix_edits(finding: Finding, places: Places, unsaved: Mapping[Path, bytes]) -> Edits | None:
    """The edits of a finding's fix; None if it has none, or the text would not be Python after it."""
    if finding.fix is None:
        return None
    by_text: dict[tuple[str, int | None], list[Edit]] = {}
    for edit in dict.fromkeys(finding.fix.edits):
        by_text.setdefault((edit.location.path, edit.location.cell), []).append(edit)
    found: Edits = []
    for some in by_text.values():
        where = places.find(some[0].location)
        if where is None:
            return None
        written = [
            types.TextEdit(
                where.lines.range(edit.location),
                edit.text.replace("\n", newline_at(where.lines.text, where.lines.offset(_start(where.lines, edit)))),
            )
            for edit in some
        ]
        found.append((where.uri, where.version, written))
    return found if all(_stays_python(path, some, unsaved) for (path, _), some in by_text.items()) else None


def _start(lines: Lines, edit: Edit) -> types.Position:
    return lines.position(edit.location.line, edit.location.column)


def _stays_python(name: str, edits: list[Edit], unsaved: Mapping[Path, bytes]) -> bool:
    path = absolute(name)
    before = unsaved.get(path)
    if before is None:
        return True
    try:
        document = open_document(before, path)
        cell = edits[0].location.cell
        after = document.with_texts({cell: edited(document.texts[cell], edits)})
    except (NotEditableError, KeyError):
        return False
    return parses_as_well(before, after, path)


def fix_all_edits(subject: Subject, unsaved: Mapping[Path, bytes], encoding: str, *, rule_paths: bool) -> Edits:
    """The edits that make all safe fixes of a document, one after the other until none is left."""
    options, paths, _ = how_to_scan(subject, unsaved, rule_paths=rule_paths)
    done = fix(paths, options, frozenset({Safety.SAFE}))
    return [one for change in done.changes for one in _of_change(change, subject, encoding)]


def ignore_edits(finding: Finding, subject: Subject, encoding: str) -> Edits:
    """The edits that hide a finding by a comment at its statement; empty if no comment can."""
    changes, _ = ignore([finding], "", {subject.path: subject.content})
    return [one for change in changes for one in _of_change(change, subject, encoding)]


def ignore_in_file_edits(finding: Finding, subject: Subject, encoding: str) -> Edits:
    """The edits that hide all findings of this kind in the file; empty if no comment can."""
    if finding.code.startswith(OF_THE_TOOL):
        return []
    try:
        change = ignore_in_file(finding, {subject.path: subject.content})
    except (NotEditableError, SourceError):
        return []
    return _of_change(change, subject, encoding)


def _of_change(change: Change, subject: Subject, encoding: str) -> Edits:
    """A change of the document's bytes as edits of its texts. Changes of other files are left out."""
    if change.path != subject.path:
        return []
    before, after = (open_document(content, change.path).texts for content in (change.before, change.after))
    return [
        (subject.texts[cell].uri, subject.texts[cell].version, differences(text, after[cell], encoding))
        for cell, text in before.items()
        if cell in subject.texts and after[cell] != text
    ]


def differences(before: str, after: str, encoding: str) -> list[types.TextEdit]:
    """The edits, by whole lines, that make one text of another."""
    old, new = lines_with_ends(before), lines_with_ends(after)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    lines = Lines(before, encoding)
    return [
        types.TextEdit(
            types.Range(lines.position_at(starts[i1]), lines.position_at(starts[i2])),
            "".join(new[j1:j2]),
        )
        for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if tag != "equal"
    ]


def actions_for(
    finding: Finding,
    shown: list[types.Diagnostic],
    subject: Subject,
    places: Places,
    unsaved: Mapping[Path, bytes],
    documents: Documents,
    *,
    versioned: bool,
) -> list[types.CodeAction]:
    """All that can be done about one finding. `shown` are the editor's own diagnostics of it."""
    encoding = documents.encoding
    quick = types.CodeActionKind.QuickFix
    found: list[types.CodeAction] = []
    if finding.fix is not None:
        edits = fix_edits(finding, places, unsaved)
        if edits:
            safe = finding.fix.safety is Safety.SAFE
            title = f"{finding.fix.title} ({finding.code})" + ("" if safe else ", changes what is trained")
            edit = workspace_edit(edits, versioned=versioned)
            found.append(types.CodeAction(title, quick, shown or None, is_preferred=safe or None, edit=edit))
    hiding = (
        (f"Ignore {finding.code} here", ignore_edits(finding, subject, encoding)),
        (f"Ignore {finding.code} in this file", ignore_in_file_edits(finding, subject, encoding)),
    )
    for title, edits in hiding:
        if edits:
            edit = workspace_edit(edits, versioned=versioned)
            found.append(types.CodeAction(title, quick, shown or None, edit=edit))
    title = f"Explain {finding.code} {finding.name}"
    command = types.Command(title, EXPLAIN, arguments=[finding.code])
    found.append(types.CodeAction(title, quick, shown or None, command=command))
    return found
