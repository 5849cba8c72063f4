"""Whatever is read: texts, cells, bytes and JSON of any kind."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from source_samples import script

from tflint_hf.source import Source, lines_in_file, lines_with_ends, source_from_bytes, source_from_text, split_lines

CODE_PIECES = ["(", ")", "[", "]", "{", "}", "'", '"', '"""', "\\", "#", " = ", "x", "f", ":", "é", "\ud800"]
LAYOUT_PIECES = ["\n", "\r\n", "\r", "    ", "\t", "\x0c", "\ufeff", "!ls", "%time ", "?", "%%bash", "%%time"]
MARKDOWN_PIECES = ["```python\n", "~~~py\n", "```", "> ", "- ", ">>> ", "... "]
PIECES = st.sampled_from(CODE_PIECES + LAYOUT_PIECES + MARKDOWN_PIECES)
TEXTS = st.lists(PIECES, max_size=40).map("".join)


def assert_consistent(source: Source) -> None:
    """Lines of the text and of the original agree, and every place lies in the user's text."""
    for number, fragment in enumerate(source.fragments):
        lines = fragment.text.split("\n")
        assert len(lines) == len(fragment.original)
        fragment.text.encode()
        for line, text in enumerate(lines, start=1):
            for column in (0, len(text)):
                location = source.location(number, line, column, line, column)
                user_line = source.text_lines(location.cell)[location.line - 1]
                assert user_line == fragment.original[line - 1]
                assert 1 <= location.column <= len(user_line) + 1


@given(TEXTS, st.sampled_from(["a.py", "a.md"]))
def test_any_text_is_read(text: str, name: str) -> None:
    assert_consistent(source_from_text(text, name))


@given(st.lists(TEXTS, max_size=3))
def test_any_cells_are_read(cells: list[str]) -> None:
    book = json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells]})
    assert_consistent(source_from_text(book, "a.ipynb"))


@given(st.binary(max_size=200), st.sampled_from(["a.py", "a.md", "a.ipynb"]))
def test_any_bytes_are_read(raw: bytes, name: str) -> None:
    assert_consistent(source_from_bytes(raw, Path(name), name))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["cells", "worksheets", "metadata", "language_info", "name", "source", "input", "cell_type"]
            ),
            inner | st.just("code"),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_read(value: object) -> None:
    assert_consistent(source_from_text(json.dumps(value), "a.ipynb"))


@given(
    st.lists(
        st.sampled_from(["x = (a", "% b)", "s = '''", "!ls", "'''", "if x:", "    y", "z = 1 \\", "  % 2"]), max_size=8
    )
)
def test_valid_python_is_never_changed(lines: list[str]) -> None:
    text = "\n".join(lines)
    try:
        compile(text, "a.py", "exec")
    except SyntaxError:
        return
    assert script(text.encode()).fragments[0].text == text


SOURCES = st.lists(st.text(st.sampled_from('a\u00e9\U0001f917\\"\n\r\f\u2028'), max_size=12), max_size=4)


@given(SOURCES, st.booleans(), st.sampled_from([None, 0, 2]), st.booleans(), st.sampled_from(["utf-8", "utf-16"]))
def test_lines_of_cells_are_found_in_the_file(
    texts: list[str], as_list: bool, indent: int | None, plain: bool, encoding: str
) -> None:
    cells = [{"cell_type": "markdown", "source": ["# Title\n"]}]
    for text in texts:
        cells.append({"cell_type": "code", "outputs": [], "source": lines_with_ends(text) if as_list else text})
    raw = json.dumps({"cells": cells}, indent=indent, ensure_ascii=plain).encode(encoding)
    found, file = lines_in_file(raw), raw.decode(encoding).split("\n")
    assert sorted(found) == list(range(2, len(cells) + 1))
    for number, text in enumerate(texts, 2):
        assert len(found[number]) == len(split_lines(text))
        for line, place in zip(lines_with_ends(text), found[number], strict=False):
            assert json.dumps(line, ensure_ascii=plain)[1:-1] in file[place - 1]


@given(st.binary(max_size=30) | st.sampled_from([b"[" * 100_000, b'{"cells": [{"cell_type": "code", "source": [1]}]}']))
def test_what_is_no_notebook_has_no_lines_of_cells(raw: bytes) -> None:
    assert lines_in_file(raw) == {}
