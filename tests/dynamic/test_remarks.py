"""What a run remarks to a person, beyond the rules."""

from __future__ import annotations

from typing import Any

import pytest

from tflint_hf.dynamic.record import Facts, ObservedTraining
from tflint_hf.dynamic.remarks import remarks


def training(log: dict[str, list[float]] | None = None, **measured: dict[str, Any]) -> ObservedTraining:
    facts = {name: Facts(said) for name, said in measured.items()}
    return ObservedTraining(1, (), (), Facts({}), measured=facts, log=log or {})


def test_rows_whose_loss_is_not_finite_are_told_by_their_label() -> None:
    (said,) = remarks(training(forward={"rows_not_finite": {"rows": [2, 5], "of": 16, "labels": ["3", "3"]}}))
    assert said == "the loss is not finite for 2 of 16 rows alone; what they share is their label: 3"


def test_weights_that_were_broken_before_are_no_fault_of_the_rows() -> None:
    rows = {"rows": list(range(16)), "of": 16, "labels": ["0"] * 16}
    (said,) = remarks(training(forward={"weights_not_finite": ["classifier/kernel:0"], "rows_not_finite": rows}))
    assert "classifier/kernel:0" in said


@pytest.mark.parametrize(
    ("saved", "words"),
    [
        ({"count": 2, "broken": 0}, "loaded from models/mine again they are finite: the program breaks them"),
        ({"count": 2, "broken": 0, "stand_in": True}, "loaded from the stand-in for models/mine again"),
        ({"count": 2, "broken": 1}, "1 of 2 are so as soon as models/mine is loaded"),
        ({"count": 2, "broken": 2}, "what was saved there is broken"),
        ({"count": 2, "trouble": "OSError: gone"}, "classifier/kernel:0"),
    ],
)
def test_broken_weights_are_compared_with_those_that_were_saved(saved: dict[str, Any], words: str) -> None:
    facts = {"weights_not_finite": ["classifier/kernel:0"], "weights_as_saved": {"source": "models/mine", **saved}}
    (said,) = remarks(training(forward=facts))
    assert words in said


def test_a_batch_that_only_a_safe_optimizer_learns_points_to_the_optimizer() -> None:
    (said,) = remarks(training(overfit={"own": {"right": 0.3}, "safe": {"right": 1.0, "distinct_labels": 3}}))
    assert "look at the optimizer" in said


def test_labels_that_are_all_the_same() -> None:
    (said,) = remarks(training(labels={"count": 64, "distinct": 1, "majority": 1.0}))
    assert said == "all 64 labels that were looked at are the same"


def test_a_loss_that_drowns_the_other() -> None:
    (said,) = remarks(training(log={"loss": [5001.0], "age_loss": [5000.0], "name_loss": [1.0], "val_age_loss": [1.0]}))
    assert said.startswith("age_loss is 5e+03 and name_loss is 1:")


def test_a_training_that_is_right_gets_no_remark() -> None:
    right = training(
        log={"loss": [0.7], "start_logits_loss": [3.0], "end_logits_loss": [3.1]},
        batch={"inputs": {"input_ids": {"not_finite": 0}}},
        forward={"loss": 0.69},
        labels={"count": 64, "distinct": 2, "majority": 0.55, "not_finite": 0},
        gradients={"count": 41, "missing_count": 2, "zero_count": 0, "not_finite": [], "norm": 3.1},
        overfit={"own": {"right": 0.9}, "safe": {"right": 1.0, "distinct_predictions": 2, "distinct_labels": 2}},
        order={"shared_rows": 0, "validation_rows": 32, "train": {"rows": 64, "repeated_rows": 1}},
    )
    assert remarks(right) == []
