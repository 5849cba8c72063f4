"""Findings and the run of their program, brought together: each finding gets a verdict."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tflint_hf.diagnose import recognise
from tflint_hf.dynamic.matching import calls_of, meet
from tflint_hf.dynamic.observed import locate, observed_trace, target_of
from tflint_hf.dynamic.record import NO_TRAINING, Observation, essence, observation_of
from tflint_hf.dynamic.runner import Ended, run_program
from tflint_hf.dynamic.verdicts import Scene, judges_anywhere, probes
from tflint_hf.findings import Finding, Location, Outcome, ScanError, Verdict
from tflint_hf.judge import judge, to_findings
from tflint_hf.own_rules.bundle import failed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from tflint_hf.diagnose.matching import Recognised
    from tflint_hf.dynamic.job import RunOptions
    from tflint_hf.dynamic.matching import Met
    from tflint_hf.dynamic.record import RunError
    from tflint_hf.judge import OnFailure
    from tflint_hf.rule_set import RuleSet
    from tflint_hf.rules import Rule, RuleTable

RANK = {Outcome.CONFIRMED: 3, Outcome.REFUTED: 2, Outcome.UNDECIDED: 1, Outcome.NOT_REACHED: 0}


@dataclass(frozen=True, eq=False, slots=True)
class Confirmation:
    """The findings of one program with their verdicts, and the run that they rest on.

    `failures` are of rules whose functions could not judge what the run showed.
    """

    script: Path
    findings: tuple[Finding, ...]
    observation: Observation
    options: RunOptions
    failures: tuple[ScanError, ...] = ()


def confirm(
    script: Path,
    findings: Sequence[Finding],
    rules: RuleSet,
    options: RunOptions,
    listen: Callable[[Mapping[str, Any]], None] | None = None,
    unwanted: Callable[[], bool] | None = None,
) -> Confirmation:
    """Run a program and judge its findings by what the run shows. Raises as `run_program` does."""
    observation = observation_of(run_program(script, options, listen, unwanted))
    failures: list[ScanError] = []

    def on_failure(code: str, error: BaseException) -> None:
        failures.append(failed(rules.table.by_code[code], str(script), error))

    judged = judge_run(findings, observation, rules, on_failure)
    return Confirmation(script, judged, observation, options, tuple(failures))


def judge_run(
    findings: Sequence[Finding], observation: Observation, rules: RuleSet, on_failure: OnFailure | None = None
) -> tuple[Finding, ...]:
    """The findings with their verdicts, and those that only the run shows. `on_failure` is that of `judge`."""
    table = rules.table
    judged = [replace(finding, verdict=verdict_on(finding, observation, table, findings)) for finding in findings]
    judged.extend(shown_by_run(judged, observation, rules, on_failure))
    return tuple(sorted(judged, key=lambda finding: finding.sort_key))


LIBRARIES = frozenset({"tensorflow", "tf_keras", "transformers", "datasets", "keras"})


def missing_library(observation: Observation) -> str | None:
    """A library of the extra `confirm` that the program's interpreter lacks, if that is what stopped the program."""
    for error in observation.errors:
        named = re.match(r"No module named '(\w+)'", error.text)
        if error.type in {"ModuleNotFoundError", "ImportError"} and named and named[1] in LIBRARIES:
            return named[1]
    return None


def shown_by_run(
    known: Sequence[Finding], observation: Observation, rules: RuleSet, on_failure: OnFailure | None = None
) -> list[Finding]:
    """Faults that the reader did not find: a rule sees them in the observed trace, and a measurement confirms them."""
    target = target_of(observation)
    table = rules.table
    checks = rules.checks_for(target, {rule.code for rule in table if rule.probe in probes()})
    found: dict[tuple[str, Location], Finding] = {}
    for training in observation.trainings:
        trace = observed_trace(training)
        if trace is None:
            continue
        judgements = judge(trace, target, checks, table.default_options, on_failure)
        for finding in to_findings(judgements, table, locate, lambda _fix: None, on_failure):
            rule = table.by_code[finding.code]
            probe = rule.probe or ""
            measured = probes()[probe](Scene(finding, training, (), observation, rule.applies))
            if measured is None or measured.outcome is not Outcome.CONFIRMED:
                continue
            if any(
                table.by_code[one.code].probe == probe and training in meet(one, observation).trainings for one in known
            ):
                continue  # the same measurement has its finding already
            found[finding.code, finding.location] = replace(finding, verdict=measured.verdict(probe))
    return list(found.values())


def verdict_on(finding: Finding, observation: Observation, rules: RuleTable, others: Sequence[Finding] = ()) -> Verdict:
    """What the run says of one finding. `others` are all findings of the program."""
    rule = rules.by_code[finding.code]
    met = meet(finding, observation)
    function = probes().get(rule.probe or "")
    best = None
    if function is not None and (met.reached or judges_anywhere(rule.probe or "")):
        trainings = met.trainings or (NO_TRAINING,)
        scenes = [Scene(finding, training, met.moments, observation, rule.applies) for training in trainings]
        said = [one for scene in scenes if (one := function(scene)) is not None]
        best = max(said, key=lambda one: RANK[one.outcome], default=None)
    stop = stopped_by(finding, rule, met, observation, others)
    if stop is not None:
        if best is not None and best.outcome is Outcome.CONFIRMED:
            return replace(best, evidence=f"{best.evidence}; {stop}").verdict(rule.probe or "")
        return Verdict(Outcome.CONFIRMED, stop, rule.probe or "")
    if rule.probe is None:
        return Verdict(Outcome.UNDECIDED, _no_run_can_tell(rule.probe_reason))
    if best is not None:
        return best.verdict(rule.probe)
    if not met.reached:
        return Verdict(Outcome.NOT_REACHED, _why_not_reached(finding, observation))
    return Verdict(Outcome.UNDECIDED, _why_undecided(met, observation), rule.probe)


def stopped_by(
    finding: Finding, rule: Rule, met: Met, observation: Observation, others: Sequence[Finding] = ()
) -> str | None:
    """How the program was stopped by a symptom of the finding's rule, at its calls or at what comes of them."""
    for error in observation.errors:
        texts = (f"{error.type}: {error.text}", error.log)
        clue = next((clue for text in texts for clue in recognise(text, (rule,))), None)
        if clue is None:
            continue
        alike = [one for one in others if one.code == finding.code and one is not finding]
        surely = clue.strength == "certain" and bool(error.at) and not alike  # a callback of the program fails in fit()
        if (
            _at(error, finding)
            or surely
            or (
                _may_come_of(error, finding, met, observation)
                and not any(_at(error, one) or _nearer(error, one, finding) for one in alike)
            )
        ):
            return f"the program stops at {error.at[0].words}: {error.type}: {_telling_part(error, clue, rule)}"
    return None


def _telling_part(error: RunError, clue: Recognised, rule: Rule) -> str:
    """The essence of an exception if the symptom is in it, else the line that has it."""
    short = essence(error.text)
    named = f"{error.type}: {error.text}"
    if recognise(f"{error.type}: {short}", (rule,)) or clue.excerpt not in named:
        return short.removeprefix(f"{error.type}: ")
    return (clue.excerpt.partition(f"{error.type}: ")[2] or clue.excerpt)[:240]


def _at(error: RunError, finding: Finding) -> bool:
    return any(frame.touches(call) for frame in error.at for call in calls_of(finding))


def _may_come_of(error: RunError, finding: Finding, met: Met, observation: Observation) -> bool:
    """Whether what the finding is about was made before the error, and is not known to go elsewhere."""
    if not error.at or not (met.reached or _between(error, finding)):
        return False
    here = {t.number for t in observation.trainings if set(t.at) & set(error.at)}
    return not here or not met.trainings or bool(here & {t.number for t in met.trainings})


def _between(error: RunError, finding: Finding) -> bool:
    """What a call made goes through other lines on its way to the call that it is not fit for."""
    path = os.path.realpath(finding.location.path)
    calls = [_position(call) for call in calls_of(finding) if call.path == finding.location.path]
    places = [(frame.cell or 0, frame.line) for frame in error.at if frame.path == path]
    return any(min(calls) <= place <= max(calls) for place in places)


def _nearer(error: RunError, one: Finding, other: Finding) -> bool:
    """Whether `one` lies between `other` and the error."""
    places = [(frame.cell or 0, frame.line) for frame in error.at]
    return any(_position(other.location) < _position(one.location) <= place for place in places)


def _position(location: Location) -> tuple[int, int]:
    return location.cell or 0, location.line


def _why_not_reached(finding: Finding, observation: Observation) -> str:
    error = next((error for error in observation.errors if _stopped_before(error, finding)), None)
    if error is not None:
        where = f", at {error.at[0].words}" if error.at else ""
        if error.refused:
            return f"a run may not do what the program does before{where}: {essence(error.text)}"
        return f"the run stopped before{where}: {error.type}: {essence(error.text)}"
    if observation.record.ended is Ended.OUT_OF_TIME:
        return "the run was out of time before it came here"
    if observation.record.ended is Ended.KILLED:
        return f"the run was killed (signal {observation.record.signal}) before it came here"
    return "the run saw nothing happen here"


def _stopped_before(error: RunError, finding: Finding) -> bool:
    """Whether an exception kept the run from a finding. After a cell of a notebook that fails the others go on."""
    elsewhere = bool(error.at) and error.at[-1].cell not in {None, finding.location.cell}
    return not error.went_on and not elsewhere


def _no_run_can_tell(reason: str | None) -> str:
    return f"no run can tell: {reason}" if reason else "no run can tell"


def _why_undecided(met: Met, observation: Observation) -> str:
    ended = observation.record.ended
    if ended is Ended.OUT_OF_TIME or any(training.skipped for training in met.trainings):
        return "there was no time for the measurement"
    if ended is Ended.KILLED:
        return "the run was killed before the measurement"
    return "the run showed nothing for or against it"
