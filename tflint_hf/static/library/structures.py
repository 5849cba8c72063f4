"""How inputs and labels are put together: one array, several in a list or tuple, or by name in a dictionary."""

from __future__ import annotations

from tflint_hf.static.values import Array, DictValue, EncodingValue, ListValue, Value
from tflint_hf.trace.objects import Structure
from tflint_hf.trace.places import Place


def structure_of(value: Value | None, *, stacks_lists: bool = False, place: Place | None = None) -> Structure | None:
    """The structure of a value, None if it is not known; `stacks_lists`: a list becomes one array, a tuple does not."""
    columns = value.columns if isinstance(value, EncodingValue) else value
    if isinstance(columns, DictValue):
        if columns.open and "tokenizer" not in columns.facts:
            return None
        names = tuple(str(key) for key in columns.items)
        places = tuple(columns.places.get(key) for key in columns.items)
        unsure = frozenset(map(str, columns.unsure))
        return Structure("dict", names, columns.place or place, open=columns.open, places=places, unsure=unsure)
    if isinstance(value, Array):
        return Structure("one", (value.name,), place)
    if isinstance(value, ListValue) and value.exact and value.items:
        parts = value.values
        if value.kind == "tuple" or (not stacks_lists and all(isinstance(part, Array) for part in parts)):
            names = tuple(part.name if isinstance(part, Array) else "" for part in parts)
            return Structure(value.kind, names, value.place or place)
        return Structure("one", ("",), place)
    return None
