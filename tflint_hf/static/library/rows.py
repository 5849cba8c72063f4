"""Values of many rows in one object (a column, a series, an array), and what they are handed to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from tflint_hf.static.syntax import source_text
from tflint_hf.static.values import Array, DictValue, EncodingValue, ListValue, Value
from tflint_hf.trace.events import RowsGiven
from tflint_hf.trace.objects import Taken
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.scopes import Scope

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
