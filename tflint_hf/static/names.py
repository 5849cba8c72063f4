"""The program's own names for things, as a fix would write them at some spot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.static.values import External, Fact, Instance, Value
from tflint_hf.trace.objects import Feed

if TYPE_CHECKING:
    from collections.abc import Callable

    from tflint_hf.static.scopes import Scope


def library_name(scope: Scope, path: str) -> str:
    """The name that a library's module was imported by, empty if there is none."""
    for name, value in scope.top.names.items():
        if isinstance(value, External) and value.path == path and "." not in name:
            return name
    return ""


def named_feeds(scope: Scope) -> tuple[tuple[Feed, str], ...]:
    """The feeds that have a name of their own at this spot."""
    found: list[tuple[Feed, str]] = []
    current: Scope | None = scope
    while current is not None:
        for name, value in current.names.items():
            if isinstance(value, Fact) and isinstance(value.data, Feed) and scope.find(name) is value:
                found.append((value.data, name))
        current = current.parent
    return tuple(found)


def name_of(scope: Scope, is_it: Callable[[Value], bool]) -> str:
    """The nearest name, or attribute of a named object, that is a certain value at this spot; empty if none is."""
    current: Scope | None = scope
    while current is not None:
        for name, value in current.names.items():
            if is_it(value):
                return name if scope.find(name) is value else ""
        for name, value in current.names.items():
            if isinstance(value, Instance) and scope.find(name) is value:
                for attribute, held in value.attributes.items():
                    if is_it(held):
                        return f"{name}.{attribute}"
        current = current.parent
    return ""
