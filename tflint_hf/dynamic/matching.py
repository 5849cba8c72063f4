"""Findings of the reader and happenings of the run meet by the calls of the program that they belong to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tflint_hf.dynamic.record import Frames, Moment, Observation, ObservedTraining
    from tflint_hf.findings import Finding, Location


@dataclass(frozen=True, eq=False, slots=True)
class Met:
    """The trainings and moments of the run that a finding is about. `surely`: they lie on the finding's own calls."""

    trainings: tuple[ObservedTraining, ...]
    moments: tuple[Moment, ...]
    surely: bool

    @property
    def reached(self) -> bool:
        return bool(self.trainings or self.moments)


def meet(finding: Finding, observation: Observation) -> Met:
    """What of the run belongs to a finding.

    A finding about data, an optimizer or a tokenizer has no training among its own calls: then the trainings that got
    that data or optimizer count, and if this is not known, those of the whole program, as long as they all are the
    same one.
    Where nothing happened at its own calls, those that its message points to count.
    """
    met = _meet((*finding.events, finding.location), observation)
    if met.reached:
        return met
    return _meet(tuple(one.location for one in finding.related), observation)


def _meet(calls: tuple[Location, ...], observation: Observation) -> Met:
    trainings = tuple(t for t in observation.trainings if _on(calls, t.at) or _on(calls, t.compiled_at))
    moments = tuple(m for m in observation.moments if any(_on(calls, at) for at in (m.at, *m.fed_by)))
    if trainings:
        return Met(_closest(calls, trainings), moments, surely=True)
    fed = tuple(t for t in observation.trainings if any(_on(calls, at) for at in _parts_of(t)))
    if fed:
        return Met(fed, moments, surely=True)
    if moments and len({t.at[:1] for t in observation.trainings}) == 1:
        return Met(observation.trainings, moments, surely=False)
    return Met((), moments, surely=False)


def calls_of(finding: Finding) -> tuple[Location, ...]:
    """The places of the program that a finding is about."""
    return (*finding.events, finding.location, *(one.location for one in finding.related))


def _parts_of(training: ObservedTraining) -> tuple[Frames, ...]:
    return (*training.fed_by, *training.validated_by, training.optimizer_at)


def _on(calls: tuple[Location, ...], frames: Frames) -> bool:
    return any(frame.touches(call) for frame in frames for call in calls)


def _closest(calls: tuple[Location, ...], trainings: tuple[ObservedTraining, ...]) -> tuple[ObservedTraining, ...]:
    """Those that share most of the finding's calls: one compile() may serve several fits, and the other way round."""

    def shared(training: ObservedTraining) -> int:
        return sum(_on((call,), training.at) + _on((call,), training.compiled_at) for call in calls)

    best = max(shared(training) for training in trainings)
    return tuple(training for training in trainings if shared(training) == best)
