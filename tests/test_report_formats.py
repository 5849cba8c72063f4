"""Reports for services and editors, each read by the schema or the reader of the program that it is for."""

from __future__ import annotations

import dataclasses
import json
from io import StringIO
from pathlib import Path
from typing import Any

import jsonschema
import junitparser
import pytest
import xmlschema
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import converters, types
from report_samples import BROKEN, FULL, LOSS, METRIC, OPTIMIZER, TRAIN, result
from test_cli import BAD

import tflint_hf.report
from tflint_hf.cli import main
from tflint_hf.config import OUTPUT_FORMATS
from tflint_hf.dynamic.sweep import with_findings
from tflint_hf.engine import ScanOptions, scan
from tflint_hf.extras import install_command
from tflint_hf.findings import Edit, Finding, Fix, Location, Outcome, Safety, ScanResult, Verdict
from tflint_hf.report import azure, gitlab, jsonl, junit, lsp, rdjson, render
from tflint_hf.report import json as json_report
from tflint_hf.report.style import Style
from tflint_hf.rule_files import load_rules

FIXTURES = Path(__file__).parents[1] / "fixtures"
DATA = Path(__file__).parent / "data"
GITLAB = json.loads((DATA / "gitlab-codequality.schema.json").read_text(encoding="utf-8"))
RDJSON = json.loads((DATA / "rdjson.schema.json").read_text(encoding="utf-8"))
JUNIT = xmlschema.XMLSchema(str(DATA / "junit-10.xsd"))
LSP = converters.get_converter()
FINDINGS = json.loads((Path(tflint_hf.report.__file__).parent / "findings.schema.json").read_text(encoding="utf-8"))
ODD = 'a b/ä%,:;]\n"<&>\x1b\udc80😀.py'
ODD_TEXT = "100% \x00\x1b[31m\r\n]]> <b>&amp; \ud83d ##vso[task.complete result=Failed;] \uffff"
EMOJI = 'print("😀é"); model.compile(loss="sparse_categorical_crossentropy")'


def odd(text: str = ODD_TEXT, path: str = ODD) -> Finding:
    place = Location(path, None, 1, 1, 1, 2)
    verdict = Verdict(Outcome.CONFIRMED, text, "loss")
    fix = Fix(Safety.SAFE, text, (Edit(place, text),))
    return dataclasses.replace(
        LOSS, message=text, why=text, advice=text, location=place, related=(), fix=fix, verdict=verdict
    )


REFUTED = dataclasses.replace(LOSS, verdict=Verdict(Outcome.REFUTED, "the loss fell", "loss", (("loss", 0.5),)))
CONFIRMED = dataclasses.replace(LOSS, verdict=Verdict(Outcome.CONFIRMED, "the loss stood still", "loss"))
SCANS = [FULL, BROKEN, result(), result(odd()), result(METRIC, REFUTED, CONFIRMED), result(LOSS, LOSS)]


def with_source(line: str, *findings: Finding) -> ScanResult:
    return dataclasses.replace(result(*findings), sources={("train.py", None): tuple(line.split("\n"))})


def emoji_finding() -> tuple[ScanResult, int]:
    """A finding behind an emoji, and how many characters stand before it."""
    start = EMOJI.index('"sparse')
    place = Location("train.py", None, 1, start + 1, 1, start + 34)
    fix = Fix(Safety.SAFE, "Do it", (Edit(place, "None"),))
    return with_source(EMOJI, dataclasses.replace(LOSS, location=place, fix=fix, related=())), start


# All formats ------------------------------------------------------------------------------------------------------


def test_the_configuration_offers_every_format() -> None:
    assert tflint_hf.report.FORMATS == OUTPUT_FORMATS


@pytest.mark.parametrize("scan", SCANS, ids=range(len(SCANS)))
@pytest.mark.parametrize("name", OUTPUT_FORMATS)
def test_every_format_has_the_same_text_each_time(name: str, scan: ScanResult) -> None:
    if name == "html":
        pytest.importorskip("jinja2")
    known = dataclasses.replace(
        scan,
        findings=tuple(f for f in scan.findings if f.code in {"TFL001", "TFO001"} and f.code in load_rules().by_code),
    )
    assert render(name, known, Style(), load_rules) == render(name, known, Style(), load_rules)


@pytest.mark.parametrize("name", OUTPUT_FORMATS)
def test_a_scan_writes_every_format(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "html":
        pytest.importorskip("jinja2")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(BAD, encoding="utf-8")
    assert main(["scan", "--format", name, "-o", "report"]) == 1
    assert "TFL001" in (tmp_path / "report").read_text(encoding="utf-8")


# JSON lines -------------------------------------------------------------------------------------------------------


def test_json_lines_hold_the_findings_of_the_json_report() -> None:
    lines = [json.loads(line) for line in jsonl.render(FULL).splitlines()]
    assert lines == json.loads(json_report.render(FULL))["findings"]
    for line in lines:
        jsonschema.validate(line, {"$ref": "#/$defs/finding", "$defs": FINDINGS["$defs"]})
    assert jsonl.render(result()) == ""
    assert len(jsonl.render(result(odd(), odd())).splitlines()) == 2


# GitLab -----------------------------------------------------------------------------------------------------------


def issues(scan: ScanResult) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(gitlab.render(scan))
    for issue in found:
        jsonschema.validate(issue, GITLAB)
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        issue_text = json.dumps(issue, ensure_ascii=False)
        assert issue_text.encode("utf-8")
    return found


@pytest.mark.parametrize("scan", SCANS, ids=range(len(SCANS)))
def test_gitlab_can_read_every_issue_and_tell_it_from_the_others(scan: ScanResult) -> None:
    found = issues(scan)
    assert len({issue["fingerprint"] for issue in found}) == len(found)


def test_gitlab_shows_a_finding_at_its_line() -> None:
    notebook, optimizer, loss = issues(FULL)
    assert loss["location"] == {"path": "train.py", "lines": {"begin": 7, "end": 7}}
    assert loss["check_name"] == "TFL001 crossentropy-on-logits"
    assert (loss["severity"], optimizer["severity"], notebook["severity"]) == ("critical", "major", "info")
    assert notebook["location"]["lines"] == {"begin": 40, "end": 43}
    assert issues(dataclasses.replace(FULL, file_lines={}))[0]["location"]["lines"] == {"begin": 1}
    assert notebook["description"].startswith("cell 3, line 1: ")


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*/*bad*.ipynb"))[::5], ids=lambda path: path.parent.name)
def test_gitlab_shows_a_finding_at_its_line_of_a_notebook(path: Path) -> None:
    report = scan([path], ScanOptions(isolated=True))
    file = path.read_text(encoding="utf-8").split("\n")
    found = [(f, issue) for f, issue in zip(report.findings, issues(report), strict=True) if f.location.cell]
    assert found
    for finding, issue in found:
        place = finding.location
        line = report.sources[place.path, place.cell][place.line - 1]
        assert json.dumps(line)[1:-1] in file[issue["location"]["lines"]["begin"] - 1]
    again = with_findings(dataclasses.replace(report, sources={}, file_lines={}), report.findings)  # from the file
    assert issues(again) == issues(report)


def test_gitlab_takes_a_finding_that_moved_for_the_same() -> None:
    moved = dataclasses.replace(LOSS, location=Location("train.py", None, 8, 10, 8, 43))
    later = dataclasses.replace(result(moved), sources={("train.py", None): ("# new", *TRAIN.splitlines())})
    assert issues(later)[0]["fingerprint"] == issues(result(LOSS))[0]["fingerprint"]


def test_gitlab_hears_what_a_run_said() -> None:
    (refuted,) = issues(result(REFUTED))
    assert refuted["severity"] == "info"
    assert refuted["description"].endswith("Run: refuted")


# JUnit ------------------------------------------------------------------------------------------------------------


def suites(scan: ScanResult) -> list[junitparser.TestSuite]:
    text = junit.render(scan)
    JUNIT.validate(StringIO(text))
    return list(junitparser.JUnitXml.fromstring(text.encode("utf-8")))


@pytest.mark.parametrize("scan", SCANS, ids=range(len(SCANS)))
def test_junit_keeps_to_the_schema_of_jenkins(scan: ScanResult) -> None:
    for suite in suites(scan):
        cases = list(suite)
        kinds = [type(case.result[0]).__name__ if case.result else "Passed" for case in cases]
        assert suite.tests == len(cases)
        assert suite.failures == kinds.count("Failure")
        assert suite.errors == kinds.count("Error")
        assert suite.skipped == kinds.count("Skipped")
        assert len({case.name for case in cases}) == len(cases)


def test_junit_has_a_suite_for_each_file_also_for_clean_ones() -> None:
    scan = dataclasses.replace(FULL, checked={"train.py": frozenset(), "clean.py": frozenset()})
    by_name = {suite.name: suite for suite in suites(scan)}
    assert list(by_name) == ["clean.py", "nb/eval, final.ipynb", "train.py"]
    assert (by_name["clean.py"].tests, by_name["clean.py"].failures) == (1, 0)
    optimizer, loss = list(by_name["train.py"])
    assert (loss.classname, loss.name) == ("train.py", "TFL001 crossentropy-on-logits")
    assert loss.result[0].message.startswith("train.py:7:10: ")
    assert "instead: use SparseCategoricalCrossentropy" in loss.result[0].text
    assert optimizer.result[0].type == "warning"


def test_junit_does_not_fail_for_what_is_no_fault() -> None:
    (suite,) = suites(result(REFUTED))
    assert (suite.failures, suite.skipped) == (0, 1)
    assert "run: refuted: the loss fell" in next(iter(suite)).result[0].text


def test_junit_says_what_could_not_be_scanned() -> None:
    (suite,) = suites(BROKEN)
    assert (suite.name, suite.errors) == ("gone.py", 1)


@given(st.text(st.characters(exclude_categories=[])), st.text(st.characters(exclude_categories=[]), min_size=1))
def test_junit_is_xml_whatever_the_text_holds(text: str, path: str) -> None:
    suites(result(odd(text, path)))


# Reviewdog --------------------------------------------------------------------------------------------------------


def diagnostics(scan: ScanResult) -> list[dict[str, Any]]:
    report = json.loads(rdjson.render(scan))
    jsonschema.validate(report, RDJSON)
    assert json.dumps(report, ensure_ascii=False).encode("utf-8")  # protojson refuses halves of characters
    found: list[dict[str, Any]] = report["diagnostics"]
    return found


def bytes_at(line: str, found: dict[str, Any]) -> str:
    start, end = (found["range"][end]["column"] - 1 for end in ("start", "end"))
    return line.encode("utf-8")[start:end].decode("utf-8")


@pytest.mark.parametrize("scan", SCANS, ids=range(len(SCANS)))
def test_rdjson_keeps_to_its_schema(scan: ScanResult) -> None:
    diagnostics(scan)


def test_rdjson_counts_bytes() -> None:
    scan, _ = emoji_finding()
    (found,) = diagnostics(scan)
    assert bytes_at(EMOJI, found["location"]) == '"sparse_categorical_crossentropy"'
    (suggestion,) = found["suggestions"]
    assert bytes_at(EMOJI, suggestion) == '"sparse_categorical_crossentropy"'
    assert suggestion["text"] == "None"


def test_rdjson_names_related_places_once() -> None:
    loss = diagnostics(FULL)[2]
    assert loss["related_locations"][0]["location"]["range"]["start"]["line"] == 4
    assert "see:" not in loss["message"]
    assert loss["severity"] == "ERROR"
    assert loss["code"] == {"value": "TFL001", "url": LOSS.url}


def test_rdjson_suggests_several_edits_as_one_and_no_half_of_a_fix() -> None:
    near = Edit(Location("train.py", None, 6, 15, 6, 21), "Adam(3e-5)")
    here = LOSS.fix.edits[0] if LOSS.fix else near
    far = Edit(Location("train.py", None, 1, 1, 1, 1), "import keras\n")
    elsewhere = Edit(Location("other.py", None, 1, 1, 1, 1), "x")

    def suggestions(*edits: Edit, source: str = TRAIN) -> list[dict[str, Any]]:
        fix = Fix(Safety.SAFE, "Do it", edits)
        found: list[dict[str, Any]] = diagnostics(with_source(source, dataclasses.replace(LOSS, fix=fix)))[0].get(
            "suggestions", []
        )
        return found

    (both,) = suggestions(here, near)
    assert both["range"]["start"] == {"line": 6, "column": 1}
    assert both["range"]["end"]["line"] == 7
    assert both["text"].startswith("    optimizer=Adam(3e-5),\n    loss=tf.keras.losses.")
    (with_import,) = suggestions(here, far)
    assert with_import["text"].startswith("import keras\nimport tensorflow as tf\n")
    assert suggestions(here, elsewhere) == []
    below = dataclasses.replace(near, location=Location("train.py", None, 40, 1, 40, 1))
    assert suggestions(here, below, source=TRAIN + "\n" * 40) == []


def test_rdjson_has_the_lines_of_a_notebook() -> None:
    (found,) = diagnostics(result(METRIC))
    lines = {"start": {"line": 40}, "end": {"line": 43}}
    assert found["location"] == {"path": "nb/eval, final.ipynb", "range": lines}
    (unknown,) = diagnostics(dataclasses.replace(result(METRIC), file_lines={}))
    assert unknown["location"] == {"path": "nb/eval, final.ipynb"}
    assert found["message"].startswith("cell 3, line 1: ")
    assert "suggestions" not in found


# Azure Pipelines --------------------------------------------------------------------------------------------------


def test_azure_logs_an_issue_at_its_place() -> None:
    assert azure.render(result(LOSS)).startswith(
        "##vso[task.logissue type=error;sourcepath=train.py;linenumber=7;columnnumber=10;code=TFL001;]"
        '"sparse_categorical_crossentropy" reads probabilities, but the model puts out logits%0Awhy: '
    )
    assert azure.render(result(OPTIMIZER)).startswith("##vso[task.logissue type=warning;")
    in_notebook = dataclasses.replace(METRIC, severity=LOSS.severity)
    assert "sourcepath=nb/eval, final.ipynb;linenumber=40;code=" in azure.render(result(in_notebook))
    assert azure.render(BROKEN) == (
        "##vso[task.logissue type=error;sourcepath=gone.py;]not scanned: there is no such file\n"
    )


def test_azure_has_no_issue_for_information() -> None:
    assert azure.render(result(METRIC)).startswith("info TFE010 nb/eval, final.ipynb cell 3:1:1: cell 3, line 1: ")
    assert azure.render(result(REFUTED)).endswith("Run: refuted\n")


def test_azure_escapes_what_would_end_a_property_or_begin_a_command() -> None:
    text = azure.render(result(odd()))
    assert text.count("\n") == 1
    assert "sourcepath=a b/ä%AZP25,:%3B%5D%0A" in text
    assert "100%AZP25 " in text
    plain = azure.render(result(dataclasses.replace(METRIC, message="##vso[task.complete]\r\n##[error]")))
    assert "##" not in plain
    assert plain.count("\n") == 1


# Editors ----------------------------------------------------------------------------------------------------------


def data_of(found: types.Diagnostic) -> dict[str, Any]:
    assert isinstance(found.data, dict)
    return found.data


def published(scan: ScanResult) -> list[types.PublishDiagnosticsParams]:
    lines = [json.loads(line) for line in lsp.render(scan).splitlines()]
    return [LSP.structure(line, types.PublishDiagnosticsParams) for line in lines]


def utf16_at(line: str, place: types.Range) -> str:
    units = line.encode("utf-16-le")
    return units[2 * place.start.character : 2 * place.end.character].decode("utf-16-le")


@pytest.mark.parametrize("scan", [scan for scan in SCANS if scan is not BROKEN])
def test_an_editor_reads_the_diagnostics(scan: ScanResult) -> None:
    assert sum(len(file.diagnostics) for file in published(scan)) == len(scan.findings)


def test_an_editor_counts_utf16_units_from_0() -> None:
    scan, characters = emoji_finding()
    (file,) = published(scan)
    place = file.diagnostics[0].range
    assert place.start == types.Position(0, characters + 1)
    assert utf16_at(EMOJI, place) == '"sparse_categorical_crossentropy"'


def test_an_editor_gets_the_page_the_related_place_and_the_fix(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    _, file = published(FULL)
    assert file.uri == (tmp_path / "train.py").as_uri()
    loss = file.diagnostics[1]
    assert (loss.severity, loss.code, loss.source) == (types.DiagnosticSeverity.Error, "TFL001", "tflint-hf")
    assert loss.code_description == types.CodeDescription(LOSS.url)
    assert loss.related_information is not None
    assert loss.related_information[0].location.range.start == types.Position(3, 8)
    edit = LSP.structure(data_of(loss)["fix"]["edit"], types.WorkspaceEdit)
    assert edit.changes is not None
    (change,) = edit.changes[file.uri]
    assert utf16_at(TRAIN.splitlines()[6], change.range) == '"sparse_categorical_crossentropy"'
    assert change.new_text.endswith("(from_logits=True)")


def test_a_cell_is_a_document_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (file,) = published(result(METRIC))
    notebook = (tmp_path / "nb" / "eval, final.ipynb").as_uri()
    assert file.uri == f"vscode-notebook-cell:{notebook.removeprefix('file://')}#cell3"
    assert data_of(file.diagnostics[0])["notebook"] == notebook
    assert data_of(file.diagnostics[0])["cell"] == 3
    assert list(data_of(file.diagnostics[0])["fix"]["edit"]["changes"]) == [file.uri]


def test_an_editor_hears_what_a_run_said() -> None:
    (file,) = published(result(REFUTED))
    (found,) = file.diagnostics
    assert found.severity == types.DiagnosticSeverity.Hint
    assert "run: refuted: the loss fell" in found.message
    assert data_of(found)["verdict"]["numbers"] == {"loss": 0.5}


# The page ---------------------------------------------------------------------------------------------------------


def page(scan: ScanResult) -> Any:
    pytest.importorskip("jinja2")
    html5lib = pytest.importorskip("html5lib")

    from tflint_hf.report import scan_html

    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    return parser.parse(scan_html.render(scan))


def words(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


@pytest.mark.parametrize("scan", SCANS, ids=range(len(SCANS)))
def test_the_page_is_valid_and_needs_no_network(scan: ScanResult) -> None:
    tree = page(scan)
    assert len(tree.findall(".//article")) == len(scan.findings)
    for element in tree.iter():
        assert not {"src", "style"} & {*element.attrib}
        assert not any(name.startswith("on") for name in element.attrib)
    assert tree.findall(".//link") == tree.findall(".//img") == []


def test_the_page_shows_each_finding_with_its_lines() -> None:
    tree = page(FULL)
    assert [words(head) for head in tree.findall(".//h2")][:2] == [
        "nb/eval, final.ipynb 1 finding",
        "train.py 2 findings",
    ]
    loss = tree.findall(".//article")[2]
    assert words(loss.find("h3")) == "error TFL001 crossentropy-on-logits line 7"
    assert [words(mark) for mark in loss.findall(".//mark")] == ['"sparse_categorical_crossentropy"']
    assert "instead use SparseCategoricalCrossentropy" in words(loss.find("dl")).replace("insteaduse", "instead use")
    assert {link.get("href") for link in loss.findall(".//a")} == {LOSS.url, "#finding-3"}


def test_the_page_can_be_filtered_by_severity_and_rule() -> None:
    form = page(FULL).find(".//form")
    assert [box.get("value") for box in form.findall(".//input")] == ["error", "warning", "info"]
    assert [option.get("value") for option in form.findall(".//option")] == ["", "TFE010", "TFL001", "TFO001"]
    assert page(result(LOSS)).find(".//form") is None


def test_the_page_escapes_everything() -> None:
    text = '</script><script>alert("1")</script><img src=x onerror=alert(1)>'
    finding = dataclasses.replace(odd(text, f"{text}.py"), code="TFL001", url='https://example.org/"><script>')
    tree = page(dataclasses.replace(result(finding, LOSS), sources={(f"{text}.py", None): (text,)}))
    assert len(tree.findall(".//script")) == 1
    assert tree.findall(".//img") == []
    assert text in "".join(tree.find(".//article/pre").itertext())


def test_the_page_tells_a_refuted_finding_from_a_confirmed_one() -> None:
    refuted, confirmed = page(result(REFUTED, CONFIRMED)).findall(".//article")
    assert (refuted.get("class"), confirmed.get("class")) == ("dim-edge", "error-edge")
    assert "refuted" in words(refuted.find("h3"))
    assert "the loss stood still" in words(confirmed)


def test_a_long_range_is_cut() -> None:
    long = dataclasses.replace(LOSS, location=Location("train.py", None, 1, 1, 90, 2))
    shown = words(page(with_source("x = 1\n" * 99, long)).find(".//pre"))
    assert "…" in shown
    assert shown.count("x = 1") < 20


def test_without_jinja2_the_page_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    import sys

    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert main(["scan", "--format", "html"]) == 2
    assert install_command("html", sys.executable) in capsys.readouterr().err


def test_a_format_imports_only_what_it_needs() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from tflint_hf.report import FORMATS; import tflint_hf.cli.scan;"
        "print(*(m for m in sys.modules if m.startswith('tflint_hf.report.') or m in ('jinja2', 'xml.etree')))"
    )
    root = Path(tflint_hf.report.__file__).parents[2]
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert run.stdout.split() == ["tflint_hf.report.style"]
