"""The output object of a tokenizer, used as the dictionary that it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tflint_hf.static import items
from tflint_hf.static.library import hooks
from tflint_hf.static.library.hooks import method
from tflint_hf.static.library.rows import taken
from tflint_hf.static.values import UNKNOWN, Array, Bound, Const, EncodingValue, Value

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope


@hooks.item_of(EncodingValue)
def _encoding_item(machine: Machine, receiver: EncodingValue, key: Value, node: Any, scope: Scope) -> Value:
    found = items.get_item(machine, receiver.columns, key, node, scope)
    if isinstance(found, Array) and found.dataset is not None and found.taken is None:
        return replace(found, taken=taken(node, scope, found.name))
    if found.known or not isinstance(key, Const) or not isinstance(key.value, str):
        return found
    # A column that is not known by its name is one of the same rows.
    rows = receiver.dataset if receiver.encoding is None else None
    return Array(name=key.value, dataset=rows, taken=taken(node, scope, key.value) if rows is not None else None)


@hooks.set_item_of(EncodingValue)
def _set_encoding_item(machine: Machine, receiver: EncodingValue, key: Value, value: Value) -> None:
    items.set_item(machine, receiver.columns, key, value)


@method(EncodingValue, "items", "keys", "values", "get", "pop", "update", "copy", "setdefault")
def _encoding_dict(call: LibraryCall) -> Value:
    receiver = call.receiver
    assert isinstance(receiver, EncodingValue)
    handler, _ = hooks.find_handler(call.path, receiver.columns)
    if handler is None:
        return UNKNOWN
    call.receiver = receiver.columns
    result = handler(call)
    return UNKNOWN if result is None else result


@hooks.attribute_of(EncodingValue)
def _encoding_attribute(machine: Machine, receiver: EncodingValue, name: str, node: Any, scope: Scope) -> Value | None:
    if name == "data":
        return EncodingValue(receiver.columns, receiver.encoding, receiver.dataset, as_dict=True)
    if name in {"input_ids", "attention_mask", "token_type_ids", "labels"}:
        return _encoding_item(machine, receiver, Const(name), node, scope)
    return Bound(receiver, name)


@hooks.iterated_as(EncodingValue)
def _encoding_keys(_receiver: EncodingValue) -> Value:
    return UNKNOWN
