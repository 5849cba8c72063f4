"""What the numbers of a run say of findings on data and optimizers: messages of a run in, verdicts out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tflint_hf.dynamic.confirm import judge_run
from tflint_hf.dynamic.record import Observation, observation_of
from tflint_hf.dynamic.runner import Ended, RunRecord
from tflint_hf.findings import Finding, Location, Related, RuleSources, Verdict
from tflint_hf.rule_set import load_rule_set

PROGRAM = str(Path("train.py").resolve())
RULES = load_rule_set(RuleSources(packages=False))


def at(line: int) -> list[dict[str, Any]]:
    return [{"path": PROGRAM, "cell": None, "line": line, "name": "<module>"}]


def place(line: int) -> Location:
    return Location("train.py", None, line, 1, line, 20)


def finding(code: str, line: int, *events: int, related: tuple[int, ...] = ()) -> Finding:
    rule = RULES.table.by_code[code]
    return Finding(
        code,
        rule.name,
        rule.severity,
        rule.confidence,
        "message",
        "why",
        "advice",
        place(line),
        related=tuple(Related(place(one), "here") for one in related),
        events=tuple(place(one) for one in events),
    )


def observation(*messages: dict[str, Any]) -> Observation:
    return observation_of(RunRecord(messages, Ended.FINISHED, 0, 1.0, "", ""))


def training(line: int = 20, **facts: Any) -> dict[str, Any]:
    return {"kind": "training", "training": 1, "at": at(line), "compiled": {"at": at(line - 1)}, **facts}


def measured(probe: str, **facts: Any) -> dict[str, Any]:
    return {"kind": "measured", "training": 1, "probe": probe, "facts": facts}


STAND_IN = {"kind": "stand_in", "what": "data set", "name": "imdb"}


def verdict(one: Finding, *messages: dict[str, Any]) -> Verdict:
    (judged, *others) = judge_run([one], observation(*messages), RULES)
    assert not others
    assert judged.verdict is not None
    return judged.verdict


def schedule(decay: float, total: int, epochs: int, warmup: float | None = None) -> dict[str, Any]:
    optimizer = {"class": "Adam", "decay_steps": decay, "warmup_steps": warmup, "total_steps": total}
    return training(optimizer=optimizer, epochs=epochs)


@pytest.mark.parametrize(
    ("code", "length", "stand_in", "outcome", "words"),
    [
        ("TFO010", 3, True, "confirmed", "the number of epochs"),
        ("TFO010", 768, True, "confirmed", "the number of rows times that of epochs"),
        ("TFO013", 16, True, "confirmed", "batches in one of 3 epochs"),
        ("TFO013", 48, True, "refuted", "the training has 48"),
        ("TFO013", 10, True, "confirmed", "stays at its end"),
        ("TFO013", 1000, True, "undecided", "fewer rows than the real one"),
        ("TFO013", 1000, False, "confirmed", "hardly comes down"),
        ("TFO013", 70, False, "refuted", "the training has 48"),
    ],
)
def test_a_schedule_is_measured_against_the_training(
    code: str, length: int, stand_in: bool, outcome: str, words: str
) -> None:
    """48 steps: 3 epochs of 16 batches of 16 rows."""
    messages = [schedule(length, 48, 3), measured("batch", rows_of_batch=16)] + [STAND_IN] * stand_in
    said = verdict(finding(code, 5, 19, 20), *messages)
    assert said.outcome.value == outcome
    assert words in said.evidence


@pytest.mark.parametrize(
    ("warmup", "decay", "stand_in", "outcome"),
    [
        (0.1, 15.9, True, "confirmed"),
        (4.8, 43.2, True, "confirmed"),
        (48, 0, True, "confirmed"),
        (100, -52, False, "confirmed"),
        (60, 40, False, "confirmed"),
        (60, 40, True, "refuted"),
        (5, 43, False, "refuted"),
    ],
)
def test_a_warm_up_is_measured_against_its_schedule(warmup: float, decay: float, stand_in: bool, outcome: str) -> None:
    said = verdict(finding("TFO012", 5, 19, 20), schedule(decay, 48, 3, warmup), *[STAND_IN] * stand_in)
    assert said.outcome.value == outcome


def test_an_optimizer_made_elsewhere_belongs_to_the_training_that_uses_it() -> None:
    optimizer = {"class": "Adam", "learning_rate": 0.001}
    message = training(optimizer=optimizer)
    message["compiled"]["optimizer_at"] = at(5)
    assert verdict(finding("TFO003", 5), message).outcome.value == "confirmed"
    assert verdict(finding("TFO003", 6), message).outcome.value == "not reached"


RAGGED = {
    "kind": "error",
    "type": "ValueError",
    "text": "setting an array element with a sequence. The requested array has an inhomogeneous shape after 1 dim",
    "at": at(10),
}
TOKENIZED = {"kind": "tokenized", "at": at(9)}


def test_a_stop_on_the_way_from_the_tokenizer_confirms_its_finding() -> None:
    said = verdict(finding("TFD001", 9), TOKENIZED, RAGGED)
    assert said.outcome.value == "confirmed"
    assert "line 10" in said.evidence


@pytest.mark.parametrize(
    ("code", "shapes", "outcome"),
    [("TFD014", 1, "undecided"), ("TFD014", 3, "refuted"), ("TFD023", 1, "undecided"), ("TFD005", 1, "refuted")],
)
def test_rows_that_happen_to_have_one_length_say_nothing_of_others(code: str, shapes: int, outcome: str) -> None:
    fitted = {"kind": "fitted", "training": 1, "log": {"loss": [0.7]}}
    messages = (training(), measured("batch", tokens={"shapes": shapes}), fitted)
    assert verdict(finding(code, 18, 20), *messages).outcome.value == outcome


def test_a_stop_before_the_tokenizer_is_called_does_not() -> None:
    assert verdict(finding("TFD001", 12), RAGGED).outcome.value == "not reached"


def test_of_two_findings_the_nearer_one_is_confirmed() -> None:
    findings = [finding("TFD001", 4), finding("TFD001", 9)]
    run = observation({"kind": "tokenized", "at": at(4)}, TOKENIZED, RAGGED)
    first, second = judge_run(findings, run, RULES)
    assert first.verdict is not None
    assert second.verdict is not None
    assert (first.verdict.outcome.value, second.verdict.outcome.value) == ("undecided", "confirmed")


def test_a_stop_of_another_training_does_not_confirm() -> None:
    other = dict(RAGGED, at=at(40), text="indices[0,512] = 512 is not in [0, 512)", type="InvalidArgumentError")
    messages = (training(20), dict(training(40), training=2), {"kind": "fitted", "training": 1, "log": {"loss": [0.7]}})
    assert verdict(finding("TFD002", 9, 20), *messages, other).outcome.value != "confirmed"


@pytest.mark.parametrize(
    ("facts", "outcome"),
    [
        ({"rows": 40, "other_rows": 9, "whole": True}, "confirmed"),
        ({"rows": 40, "other_rows": 9, "whole": False}, "undecided"),
        ({"rows": 40, "other_rows": 0, "whole": True}, "refuted"),
    ],
)
def test_rows_held_back_must_stay_the_same(facts: dict[str, Any], outcome: str) -> None:
    message = training(fed_by=[at(7)], validated_by=[at(7)])
    order = measured("order", train={}, validation=facts, shared_rows=0, validation_rows=40)
    assert verdict(finding("TFD034", 7), message, order).outcome.value == outcome


@pytest.mark.parametrize(
    ("role", "shared", "whole", "outcome"),
    [
        ("the data that the model is trained on", 40, False, "confirmed"),
        ("the data that the model is trained on", 0, True, "refuted"),
        ("the data that the model is trained on", 0, False, "undecided"),
        ("the test data that is scored in the end", 0, True, "undecided"),
    ],
)
def test_rows_held_back_are_not_those_trained_on(role: str, shared: int, whole: bool, outcome: str) -> None:
    held = {"rows": 40, "other_rows": 0, "whole": True}
    order = measured("order", train={"whole": whole}, validation=held, shared_rows=shared, validation_rows=40)
    one = replace(finding("TFE011", 20), message=f"the validation data is {role}")
    assert verdict(one, training(), order).outcome.value == outcome


@pytest.mark.parametrize(
    ("facts", "outcome"),
    [
        ({"feed": {"batches": 16}, "steps_per_epoch": 256}, "confirmed"),
        ({"feed": {"batches": 16}, "steps_per_epoch": 16}, "confirmed"),
        ({"feed": {"batches": 48}, "steps_per_epoch": 16}, "refuted"),
        ({"feed": {"infinite": True}, "steps_per_epoch": 16}, "refuted"),
        ({"feed": {"infinite": True}}, "confirmed"),
        ({"feed": {"batches": 16}, "validation": {"infinite": True}}, "confirmed"),
        ({"feed": {"batches": 16}, "validation": {"infinite": True}, "validation_steps": 4}, "undecided"),
    ],
)
def test_the_steps_of_an_epoch_against_the_batches(facts: dict[str, Any], outcome: str) -> None:
    message = training(epochs=3, **facts)
    assert verdict(finding("TFD021", 20), message, measured("batch", rows_of_batch=16)).outcome.value == outcome


def test_an_import_that_succeeds_in_another_release_decides_nothing() -> None:
    environment = {"kind": "environment", "versions": {"transformers": "4.57.6", "tensorflow": "2.21.0"}}
    said = verdict(finding("TFV001", 2), environment)
    assert said.outcome.value == "undecided"
    assert "transformers 4.57.6" in said.evidence


def test_a_compile_that_refuses_an_optimizer_still_shows_of_which_keras_it_is() -> None:
    message = training(model={"keras": "tf-keras"}, optimizer={"class": "Adam", "keras": "tf-keras"})
    message["compiled"]["optimizer_given"] = [{"class": "Adam", "keras": "keras 3"}]
    assert verdict(finding("TFO005", 19, 19), message).outcome.value == "confirmed"


@pytest.mark.parametrize(
    ("optimizer", "rate", "ratio", "stand_in", "outcome"),
    [
        ("Adam", 0.001, 0.02, True, "confirmed"),
        ("Adam", 0.001, 0.02, False, "confirmed"),
        ("Adam", 3e-5, 0.0007, False, "refuted"),
        ("SGD", 0.01, 0.00002, False, "undecided"),
        ("SGD", 0.01, 0.00002, True, "undecided"),
    ],
)
def test_a_learning_rate_is_judged_by_what_a_step_changes(
    optimizer: str, rate: float, ratio: float, stand_in: bool, outcome: str
) -> None:
    message = training(optimizer={"class": optimizer, "learning_rate": rate}, model={"stand_in": stand_in})
    said = verdict(finding("TFO001", 19, 19), message, measured("gradients", update_ratio=ratio))
    assert said.outcome.value == outcome


def test_the_peak_of_a_warm_up_counts() -> None:
    optimizer = {"class": "Adam", "learning_rate": 0.0, "highest_rate": 0.002, "schedule": "WarmUp"}
    message = training(optimizer=optimizer, model={"stand_in": True})
    assert verdict(finding("TFO002", 19, 19), message).outcome.value == "confirmed"


def test_some_exceptions_say_enough_only_with_their_traceback() -> None:
    trace = """  File "train.py", line 14, in <module>
    texts = reviews["text"]
  File "site-packages/datasets/dataset_dict.py", line 82, in __getitem__
    return super().__getitem__(k)
"""
    error = {"kind": "error", "type": "KeyError", "text": "'text'", "at": at(14)}
    assert verdict(finding("TFD024", 14), dict(error, raised_in=trace)).evidence.endswith("KeyError: 'text'")
    assert verdict(finding("TFD024", 14), error).outcome.value == "undecided"
