"""What is concluded from a run: recorded messages in, an observation and verdicts out."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from run_samples import PROGRAMS, RULES, RUNS, Sample, cut_short, findings_of, made, recorded, sample

from tflint_hf.dynamic.confirm import judge_run
from tflint_hf.dynamic.matching import meet
from tflint_hf.dynamic.observed import locate, observed_trace, target_of
from tflint_hf.dynamic.record import Facts, Frame, essence, observation_of
from tflint_hf.dynamic.runner import Ended
from tflint_hf.findings import Location, Outcome
from tflint_hf.trace.events import Compiled, Fitted
from tflint_hf.trace.objects import LabelEncoding, Reads

if TYPE_CHECKING:
    from tflint_hf.findings import Finding, Verdict

# Left out here: what shuffles the validation data, which a seeded run shows badly.
COURSE = {
    ("TFD014", 21): Outcome.CONFIRMED,
    ("TFD010", 22): Outcome.CONFIRMED,
    ("TFD013", 22): Outcome.CONFIRMED,
    ("TFD014", 27): Outcome.CONFIRMED,
    ("TFD010", 28): Outcome.CONFIRMED,
    ("TFD013", 28): Outcome.CONFIRMED,
    ("TFL018", 33): Outcome.CONFIRMED,
    ("TFL001", 36): Outcome.CONFIRMED,
    ("TFO001", 37): Outcome.CONFIRMED,
}


def verdicts(said: Sample) -> dict[tuple[str, int], Verdict]:
    return {(f.code, f.location.line): f.verdict for f in said.result.findings if f.verdict is not None}


def one(name: str, code: str) -> Finding:
    return next(finding for finding in findings_of(name).findings if finding.code == code)


def test_the_first_draft_of_the_course_is_proved_wrong() -> None:
    outcomes = {place: verdict.outcome for place, verdict in verdicts(sample("course")).items()}
    assert outcomes | COURSE == outcomes


@pytest.mark.parametrize(
    ("name", "code", "part"),
    [
        ("course", "TFD014", "the program stops at line 21: InvalidArgumentError: ValueError: all input arrays must"),
        ("course", "TFD013", "the program stops at line 21: ValueError: Column labels not found"),
        ("course", "TFD010", "44% of the tokens are padding"),
        ("course", "TFL018", "Received a label value of 2 which is outside the valid range of [0, 2)"),
        ("course", "TFL001", "the loss of the first batch is 0.69"),
        ("course", "TFO001", "Adam really has the learning rate 0.001"),
        ("logits", "TFL002", "the loss of the first batch is 4.95, as when logits are read as probabilities"),
    ],
)
def test_evidence_has_the_numbers_of_the_run(name: str, code: str, part: str) -> None:
    (verdict, *_) = [verdict for place, verdict in verdicts(sample(name)).items() if place[0] == code]
    assert verdict.outcome is Outcome.CONFIRMED
    assert part in verdict.evidence


def test_what_only_a_run_can_show_is_found_in_it() -> None:
    found = judge_run((), observation_of(recorded("logits")), RULES)
    assert [finding.code for finding in found] == ["TFL002"]
    assert found[0].location.line == 15
    assert found[0].verdict is not None
    assert found[0].verdict.outcome is Outcome.CONFIRMED


def test_a_fault_is_not_told_twice() -> None:
    assert len(sample("logits").result.findings) == len(findings_of("logits").findings)


def test_a_program_without_a_fault_has_none_in_its_run() -> None:
    assert judge_run((), observation_of(recorded("film")), RULES) == ()


@pytest.mark.parametrize(
    ("ended", "exit_code", "part"),
    [
        (Ended.OUT_OF_TIME, -15, "out of time before it came here"),
        (Ended.KILLED, -9, "killed (signal 9) before it came here"),
    ],
)
def test_what_a_run_did_not_live_to_see_is_not_reached(ended: Ended, exit_code: int, part: str) -> None:
    record = replace(recorded("logits"), messages=recorded("logits").messages[:2], ended=ended, exit_code=exit_code)
    verdict = verdicts(sample("logits", record))["TFL002", 15]
    assert verdict.outcome is Outcome.NOT_REACHED
    assert part in verdict.evidence


@pytest.mark.parametrize(
    ("ended", "part"),
    [(Ended.OUT_OF_TIME, "no time for the measurement"), (Ended.KILLED, "killed before the measurement")],
)
def test_what_a_run_did_not_live_to_measure_is_undecided(ended: Ended, part: str) -> None:
    record = cut_short(recorded("logits"), "measured", ended, -9)
    verdict = verdicts(sample("logits", record))["TFL002", 15]
    assert verdict.outcome is Outcome.UNDECIDED
    assert part in verdict.evidence


def test_an_error_before_a_finding_is_why_it_was_not_reached() -> None:
    at = [{"path": str(PROGRAMS["logits"]), "cell": None, "line": 9}]
    error = {"kind": "error", "type": "NameError", "text": "name 'np' is not defined", "at": at}
    record = replace(recorded("logits"), messages=(recorded("logits").messages[0], error))
    verdict = verdicts(sample("logits", record))["TFL002", 15]
    assert verdict.outcome is Outcome.NOT_REACHED
    assert verdict.evidence == "the run stopped before, at line 9: NameError: name 'np' is not defined"


@pytest.mark.parametrize("change", [{"went_on": "with a changed call"}, {"cell": 5}])
def test_an_error_that_stopped_nothing_is_no_reason(change: dict[str, Any]) -> None:
    at = [{"path": str(PROGRAMS["logits"]), "cell": change.get("cell"), "line": 9}]
    error = {"kind": "error", "type": "NameError", "text": "", "at": at, "went_on": change.get("went_on")}
    record = replace(recorded("logits"), messages=(recorded("logits").messages[0], error))
    assert "stopped before" not in verdicts(sample("logits", record))["TFL002", 15].evidence


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_recording_tells_nothing_of_the_machine_that_made_it(name: str) -> None:
    text = (RUNS / f"{name}.jsonl").read_text(encoding="utf-8")
    assert not re.search(r"""(?<![\w.])/(?!device:)[\w.-]+/[\w.-]""", text)


# the observation


def test_a_run_is_put_in_order() -> None:
    observation = observation_of(recorded("course"))
    (training,) = observation.trainings
    assert training.at[0].words == "line 40"
    assert training.compiled_at[0].line == 35
    assert training.stand_in
    assert [frames[0].line for frames in training.fed_by][:1] == [21]
    assert training.facts("labels").mapping("counts") == {"0": 86, "1": 85, "2": 85}
    assert training.facts("nothing").said == {}
    assert "checkpoint distilbert-base-uncased" in observation.stand_ins
    assert "data set glue, mnli" in observation.stand_ins
    assert observation.status == "ended"
    assert observation.python.startswith("3.")
    assert [error.went_on for error in observation.errors][-1] == "without training this model"


def test_a_notebook_has_cells() -> None:
    observation = observation_of(recorded("film"))
    assert [training.at[0].words for training in observation.trainings] == ["cell 2, line 7", "cell 4, line 4"]
    assert observation.errors[0].at[0].cell == 3
    assert observation.trainings[0].log["val_accuracy"]


def test_what_a_killed_run_ran_with_is_known_from_its_first_training() -> None:
    observation = observation_of(cut_short(recorded("logits"), "measured", Ended.KILLED, -9))
    assert observation.versions["tensorflow"].startswith("2.")
    assert observation.devices


def test_the_versions_of_the_run_are_the_target() -> None:
    target = target_of(observation_of(recorded("course")))
    assert target.transformers.major == 4
    assert {"tensorflow", "transformers", "datasets"} <= target.pinned


def test_the_observed_trace_has_the_values_of_the_run() -> None:
    (training,) = observation_of(recorded("logits")).trainings
    trace = observed_trace(training)
    assert trace is not None
    compiled = next(event for event in trace.events if isinstance(event, Compiled))
    fitted = next(event for event in trace.events if isinstance(event, Fitted))
    assert compiled.model.num_labels == 3
    assert [loss.reads for loss in compiled.losses] == [Reads.PROBABILITIES]
    assert compiled.optimizer is not None
    assert compiled.optimizer.learning_rate == pytest.approx(1e-3)
    assert fitted.labels is not None
    assert (fitted.labels.encoding, fitted.labels.classes) == (LabelEncoding.INDEX, 3)
    assert fitted.keys == ("input_ids", "attention_mask")
    where = locate(compiled.place)
    assert (where.line, where.column) == (15, 1)


def test_no_trace_of_a_loop() -> None:
    loop = {"kind": "loop", "training": 1, "at": [{"path": "/a.py", "line": 4}]}
    assert observed_trace(made(loop).confirmation.observation.trainings[0]) is None


@pytest.mark.parametrize(
    ("name", "code", "trainings", "surely"),
    [("course", "TFL001", 1, True), ("course", "TFD010", 1, True), ("logits", "TFL002", 1, True)],
)
def test_findings_meet_the_trainings_that_they_are_about(name: str, code: str, trainings: int, surely: bool) -> None:
    met = meet(one(name, code), observation_of(recorded(name)))
    assert (len(met.trainings), met.surely) == (trainings, surely)


def test_a_finding_elsewhere_meets_nothing() -> None:
    elsewhere = replace(one("logits", "TFL002"), location=Location("other.py", None, 15, 1, 15, 9), events=())
    assert not meet(elsewhere, observation_of(recorded("logits"))).reached


def test_a_frame_touches_what_it_is_inside_of() -> None:
    path = str(PROGRAMS["logits"].resolve())
    frame = Frame(path, None, 10, 12)
    assert frame.touches(Location(path, None, 12, 1, 14, 1))
    assert not frame.touches(Location(path, None, 13, 1, 14, 1))
    assert not frame.touches(Location(path, 1, 10, 1, 10, 5))


def test_facts_have_the_type_that_is_asked_for() -> None:
    facts = Facts({"a": {"number": 3, "flag": True, "text": "x", "items": [1]}})
    assert facts.number("a.number") == 3.0
    assert facts.number("a.flag") is None
    assert facts.flag("a.flag") is True
    assert facts.flag("a.number") is None
    assert facts.text("a.text") == "x"
    assert facts.text("a.number") == ""
    assert facts.items("a.items") == [1]
    assert facts.mapping("a.text") == {}
    assert facts.get("a.b.c") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name 'x' is not defined", "name 'x' is not defined"),
        (
            "Graph execution error:\n\nat x\nReceived a label value of 2\n\t [[node]]",
            "Received a label value of 2",
        ),
        ("in function\nValueError: one\nTypeError: two", "TypeError: two"),
        ("", ""),
    ],
)
def test_the_essence_of_an_error_is_one_line(text: str, expected: str) -> None:
    assert essence(text) == expected
