"""What comments and settings hide, and comments that hide nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tflint_hf.discovery import SUFFIXES
from tflint_hf.findings import Edit, Finding, Fix, Location, Safety
from tflint_hf.rule_set import load_rule_set
from tflint_hf.source import SourceError, source_from_bytes
from tflint_hf.suppression import Suppression, apply, find_suppressions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tflint_hf.rules import RuleTable


from tflint_hf.engine.options import Configs, ScanOptions, resolve_all, selected_codes

UNUSED_RULE = "TFX002"


def without_suppressed(
    findings: Sequence[Finding],
    suppressions: Mapping[str, tuple[Suppression, ...]],
    rules: RuleTable,
    configs: Configs,
    options: ScanOptions,
    texts: Mapping[tuple[str, int | None], tuple[str, ...]],
) -> list[Finding]:
    """The findings that stay, with those about suppressions that hid nothing."""

    def checked(path: str, selector: str) -> bool:
        if not _is_rule(selector, rules):
            return not rules.may_lack(selector)  # no such rule: the comment can never hide anything
        codes = selected_codes(configs.of(Path(path).absolute()), options, rules)
        return any(_matches(selector, code, rules.by_code[code].name) for code in codes)

    kept, unused = apply(_not_ignored(findings, rules, configs), suppressions, _matches, checked)
    rule = rules.by_code.get(UNUSED_RULE)
    if rule is None:
        return kept
    for suppression in unused:
        config = configs.of(Path(suppression.location.path).absolute())
        if UNUSED_RULE not in selected_codes(config, options, rules):
            continue
        if Path(suppression.location.path).suffix.lower() not in SUFFIXES:
            # What lists of requirements are for is known only if all programs that they serve were scanned.
            continue
        known = all(_is_rule(code, rules) for code in suppression.codes or ())
        values = {"selector": ", ".join(_described(code, rules) for code in suppression.codes or ("ALL",))}
        kept.append(
            Finding(
                rule.code,
                rule.name,
                rule.severity,
                rule.confidence,
                rule.message.format_map(values),
                rule.why.format_map(values),
                rule.advice.format_map(values),
                suppression.location,
                fix=_removal(suppression, suppressions, texts) if known else None,
                url=rule.url,
            )
        )
    return kept


def wanted(findings: Sequence[Finding], options: ScanOptions) -> list[Finding]:
    """Of findings that came after a scan, from a run of the program: those that settings and comments let through."""
    configs = Configs(options)
    rules = load_rule_set(configs.rule_sources(Path(finding.location.path).absolute() for finding in findings)).table
    chosen = []
    suppressions: dict[str, tuple[Suppression, ...]] = {}
    for finding in findings:
        path = Path(finding.location.path)
        if finding.code not in selected_codes(configs.of(path.absolute()), options, rules):
            continue
        chosen.append(finding)
        if finding.location.path not in suppressions:
            suppressions[finding.location.path] = _suppressions_in(path, finding.location.path, rules)
    return apply(_not_ignored(chosen, rules, configs), suppressions, _matches, lambda _path, _selector: False)[0]


def _is_rule(selector: str, rules: RuleTable) -> bool:
    return any(_matches(selector, code, rule.name) for code, rule in rules.by_code.items())


def _described(selector: str, rules: RuleTable) -> str:
    """What a comment names, with what may be meant if that is no rule."""
    if _is_rule(selector, rules):
        return selector
    close = rules.close_to(selector)
    hint = f": did you mean {' or '.join(close)}?" if close else ""
    return f"{selector} (no rule is called so{hint})"


def _suppressions_in(path: Path, shown: str, rules: RuleTable) -> tuple[Suppression, ...]:
    try:
        return find_suppressions(source_from_bytes(path.read_bytes(), path, shown), rules.prefixes)
    except (OSError, SourceError):
        return ()


def _matches(selector: str, code: str, name: str) -> bool:
    asked = selector.upper()
    return code.startswith(asked) or name.upper() == asked or asked == "ALL"


def _removal(
    unused: Suppression,
    suppressions: Mapping[str, tuple[Suppression, ...]],
    texts: Mapping[tuple[str, int | None], tuple[str, ...]],
) -> Fix | None:
    """Take the comment away, if nothing else stands in it and none of its codes is needed."""
    place = unused.location
    whole = next((s for s in suppressions[place.path] if s.location == place), None)
    line = texts.get((place.path, place.cell), ())[place.line - 1]
    start = line.find("#")
    comment = line[place.column - 1 :]
    if whole is None or whole.codes != unused.codes or start != place.column - 1 or comment.count("#") != 1:
        return None
    before = line[:start].rstrip()
    range_ = Location(place.path, place.cell, place.line, len(before) + 1, place.line, len(line) + 1)
    return Fix(Safety.SAFE, "Remove the comment", (Edit(range_, ""),))


def _not_ignored(findings: Sequence[Finding], rules: RuleTable, configs: Configs) -> list[Finding]:
    """The findings that no `per-file-ignores` leaves out."""
    from fnmatch import fnmatch

    kept = []
    for finding in findings:
        path = Path(finding.location.path).absolute()
        config = configs.of(path)
        base = config.path.parent if config.path is not None else Path.cwd()
        try:
            relative = path.relative_to(base.absolute()).as_posix()
        except ValueError:
            relative = path.as_posix()
        ignored = any(
            (fnmatch(relative, pattern) or fnmatch(path.name, pattern))
            and finding.code in resolve_all(selectors, rules)
            for pattern, selectors in config.per_file_ignores.items()
        )
        if not ignored:
            kept.append(finding)
    return kept
