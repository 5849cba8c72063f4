"""Which Keras Inputs of a program anything reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.static.values import DictValue, Fact, ListValue, Value
from tflint_hf.trace.objects import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tflint_hf.static.machine import Machine

#: Calls that put an Input into a model without reading it.
_MODELS = frozenset({"keras.Model", "keras.models.Model", "keras.engine.training.Model", "keras.Functional"})
_MAX_DEPTH = 4


def note_arguments(machine: Machine, path: str, receiver: Value | None, values: Iterable[Value]) -> None:
    """The arguments of a call to a library read the Inputs among them."""
    if path in _MODELS or path.startswith("builtins.") or isinstance(receiver, ListValue | DictValue):
        return
    note_used(machine, *values)


def note_used(machine: Machine, *values: Value) -> None:
    for value in values:
        for tensor in inputs_in(value):
            if tensor.input_site is not None:
                machine.used_inputs[id(tensor.input_site)] = tensor.input_site


def inputs_in(value: Value, depth: int = 0) -> list[Tensor]:
    """The Inputs in a value, as they were made."""
    if isinstance(value, Fact):
        is_input = isinstance(value.data, Tensor) and value.data.input_site is not None
        return [value.data] if is_input else []
    if depth > _MAX_DEPTH:
        return []
    if isinstance(value, ListValue):
        inner = value.values if value.exact else [value.element]
    elif isinstance(value, DictValue):
        inner = [*value.items.values(), *value.facts.values()]
    else:
        return []
    return [tensor for one in inner for tensor in inputs_in(one, depth + 1)]
