"""Branches: which decisions of the program an event or a value rests on."""

from __future__ import annotations

from typing import TypeAlias

Decision: TypeAlias = tuple[object, int]
Guards: TypeAlias = frozenset[Decision]

NO_GUARDS: Guards = frozenset()


def compatible(left: Guards, right: Guards) -> bool:
    """Whether one run of the program can meet both: no decision is taken differently."""
    if not left or not right:
        return True
    taken = dict(left)
    return all(taken.get(key, choice) == choice for key, choice in right)
