"""What a mutation is, and the programs that come of it."""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mutations.programs import Program
from mutations.shapes import SHAPES, Change, Shape
from tflint_hf.findings import Severity

Rewrite = Callable[["ast.AST", Program], "ast.expr | list[ast.stmt] | None"]


@dataclass(frozen=True)
class Mutation:
    """A fault: which nodes to look at, and what to write in place of one.

    `looks_at` holds names of functions, for calls of them, or of classes of nodes. `rewrite` gives another expression,
    or the statements that stand in place of a statement, or None where the fault is not possible. `brings` are rules
    about what the fault leads to elsewhere in the program, `least` is the severity it must be found with.
    """

    code: str
    title: str
    looks_at: tuple[str, ...]
    rewrite: Rewrite
    when: Callable[[Program], bool] = lambda program: True
    brings: frozenset[str] = frozenset()
    imports: tuple[str, ...] = ()
    requires: str = ""
    least: Severity = Severity.WARNING
    not_through: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        return f"{self.code} {self.title}"


@dataclass(frozen=True)
class Place:
    """A place for a mutation in a program, and the shape to write it in."""

    mutation: Mutation
    program: Program
    number: int
    node: ast.AST
    new: ast.expr | list[ast.stmt]
    shape: Shape

    @property
    def name(self) -> str:
        return f"{self.mutation.name}: {self.program.name}, place {self.number} {self.shape.name}"

    @property
    def order(self) -> str:
        """The place among others in a sample."""
        return _digest(self.name)


@dataclass(frozen=True)
class Mutant:
    place: Place
    filename: str
    text: str


def places(mutation: Mutation, programs: Sequence[Program]) -> Iterator[Place]:
    """Each place for the mutation in the programs, in each shape that may suit it."""
    for program in programs:
        if not any(program.nodes(name) for name in mutation.looks_at) or not mutation.when(program):
            continue
        seen: set[ast.AST] = set()
        for node in (node for name in mutation.looks_at for node in program.nodes(name)):
            new = mutation.rewrite(node, program) if node not in seen else None
            if new is None:
                continue
            seen.add(node)
            for shape in SHAPES:
                if shape.name not in mutation.not_through and shape.suits(Change(program, node, new)):
                    yield Place(mutation, program, len(seen), node, new, shape)


def mutant(place: Place) -> Mutant:
    """The program with the fault."""
    change = Change(place.program, place.node, place.new, place.mutation.imports, place.mutation.requires)
    filename, text = place.shape.write(change)
    return Mutant(place, filename, text)


def sample(mutation: Mutation, programs: Sequence[Program], size: int) -> list[Place]:
    """Up to `size` places in as many programs and shapes as there are, always the same ones."""
    chosen: list[Place] = []
    left: list[list[Place]] = []
    used: Counter[str] = Counter()

    def choose(found: list[Place]) -> None:
        place = min(found, key=lambda place: (used[place.shape.name], place.order))
        used[place.shape.name] += 1
        chosen.append(place)
        found.remove(place)

    for program in sorted(programs, key=lambda program: _digest(mutation.name + program.name)):
        if len(chosen) == size:
            return chosen
        found = list(places(mutation, [program]))
        if found:
            choose(found)
            left.append(found)
    while len(chosen) < size and any(left):
        for found in filter(None, left):
            if len(chosen) < size:
                choose(found)
    return chosen


def _digest(text: str) -> str:
    """A number that is the same in each run and says nothing of the text."""
    return hashlib.sha256(text.encode()).hexdigest()
