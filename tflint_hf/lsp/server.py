"""The language server's methods. What they do is in the other modules."""

from __future__ import annotations

import asyncio
import logging
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import FeatureRequestError
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.uris import from_fs_path, to_fs_path

from tflint_hf import __version__
from tflint_hf.dynamic.runner import CancelledError
from tflint_hf.dynamic.status import words_for
from tflint_hf.findings import Safety
from tflint_hf.lsp import actions, confirming, hover
from tflint_hf.lsp.places import Places
from tflint_hf.lsp.positions import Lines
from tflint_hf.lsp.session import LOG, Session
from tflint_hf.lsp.workspace import Workspace
from tflint_hf.report.page import render_page
from tflint_hf.rules import load_rules, user_cache_folder

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from tflint_hf.lsp.documents import Subject
    from tflint_hf.lsp.scanning import Scanned

WATCHED = ("**/pyproject.toml", "**/tflint-hf.toml", "**/*requirements*.txt", "**/*.lock", "**/setup.*", "**/*.py")
NOTEBOOKS = types.NotebookDocumentSyncOptions(
    [
        types.NotebookDocumentFilterWithNotebook(
            notebook=types.NotebookDocumentFilterNotebookType(notebook_type="jupyter-notebook")
        )
    ],
    save=True,
)


class Protocol(LanguageServerProtocol):
    """The session keeps the texts, by the protocol's own idea of a line: pygls is not to touch the changes before."""

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(
        self, params: types.DidChangeNotebookDocumentParams
    ) -> Generator[Any, Any, None]:
        yield self.fm.features[types.NOTEBOOK_DOCUMENT_DID_CHANGE], (params,), None


class Server(LanguageServer):
    """The connection, as a session sees it."""

    def __init__(self) -> None:
        super().__init__("tflint-hf", __version__, notebook_document_sync=NOTEBOOKS, protocol_cls=Protocol)
        self.session = Session(self)
        self.settings: dict[str, object] = {}
        self.runner = ThreadPoolExecutor(1, "run")
        self.files = Workspace()

    def can(self, capability: str) -> bool:
        """Whether the editor has a capability, by its dotted name."""
        return bool(get_capability(self.client_capabilities, capability))

    def publish(self, uri: str, version: int | None, diagnostics: list[types.Diagnostic]) -> None:
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics, version))

    def ask_to_pull(self) -> None:
        if self.can("workspace.diagnostics.refresh_support"):
            self.workspace_diagnostic_refresh(None)

    def complain(self, message: str) -> None:
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"tflint-hf: {message}"))
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, message))

    def report_server_error(self, error: Exception, source: object) -> None:
        """A failure of the server itself: it goes on."""
        LOG.error("%s: %s", type(error).__name__, error)
        if source is not FeatureRequestError:
            self.session.complain(f"internal error: {error}")

    def shutdown(self) -> None:
        self.session.close()
        self.files.close()
        self.runner.shutdown(wait=False, cancel_futures=True)
        super().shutdown()  # type: ignore[no-untyped-call]


def start() -> None:
    """Serve one editor on standard input and output, until it hangs up."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    output = sys.stdout.buffer
    sys.stdout = sys.stderr  # nothing but the protocol may go there
    make_server().start_io(sys.stdin.buffer, output)


def make_server() -> Server:
    """A server with all its methods."""
    server = Server()
    _connection(server)
    _texts(server)
    _notebooks(server)
    _answers(server)
    _commands(server)
    return server


def _connection(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(ls: Server, params: types.InitializeParams) -> None:
        session = ls.session
        given = params.initialization_options
        ls.settings = dict(given) if isinstance(given, dict) else {}
        encoding = ls.workspace.position_encoding
        session.documents.encoding = str(getattr(encoding, "value", encoding) or "utf-16")
        session.pulls = ls.can("text_document.diagnostic")
        session.shows_related = ls.can("text_document.publish_diagnostics.related_information")
        folder = next(iter(ls.workspace.folders.values()), None)
        root = folder.uri if folder is not None else ls.workspace.root_uri
        path = to_fs_path(root) if root else None
        session.documents.folder = Path(path) if path else Path.cwd()

    @server.feature(types.INITIALIZED)
    def initialized(ls: Server, _params: types.InitializedParams) -> None:
        if ls.can("workspace.did_change_watched_files.dynamic_registration"):
            watchers = [types.FileSystemWatcher(pattern) for pattern in WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            one = types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            ls.client_register_capability(types.RegistrationParams([one]))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
        known = {subject.uri for subject in ls.session.documents.subjects()}
        if any(change.uri not in known for change in params.changes):
            ls.session.all_outdated()
        ls.files.outdated()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(ls: Server, _params: types.DidChangeWorkspaceFoldersParams) -> None:
        ls.session.all_outdated()
        ls.files.outdated()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def settings_changed(ls: Server, params: types.DidChangeConfigurationParams) -> None:
        given = params.settings.get("tflint-hf") if isinstance(params.settings, dict) else None
        if isinstance(given, dict):
            ls.settings = dict(given)

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: Server, _params: None) -> None:
        ls.session.close()


def _texts(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
        ls.session.documents.open(params.text_document)
        ls.session.opened(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        ls.session.documents.change(document.uri, document.version, params.content_changes)
        ls.session.changed(document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
        if ls.session.documents.subject(params.text_document.uri) is None:  # a configuration, in an editor's window
            ls.session.all_outdated()
        ls.files.outdated()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        known = ls.session.documents.subject(uri) is not None
        ls.session.documents.close(uri)
        ls.session.closed(uri, [uri] if known else [])
        ls.files.outdated()


def _notebooks(server: Server) -> None:
    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def opened(ls: Server, params: types.DidOpenNotebookDocumentParams) -> None:
        ls.session.documents.open_notebook(params.notebook_document, params.cell_text_documents)
        ls.session.opened(params.notebook_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def changed(ls: Server, params: types.DidChangeNotebookDocumentParams) -> None:
        uri = params.notebook_document.uri
        if params.change.cells is not None:
            ls.session.documents.change_notebook(uri, params.change.cells)
            ls.session.changed(uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    def saved(_ls: Server, _params: types.DidSaveNotebookDocumentParams) -> None:
        """What was saved is what was scanned."""

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def closed(ls: Server, params: types.DidCloseNotebookDocumentParams) -> None:
        uri = params.notebook_document.uri
        ls.session.closed(uri, ls.session.documents.close_notebook(uri))


def _answers(server: Server) -> None:
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
        comment = hover.suppression_at(subject, cell, line, column)
        if comment is not None:
            said.append((comment.location, hover.about_suppression(comment, load_rules())))
        if not said:
            return None
        text = "\n\n---\n\n".join(words for _, words in said)
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), lines.range(said[0][0]))

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


def _commands(server: Server) -> None:
    @server.command(actions.EXPLAIN)
    async def explain(ls: Server, code: str) -> str:
        rule = load_rules().find(code)
        page = render_page(rule)
        if ls.can("window.show_document.support"):
            path = user_cache_folder() / "pages" / f"{rule.code}-{rule.name}.md"
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(page, encoding="utf-8")
            except OSError as error:
                ls.session.complain(f"the page of {rule.code} cannot be written: {error}")
            else:
                uri = from_fs_path(str(path)) or path.as_uri()
                await ls.window_show_document_async(types.ShowDocumentParams(uri, take_focus=True))
                return page
        text = f"{rule.code} {rule.name}\n{rule.summary}\n`tflint-hf rule {rule.code}` says more."
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))
        return page

    @server.command(confirming.CONFIRM)
    async def confirm(ls: Server, uri: str) -> str:
        known = await ls.session.scanned(uri)
        program = confirming.program_to_run(known[1]) if known is not None else None
        if known is None or program is None:
            return _tell(ls, "there is nothing here that a run could confirm")
        unsaved = [
            s for s in ls.session.documents.subjects() if s.path in known[1].files and not confirming.is_saved(s)
        ]
        if unsaved:
            return _tell(ls, f"save {unsaved[0].path.name} first: what runs is the file", types.MessageType.Warning)
        return await _confirm(ls, program, known[1])


def _tell(ls: Server, message: str, kind: types.MessageType = types.MessageType.Info) -> str:
    ls.window_show_message(types.ShowMessageParams(kind, f"tflint-hf: {message}"))
    return message


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
    edits = await session.off_the_loop(lambda: actions.fix_all_edits(subject, unsaved, encoding))
    return actions.workspace_edit(edits, versioned=ls.can("workspace.workspace_edit.document_changes"))


async def _confirm(ls: Server, program: str, scanned: Scanned) -> str:
    """Run a program, with its progress shown, until it is done or the user has enough of it."""
    token, progress = str(uuid.uuid4()), ls.work_done_progress
    loop = asyncio.get_running_loop()
    shows = ls.can("window.work_done_progress")
    cancelled = asyncio.Event()
    if shows:
        await progress.create_async(token)
        title = f"tflint-hf confirms {Path(program).name}"
        progress.begin(token, types.WorkDoneProgressBegin(title, cancellable=True, message="starting"))

    def listen(message: Mapping[str, Any]) -> None:
        words = words_for(message)
        if shows and words is not None:
            report = types.WorkDoneProgressReport(cancellable=True, message=words)
            loop.call_soon_threadsafe(progress.report, token, report)

    def unwanted() -> bool:
        asked = progress.tokens.get(token)
        return cancelled.is_set() or ls.session.closing or (asked is not None and asked.cancelled())

    options = confirming.run_options(ls.settings)
    said = "cancelled"
    try:
        run = await loop.run_in_executor(ls.runner, lambda: confirming.run(program, scanned, options, listen, unwanted))
        ls.session.add_run(run)
        said = confirming.in_words(run)
    except CancelledError:
        pass
    except confirming.NoRunError as error:
        said = _tell(ls, str(error), types.MessageType.Error)
    except asyncio.CancelledError:
        cancelled.set()
        raise
    finally:
        if shows:
            progress.end(token, types.WorkDoneProgressEnd(message=said))
            progress.tokens.pop(token, None)
    return said
