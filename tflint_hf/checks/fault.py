"""What a rule's function yields, and the table of all functions."""

from __future__ import annotations

import enum
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

if TYPE_CHECKING:
    from tflint_hf.findings import Severity
    from tflint_hf.fixes import PlannedFix
    from tflint_hf.trace.places import FilePlace, Place

CheckFunction = Callable[..., Iterator["Fault"]]
F = TypeVar("F", bound=CheckFunction)
Options = Mapping[str, Any]


class Once(enum.Enum):
    """What a rule says but once in a project. The rest it says at each place, however many programs lead there."""

    EVERYTHING = "it speaks of the project as a whole, at any severity"
    INFOS = "a fault counts at its place, what is only worth knowing for the whole project"


@dataclass(frozen=True, eq=False, slots=True)
class Fault:
    """A fault that a rule sees.

    `values` fill the placeholders of the rule's message. `severity` overrides the rule's own. `rests_on` are the
    library versions that this fault holds for, as {"tensorflow": ">=2.16"}.
    """

    at: Place | FilePlace
    values: Mapping[str, object] = field(default_factory=dict)
    related: tuple[tuple[Place, str], ...] = ()
    fix: PlannedFix | None = None
    severity: Severity | None = None
    rests_on: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, slots=True)
class Check:
    """A rule's function: the view it looks at, and what else it asks for: `target`, `options`, the whole `trace`."""

    code: str
    function: CheckFunction
    view: type
    wants: frozenset[str]


_FUNCTIONS: dict[str, CheckFunction] = {}
_ONCE_PER_PROJECT: dict[str, Once] = {}


def check(code: str, *, once_per_project: Once | None = None) -> Callable[[F], F]:
    """Register the function of a rule; what it finds may concern a whole project, and is then said once in it."""

    def register(function: F) -> F:
        if code in _FUNCTIONS:
            raise ValueError(f"{code} has two functions: {_FUNCTIONS[code].__name__} and {function.__name__}")
        _FUNCTIONS[code] = function
        if once_per_project is not None:
            _ONCE_PER_PROJECT[code] = once_per_project
        return function

    return register


def once_per_project(code: str) -> Once | None:
    """What a rule says but once in a project, None where each finding counts by itself."""
    return _ONCE_PER_PROJECT.get(code)


@functools.cache
def registered() -> dict[str, Check]:
    """All rules' functions by code, with what their annotations ask for."""
    return {code: _described(code, function) for code, function in sorted(_FUNCTIONS.items())}


def _described(code: str, function: CheckFunction) -> Check:
    hints = get_type_hints(function)
    first, *others = inspect.signature(function).parameters
    return Check(code, function, hints[first], frozenset(others))
