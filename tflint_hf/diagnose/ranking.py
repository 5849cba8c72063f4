"""What a log and a scan of its program say together, the most likely cause first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.diagnose.errors import last_error
from tflint_hf.diagnose.matching import Recognised, recognise_in
from tflint_hf.diagnose.remarks import remark
from tflint_hf.rules import without_values

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tflint_hf.diagnose.errors import LoggedError
    from tflint_hf.diagnose.log import Log
    from tflint_hf.findings import Finding
    from tflint_hf.rules import Rule, RuleTable

NEARBY_LINES = 3


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A rule that a log points to. `finding` is where the reader finds its fault in the program, if it does."""

    rule: Rule
    clue: Recognised
    finding: Finding | None = None

    @property
    def means(self) -> str:
        """What is the matter: of the program if it was read, of the symptom otherwise."""
        if self.finding is not None:
            return self.finding.message
        return self.clue.note or self.rule.summary

    @property
    def why(self) -> str:
        if self.finding is not None:
            return self.finding.why
        says_nothing = re.fullmatch(r"\{\w+\}", self.rule.why)
        return (self.rule.first_paragraph("Why it is bad") if says_nothing else "") or without_values(self.rule.why)

    @property
    def advice(self) -> str:
        return self.finding.advice if self.finding is not None else without_values(self.rule.advice)


@dataclass(frozen=True, slots=True)
class Report:
    """`remark` is for a log that no rule knows; `others` are findings of the program that the log does not speak of."""

    diagnoses: tuple[Diagnosis, ...]
    remark: str | None
    others: tuple[Finding, ...]


def diagnose(log: Log, rules: RuleTable, findings: Iterable[Finding] = ()) -> Report:
    """The rules that a log points to. `findings` are those of the program that wrote it."""
    findings = tuple(findings)
    clues = recognise_in(log, rules)
    error = last_error(log)
    diagnoses = [Diagnosis(rules.by_code[clue.code], clue, _nearest(clue, findings, error)) for clue in clues]
    confirmed = {d.clue.excerpt for d in diagnoses if d.finding is not None}
    kept = [d for d in diagnoses if d.finding is not None or not _needless(d.clue, confirmed)]
    kept.sort(key=lambda diagnosis: _rank(diagnosis, error))
    named = {diagnosis.rule.code for diagnosis in kept}
    others = tuple(finding for finding in findings if finding.code not in named)
    return Report(tuple(kept), None if kept else remark(log, error), others)


def _needless(clue: Recognised, confirmed: set[str]) -> bool:
    """Whether a clue to a fault that the program is not seen to have says too little, or is explained by another."""
    if clue.strength == "vague":
        return True
    return bool(confirmed) and (
        clue.strength == "possible" or (clue.strength != "certain" and clue.excerpt in confirmed)
    )


def _rank(diagnosis: Diagnosis, error: LoggedError | None) -> tuple[object, ...]:
    finding, clue = diagnosis.finding, diagnosis.clue
    near = finding is not None and _is_near(finding, clue, error)
    aside = error is not None and clue.kind != "error"  # it is the error that stopped the program
    strength, kind = clue.rank
    return (finding is None, not near, strength + aside, kind, clue.code)


def _nearest(clue: Recognised, findings: tuple[Finding, ...], error: LoggedError | None) -> Finding | None:
    """The finding of a clue's rule, the one near the traceback if there are several."""
    same = [finding for finding in findings if finding.code == clue.code]
    return min(same, key=lambda finding: (not _is_near(finding, clue, error), finding.sort_key), default=None)


def _is_near(finding: Finding, clue: Recognised, error: LoggedError | None) -> bool:
    """Whether the traceback, or the output of a notebook's cell, comes from the lines that the finding speaks of."""
    places = (finding.location, *(related.location for related in finding.related))
    if clue.cell is not None:
        return any(place.cell == clue.cell for place in places)
    for frame in error.frames if error else ():
        name = re.split(r"[\\/]", frame.path)[-1]
        for place in places:
            if place.path.rsplit("/", 1)[-1] == name and abs(place.line - frame.line) <= NEARBY_LINES:
                return True
    return False
