"""Predictions and metrics."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, check
from tflint_hf.findings import Severity
from tflint_hf.target import Target
from tflint_hf.trace.events import Imported, PredictionUsed
from tflint_hf.trace.views import rests_on_environment


@check("TFE001")
def predict_output_as_array(used: PredictionUsed) -> Iterator[Fault]:
    """The output object of a model is read as if it were an array of logits."""
    yield Fault(
        used.place,
        {"use": used.use, "model": used.prediction.model.class_name},
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
        yield Fault(imported.place, {"name": "load_metric"}, severity=on_a_branch, rests_on=applies)
