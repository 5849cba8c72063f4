"""The functions of this project's rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tflint_hf.plugin import Fault, check, events, objects


@check("LAB001")
def checkpoint_without_revision(made: events.ModelMade, options: Mapping[str, Any]) -> Iterator[Fault]:
    model = made.model
    if model.origin is not objects.ModelOrigin.PRETRAINED or not isinstance(model.checkpoint, str):
        return  # what cannot be read is no fault
    if model.checkpoint.startswith((".", "/", *options["ours"])):
        return
    if model.site.given("revision") is False:
        yield Fault(model.site.value_or_callee("pretrained_model_name_or_path"), {"checkpoint": model.checkpoint})
