"""Rules about fit()."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.plugin import Fault, check, events

VALIDATES = ("validation_data", "validation_split")


@check("ACME001")
def training_without_validation(fitted: events.Fitted) -> Iterator[Fault]:
    if all(fitted.site.given(name) is False for name in VALIDATES):
        yield Fault(fitted.site.callee)
