"""Whether a text is nested so deeply that the parser would crash the process or crawl.

libcst overflows the native stack at some 2,000 nested brackets, and its nodes nest with every operator, attribute,
call, adjacent string and `elif`, so that any later walk over them runs out of Python's stack. So the depth is
estimated from above before libcst sees a text, in one pass over its brackets, operators and line starts.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

MAX_DEPTH = 250

_MAX_FIELD_BRACKETS = 100
_MAX_FIELD_CHARACTERS = 1_000

STRING = r"""
       \"\"\"[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:\"\"\"|\Z)
      |'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*(?:'''|\Z)
      |"[^"\\\n]*(?:\\.[^"\\\n]*)*"?
      |'[^'\\\n]*(?:\\.[^'\\\n]*)*'?
"""
"""A string without its prefix, closed or not, for expressions with the flags VERBOSE and DOTALL."""
_TOKEN = re.compile(
    rf"""
      (\n[ \t\f]*)
    | ([(\[{{])
    | ([)\]}}])
    | ([,;])
    | [-+*/%@&|^~.]
    | ({STRING})
    | ([a-z]+\b)
    | (\#[^\n]*|\\\n|\w+)
    """,
    re.VERBOSE | re.DOTALL,
)
_NEWLINE, _OPEN, _CLOSE, _COMMA, _STRING, _WORD, _SKIPPED = range(1, 8)
_NESTING_WORDS = frozenset({"not", "and", "or", "else", "for", "lambda"})
_F_PREFIX = re.compile(r"(?:f|rf|fr)\Z", re.IGNORECASE)
_FIELD = re.compile(r"\{([^{}]*)")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a text must not reach the parser, with its place: line and column from 1."""

    line: int
    column: int
    message: str


def too_deep(text: str) -> bool:
    """Whether parsing `text` could crash the process or run out of stack."""
    return refusal(text) is not None


def refusal(text: str) -> Refusal | None:
    """Why `text` must not reach the parser, None for all ordinary code."""
    deep_line = _first_deep_line(text)
    if deep_line is None:
        return None
    # A bracket that is never closed makes all that follows look nested; Python's own parser says so, and is safe.
    too_nested = Refusal(deep_line, 1, f"the code is nested more than {MAX_DEPTH} levels deep")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        if "too many" in error.msg or "too complex" in error.msg:
            return too_nested
        return Refusal(error.lineno or deep_line, max(error.offset or 1, 1), f"syntax error: {error.msg}")
    except (ValueError, RecursionError, MemoryError, OverflowError):
        return too_nested
    return too_nested


def _first_deep_line(text: str) -> int | None:
    """The line where the estimated depth passes the limit."""
    if len(text) <= MAX_DEPTH:
        return None
    # Each open bracket has a count of what may nest in it since the last comma. A lambda's own commas separate its
    # parameters, so lambdas are kept over commas.
    counts, lambdas = [0], [0]
    depth = 0  # the brackets and counts together
    blocks: list[list[int]] = [[0, 0]]  # indentation and number of elif in a row
    chain = 0  # blocks and elif together
    for token in _TOKEN.finditer(text):
        kind = token.lastindex
        if kind == _SKIPPED or (kind is None and text[token.start()] == "." and text[token.start() - 1] == "."):
            continue
        if kind == _OPEN:
            counts.append(0)
            lambdas.append(0)
            depth += 1
        elif kind == _CLOSE:
            if len(counts) > 1:
                depth -= counts.pop()
                lambdas.pop()
                counts[-1] += 1
        elif kind == _COMMA:
            depth -= counts[-1] - lambdas[-1]
            counts[-1] = lambdas[-1]
        elif kind == _NEWLINE:
            if len(counts) > 1:
                continue
            depth = counts[0] = lambdas[0] = 0
            indentation = token.end() - token.start() - 1
            chain = _enter_line(text, token.end(), indentation, blocks, chain)
        elif kind == _WORD:
            word = token[_WORD]
            if word not in _NESTING_WORDS:
                continue
            counts[-1] += 1
            lambdas[-1] += word == "lambda"
            depth += 1
        else:
            counts[-1] += 1
            depth += 1
            if (
                kind == _STRING
                and _F_PREFIX.search(text, max(0, token.start() - 2), token.start())
                and _deep_field(token[_STRING])
            ):
                return text.count("\n", 0, token.start()) + 1
        if depth + chain > MAX_DEPTH:
            return text.count("\n", 0, token.start()) + 1
    return None


def _enter_line(text: str, start: int, indentation: int, blocks: list[list[int]], chain: int) -> int:
    """The number of nested blocks, with the `elif`s before this line's, once the statement at `start` is entered."""
    if start == len(text) or text[start] in "\n#":
        return chain
    while blocks[-1][0] > indentation:
        chain -= 1 + blocks.pop()[1]
    if blocks[-1][0] < indentation:
        blocks.append([indentation, 0])
        return chain + 1
    if text.startswith("elif", start):
        blocks[-1][1] += 1
        return chain + 1
    if not text.startswith("else", start):
        chain -= blocks[-1][1]
        blocks[-1][1] = 0
    return chain


def _deep_field(literal: str) -> bool:
    """Whether a replacement field of an f-string holds more code than anybody writes there."""
    if len(literal) <= MAX_DEPTH:
        return False
    fields = literal.replace("{{", "").replace("}}", "")
    depth = 0
    for character in fields:
        if character == "{" or (depth and character in "(["):
            depth += 1
            if depth > _MAX_FIELD_BRACKETS:
                return True
        elif character in ")]}":
            depth = max(0, depth - 1)
    return any(len(field[1]) > _MAX_FIELD_CHARACTERS for field in _FIELD.finditer(fields))
