"""Values of many rows in one object (a column, a series, an array), and what they are handed to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from tflint_hf.static.names import library_name
from tflint_hf.static.syntax import source_text
from tflint_hf.static.values import Array, ClassId, Const, DictValue, EncodingValue, ListValue, Union, Value
from tflint_hf.trace.events import EncodingUsed, RowsGiven, TargetsGiven
from tflint_hf.trace.objects import Holder, Taken
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.scopes import Scope
    from tflint_hf.trace.objects import Encoding, Model

_MOST_ARGUMENTS = 32
_TEXT_LIMIT = 200


def taken(node: cst.CSTNode, scope: Scope, column: str) -> Taken | None:
    """Where a column is taken out of a data set or a table: `films["text"]` or `table.text`."""
    if not isinstance(node, cst.Subscript | cst.Attribute):
        return None
    return Taken(Place(scope.unit, node), source_text(node, _TEXT_LIMIT), source_text(node.value), column)


def note_rows_given(call: LibraryCall, use: str, arguments: dict[str, Value | None], *, as_texts: bool) -> None:
    """Record each argument whose rows are in one object of a known kind."""
    for number, (name, value) in enumerate(arguments.items()):
        for array in _arrays_in(value):
            if array.holder is None:
                continue
            place = call.site.values.get(name, call.site.callee)
            anchor = place.anchor
            spelled = isinstance(anchor, cst.Name | cst.Attribute | cst.Subscript | cst.Call)
            call.machine.record(
                RowsGiven,
                place,
                # Each argument is judged by itself: its number is the same in every variant of the call.
                -(call.group * _MOST_ARGUMENTS + number % _MOST_ARGUMENTS),
                use=use,
                as_texts=as_texts,
                holder=array.holder,
                taken=array.taken,
                spelling=source_text(anchor, _TEXT_LIMIT) if spelled and isinstance(anchor, cst.CSTNode) else "",
            )
            break


def note_encodings(
    call: LibraryCall, use: str, value: Value | None, place: Place | None = None, model: Model | None = None
) -> list[Encoding]:
    """Record each output of a tokenizer that is in `value`, which stands at `place`, and return them."""
    found: list[Encoding] = []
    for number, (encoding, whole, lists, where) in enumerate(_encodings_in(value, place)):
        if any(encoding is other for other in found):
            continue
        found.append(encoding)
        call.machine.record(
            EncodingUsed,
            where or place or call.site.callee,
            _group_of(call, use, number),
            encoding=encoding,
            use=use,
            site=call.site,
            model=model,
            whole=whole,
            lists=lists,
            written=where is not None,
        )
    return found


def _group_of(call: LibraryCall, use: str, number: int) -> int:
    """Each argument is judged by itself: its number is the same in every variant of the call."""
    number += _MOST_ARGUMENTS // 2 if use == "validation_data" else 0
    return -(call.group * _MOST_ARGUMENTS + number % _MOST_ARGUMENTS)


def _encodings_in(
    value: Value | None, place: Place | None, depth: int = 0
) -> Iterator[tuple[Encoding, bool, bool, Place | None]]:
    """Each output of a tokenizer: whether it is a BatchEncoding, whether its rows are lists, where it is written."""
    if isinstance(value, EncodingValue):
        if value.encoding is not None and value.dataset is None:
            ids = value.columns.items.get("input_ids")
            lists = isinstance(ids, Array) and ids.holder is Holder.LIST
            yield value.encoding, not value.as_dict, lists, place
    elif isinstance(value, Array):
        if value.column is not None and value.column.encoding is not None:
            yield value.column.encoding, False, value.holder is Holder.LIST, None
    elif depth < 3 and isinstance(value, DictValue):
        for item in value.items.values():
            yield from _encodings_in(item, None, depth + 1)
    elif depth < 3 and isinstance(value, ListValue) and value.exact:
        for index, item in enumerate(value.values):
            yield from _encodings_in(item, element_place(place, index), depth + 1)


def element_place(place: Place | None, index: int) -> Place | None:
    """Where an element of a list or tuple display is written."""
    node = place.anchor if place is not None else None
    if place is None or not isinstance(node, cst.Tuple | cst.List) or index >= len(node.elements):
        return None
    if any(isinstance(element, cst.StarredElement) for element in node.elements):
        return None
    return Place(place.unit, node.elements[index].value)


def note_targets(
    call: LibraryCall, use: str, model: Model, inputs: Value | None, targets: Value | None, place: Place
) -> None:
    """Record labels given beside arrays."""
    if targets is None or not _are_arrays(inputs):
        return
    anchor = place.anchor
    text = source_text(anchor, _TEXT_LIMIT) if isinstance(anchor, cst.CSTNode) else ""
    call.machine.record(
        TargetsGiven,
        place,
        _group_of(call, use, 0),
        model=model,
        holder=_holder_of(targets),
        spelling=text,
        array=_array_maker(call.scope),
    )


def _are_arrays(inputs: Value | None) -> bool:
    if isinstance(inputs, Array):
        return inputs.holder is not Holder.LIST
    if isinstance(inputs, ListValue) and inputs.exact and inputs.items:
        return all(isinstance(one, Array) and one.depth == 0 and one.holder is not Holder.LIST for one in inputs.values)
    return isinstance(inputs, EncodingValue | DictValue)


def _holder_of(targets: Value) -> Holder | None:
    """What holds labels. A list of numbers is no list of arrays, one for each output."""
    if isinstance(targets, Array):
        return targets.holder
    if isinstance(targets, ListValue) and targets.kind in {"list", "tuple"} and _are_numbers(targets):
        return Holder.LIST
    return None


def _are_numbers(value: Value) -> bool:
    if isinstance(value, ListValue):
        items = value.values if value.exact else [value.element]
        return bool(items) and all(_are_numbers(item) for item in items)
    if isinstance(value, Union):
        return all(_are_numbers(alternative) for _, alternative in value.alternatives)
    return isinstance(value, ClassId) or (isinstance(value, Const) and isinstance(value.value, int | float))


def _array_maker(scope: Scope) -> str:
    """How the program would make an array: by its own name for numpy or TensorFlow; empty if it has neither."""
    for library, function in (("numpy", "array"), ("tensorflow", "constant")):
        name = library_name(scope, library)
        if name:
            return f"{name}.{function}"
    return ""


def _arrays_in(value: Value | None, depth: int = 0) -> Iterator[Array]:
    """The arrays in a structure of inputs and labels, as fit() and from_tensor_slices take it."""
    if isinstance(value, Array):
        yield value
    elif isinstance(value, EncodingValue):
        yield from _arrays_in(value.columns, depth)
    elif depth < 3 and isinstance(value, DictValue):
        for item in value.items.values():
            yield from _arrays_in(item, depth + 1)
    elif depth < 3 and isinstance(value, ListValue) and value.kind == "tuple" and value.exact:
        for item in value.values:
            yield from _arrays_in(item, depth + 1)
