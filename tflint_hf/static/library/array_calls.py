"""What calls of array libraries have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tflint_hf.static.values import UNKNOWN, Value

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall


def argument_of(call: LibraryCall) -> Value:
    """The array that an operation works on."""
    for name in ("input", "inputs", "x", "a", "value", "tensor", "logits", "features", "object", "data"):
        if name in call.given:
            return call.given[name]
    return call.rest[0] if call.rest else next(iter(call.given.values()), UNKNOWN)


def first_place(call: LibraryCall) -> Any:
    values = call.site.values
    for name in ("a", "input", "logits", "x", "#0"):
        if name in values:
            return values[name]
    return next(iter(values.values()), call.site.callee)
