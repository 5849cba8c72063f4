"""Whether rules do what their files and fixtures say."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tflint_hf.editing.fixing import fix, not_python
from tflint_hf.engine import ScanOptions, scan
from tflint_hf.findings import Finding, Safety, Severity
from tflint_hf.source import SourceError, source_from_bytes
from tflint_hf.target import unknown_target

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tflint_hf.rules import Rule

EXPECTED = "expected.json"
SAFETIES = frozenset(Safety)


class ExpectationError(Exception):
    """A file that says what to expect cannot be read. The message is for people."""


@dataclass(frozen=True, order=True, slots=True)
class Expected:
    """A finding that a fixture must have: its file below the fixtures' folder, its cell (0: none), its line."""

    file: str
    cell: int
    line: int
    code: str

    def __str__(self) -> str:
        where = f"{self.file} cell {self.cell}" if self.cell else self.file
        return f"{self.code} in {where}, line {self.line}"


def targets_for(rule: Rule) -> dict[str, str]:
    """A stack for which a rule applies, where it is not the one that is taken for granted anyway."""
    states_its_own = "# /// script" in rule.bad
    return {} if states_its_own or unknown_target().satisfies(rule.applies) else dict(rule.applies)


def problems_of_examples(rule: Rule, options: ScanOptions) -> list[str]:
    """What is wrong with the programs on a rule's page: the bad one must have the fault, the good one must not."""
    problems = []
    found = {}
    for name, program in (("bad", rule.bad), ("good", rule.good)):
        result = scan((), replace(options, stdin=(program, "example.py")))
        found[name] = [finding for finding in result.findings if finding.code == rule.code]
        problems += [f"the {name} example: {error.message}" for error in result.errors]
        if trouble := not_python(program):
            problems.append(f"the {name} example is not Python: {trouble}")
    if not (found["bad"] or problems):
        problems.append("the bad example does not have the fault")
    if found["good"]:
        problems.append("the good example has the fault")
    return problems


def problems_of_fixtures(folder: Path, options: ScanOptions, codes: Iterable[str] | None = None) -> list[str]:
    """Where the programs in a folder have other faults than its `expected.json` says.

    `findings` are those at warning and above, all of them; `infos` must be there, others may be. Only findings of
    `codes` count. Raises ExpectationError.
    """
    findings, infos = _read(folder / EXPECTED)
    known = None if codes is None else frozenset(codes)
    result = scan([folder], options)
    problems = [f"{error.path}: {error.message}" for error in result.errors]
    found = [finding for finding in result.findings if known is None or finding.code in known]
    serious = {_place(f, folder) for f in found if f.severity >= Severity.WARNING}
    others = {_place(f, folder) for f in found if f.severity is Severity.INFO}
    problems += [f"not found: {one}" for one in sorted(findings - serious)]
    problems += [f"found, but not expected: {one}" for one in sorted(serious - findings)]
    problems += [f"not found as info: {one}" for one in sorted(infos - others)]
    return problems


def problems_of_fixes(folder: Path, options: ScanOptions, promised: str) -> list[str]:
    """What is wrong with the fixes in the programs of a folder: made, they must leave Python, and nothing to fix.

    `promised` is what the rule's file says of fixes.
    """
    done = fix([folder], options, SAFETIES)
    given = {finding.fix.safety.value for finding in (*done.findings, *done.result.findings) if finding.fix is not None}
    given |= {finding.fix.safety.value for finding, _ in done.refused if finding.fix is not None}
    wrong = given - {promised, "safe" if promised == "unsafe" else promised}
    problems = [f"its function gives a fix that is {one}, but its file says `fix: {promised}`" for one in sorted(wrong)]
    if promised != "none" and not given:
        problems.append(f"its file says `fix: {promised}`, but no program here gets a fix that can be made")
    problems += [f"{finding.location}: the fix of {finding.code} is refused: {why}" for finding, why in done.refused]
    left = [finding for finding in done.result.findings if finding.fix is not None]
    problems += [f"{one.location}: {one.code} still wants to be fixed after its fix" for one in left]
    for change in done.changes:
        try:
            source = source_from_bytes(change.after, change.path, change.display)
        except SourceError as error:
            problems.append(f"{change.display}: the fixes leave what is not Python: {error}")
            continue
        troubles = filter(None, (not_python(fragment.text) for fragment in source.fragments))
        problems += [f"{change.display}: the fixes leave what is not Python: {trouble}" for trouble in troubles]
    return problems


def _place(finding: Finding, folder: Path) -> Expected:
    path = Path(finding.location.path).absolute().relative_to(folder.absolute())
    return Expected(path.as_posix(), finding.location.cell or 0, finding.location.line, finding.code)


def _read(path: Path) -> tuple[set[Expected], set[Expected]]:
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return _entries(said["findings"]), _entries(said.get("infos", ()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        example = '{"findings": [{"file": "bad.py", "line": 3, "code": "LAB001"}]}'
        raise ExpectationError(f"{path}: is not as {example}: {type(error).__name__}: {error}") from None


def _entries(said: Sequence[Mapping[str, Any]]) -> set[Expected]:
    return {Expected(one["file"], one.get("cell") or 0, one["line"], one["code"]) for one in said}
