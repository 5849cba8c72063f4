"""From traces to findings: the rules' functions run over the views they ask for."""

from __future__ import annotations

import contextlib
import copy
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from tflint_hf.checks.fault import Check, Fault
from tflint_hf.findings import Finding, Fix, Location, Related, Severity
from tflint_hf.trace.views import places_of, rests_on_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tflint_hf.fixes import PlannedFix
    from tflint_hf.rules import Rule, RuleTable
    from tflint_hf.target import Target
    from tflint_hf.trace.places import FilePlace, Place
    from tflint_hf.trace.views import Trace


@dataclass(frozen=True, eq=False, slots=True)
class Judgement:
    """A fault with the rule that found it, the target it was found for, and the calls it was seen at."""

    code: str
    fault: Fault
    target: Target
    severity: Severity | None
    events: tuple[Place, ...] = ()


OnFailure: TypeAlias = "Callable[[str, BaseException], None]"
"""Is told of a rule whose function, or whose fault, is not as it should be; the other rules go on."""


def judge(
    trace: Trace,
    target: Target,
    checks: Iterable[Check],
    options: Mapping[str, Mapping[str, Any]],
    on_failure: OnFailure | None = None,
) -> list[Judgement]:
    """The faults that the rules with these functions see in a trace. Without `on_failure`, what they raise goes up."""
    found: list[Judgement] = []
    for one in checks:
        try:
            # Standard output is for the report alone, whatever a function prints.
            with contextlib.redirect_stdout(sys.stderr):
                found.extend(list(_run(one, trace, target, copy.deepcopy(options.get(one.code, {})))))
        except BaseException as error:
            if on_failure is None or isinstance(error, KeyboardInterrupt):
                raise
            on_failure(one.code, error)
    return found


def _run(one: Check, trace: Trace, target: Target, options: Mapping[str, Any]) -> Iterable[Judgement]:
    """Run one rule. Where a call has several possible meanings, a fault counts in full only if each of them has it."""
    views = list(trace.of(one.view))
    sizes: dict[int, int] = {}
    counts: dict[int, int] = {}
    faulty: dict[int, int] = {}
    results: list[tuple[Any, list[Fault]]] = []
    known: dict[str, Any] = {"target": target, "options": options, "trace": trace}
    asked = {name: known[name] for name in one.wants}
    for view in views:
        yielded = one.function(view, **asked)
        if not isinstance(yielded, Iterable):
            raise TypeError(f"it gives {yielded!r}, not faults one after the other")
        faults = list(yielded)
        if strangers := [fault for fault in faults if not isinstance(fault, Fault)]:
            raise TypeError(f"it yields {strangers[0]!r}, which is no Fault")
        results.append((view, faults))
        group = getattr(view, "group", None)
        if group is not None:
            counts[group] = counts.get(group, 0) + 1
            sizes[group] = max(counts[group], getattr(view, "variants", 1))
            faulty[group] = faulty.get(group, 0) + bool(faults)
    for view, faults in results:
        group = getattr(view, "group", None)
        partly = group is not None and faulty[group] < sizes[group]
        on_purpose = rests_on_environment(getattr(view, "guards", frozenset()))
        if partly and on_purpose:
            continue
        for fault in faults:
            severity = Severity.INFO if partly or on_purpose else fault.severity
            yield Judgement(one.code, fault, target, severity, places_of(view))


def to_findings(
    judgements: Sequence[Judgement],
    rules: RuleTable,
    locate: Callable[[Place | FilePlace], Location],
    resolve_fix: Callable[[PlannedFix], Fix | None],
    on_failure: OnFailure | None = None,
) -> list[Finding]:
    """Findings in the user's terms, each fault once: the same place reached twice counts as its worst."""
    best: dict[tuple[str, Location], Finding] = {}
    for judgement in judgements:
        try:
            finding = _finding(judgement, rules.by_code[judgement.code], locate, resolve_fix)
        except Exception as error:
            if on_failure is None:
                raise
            on_failure(judgement.code, error)
            continue
        key = (finding.code, finding.location)
        known = best.get(key)
        if known is None or finding.severity > known.severity:
            best[key] = finding
    return sorted(best.values(), key=lambda finding: finding.sort_key)


def _finding(
    judgement: Judgement,
    rule: Rule,
    locate: Callable[[Place | FilePlace], Location],
    resolve_fix: Callable[[PlannedFix], Fix | None],
) -> Finding:
    fault = judgement.fault
    values = {name: str(value) for name, value in fault.values.items()}
    rests_on = fault.rests_on or (rule.applies if rule.origin else {})
    here = locate(fault.at)
    related = tuple(
        dict.fromkeys(Related(locate(place), message) for place, message in fault.related if locate(place) != here)
    )
    finding = Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        confidence=rule.confidence,
        message=_filled(rule.message, values),
        why=_filled(rule.why, values),
        advice=_filled(rule.advice, values),
        location=here,
        fix=resolve_fix(fault.fix) if fault.fix is not None else None,
        related=related,
        depends_on=judgement.target.depends_on(rests_on) if rests_on else None,
        url=rule.url,
        events=tuple(dict.fromkeys(locate(place) for place in judgement.events)),
    )
    return finding if judgement.severity is None else replace(finding, severity=judgement.severity)


def _filled(text: str, values: Mapping[str, str]) -> str:
    try:
        return text.format_map(values)
    except KeyError as error:
        raise ValueError(f"its text speaks of {{{error.args[0]}}}, which its function gives no value for") from None
