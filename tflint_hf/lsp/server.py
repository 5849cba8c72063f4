"""The language server: what it hears of the editor's documents. Its answers and commands have modules of their own."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

from lsprotocol import types
from pygls.uris import to_fs_path

from tflint_hf.lsp.answers import register_answers
from tflint_hf.lsp.commands import register_commands
from tflint_hf.lsp.connection import Server

WATCHED = (
    "**/pyproject.toml",
    "**/tflint-hf.toml",
    "**/*requirements*.txt",
    "**/*.lock",
    "**/setup.*",
    "**/*.py",
    "**/*.ipynb",
    "**/*.yaml",
)


def start() -> None:
    """Serve one editor on standard input and output, until it hangs up."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("pygls").setLevel(logging.ERROR)  # that an answer is not wanted any more is no trouble
    output = sys.stdout.buffer
    sys.stdout = sys.stderr  # nothing but the protocol may go there
    make_server().start_io(sys.stdin.buffer, output)


def make_server() -> Server:
    """A server with all its methods."""
    server = Server()
    _connection(server)
    _texts(server)
    _notebooks(server)
    register_answers(server)
    register_commands(server)
    return server


def _connection(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(ls: Server, params: types.InitializeParams) -> None:
        session = ls.session
        given = params.initialization_options
        ls.take_settings(given if isinstance(given, dict) else {})
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
            ls.take_settings(given)

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
        ls.files.opened()

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def changed(ls: Server, params: types.DidChangeNotebookDocumentParams) -> None:
        uri = params.notebook_document.uri
        if params.change.cells is not None:
            ls.session.documents.change_notebook(uri, params.change.cells)
            ls.session.changed(uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    def saved(ls: Server, _params: types.DidSaveNotebookDocumentParams) -> None:
        ls.files.outdated()

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def closed(ls: Server, params: types.DidCloseNotebookDocumentParams) -> None:
        uri = params.notebook_document.uri
        ls.session.closed(uri, ls.session.documents.close_notebook(uri))
        ls.files.outdated()
