"""The programs without a fault, and what mutations ask about a program."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from mutations.syntax import callee, last_name

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
_HEAD = re.compile(r"TF\w+(?:For\w+|LMHeadModel)")
_ENCODER = re.compile(r"TF\w*Model")
_BRANCHES = (ast.If, ast.Try, ast.While, ast.IfExp, ast.BoolOp, ast.For, ast.Match)


class Slot(NamedTuple):
    """Where a node stands in its parent."""

    parent: ast.AST
    field: str
    at: int | None

    def put(self, node: object) -> None:
        if self.at is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.at] = node


class Program:
    """A program and its syntax tree, with an index of what stands where."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.tree = ast.parse(text)
        self.text = ast.unparse(self.tree)
        self.slots: dict[ast.AST, Slot] = {}
        self._named: dict[str, list[ast.AST]] = {}
        for node in ast.walk(self.tree):
            for field, value in ast.iter_fields(node):
                if isinstance(value, ast.AST):
                    self.slots.setdefault(value, Slot(node, field, None))
                elif isinstance(value, list):
                    for index, item in enumerate(value):
                        if isinstance(item, ast.AST):
                            self.slots.setdefault(item, Slot(node, field, index))
            for name in {callee(node), type(node).__name__} - {""}:
                self._named.setdefault(name, []).append(node)

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.name}"

    def nodes(self, name: str) -> list[ast.AST]:
        """The calls of something of this name, or the nodes of this class."""
        return self._named.get(name, [])

    def calls(self, *names: str) -> list[ast.Call]:
        return [node for name in names for node in self.nodes(name) if isinstance(node, ast.Call)]

    def has(self, *words: str) -> bool:
        return any(word in self.text for word in words)

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes that a node stands in, from the inside."""
        while node in self.slots:
            node = self.slots[node].parent
            yield node

    def statement(self, node: ast.AST) -> ast.stmt | None:
        return next((n for n in (node, *self.around(node)) if isinstance(n, ast.stmt)), None)

    def on_a_branch(self, node: ast.AST) -> bool:
        return any(isinstance(n, _BRANCHES) for n in self.around(node))

    @cached_property
    def _assigned(self) -> dict[str, list[ast.expr]]:
        found: dict[str, list[ast.expr]] = {}
        for node in self.nodes("Assign"):
            assert isinstance(node, ast.Assign)
            for target in node.targets:
                found.setdefault(ast.unparse(target), []).append(node.value)
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    for one, value in zip(target.elts, node.value.elts, strict=False):
                        found.setdefault(ast.unparse(one), []).append(value)
        return found

    def value(self, node: ast.expr | None) -> ast.expr | None:
        """What a name or attribute was made of, where that is one expression."""
        for _ in range(3):
            if not isinstance(node, (ast.Name, ast.Attribute)):
                break
            values = self._assigned.get(ast.unparse(node), [])
            if len(values) != 1:
                break
            node = values[0]
        return node

    @cached_property
    def classes(self) -> set[str]:
        """The names of transformers' TF classes that the program speaks of."""
        names = {last_name(node) for node in ast.walk(self.tree)}
        return {name for name in names if _HEAD.fullmatch(name) or _ENCODER.fullmatch(name)}

    @cached_property
    def trains_a_head(self) -> bool:
        """Whether each model of the program is a TF class with a head, trained as transformers trains it."""
        own = ("def train_step", "keras.Model(", "Sequential", "Model)", "GradientTape", "pop_classifier", "Dense(")
        heads = {name for name in self.classes if _HEAD.fullmatch(name)}
        return bool(heads) and heads == self.classes and bool(self.calls("fit")) and not self.has(*own)

    @cached_property
    def wraps_an_encoder(self) -> bool:
        """Whether the program trains functional models around encoders."""
        return bool(self.calls("Input") and self.calls("Model") and self.calls("fit")) and not self.has(
            "def train_step"
        )


def programs_of(folder: Path) -> Iterator[Program]:
    """The good programs of all rules, in the order of their names.

    A syntax tree has no comments: what a comment hides would be found in a program that is written anew, and versions
    that a comment asks for would be lost.
    """
    for path in sorted(folder.glob("*/good*.py")):
        text = path.read_text(encoding="utf-8")
        if not any(word in text for word in ("noqa", "tflint-hf:", "# /// script")):
            yield Program(path, text)
