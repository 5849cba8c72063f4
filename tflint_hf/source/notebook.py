"""The Python cells of a Jupyter notebook."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tflint_hf.source.commands import PythonLines
from tflint_hf.source.interactive import interactive_python
from tflint_hf.source.lines import split_lines
from tflint_hf.source.model import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CELL_MAGIC = re.compile(r"%%(\w[\w.-]*)(.*)")
_WRITES_MODULE = re.compile(r"%%(?:writefile|file)[ \t]+['\"]?(?:\./)?(\w[\w/.-]*\.py)['\"]?[ \t]*$")
# Cell magics that run the lines below them as Python in the notebook's own process. All others hold another language,
# a file to write, or a program for another process.
# fmt: off
_PYTHON_CELL_MAGICS = frozenset({
    "capture", "debug", "lprun", "memit", "mprun", "notify", "prun",
    "pyinstrument", "scalene", "snakeviz", "time", "timeit", "wandb",
})
# fmt: on
_SHELL_CELL_MAGICS = frozenset({"bash", "sh", "shell", "cmd", "system", "sx"})


class NotANotebook(Exception):  # noqa: N818  # it says what is so, not that something failed
    """The content is not a notebook: why, and where (line and column from 1)."""

    def __init__(self, reason: str, line: int = 1, column: int = 1) -> None:
        super().__init__(reason)
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class CodeCell:
    """A code cell at its position among all cells, from 1. `python` has no lines if the cell holds no Python.

    `module` is the Python file that the cell writes: its lines run where that is imported or started.
    """

    number: int
    original: tuple[str, ...]
    python: PythonLines
    module: str = ""


def code_cells(content: str | bytes) -> Iterator[CodeCell]:
    """The code cells of a notebook of format 3 or 4; none if its kernel is not Python's. Raises NotANotebook.

    Only what is needed is looked at: a notebook that an editor left half valid still has code to read.
    """
    notebook = _parse(content)
    cells = _cells(notebook)
    if not _is_python(_language(notebook)):
        return
    for number, cell in enumerate(cells, start=1):
        lines = _code_lines(cell)
        if lines is not None:
            written = _WRITES_MODULE.match(lines[0])
            if written is not None:
                yield CodeCell(number, tuple(lines), _module_python(lines), written[1])
            else:
                yield CodeCell(number, tuple(lines), _cell_python(lines))


def _parse(content: str | bytes) -> Any:
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        reason = f"invalid JSON, {error.msg[:1].lower()}{error.msg[1:]}"
        raise NotANotebook(reason, error.lineno, error.colno) from None
    except RecursionError:
        raise NotANotebook("it is nested too deeply") from None
    except ValueError:  # bytes that are not the encoding they begin like, or a number of thousands of digits
        raise NotANotebook("it is not JSON in UTF-8") from None


def _cells(notebook: Any) -> list[Any]:
    """The cells of a notebook of format 4, or of all worksheets of format 3."""
    if not isinstance(notebook, dict):
        raise NotANotebook("it is not a JSON object")
    if isinstance(notebook.get("cells"), list):
        return list(notebook["cells"])
    worksheets = notebook.get("worksheets")
    if not isinstance(worksheets, list):
        raise NotANotebook("it has no list of cells")
    sheets = [
        sheet["cells"] for sheet in worksheets if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list)
    ]
    return [cell for sheet in sheets for cell in sheet]


def _language(notebook: dict[str, Any]) -> object:
    """The language that the notebook's metadata name, None if they name none."""
    metadata = notebook.get("metadata")
    if not isinstance(metadata, dict):
        return None
    for part, key in (("language_info", "name"), ("kernelspec", "language")):
        value = metadata.get(part)
        if isinstance(value, dict) and value.get(key):
            return value[key]
    return None


def _is_python(language: object) -> bool:
    """Whether code of this language is ours; what names no language is Python."""
    return not isinstance(language, str) or language.lower().startswith(("python", "ipython"))


def _code_lines(cell: Any) -> list[str] | None:
    """The lines of a Python code cell, None for any other cell."""
    if not isinstance(cell, dict) or cell.get("cell_type") != "code" or not _is_python(cell.get("language")):
        return None
    metadata = cell.get("metadata")
    editor = metadata.get("vscode") if isinstance(metadata, dict) else None
    if isinstance(editor, dict) and not _is_python(editor.get("languageId")):
        return None
    source = cell.get("source", cell.get("input"))
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    return split_lines(without_surrogates(source)) if isinstance(source, str) else None


def _module_python(lines: Sequence[str]) -> PythonLines:
    """The Python of a cell that is written to a file: no command of IPython is one there."""
    return PythonLines(("", *lines[1:]), (0,) * len(lines), ())


def _cell_python(lines: Sequence[str]) -> PythonLines:
    """The Python of a cell: no lines if its first line says that it holds something else."""
    blank: list[int] = []
    for number, line in enumerate(lines):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        magic = _CELL_MAGIC.match(line)
        if magic is None:
            break
        if magic[1] in _SHELL_CELL_MAGICS:
            return PythonLines((), (), tuple(lines[number + 1 :]))
        if magic[1] not in _PYTHON_CELL_MAGICS:
            return PythonLines((), (), ())
        blank.append(number)
    return interactive_python([("" if number in blank else line) for number, line in enumerate(lines)])
