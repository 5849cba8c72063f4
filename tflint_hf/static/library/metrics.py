"""Metrics as compile() gets them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tflint_hf.static.library.hooks import path
from tflint_hf.static.library.keras_calls import class_name_of, origin_of
from tflint_hf.static.values import UNKNOWN, External, Fact, ListValue, Value, text_of
from tflint_hf.trace.objects import Form, Metric
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall


@path("keras.metrics.*")
def _metric(call: LibraryCall) -> Value:
    name = class_name_of(call)
    given = call.get("name")
    unnamed = given is None and not call.open and not call.rest
    called = snake_case(name) if unnamed else text_of(given or UNKNOWN) or ""
    return Fact(Metric(Form.OBJECT, call.site.callee, name, origin_of(call), call.site, called))


def snake_case(name: str) -> str:
    """The name that Keras gives to an object of a class."""
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)).lower()


def metrics_of(value: Value | None, place: Place) -> tuple[Metric, ...]:
    if not isinstance(value, ListValue):
        values = [] if value is None else [value]
    else:
        values = value.values if value.exact else [value.element]
    found: list[Metric] = []
    for one in values:
        text = text_of(one)
        if isinstance(one, Fact) and isinstance(one.data, Metric):
            found.append(one.data)
        elif text is not None:
            found.append(Metric(Form.STRING, place, text, name=text))
        elif isinstance(one, External):
            form = Form.CLASS if one.last[:1].isupper() else Form.FUNCTION
            called = one.last if form is Form.FUNCTION else ""
            found.append(Metric(form, place, one.last, one.origin, name=called))
        elif isinstance(one, ListValue):
            found.extend(metrics_of(one, place))
        else:
            found.append(Metric(Form.UNKNOWN, place))
    return tuple(found)
