"""The memory of the abstract execution: every change is noted, so that a branch can be taken back and merged."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tflint_hf.static.values import Items, Value, either, make_union, same

if TYPE_CHECKING:
    from collections.abc import Callable

    from tflint_hf.trace.guards import Guards


class _Gone:
    """Marks a key that was not there."""


_GONE: Any = _Gone()


@dataclass(eq=False, slots=True)
class Changes:
    """What a branch wrote: for each container and key the value before and after."""

    before: dict[tuple[int, Any], Any] = field(default_factory=dict)
    after: dict[tuple[int, Any], Any] = field(default_factory=dict)
    containers: dict[int, dict[Any, Any]] = field(default_factory=dict)


class Store:
    """Writes to scopes, instances and lists, with a trail."""

    def __init__(self) -> None:
        self._trail: list[tuple[dict[Any, Any], Any, Any]] = []
        self._branches = 0

    def write(self, container: dict[Any, Any], key: Any, value: Value) -> None:
        if isinstance(container, Items) and not self._branches:
            container.unsure.discard(key)
        self._trail.append((container, key, container.get(key, _GONE)))
        container[key] = value

    def may_lack(self, container: dict[Any, Any], key: Any) -> None:
        """Note that only some way through the program leaves this key in a dictionary."""
        if isinstance(container, Items):
            container.unsure.add(key)

    def remove(self, container: dict[Any, Any], key: Any) -> None:
        if key in container:
            self._trail.append((container, key, container[key]))
            del container[key]

    def run(self, branch: Callable[[], Any]) -> tuple[Any, Changes]:
        """Execute `branch`, take its writes back, and return its result and what it wrote."""
        start = len(self._trail)
        self._branches += 1
        try:
            result = branch()
        finally:
            self._branches -= 1
        changes = Changes()
        for container, key, old in self._trail[start:]:
            mark = (id(container), key)
            changes.containers[id(container)] = container
            changes.before.setdefault(mark, old)
            changes.after[mark] = container.get(key, _GONE)
        for container, key, old in reversed(self._trail[start:]):
            _put(container, key, old)
        del self._trail[start:]
        return result, changes

    def keep(self, changes: Changes, only: Callable[[int], bool] = lambda _container: True) -> None:
        """Apply what a branch wrote."""
        for (container_id, key), value in changes.after.items():
            if only(container_id):
                container = changes.containers[container_id]
                if value is _GONE:
                    self.remove(container, key)
                else:
                    self.write(container, key, value)

    def merge(
        self,
        branches: list[tuple[Guards, Changes]],
        skip: Callable[[int, int], bool] = lambda _branch, _container: False,
    ) -> None:
        """Join branches of which exactly one happens. `skip(branch, container)`: this branch's write does not count."""
        marks: dict[tuple[int, Any], dict[Any, Any]] = {}
        for _, changes in branches:
            for mark in changes.after:
                marks.setdefault(mark, changes.containers[mark[0]])
        for mark, container in marks.items():
            key = mark[1]
            current = container.get(key, _GONE)
            pairs = []
            missing = False
            for index, (guards, changes) in enumerate(branches):
                if skip(index, mark[0]):
                    continue
                value = changes.after.get(mark, current)
                if value is _GONE:
                    missing = True
                else:
                    pairs.append((guards, value))
            if not pairs:
                if missing:
                    self.remove(container, key)
                continue
            joined = pairs[0][1] if len(pairs) == 1 else make_union(pairs)
            if current is _GONE or not same(current, joined) or either(current, joined) is not current:
                self.write(container, key, joined)
            if missing:
                self.may_lack(container, key)


def _put(container: dict[Any, Any], key: Any, value: Any) -> None:
    if value is _GONE:
        with suppress(KeyError):
            del container[key]
    else:
        container[key] = value
