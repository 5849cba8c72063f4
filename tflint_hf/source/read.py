"""Reading a file into fragments."""

from __future__ import annotations

import io
import stat
import tokenize
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tflint_hf.source.commands import replace_commands
from tflint_hf.source.interactive import interactive_python
from tflint_hf.source.lines import split_lines
from tflint_hf.source.markdown import python_fences
from tflint_hf.source.model import (
    Fragment,
    Problem,
    Source,
    SourceError,
    SourceKind,
    make_fragment,
    without_surrogates,
)
from tflint_hf.source.notebook import NotANotebook, code_cells
from tflint_hf.source.requirements import install_requirements, script_requirements

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_KINDS = {
    ".ipynb": SourceKind.NOTEBOOK,
    ".md": SourceKind.MARKDOWN,
    ".mdx": SourceKind.MARKDOWN,
    ".markdown": SourceKind.MARKDOWN,
}


def read_bytes(path: Path) -> bytes:
    """The file's content. Raises SourceError with a sentence for people."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise SourceError("cannot be read: it is not a regular file")
        return path.read_bytes()
    except FileNotFoundError:
        broken = path.is_symlink()
        raise SourceError("is a link to a file that does not exist" if broken else "does not exist") from None
    except PermissionError:
        raise SourceError("cannot be read: permission denied") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceError(f"cannot be read: {reason}") from None


def read_source(path: Path, display: str) -> Source:
    """The file as fragments to parse. `display` is its name in reports.

    Raises SourceError when the file cannot be read at all. Whatever its content is, that gives problems instead.
    """
    return source_from_bytes(read_bytes(path), path, display)


def source_from_bytes(raw: bytes, path: Path, display: str) -> Source:
    """As `read_source`, for content that was read already."""
    kind = _kind(path)
    if kind is SourceKind.NOTEBOOK:
        return _notebook(raw, path, display)
    decoded = _decode(raw, kind)
    if isinstance(decoded, Problem):
        return Source(path, display, kind, (), (decoded,), (), {})
    return _from_decoded(decoded, path, display, kind)


def source_from_text(text: str, filename: str) -> Source:
    """As `read_source`, for the text of an editor or of standard input; the name's suffix says what it is."""
    path = Path(filename)
    kind = _kind(path)
    text = text.removeprefix("\ufeff")
    if kind is SourceKind.NOTEBOOK:
        return _notebook(text, path, filename)
    return _from_decoded(text, path, filename, kind)


def _kind(path: Path) -> SourceKind:
    return _KINDS.get(path.suffix.lower(), SourceKind.SCRIPT)


def _from_decoded(text: str, path: Path, display: str, kind: SourceKind) -> Source:
    lines = split_lines(without_surrogates(text))
    if kind is SourceKind.MARKDOWN:
        return _markdown(lines, path, display)
    python = replace_commands(lines)
    fragment = make_fragment(python.lines, lines, indents=python.shifts, whole_file=True)
    source = _source(path, display, kind, [fragment], python.commands, {None: tuple(lines)})
    own = script_requirements(lines)
    return replace(source, requirements=(*own, *source.requirements)) if own else source


def _source(
    path: Path,
    display: str,
    kind: SourceKind,
    parts: Iterable[Fragment | Problem],
    commands: Iterable[str],
    texts: dict[int | None, tuple[str, ...]],
) -> Source:
    fragments: list[Fragment] = []
    problems: list[Problem] = []
    for part in parts:
        if isinstance(part, Fragment):
            fragments.append(part)
        else:
            problems.append(part)
    requirements = tuple(requirement for command in commands for requirement in install_requirements(command))
    return Source(path, display, kind, tuple(fragments), tuple(problems), requirements, texts)


def _decode(raw: bytes, kind: SourceKind) -> str | Problem:
    """The text, by the encoding that a script declares (PEP 263), else UTF-8."""
    if b"\0" in raw:
        line = raw.count(b"\n", 0, raw.index(b"\0")) + 1
        return Problem(None, line, 1, "holds NUL bytes: it is not text, or not in UTF-8", whole_file=True)
    try:
        encoding = "utf-8-sig"
        if kind is SourceKind.SCRIPT:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = f"is not valid {error.encoding}: declare its encoding, or save it as UTF-8"
        return Problem(None, line, 1, message, whole_file=True)
    except SyntaxError as error:
        return Problem(None, 1, 1, f"cannot be decoded: {error.msg}", whole_file=True)
    except (LookupError, ValueError) as error:
        return Problem(None, 1, 1, f"cannot be decoded: {error}", whole_file=True)


def _markdown(lines: Sequence[str], path: Path, display: str) -> Source:
    parts: list[Fragment | Problem] = []
    commands: list[str] = []
    for fence in python_fences(lines):
        python = interactive_python(fence.code)
        commands += python.commands
        indents = [before + shift for before, shift in zip(fence.removed, python.shifts, strict=True)]
        parts.append(make_fragment(python.lines, fence.original, first_line=fence.first_line, indents=indents))
    return _source(path, display, SourceKind.MARKDOWN, parts, commands, {None: tuple(lines)})


def _notebook(content: str | bytes, path: Path, display: str) -> Source:
    try:
        cells = list(code_cells(content))
    except NotANotebook as error:
        problem = Problem(None, error.line, error.column, f"is not a notebook: {error}", whole_file=True)
        return Source(path, display, SourceKind.NOTEBOOK, (), (problem,), (), {})
    commands = [command for cell in cells for command in cell.python.commands]
    cells = [cell for cell in cells if cell.python.lines]
    parts = [
        make_fragment(
            cell.python.lines, cell.original, cell=cell.number, indents=cell.python.shifts, module=cell.module
        )
        for cell in cells
    ]
    texts: dict[int | None, tuple[str, ...]] = {cell.number: cell.original for cell in cells}
    return _source(path, display, SourceKind.NOTEBOOK, parts, commands, texts)
