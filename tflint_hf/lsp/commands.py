"""The commands: a rule's page, and confirming by running."""

from __future__ import annotations

import asyncio
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.uris import from_fs_path

from tflint_hf.dynamic.runner import CancelledError
from tflint_hf.dynamic.status import words_for
from tflint_hf.lsp import actions, confirming
from tflint_hf.lsp.connection import Server
from tflint_hf.lsp.pages import write_page
from tflint_hf.report.page import render_page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tflint_hf.lsp.scanning import Scanned


def register_commands(server: Server) -> None:
    """Add the commands to a server."""

    @server.command(actions.EXPLAIN)
    async def explain(ls: Server, code: str) -> str:
        rule = ls.session.rules().find(code)
        page = render_page(rule)
        if ls.can("window.show_document.support"):
            try:
                path = write_page(rule, page)
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
            return ls.tell("there is nothing here that a run could confirm")
        unsaved = [
            s for s in ls.session.documents.subjects() if s.path in known[1].files and not confirming.is_saved(s)
        ]
        if unsaved:
            return ls.tell(f"save {unsaved[0].path.name} first: what runs is the file", types.MessageType.Warning)
        return await _confirm(ls, program, known[1])


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
        said = ls.tell(str(error), types.MessageType.Error)
    except asyncio.CancelledError:
        cancelled.set()
        raise
    finally:
        if shows:
            progress.end(token, types.WorkDoneProgressEnd(message=said))
            progress.tokens.pop(token, None)
    return said
