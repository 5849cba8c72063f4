"""The state of one abstract execution: memory, branches taken, events recorded, and the bounds it runs under."""

from __future__ import annotations

import enum
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from packaging.version import Version

from tflint_hf.static.store import Store
from tflint_hf.trace.guards import NO_GUARDS, Guards, compatible
from tflint_hf.trace.objects import ABSENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import libcst as cst

    from tflint_hf.static.keras_choice import KerasChoice
    from tflint_hf.static.modules import Modules
    from tflint_hf.static.scopes import Scope
    from tflint_hf.static.values import Class, Function, Instance, Value
    from tflint_hf.target import Target
    from tflint_hf.trace.events import Event
    from tflint_hf.trace.objects import Missing, Strategy
    from tflint_hf.trace.places import Place

KERAS_3 = Version("3.15")
MAX_STEPS = 40_000
MAX_STEPS_UNCALLED = 5_000
MAX_STEPS_IN_ALL = 150_000
MAX_CALL_DEPTH = 18
MAX_EXPRESSION_DEPTH = 120


class Mapping(enum.Enum):
    """How the function of a Dataset.map() that is being executed gets its rows."""

    NONE = "not in a map()"
    SINGLE = "one row at a time"
    BATCH = "many rows at once"
    UNKNOWN = "unknown"


@dataclass(eq=False, slots=True)
class Frame:
    """A function being executed: what it returned and yielded so far."""

    scope: Scope
    node: cst.CSTNode
    returns: list[tuple[Guards, Value]] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Machine:
    """`steps` counts evaluated expressions; past `limit` every value is unknown, so that any program ends in time.

    `read_as_texts` are the names of the columns that the function of a map() looks up as texts.
    """

    target: Target
    modules: Modules
    evaluate: Callable[[Machine, cst.BaseExpression, Scope], Value]
    execute: Callable[[Machine, cst.BaseSuite, Scope], Any]
    keras: KerasChoice
    store: Store = field(default_factory=Store)
    guards: Guards = NO_GUARDS
    events: list[Event] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    steps: int = 0
    limit: int = MAX_STEPS
    depth: int = 0
    groups: int = 0
    variants: int = 1
    open_loops: int = 0
    rounds: tuple[int, ...] = ()
    rounds_begun: int = 0
    mapping: Mapping = Mapping.NONE
    entered: set[int] = field(default_factory=set)
    functions: list[Function] = field(default_factory=list)
    classes: list[Class] = field(default_factory=list)
    instances: dict[int, Instance] = field(default_factory=dict)
    installs: list[str] = field(default_factory=list)
    layers_changed: bool = False
    run: int = 0
    custom_objects: bool = False
    tapes: list[Value] = field(default_factory=list)
    strategy: Strategy | Missing = ABSENT
    read_as_texts: set[str] = field(default_factory=set)
    policies: dict[str, Value] = field(default_factory=dict)
    used_inputs: dict[int, Any] = field(default_factory=dict)
    saved: set[str] = field(default_factory=set)
    frozen: dict[int, dict[str, Value]] = field(default_factory=dict)
    frozen_parts: dict[int, dict[str, Value]] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)
    discarded: cst.CSTNode | None = None

    versions: dict[str, Version] = field(init=False)
    versions_with_keras_3: dict[str, Version] = field(init=False)

    def __post_init__(self) -> None:
        target = self.target
        self.versions = {
            "transformers": target.transformers,
            "tensorflow": target.tensorflow,
            "datasets": target.datasets,
        }
        self.versions_with_keras_3 = {**self.versions, "keras": KERAS_3}

    @property
    def exhausted(self) -> bool:
        return self.steps > self.limit

    def new_group(self) -> int:
        self.groups += 1
        return self.groups

    @contextmanager
    def under(self, guards: Guards) -> Iterator[None]:
        """Execute with more decisions taken."""
        before = self.guards
        self.guards = before | guards
        try:
            yield
        finally:
            self.guards = before

    def possible(self, guards: Guards) -> bool:
        return compatible(self.guards, guards)

    def record(self, kind: Callable[..., Event], place: Place, group: int, **facts: Any) -> Event:
        """Append an event of this kind to the trace."""
        event = kind(
            place=place,
            order=len(self.events),
            guards=self.guards,
            group=group,
            variants=self.variants,
            loops=self.rounds,
            run=self.run,
            **facts,
        )
        self.events.append(event)
        return event
