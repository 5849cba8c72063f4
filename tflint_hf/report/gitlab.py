"""Code Quality reports: GitLab shows what a merge request adds and mends."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from tflint_hf.findings import Severity
from tflint_hf.identity import Identity, identities
from tflint_hf.report.positions import lines_in_file
from tflint_hf.report.wellformed import dump
from tflint_hf.report.words import in_short, weight

if TYPE_CHECKING:
    from tflint_hf.findings import Finding, ScanError, ScanResult

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.INFO: "info"}


def render(result: ScanResult) -> str:
    known = identities(result.findings, result.sources)
    issues = [_issue(finding, identity, result) for finding, identity in zip(result.findings, known, strict=True)]
    issues += [_error(error) for error in result.errors]
    return dump(issues, indent=2)


def _issue(finding: Finding, identity: Identity, result: ScanResult) -> dict[str, Any]:
    place = finding.location
    known = lines_in_file(place, result)
    lines = {"begin": 1} if known is None else {"begin": known[0], "end": known[1]}
    return {
        "description": in_short(finding),
        "check_name": f"{finding.code} {finding.name}",
        "fingerprint": identity.fingerprint,
        "severity": _SEVERITIES[weight(finding)],
        "location": {"path": place.path, "lines": lines},
    }


def _error(error: ScanError) -> dict[str, Any]:
    identity = f"{error.path}\0{error.message}".encode("utf-8", "surrogatepass")
    return {
        "description": f"not scanned: {error.message}",
        "check_name": "not-scanned",
        "fingerprint": hashlib.sha256(identity).hexdigest()[:32],
        "severity": "blocker",
        "location": {"path": error.path, "lines": {"begin": 1}},
    }
