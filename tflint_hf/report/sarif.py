"""SARIF 2.1.0, the exchange format that code scanning services and editors read."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tflint_hf import __version__
from tflint_hf.findings import Severity
from tflint_hf.identity import identities
from tflint_hf.report.json import verdict_fields
from tflint_hf.report.page import render_body
from tflint_hf.report.positions import lines_in_file
from tflint_hf.rules import DOCUMENTATION_URL

if TYPE_CHECKING:
    from tflint_hf.findings import Edit, Finding, Fix, Location, Related, ScanError, ScanResult
    from tflint_hf.rules import Rule, RuleTable

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_ROOT = "%SRCROOT%"


def render(result: ScanResult, rules: RuleTable) -> str:
    met = sorted({finding.code for finding in result.findings})
    fingerprints = [identity.fingerprint for identity in identities(result.findings, result.sources)]
    run = {
        "tool": {
            "driver": {
                "name": "tflint-hf",
                "semanticVersion": __version__,
                **({"informationUri": DOCUMENTATION_URL} if DOCUMENTATION_URL else {}),
                "rules": [_rule(rules.by_code[code]) for code in met],
            }
        },
        "invocations": [
            {
                "executionSuccessful": not result.errors,
                "toolExecutionNotifications": [_notification(error) for error in result.errors],
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(finding, met.index(finding.code), fingerprint, result)
            for finding, fingerprint in zip(result.findings, fingerprints, strict=True)
        ],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=True) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    body = render_body(rule)
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.name.replace("-", " ").capitalize()},
        "fullDescription": {"text": rule.summary},
        "help": {"text": body, "markdown": body},
        **({"helpUri": rule.url} if rule.url else {}),
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": [rule.family], "precision": "very-high" if rule.confidence == "certain" else "high"},
    }


def _result(finding: Finding, rule_index: int, fingerprint: str, scan: ScanResult) -> dict[str, Any]:
    message = finding.message if not finding.advice else f"{finding.message}. Instead: {finding.advice}"
    cell = finding.location.cell
    if cell is not None:
        message = f"cell {cell}, line {finding.location.line}: {message}"
    links = "; ".join(f"[{_in_link(one.message)}]({number})" for number, one in enumerate(finding.related, 1))
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.severity if finding.stands else Severity.INFO],
        "message": {"text": f"{_in_text(message)}. See: {links}" if links else _in_text(message)},
        "locations": [_location(finding.location, scan)],
        "partialFingerprints": {"tflintHfFinding/v1": fingerprint},
    }
    if finding.related:
        result["relatedLocations"] = [
            _related(number, related, scan) for number, related in enumerate(finding.related, 1)
        ]
    # A replacement addresses lines of the file. A notebook's edits address lines of a cell, so they are left out.
    if finding.fix and all(edit.location.cell is None for edit in finding.fix.edits):
        result["fixes"] = [_fix(finding.fix)]
    properties: dict[str, Any] = {"confidence": finding.confidence}
    if finding.depends_on:
        properties["dependsOn"] = finding.depends_on
    if finding.verdict:
        properties["verdict"] = verdict_fields(finding.verdict)
    if cell is not None:
        properties["cell"] = cell
    return result | {"properties": properties}


def _in_text(text: str) -> str:
    """A text that holds no link: only a bracket pair followed by a parenthesis is one."""
    return re.sub(r"\](?=\()", r"\\]", text)


def _in_link(text: str) -> str:
    return re.sub(r"([\\\[\]])", r"\\\1", text)


def _location(location: Location, scan: ScanResult) -> dict[str, Any]:
    if location.cell is None:
        return {"physicalLocation": _physical(location.path, _region(location))}
    known = lines_in_file(location, scan)
    region = {"startLine": 1} if known is None else {"startLine": known[0], "endLine": known[1]}
    return {
        "physicalLocation": _physical(location.path, region),
        "logicalLocations": [
            {
                "name": f"cell {location.cell}",
                "fullyQualifiedName": f"{location.path} cell {location.cell}:{location.line}:{location.column}",
            }
        ],
        "properties": {"cell": location.cell, "cellRegion": _region(location)},
    }


def _physical(path: str, region: dict[str, int] | None = None) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(path)}
    return physical | {"region": region} if region else physical


def _artifact(path: str) -> dict[str, str]:
    quoted = quote(path, safe="/", errors="surrogateescape")
    if path.startswith("/"):
        return {"uri": f"file://{quoted}"}
    if re.match("[A-Za-z]:/", path):
        return {"uri": f"file:///{path[:2]}{quote(path[2:], safe='/')}"}
    return {"uri": quoted, "uriBaseId": _ROOT}


def _region(location: Location) -> dict[str, int]:
    return {
        "startLine": location.line,
        "startColumn": location.column,
        "endLine": location.end_line,
        "endColumn": location.end_column,
    }


def _related(number: int, related: Related, scan: ScanResult) -> dict[str, Any]:
    return {"id": number, "message": {"text": related.message}} | _location(related.location, scan)


def _fix(fix: Fix) -> dict[str, Any]:
    paths = sorted({edit.location.path for edit in fix.edits})
    return {
        "description": {"text": fix.title},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(path),
                "replacements": [_replacement(edit) for edit in fix.edits if edit.location.path == path],
            }
            for path in paths
        ],
        "properties": {"safety": fix.safety.value},
    }


def _replacement(edit: Edit) -> dict[str, Any]:
    return {"deletedRegion": _region(edit.location), "insertedContent": {"text": edit.text}}


def _notification(error: ScanError) -> dict[str, Any]:
    return {
        "level": "error",
        "message": {"text": error.message},
        "locations": [{"physicalLocation": _physical(error.path)}],
    }
