"""Scopes: where names live."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tflint_hf.static.values import Class, Value


@dataclass(eq=False, slots=True)
class Scope:
    """The names of a module, function or class body.

    `unit` is the text being read; it changes as a notebook's cells are read into one scope. `stars` are the libraries
    that a `from x import *` opened.
    """

    unit: int
    module: str
    parent: Scope | None = None
    names: dict[str, Value] = field(default_factory=dict)
    is_class: bool = False
    outer: dict[str, Scope] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    owner: Class | None = None
    instance: Value | None = None
    path: str = ""

    @property
    def top(self) -> Scope:
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def find(self, name: str) -> Value | None:
        """The value of a name as Python looks it up, None if no scope has it."""
        scope: Scope | None = self
        first = True
        while scope is not None:
            if (first or not scope.is_class) and name in scope.names:
                return scope.names[name]
            if name in scope.outer:
                return scope.outer[name].names.get(name)
            first = False
            scope = scope.parent
        return None

    def holder(self, name: str) -> Scope:
        """The scope that an assignment to `name` writes to."""
        return self.outer.get(name, self)
