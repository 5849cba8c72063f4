"""Predictions and metrics."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, check
from tflint_hf.findings import Safety, Severity
from tflint_hf.fixes import InsertAfter, PlannedFix, RemoveName
from tflint_hf.knowledge import Task
from tflint_hf.target import Target
from tflint_hf.trace.events import Imported, PredictionUsed
from tflint_hf.trace.views import rests_on_environment

_ONE_LOGITS = frozenset({Task.SEQUENCE_CLASSIFICATION, Task.TOKEN_CLASSIFICATION, Task.IMAGE_CLASSIFICATION})


@check("TFE001")
def predict_output_as_array(used: PredictionUsed) -> Iterator[Fault]:
    """The output object of a model is read as if it were an array of logits."""
    fix = None
    head = used.prediction.model.head
    if used.operand is not None and head is not None and head.task in _ONE_LOGITS:
        fix = PlannedFix(Safety.SAFE, "Take the logits out of it", (InsertAfter(used.operand, ".logits"),))
    yield Fault(
        used.place,
        {"use": used.use, "model": used.prediction.model.class_name},
        fix=fix,
        related=((used.prediction.site.callee, "the output object comes from here"),),
    )


@check("TFE010")
def removed_load_metric(imported: Imported, target: Target) -> Iterator[Fault]:
    """datasets.load_metric is gone."""
    applies = {"datasets": ">=3.0"}
    if rests_on_environment(imported.guards):
        return
    if imported.module.partition(".")[0] == "datasets" and imported.name == "load_metric" and target.satisfies(applies):
        on_a_branch = Severity.INFO if imported.guards else None
        fix = None
        if imported.statement is not None:
            edit = RemoveName(imported.statement, "load_metric", "from evaluate import load as load_metric")
            fix = PlannedFix(Safety.SAFE, "Take it from the evaluate library", (edit,))
        yield Fault(imported.place, {"name": "load_metric"}, fix=fix, severity=on_a_branch, rests_on=applies)
