"""Where something stands in the program. The trace carries places; only the reader that made them can resolve them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Place:
    """A spot of a program: `unit` is the text it stands in, `anchor` what the reader knows it by.

    Two places are equal if they name the same spot of the same text. Anchors compare by identity or value, as the
    reader that made them chooses.
    """

    unit: int
    anchor: object

    def __repr__(self) -> str:
        # An anchor may be a whole tree: what is printed to see what a rule can see would not end.
        return f"<{type(self.anchor).__name__} in text {self.unit}>"


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A line of a file by its displayed path: one that is not code of the program, as a list of requirements."""

    path: str
    line: int
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class CallSite:
    """One call of the program: the whole call, its callee, and the arguments it was given.

    `arguments` maps a parameter's name to the whole argument (`lr=2e-5`), `values` to the value alone (`2e-5`). A
    position without a name of its own is called `#0`, `#1`. `literals` are those of the values that are known to be
    literals, through variables too, lists of them as tuples; `known` are the names of those values of which anything is
    known, `written` of those that are written as a number or a string in this very call. `open`: there may be more
    arguments than these, from a `**` that cannot be read.
    """

    place: Place
    callee: Place
    arguments: Mapping[str, Place] = field(default_factory=dict)
    values: Mapping[str, Place] = field(default_factory=dict)
    context: int = 0
    literals: Mapping[str, object] = field(default_factory=dict)
    known: frozenset[str] = frozenset()
    open: bool = False
    written: frozenset[str] = frozenset()

    def value_or_callee(self, name: str) -> Place:
        """The value given for `name`, or the callee of a call that lacks it."""
        return self.values.get(name, self.callee)

    def given(self, name: str) -> bool | None:
        """Whether this argument is given, and not as None; None if that is not known."""
        if name in self.arguments:
            return self.literals.get(name, name) is not None if name in self.known else None
        return None if self.open else False
