"""Reports for programs: JSON, GitHub workflow commands and SARIF."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from report_samples import BROKEN, FULL, LOSS, METRIC, OPTIMIZER, TRAIN, result, sample_rules

import tflint_hf.report
from tflint_hf.findings import Edit, Finding, Fix, Location, Safety, ScanResult
from tflint_hf.report import github, sarif, statistics
from tflint_hf.report import json as json_report

if TYPE_CHECKING:
    from tflint_hf.rules import RuleTable

# The official schema of SARIF 2.1.0 (OASIS, errata 01), unchanged.
SARIF_SCHEMA = json.loads((Path(__file__).parent / "data" / "sarif-2.1.0.schema.json").read_text(encoding="utf-8"))
FINDINGS_SCHEMA = json.loads(
    (Path(tflint_hf.report.__file__).parent / "findings.schema.json").read_text(encoding="utf-8")
)
ODD_NAME = dataclasses.replace(LOSS, location=Location("a b/ä%,:\udc80.py", None, 1, 1, 1, 2), related=())


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> RuleTable:
    return sample_rules(tmp_path_factory.mktemp("rules"))


def sarif_run(scan: ScanResult, rules: RuleTable) -> dict[str, Any]:
    log = json.loads(sarif.render(scan, rules))
    jsonschema.validate(log, SARIF_SCHEMA)
    run: dict[str, Any] = log["runs"][0]
    return run


@pytest.mark.parametrize("scan", [FULL, BROKEN, result(), result(ODD_NAME)])
def test_json_keeps_to_its_published_schema(scan: ScanResult) -> None:
    jsonschema.validate(json.loads(json_report.render(scan)), FINDINGS_SCHEMA)


def test_json_carries_everything_a_program_needs() -> None:
    report = json.loads(json_report.render(FULL))
    assert report["version"] == 1
    assert report["targets"] == {".": {"tensorflow": "2.21", "transformers": "4.57.6"}}
    loss = report["findings"][2]
    assert (loss["path"], loss["cell"], loss["line"], loss["column"], loss["end_line"], loss["end_column"]) == (
        *("train.py", None),
        *(7, 10, 7, 43),
    )
    assert loss["fix"]["safety"] == "unsafe"
    assert loss["fix"]["edits"][0]["text"].endswith("(from_logits=True)")
    assert loss["related"][0]["message"] == "the model is made here"
    assert loss["verdict"] is None
    assert report["findings"][1]["depends_on"] == "tensorflow>=2.16"
    assert json.loads(json_report.render(BROKEN))["errors"] == [{"path": "gone.py", "message": "there is no such file"}]


def test_json_schema_refuses_a_finding_without_a_code() -> None:
    report = json.loads(json_report.render(FULL))
    del report["findings"][0]["code"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(report, FINDINGS_SCHEMA)


def test_json_is_plain_ascii_whatever_the_files_are_called() -> None:
    assert json_report.render(result(ODD_NAME)).isascii()


def test_statistics_have_a_json_form() -> None:
    report = json.loads(statistics.render_json(result(LOSS, OPTIMIZER, LOSS)))
    assert report["statistics"] == [
        {"code": "TFL001", "name": "crossentropy-on-logits", "severity": "error", "count": 2},
        {"code": "TFO001", "name": "string-optimizer", "severity": "warning", "count": 1},
    ]


def test_github_marks_the_exact_range() -> None:
    line = github.render(result(LOSS)).splitlines()[0]
    properties = "title=TFL001 crossentropy-on-logits,file=train.py,line=7,endLine=7,col=10,endColumn=43"
    assert line.startswith(f"::error {properties}::train.py:7:10: ")


def test_github_says_on_which_version_a_finding_depends() -> None:
    line = github.render(result(OPTIMIZER))
    assert line.endswith("%0Adepends on: tensorflow>=2.16\n")


def test_github_escapes_what_would_end_a_property_or_the_command() -> None:
    finding = dataclasses.replace(LOSS, message="100% wrong\r\nreally", why="", advice="", location=ODD_NAME.location)
    line = github.render(result(finding))
    assert line.count("\n") == 1
    assert "file=a b/ä%25%2C%3A\udc80.py," in line
    assert line.endswith("100%25 wrong%0D%0Areally\n")


def test_github_shows_the_line_of_a_notebook_that_a_change_has() -> None:
    line = github.render(result(METRIC))
    assert line.startswith("::notice title=TFE010 removed-load-metric,file=nb/eval%2C final.ipynb,line=40,endLine=43::")
    assert "cell 3:1:1" in line
    unknown = github.render(dataclasses.replace(result(METRIC), file_lines={}))
    assert ",file=nb/eval%2C final.ipynb,line=1::" in unknown


def test_github_leaves_columns_out_of_a_range_over_lines() -> None:
    line = github.render(result(dataclasses.replace(LOSS, location=Location("a.py", None, 2, 3, 4, 5))))
    assert ",line=2,endLine=4::" in line


def test_github_reports_what_could_not_be_scanned() -> None:
    assert github.render(BROKEN) == "::error title=not scanned,file=gone.py::gone.py: there is no such file\n"


@pytest.mark.parametrize("scan", [FULL, BROKEN, result(), result(ODD_NAME)])
def test_sarif_is_valid(scan: ScanResult, rules: RuleTable) -> None:
    sarif_run(scan, rules)


def test_sarif_results_point_to_their_rule_and_range(rules: RuleTable) -> None:
    run = sarif_run(FULL, rules)
    loss = run["results"][2]
    rule = run["tool"]["driver"]["rules"][loss["ruleIndex"]]
    assert rule["id"] == loss["ruleId"] == "TFL001"
    assert "```python\nmodel.compile(loss=" in rule["help"]["markdown"]
    assert loss["level"] == "error"
    assert loss["message"]["text"].endswith(". See: [the model is made here](1)")
    assert run["columnKind"] == "unicodeCodePoints"
    assert loss["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 7,
        "startColumn": 10,
        "endLine": 7,
        "endColumn": 43,
    }
    replacement = loss["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert replacement["deletedRegion"]["startColumn"] == 10
    assert replacement["insertedContent"]["text"].startswith("tf.keras.losses.")


def test_sarif_messages_hold_no_link_but_those_to_related_places(rules: RuleTable) -> None:
    related = (dataclasses.replace(LOSS.related[0], message="made of [a, b]"), *LOSS.related)
    finding = dataclasses.replace(LOSS, message="fit(x[0](1))", related=related)
    text = sarif_run(result(finding), rules)["results"][0]["message"]["text"]
    assert text.startswith("fit(x[0\\](1))")
    assert text.endswith(f"See: [made of \\[a, b\\]](1); [{LOSS.related[0].message}](2)")


def test_sarif_names_the_cell_and_offers_no_edit_that_would_break_a_notebook(rules: RuleTable) -> None:
    finding = sarif_run(result(METRIC), rules)["results"][0]
    location = finding["locations"][0]
    assert location["physicalLocation"]["region"] == {"startLine": 40, "endLine": 43}
    assert location["logicalLocations"][0]["name"] == "cell 3"
    assert location["properties"]["cellRegion"]["endLine"] == 4
    assert finding["properties"]["cell"] == 3
    assert finding["message"]["text"].startswith("cell 3, line 1: ")
    assert "fixes" not in finding


@pytest.mark.parametrize(
    ("path", "artifact"),
    [
        ("a b/ä#?.py", {"uri": "a%20b/%C3%A4%23%3F.py", "uriBaseId": "%SRCROOT%"}),
        ("odd\udc80.py", {"uri": "odd%80.py", "uriBaseId": "%SRCROOT%"}),
        ("/srv/a b.py", {"uri": "file:///srv/a%20b.py"}),
        ("C:/code/a b.py", {"uri": "file:///C:/code/a%20b.py"}),
    ],
)
def test_sarif_paths_are_uris(path: str, artifact: dict[str, str], rules: RuleTable) -> None:
    finding = dataclasses.replace(LOSS, location=Location(path, None, 1, 1, 1, 2), related=())
    assert (
        sarif_run(result(finding), rules)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        == artifact
    )


def test_sarif_groups_the_edits_of_a_fix_by_file(rules: RuleTable) -> None:
    edits = tuple(Edit(Location(path, None, 1, 1, 1, 1), "x") for path in ("b.py", "a.py", "b.py"))
    finding = dataclasses.replace(LOSS, fix=Fix(Safety.SAFE, "Do it", edits))
    changes = sarif_run(result(finding), rules)["results"][0]["fixes"][0]["artifactChanges"]
    assert [(change["artifactLocation"]["uri"], len(change["replacements"])) for change in changes] == [
        ("a.py", 1),
        ("b.py", 2),
    ]


def test_sarif_tells_that_a_path_could_not_be_scanned(rules: RuleTable) -> None:
    invocation = sarif_run(BROKEN, rules)["invocations"][0]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "there is no such file"


def fingerprints(scan: ScanResult, rules: RuleTable) -> list[str]:
    return [found["partialFingerprints"]["tflintHfFinding/v1"] for found in sarif_run(scan, rules)["results"]]


def moved(finding: Finding, lines: int) -> Finding:
    place = finding.location
    return dataclasses.replace(
        finding, location=dataclasses.replace(place, line=place.line + lines, end_line=place.end_line + lines)
    )


def test_a_fingerprint_survives_lines_added_above_but_not_a_change_of_the_line(rules: RuleTable) -> None:
    before = fingerprints(result(LOSS), rules)
    lower = dataclasses.replace(
        result(moved(LOSS, 2)), sources={("train.py", None): ("# one", "# two", *TRAIN.splitlines())}
    )
    changed = dataclasses.replace(
        result(LOSS), sources={("train.py", None): tuple(TRAIN.replace("loss=", "weighted_loss=").splitlines())}
    )
    assert fingerprints(lower, rules) == before
    assert fingerprints(changed, rules) != before


def test_equal_lines_have_different_fingerprints(rules: RuleTable) -> None:
    assert len(set(fingerprints(result(LOSS, LOSS, METRIC), rules))) == 3
