"""The connection to an editor."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import FeatureRequestError
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from tflint_hf import __version__
from tflint_hf.lsp.session import LOG, Session
from tflint_hf.lsp.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

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

    def take_settings(self, given: Mapping[str, object]) -> None:
        """Settings as the editor sends them: `python` and `budgetSeconds` for runs, `rulePaths` for own rules."""
        self.settings = dict(given)
        loads = given.get("rulePaths") is True
        self.files.rule_paths = loads
        if loads != self.session.rule_paths:
            self.session.rule_paths = loads
            self.files.outdated()
            self.session.all_outdated()

    def can(self, capability: str) -> bool:
        """Whether the editor has a capability, by its dotted name."""
        return bool(get_capability(self.client_capabilities, capability))

    def publish(self, uri: str, version: int | None, diagnostics: list[types.Diagnostic]) -> None:
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics, version))

    def ask_to_pull(self) -> None:
        if self.can("workspace.diagnostics.refresh_support"):
            self.workspace_diagnostic_refresh(None)

    def complain(self, message: str) -> None:
        self.tell(message, types.MessageType.Error)
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, message))

    def tell(self, message: str, kind: types.MessageType = types.MessageType.Info) -> str:
        """Show a message to the user."""
        self.window_show_message(types.ShowMessageParams(kind, f"tflint-hf: {message}"))
        return message

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
