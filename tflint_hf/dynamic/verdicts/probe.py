"""What the numbers of a run say of a finding, and the table of the functions that say it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tflint_hf.findings import Outcome, Verdict

if TYPE_CHECKING:
    from tflint_hf.dynamic.record import Moment, Observation, ObservedTraining
    from tflint_hf.findings import Finding


@dataclass(frozen=True, eq=False, slots=True)
class Scene:
    """One training of the run together with the finding that is judged by it, and what else happened at its calls.

    `applies` are the releases that the finding's rule speaks of.
    """

    finding: Finding
    training: ObservedTraining
    moments: tuple[Moment, ...]
    observation: Observation
    applies: Mapping[str, str]


@dataclass(frozen=True, eq=False, slots=True)
class Measured:
    """What one training says of one finding. The evidence is a sentence for a person, with its numbers in it."""

    outcome: Outcome
    evidence: str
    numbers: Mapping[str, float] = field(default_factory=dict)

    def verdict(self, probe: str) -> Verdict:
        return Verdict(self.outcome, self.evidence, probe, tuple(sorted(self.numbers.items())))


def confirmed(evidence: str, **numbers: float) -> Measured:
    return Measured(Outcome.CONFIRMED, evidence, numbers)


def refuted(evidence: str, **numbers: float) -> Measured:
    return Measured(Outcome.REFUTED, evidence, numbers)


def undecided(evidence: str, **numbers: float) -> Measured:
    return Measured(Outcome.UNDECIDED, evidence, numbers)


def on_made_up_data(scene: Scene) -> bool:
    """Whether a data set of the program is a stand-in, whose number of rows says nothing of the real one's."""
    return any(one.startswith("data set ") for one in scene.observation.stand_ins)


ProbeFunction = Callable[[Scene], "Measured | None"]
"""Judges one scene; None where what it needs was not measured."""

_FUNCTIONS: dict[str, ProbeFunction] = {}
_NEEDS: dict[str, frozenset[str]] = {}
_ANYWHERE: set[str] = set()


def probe(name: str, *needs: str, anywhere: bool = False) -> Callable[[ProbeFunction], ProbeFunction]:
    """Register what the probe that rules name as `probe: name` says.

    `needs` are the measurements of the agent that it reads (its modules under `agent/probes/`), beyond what is said of
    every training. `anywhere`: the function also judges findings at whose calls the run says nothing by itself.
    """

    def register(function: ProbeFunction) -> ProbeFunction:
        if name in _FUNCTIONS:
            raise ValueError(f"the probe {name} has two functions")
        _FUNCTIONS[name] = function
        _NEEDS[name] = frozenset(needs)
        if anywhere:
            _ANYWHERE.add(name)
        return function

    return register


def measurements_for(name: str) -> frozenset[str]:
    """The measurements that a probe reads."""
    return _NEEDS.get(name, frozenset())


def judges_anywhere(name: str) -> bool:
    """Whether a probe judges findings at whose calls the run says nothing by itself, such as imports."""
    return name in _ANYWHERE


def probes() -> Mapping[str, ProbeFunction]:
    """All functions by the name of their probe."""
    return _FUNCTIONS
