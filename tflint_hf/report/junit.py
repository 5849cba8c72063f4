"""JUnit's XML, for services that show tests: a suite for each file, a failed test for each finding."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from tflint_hf.findings import Severity
from tflint_hf.report.style import printable
from tflint_hf.report.words import explained, weight

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tflint_hf.findings import Finding, ScanError, ScanResult


def render(result: ScanResult) -> str:
    """A file without findings is a suite with one passed test. What is no fault, or what a run refutes, is skipped."""
    findings: dict[str, list[Finding]] = {}
    for finding in result.findings:
        findings.setdefault(finding.location.path, []).append(finding)
    errors: dict[str, list[ScanError]] = {}
    for error in result.errors:
        errors.setdefault(error.path, []).append(error)
    root = ElementTree.Element("testsuites", name="tflint-hf")
    for path in sorted({*result.checked, *findings, *errors}):
        root.append(_suite(path, findings.get(path, ()), errors.get(path, ())))
    for count in ("tests", "failures", "errors"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _suite(path: str, findings: Sequence[Finding], errors: Sequence[ScanError]) -> ElementTree.Element:
    counts: Counter[str] = Counter()
    name = printable(path)
    suite = ElementTree.Element("testsuite", name=name)
    seen: Counter[str] = Counter()
    for finding in findings:
        rule = f"{finding.code} {finding.name}"
        seen[rule] += 1
        # The name is that of the test in the next run too, so it has no line.
        case = _case(suite, name, rule if seen[rule] == 1 else f"{rule} ({seen[rule]})")
        kind = "skipped" if weight(finding) is Severity.INFO else "failure"
        counts[kind] += 1
        where = printable(f"{finding.location}: {finding.message}")
        outcome = ElementTree.SubElement(case, kind, type=finding.severity.label, message=where)
        outcome.text = "\n".join(
            [str(printable(str(finding.location))), *map(printable, explained(finding).split("\n"))]
        )
    for error in errors:
        counts["error"] += 1
        case = _case(suite, name, "not scanned")
        ElementTree.SubElement(case, "error", type="not scanned", message=printable(error.message))
    if not findings and not errors:
        _case(suite, name, "tflint-hf")
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(counts["failure"]))
    suite.set("errors", str(counts["error"]))
    suite.set("skipped", str(counts["skipped"]))
    return suite


def _case(suite: ElementTree.Element, path: str, name: str) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", classname=path, name=name)
