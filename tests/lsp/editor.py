"""An editor for the tests: it starts the language server, opens texts, and waits for what the server says."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pytest_lsp.client import LanguageClient, make_test_lsp_client

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0

Capabilities = types.ClientCapabilities
Notebook = types.NotebookDocument

FAULTY = """\
import numpy as np
import tensorflow as tf
from transformers import AutoTokenizer, TFBertForSequenceClassification

tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")
features = dict(tokenizer(["a", "b", "c", "d"], padding=True, truncation=True, return_tensors="np"))
model = TFBertForSequenceClassification.from_pretrained("bert-base-cased", num_labels=2)
model.compile(loss="sparse_categorical_crossentropy", optimizer=tf.keras.optimizers.Adam(2e-5))
model.fit(features, np.array([1, 0, 1, 0]))
"""
FIXABLE = FAULTY.replace("np.array([1, 0, 1, 0])", "[1, 0, 1, 0]")
SETTINGS = """\
[target-versions]
tensorflow = "2.15"
transformers = "4.40"
"""
MENDED = FAULTY.replace('loss="sparse_categorical_crossentropy", ', "")


def capabilities(*, pull: bool = False, encodings: Sequence[str] = (), watch: bool = False) -> Capabilities:
    """What the editor can. It shows progress and documents in any case."""
    kinds = types.ClientCodeActionLiteralOptions(types.ClientCodeActionKindOptions([""]))
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=list(encodings)) if encodings else None,
        text_document=types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True),
            diagnostic=types.DiagnosticClientCapabilities() if pull else None,
            completion=types.CompletionClientCapabilities(
                completion_item=types.ClientCompletionItemOptions(
                    commit_characters_support=True,
                    documentation_format=[types.MarkupKind.Markdown],
                    label_details_support=True,
                )
            ),
            code_action=types.CodeActionClientCapabilities(code_action_literal_support=kinds),
        ),
        notebook_document=types.NotebookDocumentClientCapabilities(types.NotebookDocumentSyncClientCapabilities()),
        window=types.WindowClientCapabilities(
            work_done_progress=True, show_document=types.ShowDocumentClientCapabilities(support=True)
        ),
        workspace=types.WorkspaceClientCapabilities(
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True) if pull else None,
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=watch),
        ),
    )


class Editor:
    """A client with documents."""

    def __init__(self, client: LanguageClient, answer: types.InitializeResult, folder: Path) -> None:
        self.client = client
        self.answer = answer
        self.folder = folder
        self.registered: list[types.Registration] = []
        self.versions: dict[str, int] = {}
        self.commands: list[str] = []

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str, *, language: str = "python", saved: bool = True) -> str:
        """Open a text, after it was written to its file; gives its uri."""
        uri = name if ":" in name else self.uri(name)
        if saved and ":" not in name:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, encoding="utf-8")
        item = types.TextDocumentItem(uri, language, 1, text)
        self.versions[uri] = 1
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, text: str, where: types.Range | None = None) -> None:
        """Replace the text, or a part of it."""
        self.versions[uri] += 1
        change: types.TextDocumentContentChangeEvent = types.TextDocumentContentChangeWholeDocument(text)
        if where is not None:
            change = types.TextDocumentContentChangePartial(where, text)
        document = types.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def close(self, uri: str) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def open_notebook(self, name: str, cells: Sequence[tuple[types.NotebookCellKind, str]]) -> list[str]:
        """Open a notebook; gives the uris of its cells."""
        uris = [f"{self.uri(name).replace('file:', 'vscode-notebook-cell:')}#{n}" for n in range(len(cells))]
        items = [
            types.TextDocumentItem(uri, "python" if kind is types.NotebookCellKind.Code else "markdown", 1, text)
            for uri, (kind, text) in zip(uris, cells, strict=True)
        ]
        listed = [types.NotebookCell(kind, uri) for uri, (kind, _) in zip(uris, cells, strict=True)]
        notebook = types.NotebookDocument(self.uri(name), "jupyter-notebook", 1, listed)
        self.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, items))
        return uris

    async def shown(self, uri: str, wanted: Callable[[Sequence[types.Diagnostic]], bool] = bool) -> list[str]:
        """The codes of the diagnostics that were pushed for a text, as soon as they are as wanted."""
        await self.until(lambda: uri in self.client.diagnostics and wanted(self.client.diagnostics[uri]))
        return codes(self.client.diagnostics[uri])

    async def until(self, reached: Callable[[], bool]) -> None:
        end = asyncio.get_running_loop().time() + PATIENCE
        while not reached():
            assert asyncio.get_running_loop().time() < end, (self.client.diagnostics, self.client.messages)
            assert self.client.error is None, self.client.error
            await asyncio.sleep(0.01)

    async def pulled(self, uri: str, previous: str | None = None) -> types.DocumentDiagnosticReport:
        document = types.TextDocumentIdentifier(uri)
        params = types.DocumentDiagnosticParams(document, previous_result_id=previous)
        return await self.client.text_document_diagnostic_async(params)

    async def actions(self, uri: str, where: types.Range, only: Sequence[str] | None = None) -> list[types.CodeAction]:
        context = types.CodeActionContext(self.client.diagnostics.get(uri, []), only=only)
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), where, context)
        found = await self.client.text_document_code_action_async(params) or ()
        # lsprotocol takes an action that has a command for the command itself.
        self.commands = [action.title for action in found if isinstance(action, types.Command)]
        return [action for action in found if isinstance(action, types.CodeAction)]

    async def hover(self, uri: str, line: int, character: int) -> str:
        document = types.TextDocumentIdentifier(uri)
        found = await self.client.text_document_hover_async(
            types.HoverParams(document, types.Position(line, character))
        )
        assert found is None or isinstance(found.contents, types.MarkupContent)
        return found.contents.value if found is not None and isinstance(found.contents, types.MarkupContent) else ""

    async def completed(self, uri: str, line: int, character: int) -> list[types.CompletionItem]:
        document = types.TextDocumentIdentifier(uri)
        params = types.CompletionParams(document, types.Position(line, character))
        found = await self.client.text_document_completion_async(params)
        assert found is None or isinstance(found, types.CompletionList)
        return [] if found is None else list(found.items)

    async def lenses(self, uri: str) -> Sequence[types.CodeLens]:
        params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
        return await self.client.text_document_code_lens_async(params) or ()

    async def execute(self, command: str, *arguments: object) -> object:
        params = types.ExecuteCommandParams(command, list(arguments))
        return await self.client.workspace_execute_command_async(params)

    @property
    def messages(self) -> list[str]:
        return [message.message for message in self.client.messages]


@asynccontextmanager
async def connected(
    folder: Path,
    can: Capabilities | None = None,
    folders: Sequence[Path] = (),
    settings: dict[str, object] | None = None,
) -> AsyncIterator[Editor]:
    """An editor in a folder, connected to a server of its own."""
    for one in folders or (folder,):
        one.mkdir(exist_ok=True)
        (one / "tflint-hf.toml").write_text(SETTINGS, encoding="utf-8")
    client = make_test_lsp_client()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    await client.start_io(sys.executable, "-m", "tflint_hf", "lsp", env=environment, cwd=str(folder))
    registered: list[types.Registration] = []

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)  # type: ignore[untyped-decorator]
    def register(params: types.RegistrationParams) -> None:
        registered.extend(params.registrations)

    answer = await client.initialize_session(
        types.InitializeParams(
            can or capabilities(),
            workspace_folders=[types.WorkspaceFolder(one.as_uri(), one.name) for one in (folders or (folder,))],
            initialization_options=settings,
        )
    )
    editor = Editor(client, answer, folder)
    editor.registered = registered
    try:
        yield editor
        await asyncio.wait_for(client.shutdown_session(), 20)
    except BaseException:
        assert client._server is not None
        client._server.kill()
        raise
    finally:
        await client.stop()  # type: ignore[no-untyped-call]


def codes(diagnostics: Sequence[types.Diagnostic]) -> list[str]:
    return sorted(str(one.code) for one in diagnostics)


def whole(text: str) -> types.Range:
    """A range that holds all of a text."""
    return types.Range(types.Position(0, 0), types.Position(text.count("\n") + 1, 0))


def applied(text: str, edit: types.WorkspaceEdit | None, uri: str) -> str:
    """The text after an edit, whose positions are in characters."""
    assert edit is not None
    assert edit.document_changes is not None
    edits: list[types.TextEdit] = []
    for change in edit.document_changes:
        assert isinstance(change, types.TextDocumentEdit)
        if change.text_document.uri == uri:
            edits += [one for one in change.edits if isinstance(one, types.TextEdit)]
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]

    def offset(position: types.Position) -> int:
        return starts[position.line] + position.character

    for one in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
        text = text[: offset(one.range.start)] + one.new_text + text[offset(one.range.end) :]
    return text
