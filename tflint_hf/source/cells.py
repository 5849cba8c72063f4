"""Where the code of a notebook's cells stands in its JSON, and the same JSON with other code in some of them."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.source.lines import line_starts, lines_with_ends

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LF = re.compile("\n")
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class CellSource:
    """The value of a cell's `source`: its range in the JSON, and that of each string in it if it is a list."""

    start: int
    end: int
    strings: tuple[tuple[int, int], ...] | None
    text: str


def cell_sources(whole: str) -> dict[int, CellSource]:
    """The sources of the code cells, by their position among all cells, from 1. Raises ValueError for other JSON."""
    top = dict(_members(whole, _skip(whole, 0)))
    places: list[int] = []
    if "cells" in top and whole.startswith("[", top["cells"]):
        places = list(_items(whole, top["cells"]))
    elif "worksheets" in top:
        for sheet in _items(whole, top["worksheets"]):
            cells = dict(_members(whole, sheet)).get("cells") if whole.startswith("{", sheet) else None
            if cells is not None and whole.startswith("[", cells):
                places += _items(whole, cells)
    found: dict[int, CellSource] = {}
    for number, place in enumerate(places, start=1):
        members = dict(_members(whole, place)) if whole.startswith("{", place) else {}
        kind, source = members.get("cell_type"), members.get("source", members.get("input"))
        if kind is not None and source is not None and _value(whole, kind)[0] == "code":
            read = _source(whole, source)
            if read is not None:
                found[number] = read
    return found


def lines_in_file(content: str | bytes) -> dict[int, tuple[int, ...]]:
    """For each code cell, the line of the file that each of its lines stands on; nothing for what is no notebook.

    Only LF ends a line of the file, as for git and for services that show it.
    """
    try:
        whole = content if isinstance(content, str) else content.decode(json.detect_encoding(content), "surrogatepass")
        cells = cell_sources(whole)
    except (ValueError, RecursionError):
        return {}
    ends = [match.start() for match in _LF.finditer(whole)]
    return {
        number: tuple(bisect_left(ends, place) + 1 for place in _line_places(whole, cell))
        for number, cell in cells.items()
    }


def _line_places(whole: str, cell: CellSource) -> Iterator[int]:
    """Where in the JSON the string begins that each line of a cell begins in."""
    strings = cell.strings or ((cell.start, cell.end),)
    starts = [0]
    for start, _ in strings[:-1]:
        starts.append(starts[-1] + len(str(_value(whole, start)[0])))
    for offset in line_starts(cell.text):
        yield strings[bisect_right(starts, offset) - 1][0]


def rewritten(whole: str, texts: Mapping[CellSource, str]) -> str:
    """The JSON with other texts for some cells. Lines that stay are written as they were."""
    ascii_only = whole.isascii()
    for cell in sorted(texts, key=lambda one: one.start, reverse=True):
        text = texts[cell]
        if cell.strings is None:
            value = json.dumps(text, ensure_ascii=ascii_only)
        else:
            value = _list(whole, cell, cell.strings, text, ascii_only=ascii_only)
        whole = whole[: cell.start] + value + whole[cell.end :]
    return whole


def _list(whole: str, cell: CellSource, strings: tuple[tuple[int, int], ...], text: str, *, ascii_only: bool) -> str:
    if not strings:
        return json.dumps(lines_with_ends(text), ensure_ascii=ascii_only)
    written = {_value(whole, start)[0]: whole[start:end] for start, end in strings}
    head, tail = whole[cell.start : strings[0][0]], whole[strings[-1][1] : cell.end]
    between = whole[strings[0][1] : strings[1][0]] if len(strings) > 1 else "," + (head[1:] or " ")
    lines = [written.get(line) or json.dumps(line, ensure_ascii=ascii_only) for line in lines_with_ends(text)]
    return head + between.join(lines) + tail


def _source(whole: str, start: int) -> CellSource | None:
    value, end = _value(whole, start)
    if isinstance(value, str):
        return CellSource(start, end, None, value)
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        return None
    strings = tuple((place, _value(whole, place)[1]) for place in _items(whole, start))
    return CellSource(start, end, strings, "".join(value))


def _skip(whole: str, at: int) -> int:
    match = _SPACE.match(whole, at)
    return match.end() if match else at


def _value(whole: str, at: int) -> tuple[object, int]:
    value: tuple[object, int] = _DECODER.raw_decode(whole, at)
    return value


def _items(whole: str, at: int) -> Iterator[int]:
    """Where the items of the array at `at` begin."""
    at = _skip(whole, _opened(whole, at, "["))
    while not whole.startswith("]", at):
        yield at
        at = _after(whole, _value(whole, at)[1], "]")


def _members(whole: str, at: int) -> Iterator[tuple[str, int]]:
    """The keys of the object at `at`, and where their values begin."""
    at = _skip(whole, _opened(whole, at, "{"))
    while not whole.startswith("}", at):
        key, at = _value(whole, at)
        at = _skip(whole, _opened(whole, _skip(whole, at), ":"))
        yield str(key), at
        at = _after(whole, _value(whole, at)[1], "}")


def _opened(whole: str, at: int, mark: str) -> int:
    if not whole.startswith(mark, at):
        raise ValueError(f"{mark} expected at character {at}")
    return at + 1


def _after(whole: str, at: int, end: str) -> int:
    """The next item behind a value that ends at `at`, or the end of what holds it."""
    at = _skip(whole, at)
    return at if whole.startswith(end, at) else _skip(whole, _opened(whole, at, ","))
