"""All rules of a scan, with their functions: those of the tool, of installed packages, and of the user's folders."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.findings import ScanError
from tflint_hf.own_rules.folders import load_folder, stamp
from tflint_hf.own_rules.packages import load_packages
from tflint_hf.rule_files import load_rules
from tflint_hf.rules import Rule, RuleTable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from tflint_hf.checks.fault import Check
    from tflint_hf.findings import RuleSources
    from tflint_hf.own_rules.bundle import Bundle
    from tflint_hf.own_rules.folders import Stamp
    from tflint_hf.target import Target


@dataclass(frozen=True, eq=False)
class RuleSet:
    """The table of rules, the functions of those that do not come with the tool, and what could not be loaded."""

    table: RuleTable
    own_checks: Mapping[str, Check]
    failures: tuple[ScanError, ...] = ()

    @functools.cached_property
    def checks(self) -> Mapping[str, Check]:
        """The functions of all rules that have one, by code, in the order of the codes."""
        from tflint_hf.checks.built_in import built_in_checks

        return dict(sorted({**built_in_checks(), **self.own_checks}.items()))

    def checks_for(self, target: Target, codes: Collection[str]) -> list[Check]:
        """The functions of the rules with these codes to ask about a program for this target.

        Those of the tool look at the target themselves, that of a user's rule is asked if its `applies` holds.
        """
        asked = [(self.table.by_code[code], one) for code, one in self.checks.items() if code in codes]
        return [one for rule, one in asked if not rule.origin or target.satisfies(rule.applies)]


def load_rule_set(sources: RuleSources) -> RuleSet:
    """The rules of these sources. What is wrong with one of them is among the failures, and the others count."""
    return _load(sources, tuple(stamp(folder) for folder in sources.folders))


@functools.lru_cache(maxsize=32)
def _load(sources: RuleSources, stamps: tuple[Stamp, ...]) -> RuleSet:
    bundles = list(load_packages()) if sources.packages else []
    bundles += [load_folder(folder, state) for folder, state in zip(sources.folders, stamps, strict=True)]
    rules = {rule.code: rule for rule in load_rules()}
    checks: dict[str, Check] = {}
    failures: list[ScanError] = []
    for bundle in _once(bundles):
        failures += bundle.failures
        for rule in bundle.rules:
            if (other := _like(rule, rules)) is not None:
                whose = f"of {other.origin}" if other.origin else "of tflint-hf itself"
                what = "code" if other.code == rule.code else "name"
                failures.append(
                    ScanError(
                        bundle.origin, f"the {what} of {rule.code} {rule.name} is one {whose}: this rule is left out"
                    )
                )
                continue
            rules[rule.code] = rule
            if bundle.checks is not None:
                checks[rule.code] = bundle.checks[rule.code]
    withheld = sources.withheld or not sources.packages
    return RuleSet(RuleTable(rules.values(), withheld=withheld, failed=bool(failures)), checks, tuple(failures))


def _once(bundles: Iterable[Bundle]) -> Iterable[Bundle]:
    """The first that was read of each folder: it may have several names, or be that of an installed package too."""
    first: dict[object, Bundle] = {}
    for bundle in bundles:
        first.setdefault(bundle.home or id(bundle), bundle)
    return first.values()


def _like(rule: Rule, rules: Mapping[str, Rule]) -> Rule | None:
    return next((one for one in rules.values() if one.code == rule.code or one.name == rule.name), None)
