"""Calls of the models of transformers: which of their arguments got which tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.static.values import Const, DictValue, Fact, ListValue, Value
from tflint_hf.trace.objects import EncoderCall, Model, Tensor

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall

_USUAL = ("input_ids", "attention_mask", "token_type_ids")


def encoder_call(call: LibraryCall, model: Model) -> EncoderCall:
    """The inputs of a call by the names of the model's arguments."""
    names = model.head.call_arguments if model.head is not None else None
    first = names or _USUAL[:1]
    inputs: dict[str, Tensor | None] = {}
    complete = not call.open
    for position, value in enumerate(call.rest):
        if isinstance(value, Const) and value.value is None:
            continue
        if position == 0 and isinstance(value, DictValue):
            inputs.update({str(k): _tensor(v) for k, v in value.items.items()})
            complete = complete and not value.open
        elif position == 0 and isinstance(value, ListValue):
            inputs.update(dict(zip(names or _USUAL, map(_tensor, value.values), strict=False)))
            complete = complete and value.exact
        elif position < len(first):
            inputs[first[position]] = _tensor(value)
            complete = complete and value.known
        else:
            complete = False
    for name, value in call.given.items():
        if isinstance(value, Const) and value.value is None:
            continue
        if name in {"inputs", "input_ids"} and isinstance(value, DictValue):
            inputs.update({str(k): _tensor(v) for k, v in value.items.items()})
            complete = complete and not value.open
        elif name == "inputs":
            complete = False
        else:
            inputs[name] = _tensor(value)
    return EncoderCall(model, call.site, inputs, complete)


def _tensor(value: Value) -> Tensor | None:
    return value.data if isinstance(value, Fact) and isinstance(value.data, Tensor) else None
