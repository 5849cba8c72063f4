"""The language server, end to end: a process of its own, and an editor that talks to it."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from editor import FAULTY, FIXABLE, MENDED, ROOT, SETTINGS, applied, capabilities, codes, connected, whole
from lsprotocol import types

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = pytest.mark.asyncio

PYTHON = os.environ.get("TFLINT_HF_TENSORFLOW_PYTHON", sys.executable)
CODE = types.NotebookCellKind.Code
MARKUP = types.NotebookCellKind.Markup
LOSS = types.Range(types.Position(7, 25), types.Position(7, 25))


async def test_findings_come_and_go_as_the_text_changes(tmp_path: Path) -> None:
    async with connected(tmp_path) as editor:
        uri = editor.open("train.py", FAULTY)
        assert await editor.shown(uri) == ["TFL001"]
        (shown,) = editor.client.diagnostics[uri]
        assert shown.severity is types.DiagnosticSeverity.Error
        assert shown.source == "tflint-hf"
        assert shown.range == types.Range(types.Position(7, 19), types.Position(7, 52))
        assert "reads probabilities" in shown.message
        assert shown.related_information is not None
        assert shown.related_information[0].location.range.start.line == 6

        for number in range(8):  # as it is typed, letter by letter
            editor.change(uri, "#", types.Range(types.Position(8, 43 + number), types.Position(8, 43 + number)))
        editor.change(uri, MENDED)
        assert await editor.shown(uri, lambda shown: not shown) == []

        editor.change(uri, FAULTY)
        assert await editor.shown(uri) == ["TFL001"]
        editor.close(uri)
        assert await editor.shown(uri, lambda shown: not shown) == []


async def test_pull(tmp_path: Path) -> None:
    async with connected(tmp_path, capabilities(pull=True)) as editor:
        uri = editor.open("train.py", FAULTY)
        first = await editor.pulled(uri)
        assert isinstance(first, types.RelatedFullDocumentDiagnosticReport)
        assert codes(first.items) == ["TFL001"]
        again = await editor.pulled(uri, first.result_id)
        assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)
        editor.change(uri, MENDED)
        after = await editor.pulled(uri, first.result_id)
        assert isinstance(after, types.RelatedFullDocumentDiagnosticReport)
        assert codes(after.items) == []
        assert uri not in editor.client.diagnostics  # shown once, not twice


async def test_actions(tmp_path: Path) -> None:
    async with connected(tmp_path) as editor:
        text = FAULTY.replace("\n", "\n# Tränen 🤗\n", 1)
        uri = editor.open("train.py", text)
        await editor.shown(uri)
        at = types.Range(types.Position(8, 25), types.Position(8, 25))
        fix, here, in_file = await editor.actions(uri, at)
        assert fix.is_preferred is not True  # another loss trains something else
        assert fix.diagnostics is not None
        assert "from_logits=True" in applied(text, fix.edit, uri)
        assert applied(text, here.edit, uri).splitlines()[8].endswith("  # tflint-hf: ignore[TFL001]")
        assert applied(text, in_file.edit, uri).startswith("# tflint-hf: ignore-file[TFL001]\nimport")
        for one in (fix, here, in_file):
            editor.change(uri, applied(text, one.edit, uri))
            await editor.shown(uri, lambda shown: not shown)
            editor.change(uri, text)
            await editor.shown(uri)
        assert editor.commands == ["Explain TFL001 crossentropy-on-logits"]
        page = await editor.execute("tflint-hf.explain", "TFL001")
        assert str(page).startswith("# TFL001 crossentropy-on-logits")
        shown = editor.client.shown_documents[0].uri
        assert shown.endswith("TFL001-crossentropy-on-logits.md")
        editor.open(shown, str(page), language="markdown")
        assert await editor.actions(shown, whole(str(page))) == []  # its examples are bad on purpose
        assert not editor.client.diagnostics.get(shown)
        elsewhere = types.Range(types.Position(0, 0), types.Position(0, 0))
        assert await editor.actions(uri, elsewhere) == []


async def test_all_safe_fixes_at_once(tmp_path: Path) -> None:
    async with connected(tmp_path) as editor:
        uri = editor.open("train.py", FIXABLE)
        assert await editor.shown(uri) == ["TFD007", "TFL001"]
        here = types.Range(types.Position(8, 24), types.Position(8, 24))
        fix = (await editor.actions(uri, here, only=["quickfix"]))[0]
        assert fix.title == "Make an array of the labels (TFD007)"
        assert fix.is_preferred is True
        (everything,) = await editor.actions(uri, whole(FIXABLE), only=["source.fixAll"])
        assert everything.kind == "source.fixAll.tflint-hf"
        assert applied(FIXABLE, everything.edit, uri) == applied(FIXABLE, fix.edit, uri) == FAULTY


@pytest.mark.parametrize(("encoding", "width"), [("utf-8", 4), ("utf-16", 2), ("utf-32", 1)])
async def test_positions_are_in_the_units_of_the_editor(tmp_path: Path, encoding: str, width: int) -> None:
    offered = [] if encoding == "utf-16" else [encoding]
    async with connected(tmp_path, capabilities(encodings=offered)) as editor:
        assert editor.answer.capabilities.position_encoding == encoding
        # A form feed and U+2028 end no line. The last sign is an e with an accent of its own, two characters.
        text = FAULTY.replace("model.compile(", '"\f\u2028"; {"🤗": "e\u0301"}; model.compile(')
        uri = editor.open("train.py", text)
        assert await editor.shown(uri) == ["TFL001"]
        (shown,) = editor.client.diagnostics[uri]
        before = text.split("\n")[7].partition("loss=")[0] + "loss="
        units = {"utf-8": len(before.encode()), "utf-16": len(before.encode("utf-16-le")) // 2, "utf-32": len(before)}
        assert shown.range.start == types.Position(7, units[encoding])
        start = text.split("\n")[7].index("🤗") + {"utf-8": 2, "utf-16": 0, "utf-32": 0}[encoding]
        emoji = types.Range(types.Position(7, start), types.Position(7, start + width))
        editor.change(uri, "", emoji)
        await editor.shown(
            uri, lambda some: bool(some) and some[0].range.start == types.Position(7, units[encoding] - width)
        )


async def test_a_notebook_is_one_program_and_its_cells_have_their_findings(tmp_path: Path) -> None:
    imports, rest = FAULTY.split("\n\n", 1)
    made, compiled = rest.split("model.compile", 1)
    cells = [(MARKUP, "# Title"), (CODE, imports), (CODE, made), (CODE, "%time\nmodel.compile" + compiled)]
    async with connected(tmp_path) as editor:
        _, first, second, third = editor.open_notebook("train.ipynb", cells)
        assert await editor.shown(third) == ["TFL001"]
        (shown,) = editor.client.diagnostics[third]
        assert shown.range.start == types.Position(1, 19)
        assert shown.related_information is not None
        assert shown.related_information[0].location.uri == second
        assert not editor.client.diagnostics[first]
        fix = (await editor.actions(third, shown.range))[0]
        assert fix.edit is not None
        assert "from_logits=True" in applied(cells[3][1], fix.edit, third)
        assert "reads probabilities" in await editor.hover(third, 1, 25)
        assert [lens.range.start.line for lens in await editor.lenses(third)] == []  # it has no file to run

        # A cell is moved away, another changed.
        notebook = types.VersionedNotebookDocumentIdentifier(2, editor.uri("train.ipynb"))
        array = types.NotebookCellArrayChange(2, 1, [])
        gone = types.NotebookDocumentCellChangeStructure(array, [], [types.TextDocumentIdentifier(second)])
        change = types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(structure=gone))
        editor.client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(notebook, change))
        await editor.shown(third, lambda some: not some)
        text = types.NotebookDocumentCellContentChanges(
            types.VersionedTextDocumentIdentifier(2, first),
            [types.TextDocumentContentChangeWholeDocument(f"{imports}\n{made}")],
        )
        change = types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(text_content=[text]))
        editor.client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(notebook, change))
        assert await editor.shown(third) == ["TFL001"]
        related = editor.client.diagnostics[third][0].related_information
        assert related is not None
        assert related[0].location.uri == first
        close = types.DidCloseNotebookDocumentParams(
            types.NotebookDocumentIdentifier(editor.uri("train.ipynb")),
            [types.TextDocumentIdentifier(first), types.TextDocumentIdentifier(third)],
        )
        editor.client.notebook_document_did_close(close)
        await editor.shown(third, lambda some: not some)


async def test_fix_all_of_a_notebook(tmp_path: Path) -> None:
    imports, rest = FIXABLE.split("\n\n", 1)
    async with connected(tmp_path) as editor:
        _, second, _ = editor.open_notebook("train.ipynb", [(CODE, imports), (CODE, rest), (MARKUP, "The end")])
        assert await editor.shown(second) == ["TFD007", "TFL001"]
        only = ["notebook.source.fixAll"]
        (action,) = await editor.actions(second, whole(rest), only=only)
        assert action.kind == "notebook.source.fixAll.tflint-hf"
        assert applied(rest, action.edit, second) == FAULTY.split("\n\n", 1)[1]


async def test_hover(tmp_path: Path) -> None:
    async with connected(tmp_path) as editor:
        lines = FAULTY.splitlines()
        lines[8] += "  # tflint-hf: ignore[TFD007, TFO] a toy"
        text = "\n".join(lines)
        uri = editor.open("train.py", text)
        await editor.shown(uri)
        said = await editor.hover(uri, 7, 25)
        assert "**TFL001** crossentropy-on-logits (error" in said
        assert "**why** " in said
        assert "**fix** Use SparseCategoricalCrossentropy" in said
        comment = await editor.hover(uri, 8, lines[8].index("ignore[") + 2)
        assert "**TFD007** label-list-to-fit (error): Finds labels" in comment
        assert "**TFO**: TFO001 string-optimizer" in comment
        assert await editor.hover(uri, 0, 0) == ""


async def test_comments_that_hide_findings_are_completed(tmp_path: Path) -> None:
    async with connected(tmp_path) as editor:
        provider = editor.answer.capabilities.completion_provider
        assert provider is not None
        assert list(provider.trigger_characters or ()) == ["[", ",", " ", ":"]
        before, after = FAULTY.splitlines()[:7], FAULTY.splitlines()[8:]

        async def offered(line: str, *, language: str = "python") -> list[types.CompletionItem]:
            """What is offered where | stands in the line of the compile."""
            start, _, end = line.partition("|")
            text = "\n".join([*before, start + end, *after])
            uri = editor.open("train.py" if language == "python" else "train.md", text, language=language)
            found = await editor.completed(uri, 7, len(start.encode("utf-16-le")) // 2)
            editor.close(uri)
            return found

        async def labels(line: str, *, language: str = "python") -> list[str]:
            return [one.label for one in await offered(line, language=language)]

        call = FAULTY.splitlines()[7]
        assert await labels(f"{call}  # tflint-hf: |") == ["ignore", "ignore-file"]
        assert await labels(f"{call}  # tflint-hf:ignore-|") == ["ignore-file"]
        for nothing in ("|", "  # tflint-hf|", "  # noqa|", "  # tflint-hf: ignore[TFL001] a |", "  # type: ignore[|"):
            assert await labels(call + nothing) == []
        every = await offered(f"{call}  # tflint-hf: ignore[|")
        assert len(every) > 100
        first = min(every, key=lambda one: one.sort_text or "")
        assert (first.label, first.detail) == ("TFL001", "crossentropy-on-logits")  # it is broken here
        assert sum((one.sort_text or "").startswith("0") for one in every) == 1
        assert first.label_details == types.CompletionItemLabelDetails(description="crossentropy-on-logits")
        assert isinstance(first.documentation, types.MarkupContent)
        assert "(error)" in first.documentation.value
        assert "TFL001" not in await labels(f"{call}  # tflint-hf: ignore[TFL001, |")
        assert "TFO001" not in await labels(f"{call}  # tflint-hf: ignore-file[T|, string-optimizer]")
        assert await labels(f"{call}  # noqa: E501, tfl00|") == [f"TFL00{n}" for n in range(1, 10)]
        by_name = await offered('model.compile(optimizer="🤗")  # tflint-hf: ignore[String-op|timizer] a toy')
        assert [(one.label, one.filter_text) for one in by_name] == [("TFO001", "string-optimizer")]
        start, end = len('model.compile(optimizer="..")  # tflint-hf: ignore['), len("String-optimizer")
        place = types.Range(types.Position(7, start), types.Position(7, start + end))
        assert by_name[0].text_edit == types.TextEdit(place, "TFO001")
        assert "TFL001" in await labels(f"{call}  # tflint-hf: ignore-file[logits|")

        before[:] = [*before[:6], "```python"]
        assert await labels(f"{call}  # tflint-hf: ignore[TFL001, strin|", language="markdown") == ["TFO001"]
        before[:] = [*before[:6], ""]
        assert await labels(f"{call}  # tflint-hf: |", language="markdown") == []

        cells = [(MARKUP, "# tflint-hf: "), (CODE, "# tflint-hf: "), (CODE, "%%bash\n# tflint-hf: ")]
        markup, code, shell = editor.open_notebook("train.ipynb", cells)
        assert [one.label for one in await editor.completed(code, 0, 13)] == ["ignore", "ignore-file"]
        assert await editor.completed(markup, 0, 13) == await editor.completed(shell, 1, 13) == []


async def test_texts_without_files_and_of_other_languages(tmp_path: Path) -> None:
    async with connected(tmp_path) as editor:
        new = editor.open("untitled:Untitled-1", FAULTY)
        assert await editor.shown(new) == ["TFL001"]
        assert len(await editor.actions(new, LOSS)) == 3
        unsaved = editor.open("not_yet.py", FAULTY, saved=False)
        assert await editor.shown(unsaved) == ["TFL001"]
        guide = editor.open("guide.md", f"Do not:\n\n```python\n{FAULTY}```\n", language="markdown")
        assert await editor.shown(guide) == ["TFL001"]
        assert editor.client.diagnostics[guide][0].range.start.line == 10
        script = editor.open("train", FAULTY)
        assert await editor.shown(script) == ["TFL001"]
        other = editor.open("train.rb", FAULTY, language="ruby")
        assert await editor.hover(other, 7, 25) == ""
        assert await editor.actions(other, LOSS) == []
        assert other not in editor.client.diagnostics


async def test_what_the_baseline_knows_is_not_shown(tmp_path: Path) -> None:
    async with connected(tmp_path) as editor:
        (tmp_path / "train.py").write_text(FAULTY, encoding="utf-8")
        command = [sys.executable, "-m", "tflint_hf", "scan", "--write-baseline", "train.py"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        subprocess.run(command, cwd=tmp_path, env=environment, check=True, stderr=subprocess.DEVNULL)
        (tmp_path / "tflint-hf.toml").write_text(f'baseline = "tflint-hf-baseline.json"\n{SETTINGS}', encoding="utf-8")
        script = editor.open("train.py", FAULTY)
        assert await editor.shown(script, lambda some: not some) == []
        editor.change(script, FAULTY + FAULTY.splitlines()[-2] + "\n" + FAULTY.splitlines()[-1] + "\n")
        assert await editor.shown(script) == ["TFL001"]

        (tmp_path / "tflint-hf-baseline.json").unlink()
        editor.change(script, FAULTY)
        await editor.until(lambda: any("there is no such baseline" in said for said in editor.messages))


async def test_settings_count_as_soon_as_they_change(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    async with connected(tmp_path, capabilities(watch=True), folders=[one, other]) as editor:
        first = editor.open("one/train.py", FAULTY)
        second = editor.open("other/train.py", FAULTY)
        assert await editor.shown(first) == await editor.shown(second) == ["TFL001"]
        await editor.until(lambda: bool(editor.registered))
        assert editor.registered[0].method == types.WORKSPACE_DID_CHANGE_WATCHED_FILES

        settings = one / "tflint-hf.toml"
        event = types.DidChangeWatchedFilesParams([types.FileEvent(settings.as_uri(), types.FileChangeType.Changed)])
        sound = settings.read_text(encoding="utf-8")
        settings.write_text(f'ignore = ["TFL"]\n{sound}', encoding="utf-8")
        editor.client.workspace_did_change_watched_files(event)
        await editor.shown(first, lambda some: not some)
        assert await editor.shown(second) == ["TFL001"]

        settings.write_text("ignore = 3", encoding="utf-8")
        editor.client.workspace_did_change_watched_files(event)
        await editor.until(lambda: bool(editor.messages))
        editor.change(first, FAULTY + "\n")
        editor.change(second, MENDED)
        await editor.shown(second, lambda some: not some)
        assert [("tflint-hf.toml:1" in said, "ignore" in said) for said in editor.messages] == [(True, True)]

        settings.write_text(sound, encoding="utf-8")
        editor.client.workspace_did_change_watched_files(event)
        assert await editor.shown(first) == ["TFL001"]


async def test_rules_of_the_project_count_where_the_editor_lets_their_code_run(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    shutil.copytree(ROOT / "examples" / "own-rules", folder, ignore=shutil.ignore_patterns("__pycache__"))
    words = folder / "lint_rules" / "checkpoint-without-revision.yaml"
    bad = (words.parent / "fixtures" / "checkpoint-without-revision" / "bad.py").read_text(encoding="utf-8")
    pull = capabilities(pull=True)
    async with connected(tmp_path, pull, folders=[folder], settings={"rulePaths": True}) as editor:
        (folder / "tflint-hf.toml").write_text(f'rule-paths = ["lint_rules"]\n{SETTINGS}', encoding="utf-8")
        uri = editor.open("work/train.py", f"{bad}x = 1  # noqa: LAB001\n")

        async def messages() -> list[str]:
            report = await editor.pulled(uri)
            assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
            return [one.message for one in report.items if one.code == "LAB001"]

        assert len(await messages()) == 3
        assert "checkpoint-without-revision" in await editor.hover(uri, 12, 16)
        assert "## Use instead" in str(await editor.execute("tflint-hf.explain", "LAB001"))

        words.write_text(words.read_text(encoding="utf-8").replace("without a revision", "unpinned"), encoding="utf-8")
        event = types.FileEvent(words.as_uri(), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        assert all("is loaded unpinned" in said for said in await messages())

        off = types.DidChangeConfigurationParams({"tflint-hf": {"rulePaths": False}})
        editor.client.workspace_did_change_configuration(off)
        assert await messages() == []
        await editor.until(lambda: any("the setting rulePaths allows" in said for said in editor.messages))


async def test_what_is_excluded_is_left_alone(tmp_path: Path) -> None:
    async with connected(tmp_path) as editor:
        uri = editor.open("build/train.py", FAULTY)
        await editor.shown(uri, lambda some: not some)


async def test_a_change_of_one_module_is_seen_in_another(tmp_path: Path) -> None:
    made, used = FAULTY.split("model.compile", 1)
    helper = made.replace("model =", "def make_model():\n    return")
    main = f"from helper import *\nmodel = make_model()\nmodel.compile{used}"
    async with connected(tmp_path) as editor:
        (tmp_path / "helper.py").write_text(helper, encoding="utf-8")
        uri = editor.open("train.py", main)
        assert await editor.shown(uri) == ["TFL001"]
        other = editor.open("helper.py", helper)
        await editor.shown(other, lambda some: not some)
        editor.change(other, "import numpy as np\nimport tensorflow as tf\ndef make_model():\n    return unknown()\n")
        await editor.shown(uri, lambda some: not some)


async def test_failures_of_the_tool_are_told_once_and_end_nothing(tmp_path: Path) -> None:
    async with connected(tmp_path) as editor:
        uri = editor.open("train.py", FAULTY)
        await editor.shown(uri)
        with pytest.raises(Exception, match="no rule is called"):
            await editor.execute("tflint-hf.explain", "TFZ999")
        with pytest.raises(Exception, match="unknown"):
            await editor.execute("tflint-hf.unknown")
        editor.change(editor.uri("train.py"), "def broken(:\n" + FAULTY)
        assert await editor.shown(uri, lambda some: codes(some) == ["TFX001"])
        editor.change(uri, FAULTY)
        await editor.shown(uri, lambda some: codes(some) == ["TFL001"])


async def test_a_run_that_takes_too_long_is_ended_by_the_user(tmp_path: Path) -> None:
    slow = tmp_path / "slow-python"
    slow.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 600\n", encoding="utf-8")
    slow.chmod(0o755)
    async with connected(tmp_path, settings={"python": str(slow)}) as editor:
        uri = editor.open("train.py", FAULTY)
        await editor.shown(uri)
        (lens,) = await editor.lenses(uri)
        assert lens.range.start.line == 8
        assert lens.command is not None
        assert lens.command.title == "Confirm by running"
        editor.change(uri, FAULTY + "# more\n")
        said = await editor.execute(lens.command.command, *lens.command.arguments or ())
        assert said == "save train.py first: what runs is the file"
        editor.change(uri, FAULTY)
        running = asyncio.ensure_future(editor.execute(lens.command.command, *lens.command.arguments or ()))
        await editor.until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text() != "")
        assert "crossentropy" in await editor.hover(uri, 7, 25)  # the server answers meanwhile
        (token,) = editor.client.progress_reports
        editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
        assert await asyncio.wait_for(running, 20) == "cancelled"
        last = editor.client.progress_reports[token][-1]
        assert isinstance(last, types.WorkDoneProgressEnd)
        with pytest.raises(ProcessLookupError):
            os.kill(int((tmp_path / "pid").read_text()), 0)


async def test_a_run_judges_the_findings(tmp_path: Path) -> None:
    find = "import sys; from importlib.util import find_spec; sys.exit(not all(map(find_spec, sys.argv[1:])))"
    if subprocess.run([PYTHON, "-c", find, "tensorflow", "tf_keras", "transformers"], check=False).returncode:
        pytest.skip("TensorFlow is not installed")
    async with connected(tmp_path, settings={"python": PYTHON, "budgetSeconds": 200}) as editor:
        uri = editor.open("train.py", FAULTY)
        await editor.shown(uri)
        (lens,) = await editor.lenses(uri)
        assert lens.command is not None
        said = await editor.execute(lens.command.command, *lens.command.arguments or ())
        assert "1 confirmed" in str(said)
        await editor.shown(uri, lambda some: any("\nconfirmed: " in one.message for one in some))
        editor.change(uri, FAULTY + "\n")
        await editor.shown(uri, lambda some: bool(some) and all("confirmed" not in one.message for one in some))


async def test_many_questions_at_once(tmp_path: Path) -> None:
    async with connected(tmp_path) as editor:
        uri = editor.open("train.py", FAULTY)
        for number in range(5):
            editor.change(uri, FAULTY + "\n" * number)
            hovers = [asyncio.ensure_future(editor.hover(uri, 7, 25)) for _ in range(6)]
            lenses = [asyncio.ensure_future(editor.lenses(uri)) for _ in range(3)]
            for said in await asyncio.wait_for(asyncio.gather(*hovers), 30):
                assert "TFL001" in said
            await asyncio.wait_for(asyncio.gather(*lenses), 30)


async def test_the_server_ends_with_its_editor(tmp_path: Path) -> None:
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tflint_hf", "lsp"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
    )
    assert server.stdin is not None
    server.stdin.write(b"Content-Length: 12\r\n\r\nno JSON here")
    await server.stdin.drain()
    server.stdin.close()
    await asyncio.wait_for(server.wait(), 30)


async def test_all_files_of_the_workspace(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    async with connected(tmp_path, capabilities(pull=True), folders=[one, other]) as editor:
        pull = editor.client.workspace_diagnostic_async
        (one / "ä 🤗.py").write_text(FAULTY.replace("model.compile(", '"🤗"; model.compile('), encoding="utf-8")
        (other / "train.py").write_text(FAULTY, encoding="utf-8")
        (other / "sound.py").write_text(MENDED, encoding="utf-8")
        opened = editor.open("other/open.py", FAULTY)
        report = await pull(types.WorkspaceDiagnosticParams([]))
        found = {
            item.uri: item for item in report.items if isinstance(item, types.WorkspaceFullDocumentDiagnosticReport)
        }
        assert opened not in found
        assert {uri: codes(item.items) for uri, item in found.items()} == {
            editor.uri("one/ä 🤗.py"): ["TFL001"],
            editor.uri("other/train.py"): ["TFL001"],
        }
        (shown,) = found[editor.uri("one/ä 🤗.py")].items
        assert shown.range.start == types.Position(7, 19 + 6)
        previous = [types.PreviousResultId(uri, item.result_id or "") for uri, item in found.items()]
        later = asyncio.ensure_future(pull(types.WorkspaceDiagnosticParams(previous)))
        await asyncio.wait({later}, timeout=0.5)
        assert not later.done()  # nothing has changed
        (other / "train.py").write_text(MENDED, encoding="utf-8")
        event = types.FileEvent(editor.uri("other/train.py"), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        changed = await asyncio.wait_for(later, 60)
        assert [(item.uri, list(getattr(item, "items", [0]))) for item in changed.items] == [
            (editor.uri("other/train.py"), [])
        ]


async def test_a_notebook_has_findings_in_its_file_until_it_is_opened(tmp_path: Path) -> None:
    async with connected(tmp_path, capabilities(pull=True)) as editor:
        name, uri = "ä train.ipynb", editor.uri("ä train.ipynb")
        cells = [{"cell_type": "markdown", "source": ["# A\n", "b"]}, {"cell_type": "code", "source": ""}]
        lines = FAULTY.replace("model.compile(", '"🤗"; model.compile(').splitlines(keepends=True)
        cells.append({"cell_type": "code", "source": lines})
        text = json.dumps({"cells": cells}, indent=1, ensure_ascii=False)
        (tmp_path / name).write_text(text, encoding="utf-8")

        async def pull(previous: Sequence[types.PreviousResultId]) -> types.WorkspaceFullDocumentDiagnosticReport:
            params = types.WorkspaceDiagnosticParams(previous)
            answer = await asyncio.wait_for(editor.client.workspace_diagnostic_async(params), 60)
            (report,) = answer.items
            assert isinstance(report, types.WorkspaceFullDocumentDiagnosticReport)
            assert report.uri == uri
            return report

        report = await pull([])
        (shown,) = report.items
        assert shown.message.startswith("cell 3, line 8: ")
        assert shown.range.start.line == shown.range.end.line
        line = text.splitlines()[shown.range.start.line]
        assert '\\"🤗\\"; model.compile(' in line
        assert shown.range.start.character == len(line) - len(line.lstrip())
        assert shown.range.end.character == len(line) + 1  # the emoji is two

        later = asyncio.ensure_future(pull([types.PreviousResultId(uri, report.result_id or "")]))
        await asyncio.wait({later}, timeout=0.3)
        (cell,) = editor.open_notebook(name, [(CODE, "".join(lines))])
        assert not (await later).items
        assert await editor.shown(cell) == ["TFL001"]
        editor.client.notebook_document_did_close(
            types.DidCloseNotebookDocumentParams(
                types.NotebookDocumentIdentifier(uri), [types.TextDocumentIdentifier(cell)]
            )
        )
        await editor.shown(cell, lambda some: not some)
        assert list((await pull([])).items) == list(report.items)


async def test_an_editor_that_asks_for_an_edit_only_when_it_is_wanted(tmp_path: Path) -> None:
    can = capabilities()
    assert can.text_document is not None
    assert can.text_document.code_action is not None
    can.text_document.code_action.resolve_support = types.ClientCodeActionResolveOptions(["edit"])
    can.text_document.code_action.data_support = True
    async with connected(tmp_path, can) as editor:
        uri = editor.open("train.py", FIXABLE)
        (action,) = await editor.actions(uri, whole(FIXABLE), only=["source.fixAll.tflint-hf"])
        assert action.edit is None
        resolved = await editor.client.code_action_resolve_async(action)
        assert applied(FIXABLE, resolved.edit, uri) == FAULTY


async def test_an_editor_that_can_little(tmp_path: Path) -> None:
    async with connected(tmp_path, types.ClientCapabilities()) as editor:
        uri = editor.open("train.py", FAULTY)
        assert await editor.shown(uri) == ["TFL001"]
        assert editor.client.diagnostics[uri][0].related_information is None
        fix = (await editor.actions(uri, LOSS))[0]
        assert fix.edit is not None
        assert fix.edit.document_changes is None
        assert fix.edit.changes is not None
        assert "from_logits=True" in "".join(edit.new_text for edit in fix.edit.changes[uri])
        await editor.execute("tflint-hf.explain", "string-optimizer")
        assert "`tflint-hf rule TFO001` says more" in editor.messages[0]

        # A configuration that is changed in the editor itself counts when it is saved.
        settings = editor.open("tflint-hf.toml", f'ignore = ["TFL"]\n{SETTINGS}', language="toml")
        editor.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(settings)))
        await editor.shown(uri, lambda some: not some)


async def test_findings_on_requirements_stand_there(tmp_path: Path) -> None:
    async with connected(tmp_path) as editor:
        (tmp_path / "tflint-hf.toml").unlink()
        (tmp_path / "requirements.txt").write_text("tensorflow==2.16.1\ntransformers==4.40.0\n", encoding="utf-8")
        uri, pins = editor.open("train.py", MENDED), editor.uri("requirements.txt")
        assert await editor.shown(pins) == ["TFO007"]
        assert editor.client.diagnostics[pins][0].range.start == types.Position(0, 0)
        editor.close(uri)
        await editor.shown(pins, lambda some: not some)
