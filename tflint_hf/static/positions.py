"""Where nodes stand in their text.

Only files with findings need positions. One walk finds those of all nodes of a text; this does the work of libcst's
PositionProvider without its metadata machinery.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from libcst._nodes.internal import CodegenState

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst


@dataclass(frozen=True, slots=True)
class Span:
    """A range of a text: lines from 1, columns from 0, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class _PositionState(CodegenState):
    def __init__(self, module: cst.Module) -> None:
        super().__init__(default_indent=module.default_indent, default_newline=module.default_newline)
        self.found: dict[int, tuple[int, int, int, int]] = {}
        self.line = 1
        self.column = 0
        self._starts: list[tuple[int, int]] = []

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self._advance(token)

    def add_token(self, value: str) -> None:
        self._advance(value)

    def pop_trailing_newline(self) -> None:
        return

    def _advance(self, text: str) -> None:
        if "\n" not in text and "\r" not in text:
            self.column += len(text)
            return
        parts = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.line += len(parts) - 1
        self.column = len(parts[-1])

    def before_codegen(self, node: cst.CSTNode) -> None:  # noqa: ARG002
        self._starts.append((self.line, self.column))

    def after_codegen(self, node: cst.CSTNode) -> None:
        start = self._starts.pop()
        key = id(node)
        if key not in self.found:
            self.found[key] = (*start, self.line, self.column)

    @contextmanager
    def record_syntactic_position(
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> Iterator[None]:
        start = (self.line, self.column)
        yield
        end = (self.line, self.column)
        first = self.found.get(id(start_node))
        last = self.found.get(id(end_node))
        if first is not None:
            start = first[:2]
        if last is not None:
            end = last[2:]
        self.found[id(node)] = (*start, *end)


class Spans:
    """The spans of all nodes of a module."""

    def __init__(self, module: cst.Module) -> None:
        state = _PositionState(module)
        module._codegen(state)
        self._found = state.found

    def of(self, node: cst.CSTNode) -> Span | None:
        """The span of a node, None if the module does not hold it."""
        found = self._found.get(id(node))
        return None if found is None else Span(*found)
