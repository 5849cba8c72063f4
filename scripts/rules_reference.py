"""The page on what rules of one's own can see and plan, made of the code that they are written with."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import get_args

from tflint_hf import plugin

HEAD = """\
# What rules see

Made of `tflint_hf.plugin` by `scripts/generate_docs.py`; how rules are written stands in
[Rules of your own](own-rules.md). What is not known of a program is None, or `objects.UNKNOWN` where `objects.ABSENT`
says that it was left out; both are compared by `is`.
"""


def reference() -> str:
    return "".join(_parts())


def _parts() -> Iterator[str]:
    yield HEAD
    yield "\n## Faults, calls, places, versions\n"
    for name in ("Fault", "Severity", "Safety", "Once", "CallSite", "Place", "Target"):
        yield from _entry(getattr(plugin, name), name)
    yield "\n## Events\n\nThe function of a rule is called for each. All events have these fields:\n"
    yield from _entry(plugin.events.Event, "events.Event")
    shared = {field.name for field in fields(plugin.events.Event)}
    for name, one in _own(plugin.events):
        if one is not plugin.events.Event:
            yield from _entry(one, f"events.{name}", shared)
    yield "\n## Views\n\nThey join events, and can be asked for as these; `views.Trace` is the whole program.\n"
    for name, one in _own(plugin.views):
        yield from _entry(one, f"views.{name}", {"group", "guards"})
    yield "\n## Objects\n"
    for name, one in _own(plugin.objects):
        yield from _entry(one, f"objects.{name}")
    yield "\n## Fixes\n"
    yield from _entry(plugin.fixes.PlannedFix, "fixes.PlannedFix")
    for one in sorted(get_args(plugin.fixes.PlannedEdit), key=lambda one: str(one.__name__)):
        yield from _entry(one, f"fixes.{one.__name__}")


def _own(module: ModuleType) -> list[tuple[str, type]]:
    """The classes of a module, or of the modules in it."""
    return [
        (name, one)
        for name, one in sorted(vars(module).items())
        if isinstance(one, type) and one.__module__.startswith(module.__name__)
        if is_dataclass(one) or issubclass(one, enum.Enum)
    ]


def _entry(one: type, name: str, shared: set[str] | frozenset[str] = frozenset()) -> Iterator[str]:
    """The words of a class, its fields with their types, and its methods."""
    text = one.__doc__ or ""
    about = "" if text.startswith(f"{one.__name__}(") else " ".join(text.split())
    yield f"\n**`{name}`**" + (f" {_escaped(about)}" if about else "") + "\n"
    if issubclass(one, enum.Enum):
        parts = [f"`{member.name}`" for member in one]
    else:
        parts = [f"`{field.name}: {field.type}`" for field in fields(one) if field.name not in shared]
    yield f"\n{', '.join(parts)}\n" if parts else ""
    methods = [(name, value) for name, value in vars(one).items() if _is_method(name, value)]
    yield "\n" if methods else ""
    for name, value in methods:
        yield f"- `{name}{_signature(value)}`: {_escaped(' '.join((value.__doc__ or '').split()))}\n"


def _is_method(name: str, value: object) -> bool:
    return not name.startswith("_") and (callable(value) or isinstance(value, property)) and bool(value.__doc__)


def _signature(value: object) -> str:
    if isinstance(value, property):
        return ""
    annotations = {key: kind for key, kind in getattr(value, "__annotations__", {}).items() if key != "return"}
    return f"({', '.join(annotations)})"


def _escaped(text: str) -> str:
    """Words for Markdown: a `**` in them is no emphasis, nor is `<x>` a tag."""
    meant = {"*": "\\*", "<": "&lt;"}
    return re.sub(r"`[^`]*`|[*<]", lambda found: meant.get(found[0], found[0]), text)
