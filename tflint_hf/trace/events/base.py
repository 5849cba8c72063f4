"""What every event has, and imports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tflint_hf.trace.guards import Guards
    from tflint_hf.trace.places import Place


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Event:
    """`order` counts the events of a trace; `guards` are the branches this event lies on.

    `group` is shared by the events that one call of the program stands for when its arguments have several possible
    values, `variants` of them: exactly one of a group happens. `loops` are the loops whose rounds it belongs to, the
    outer ones first; such an event happens once in each round. `run`
    is 0 in the program itself, and another number for each function that only other programs call: what happens in two
    runs has no known order.
    """

    place: Place
    order: int
    guards: Guards
    group: int
    variants: int
    loops: tuple[int, ...] = ()
    run: int = 0


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Imported(Event):
    """A name taken from a library: `from module import name`, or a whole module (`name` is empty).

    `statement` is the whole import statement, None where a name is reached through its module.
    """

    module: str
    name: str
    statement: Place | None
