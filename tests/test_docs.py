"""What the documentation shows was seen: its commands run here, on the files that it names."""

from __future__ import annotations

import io
import re
import shlex
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from tflint_hf.cli import main

ROOT = Path(__file__).parent.parent
BLOCK = r"```\w*\n(.*?)^```$"
STEP = re.compile(
    rf"<!-- (file|edit): (\S[^\n]*?) -->\n(?:{BLOCK})?|<!-- (seen) -->\n{BLOCK}\n\n{BLOCK}", re.MULTILINE | re.DOTALL
)
GAP = "[...]\n"


def printed(command: str) -> str:
    name, *arguments = shlex.split(command)
    assert name == "tflint-hf"
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        main(arguments)
    out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    return out.buffer.getvalue().decode()


def is_shown(shown: str, text: str) -> bool:
    """Whether `text` is what is shown, with something else in each gap."""
    pattern = ".*".join(re.escape(part) for part in shown.split(GAP))
    return re.fullmatch(pattern, text, re.DOTALL) is not None


def applied(diff: str, text: str) -> str:
    before, after = (
        "".join(line[1:] for line in diff.splitlines(keepends=True) if line[0] in marks) for marks in (" -", " +")
    )
    assert text.count(before) == 1
    return text.replace(before, after)


@pytest.mark.parametrize("page", ["tutorial.md", "own-rules.md"])
def test_commands_of_a_page_print_what_it_shows(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    steps = STEP.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))
    assert len(steps) > 3
    for kind, what, shown, seen, command, output in steps:
        if kind == "file":
            name, source = what.split()
            text = (ROOT / source).read_text(encoding="utf-8")
            assert shown in {"", text}, f"{page} shows another {name}"
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        elif kind == "edit":
            changed = tmp_path / what
            changed.write_text(applied(shown, changed.read_text(encoding="utf-8")), encoding="utf-8")
        else:
            assert seen
            text = printed(command)
            assert is_shown(output, text), f"{command} prints\n{text}"


@pytest.mark.parametrize("page", ["tutorial.md", "own-rules.md"])
def test_a_page_says_which_file_it_shows(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    shown = [step for step in STEP.finditer(text) if step[1] == "file" and step[3]]
    assert shown
    for step in shown:
        name, _ = step[2].split()
        above = text[: step.start()].rstrip().rpartition("\n\n")[2]
        assert f"`{name}`" in above, f"{page} shows {name} below: {above}"


PAGES = [ROOT / "README.md", ROOT / "editors" / "vscode" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as services that show repositories make them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere_in_the_repository(page: Path) -> None:
    links = LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))
    for link in links:
        if not link.startswith("https://"):
            path, _, anchor = link.partition("#")
            aim = page.parent / path if path else page
            assert aim.exists(), link
            assert not anchor or anchor in anchors(aim), link
