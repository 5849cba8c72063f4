"""What the editor asks about a text: its findings, what they are about, and what can be done."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.uris import to_fs_path

from tflint_hf.findings import RuleSources, Safety
from tflint_hf.lsp import actions, completion, confirming, hover
from tflint_hf.lsp.connection import Server
from tflint_hf.lsp.places import Places
from tflint_hf.lsp.positions import Lines
from tflint_hf.rule_set import load_rule_set

if TYPE_CHECKING:
    from tflint_hf.lsp.documents import Subject
    from tflint_hf.lsp.scanning import Scanned


def register_answers(server: Server) -> None:
    """Add the methods to a server."""

    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=True, identifier="tflint-hf"),
    )
    async def pulled(ls: Server, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        uri = params.text_document.uri
        subject = ls.session.documents.subject(uri)
        if subject is not None and subject.is_notebook:  # those are pushed, for all cells at once
            return types.RelatedFullDocumentDiagnosticReport([])
        name, diagnostics = await ls.session.diagnostics(uri)
        if name == params.previous_result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(name)
        return types.RelatedFullDocumentDiagnosticReport(diagnostics, result_id=name)

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def pulled_all(ls: Server, params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
        folders = [path for folder in ls.workspace.folders.values() if (path := to_fs_path(folder.uri)) is not None]
        previous = {one.uri: one.value for one in params.previous_result_ids}
        documents = ls.session.documents

        def which_open() -> set[Path]:
            return {subject.path for subject in documents.subjects()}

        reports = await ls.files.reports(list(map(Path, folders)), previous, which_open, documents.encoding)
        return types.WorkspaceDiagnosticReport(reports)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hovered(ls: Server, params: types.HoverParams) -> types.Hover | None:
        known = await ls.session.scanned(params.text_document.uri)
        if known is None:
            return None
        subject, scanned = known
        cell, lines = _text_of(ls, subject, params.text_document.uri)
        line, column = lines.place(params.position)
        said = [
            (finding.location, hover.about_finding(finding))
            for finding in ls.session.findings(scanned)
            if hover.holds(finding.location, cell, line, column)
        ]
        rules = load_rule_set(scanned.result.rule_sources).table
        comment = hover.suppression_at(subject, rules, cell, line, column)
        if comment is not None:
            said.append((comment.location, hover.about_suppression(comment, rules)))
        if not said:
            return None
        text = "\n\n---\n\n".join(words for _, words in said)
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), lines.range(said[0][0]))

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(list(completion.TRIGGERS)))
    async def completed(ls: Server, params: types.CompletionParams) -> types.CompletionList | None:
        uri, position = params.text_document.uri, params.position
        subject = ls.session.documents.subject(uri)
        if subject is None:
            return None
        cell, lines = _text_of(ls, subject, uri)
        comment, line = completion.comment_at(lines, position), position.line + 1
        source = subject.source() if comment is not None else None
        if comment is None or source is None or not completion.is_code(source, cell, line):
            return None
        if comment.kind is None:
            commit = ls.can("text_document.completion.completion_item.commit_characters_support")
            return completion.keywords(comment, lines, position, commit=commit)
        known = await ls.session.scanned(uri)
        findings = ls.session.findings(known[1]) if known is not None else ()
        rules = load_rule_set(known[1].result.rule_sources if known is not None else RuleSources()).table
        broken = completion.broken_at(source, findings, cell, line, rules.prefixes)
        shown = get_capability(ls.client_capabilities, "text_document.completion.completion_item.documentation_format")
        form = types.MarkupKind.Markdown if types.MarkupKind.Markdown in (shown or ()) else types.MarkupKind.PlainText
        beside = ls.can("text_document.completion.completion_item.label_details_support")
        return completion.codes(comment, lines, position, rules, broken, form=form, beside=beside)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=list(actions.KINDS), resolve_provider=True),
    )
    async def actions_at(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
        known = await ls.session.scanned(params.text_document.uri)
        return [] if known is None else await _actions(ls, params, *known)

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolved(ls: Server, action: types.CodeAction) -> types.CodeAction:
        data = action.data
        known = await ls.session.scanned(str(data.get("uri"))) if isinstance(data, dict) else None
        if known is not None:
            action.edit = await _fix_all(ls, known[0])
        return action

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))
    async def lenses(ls: Server, params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        known = await ls.session.scanned(uri)
        if known is None or confirming.program_to_run(known[1]) is None or not known[0].path.is_file():
            return []
        subject = known[0]
        cell, line = confirming.first_training(subject)
        if subject.cell_of(uri) != cell or cell not in subject.texts:
            return []
        at = types.Position(line - 1, 0)
        command = types.Command(confirming.TITLE, confirming.CONFIRM, arguments=[subject.uri])
        return [types.CodeLens(types.Range(at, at), command)]


def _text_of(ls: Server, subject: Subject, uri: str) -> tuple[int | None, Lines]:
    """The cell that a text is, if it is one, and the text itself."""
    cell = subject.cell_of(uri)
    return cell, Lines(subject.texts[cell].text, ls.session.documents.encoding)


async def _actions(
    ls: Server, params: types.CodeActionParams, subject: Subject, scanned: Scanned
) -> list[types.CodeAction]:
    session, uri = ls.session, params.text_document.uri
    cell, lines = _text_of(ls, subject, uri)
    start, end = lines.place(params.range.start), lines.place(params.range.end)
    only = [str(getattr(kind, "value", kind)) for kind in params.context.only] if params.context.only else None
    versioned = ls.can("workspace.workspace_edit.document_changes")
    found: list[types.CodeAction] = []
    if actions.wants("quickfix", only):
        places, unsaved = Places(session.documents, scanned), session.unsaved()
        here = [
            finding
            for finding in session.findings(scanned)
            if finding.location.cell == cell
            and (finding.location.line, finding.location.column) <= end
            and (finding.location.end_line, finding.location.end_column) >= start
        ]
        for finding in here[: actions.MOST_FINDINGS]:
            at = lines.range(finding.location)
            shown = [d for d in params.context.diagnostics if d.code == finding.code and d.range == at]
            found += await session.off_the_loop(
                lambda finding=finding, shown=shown: actions.actions_for(  # type: ignore[misc]
                    finding, shown, subject, places, unsaved, session.documents, versioned=versioned
                )
            )
    fixes = any(f.fix is not None and f.fix.safety is Safety.SAFE for f in scanned.findings)
    kinds = [actions.FIX_ALL, *([actions.FIX_ALL_OF_NOTEBOOK] if subject.is_notebook and only else [])]
    kind = next((one for one in kinds if actions.wants(one, only)), None)
    if fixes and kind is not None:
        action = types.CodeAction("Fix all safe findings of tflint-hf", kind, data={"uri": uri})
        later = get_capability(ls.client_capabilities, "text_document.code_action.resolve_support")
        if later is None or "edit" not in later.properties:
            action.edit = await _fix_all(ls, subject)
        found.append(action)
    return found


async def _fix_all(ls: Server, subject: Subject) -> types.WorkspaceEdit:
    session = ls.session
    unsaved, encoding = session.unsaved(), session.documents.encoding
    loads = session.rule_paths
    edits = await session.off_the_loop(lambda: actions.fix_all_edits(subject, unsaved, encoding, rule_paths=loads))
    return actions.workspace_edit(edits, versioned=ls.can("workspace.workspace_edit.document_changes"))
