"""How many of the injected faults are found, and what is found besides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mutations.engine import Mutant, Place, mutant
from tflint_hf.engine import ScanOptions, scan
from tflint_hf.findings import Severity


@dataclass(frozen=True)
class Outcome:
    """What became of one mutant."""

    code: str
    name: str
    found: bool
    others: tuple[str, ...]


def findings(path: str, text: str) -> list[tuple[str, Severity]]:
    result = scan((), ScanOptions(isolated=True, stdin=(text, path), jobs=1))
    assert result.errors == (), (path, result.errors)
    return [(finding.code, finding.severity) for finding in result.findings]


def judge(place: Place) -> Outcome:
    """Write the mutant of a place and see what is found in it."""
    made: Mutant = mutant(place)
    mutation = place.mutation
    # What only some ways through the program do is told as information.
    least = Severity.INFO if place.program.on_a_branch(place.node) else mutation.least
    found = findings(made.filename, made.text)
    others = {code for code, severity in found if severity >= Severity.WARNING} - mutation.brings - {mutation.code}
    return Outcome(
        mutation.code, place.name, any(c == mutation.code and s >= least for c, s in found), tuple(sorted(others))
    )


def table(outcomes: Sequence[Outcome]) -> str:
    """A line for each rule: mutants, how many were found, and with how many something else was found."""
    codes = sorted({outcome.code for outcome in outcomes})
    lines = ["code     mutants  found  recall  others"]
    for code in (*codes, "all"):
        of_code = [o for o in outcomes if code in {"all", o.code}]
        found = sum(o.found for o in of_code)
        others = sum(bool(o.others) for o in of_code)
        lines.append(f"{code:8} {len(of_code):7} {found:6} {found / len(of_code):7.3f} {others:7}")
    return "\n".join(lines)


def troubles(outcomes: Sequence[Outcome]) -> str:
    """The mutants that were not found, or in which something else was."""
    lines = [
        f"{o.name}: {'' if o.found else 'MISSED '}{' '.join(o.others)}" for o in outcomes if o.others or not o.found
    ]
    return "\n".join(sorted(lines))
