"""What a rule's function yields, and the table of all functions."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import NoneType
from typing import Any, TypeVar, get_type_hints

from tflint_hf.findings import Severity
from tflint_hf.fixes import PlannedFix
from tflint_hf.rules import is_range
from tflint_hf.trace.places import FilePlace, Place
from tflint_hf.trace.views import is_view

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

    def __post_init__(self) -> None:
        """Raises TypeError: what is wrong here would show far from the function that made it."""
        kinds: dict[str, tuple[type, ...]] = {
            "at": (Place, FilePlace),
            "values": (Mapping,),
            "related": (tuple,),
            "fix": (PlannedFix, NoneType),
            "severity": (Severity, NoneType),
            "rests_on": (Mapping,),
        }
        for name, allowed in kinds.items():
            value = getattr(self, name)
            if not isinstance(value, allowed):
                raise TypeError(f"`{name}` of a Fault is {value!r}, which is no {allowed[0].__name__}")
        for library, versions in self.rests_on.items():
            if not is_range(versions):
                raise TypeError(f"`rests_on` of a Fault has {versions!r} for {library}, which is no range of versions")
        for one in self.related:
            if not (isinstance(one, tuple) and [*map(type, one)] == [Place, str]):
                raise TypeError(f"`related` of a Fault has {one!r}, which is no pair of a Place and a text")


@dataclass(frozen=True, eq=False, slots=True)
class Check:
    """A rule's function: the view it looks at, and what else it asks for: `target`, `options`, the whole `trace`."""

    code: str
    function: CheckFunction
    view: type
    wants: frozenset[str]
    once: Once | None = None


class CheckError(Exception):
    """A function cannot be that of a rule. The message says which, and why."""


@dataclass(frozen=True, eq=False, slots=True)
class _Registration:
    code: str
    function: CheckFunction
    once: Once | None


_REGISTRATIONS: list[_Registration] = []
_ASKED = frozenset({"target", "options", "trace"})


def check(code: str, *, once_per_project: Once | None = None) -> Callable[[F], F]:
    """Register the function of a rule; what it finds may concern a whole project, and is then said once in it."""

    def register(function: F) -> F:
        _REGISTRATIONS.append(_Registration(code, function, once_per_project))
        return function

    return register


def checks_in(package: str) -> tuple[dict[str, Check], list[CheckError]]:
    """The rules' functions that the imported modules of a package define, by code, and what is wrong with others."""
    found: dict[str, Check] = {}
    wrong: list[CheckError] = []
    for one in _REGISTRATIONS:
        if not f"{one.function.__module__}.".startswith(f"{package}."):
            continue
        try:
            if one.code in found:
                raise CheckError(
                    f"{one.code} has two functions: {_name(found[one.code].function)} and {_name(one.function)}"
                )
            found[one.code] = _described(one)
        except CheckError as error:
            wrong.append(error)
    return dict(sorted(found.items())), wrong


def _name(function: CheckFunction) -> str:
    return getattr(function, "__qualname__", repr(function))


def _described(one: _Registration) -> Check:
    named = f"{_name(one.function)}, the function of {one.code},"
    first, *others = inspect.signature(one.function).parameters or ("",)
    try:
        hints = get_type_hints(one.function)
    except Exception as error:
        raise CheckError(f"{named} has an annotation that means nothing: {error}") from error
    if not is_view(hints.get(first)):
        needs = "needs a first parameter with a view or an event of the trace for its annotation, as events.Fitted"
        raise CheckError(f"{named} {needs}")
    if unknown := sorted(set(others) - _ASKED):
        raise CheckError(f"{named} asks for {unknown[0]}: it can ask for {', '.join(sorted(_ASKED))}")
    return Check(one.code, one.function, hints[first], frozenset(others), one.once)
