"""What arrays and lists are as labels, alone and beside the inputs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tflint_hf.static.values import (
    UNKNOWN,
    Array,
    ClassId,
    Const,
    Cut,
    DictValue,
    EncodingValue,
    ListValue,
    Union,
    Value,
)
from tflint_hf.trace.objects import LabelEncoding, Labels
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    pass


def labels_of(value: Value | None) -> Labels | None:
    """What is known of a value as labels."""
    if isinstance(value, Array):
        found = value.labels or (value.column.labels if value.column is not None else None)
        written = value.state.get("written")
        if written is not None:
            marks = marks_in(written)
            if marks is not None:
                return replace(found or Labels(), ignored=marks, ignored_by="the program", padding="", shift=None)
            # Other numbers are written over some of these: only the marks are sure to be left.
            return None if found is None or found.ignored is None else Labels(ignored=-100, ignored_by="the program")
        return found
    if isinstance(value, ClassId):
        unordered, supposed = value.unordered, value.supposed
        return Labels(LabelEncoding.INDEX, value.classes, value.known_from, unordered=unordered, supposed=supposed)
    if isinstance(value, Union):
        # -100 marks positions without a label; -1 may.
        found_marks = [m for _, v in value.alternatives if (m := marks_in(v)) is not None]
        found_all = [labels_of(v) for _, v in value.alternatives if not (isinstance(v, Const) and _negative(v.value))]
        known = found_all[0] if found_all and all(f is not None and f == found_all[0] for f in found_all) else None
        if not found_marks:
            return known
        return replace(known or Labels(), ignored=found_marks[0], ignored_by="the program", padding="", shift=None)
    if isinstance(value, ListValue):
        if not value.exact:
            return labels_of(value.element)
        if value.items and all(isinstance(v, ClassId) for v in value.values):
            return labels_of(value.values[0])
        if value.items and all(isinstance(v, ListValue) for v in value.values):
            rows = [labels_of(v) for v in value.values]
            marked = next((row for row in rows if row is not None and row.ignored is not None), None)
            return None if marked is None else Labels(ignored=marked.ignored, ignored_by=marked.ignored_by)
        return _literal_labels(value)
    return None


def _literal_labels(value: ListValue) -> Labels | None:
    """Class ids or scores written out in the program."""
    written = [v.value for v in value.values if isinstance(v, Const)]
    if len(written) < max(len(value.items), 1):
        return None
    if all(type(number) is int for number in written):
        lowest = min(written)
        if lowest < -1:
            return None
        known = "the labels written here"
        return Labels(LabelEncoding.INDEX, max(written) + 1, known, at_least=True, lowest=-1 if lowest < 0 else None)
    if all(type(number) in (int, float) for number in written) and any(number % 1 for number in written):
        return Labels(LabelEncoding.SCORE, known_from="the numbers written here")
    if all(isinstance(text, str) for text in written):
        return Labels(LabelEncoding.TEXT, known_from=f'"{written[0]}"')
    return None


def marks_in(value: Value) -> int | None:
    """The value that marks what has no label, written out."""
    return value.value if isinstance(value, Const) and type(value.value) is int and value.value == -100 else None


def paired(inputs: Value, targets: Value | None, *, row: Value | None = None) -> Labels | None:
    """What is known of labels that belong to these inputs: how far they are shifted against them too.

    `row` are the columns that the inputs are added to, where they do not stand for themselves.
    """
    labels = labels_of(targets)
    if targets is None or (labels is not None and labels.ignored is not None):
        return labels
    shift, place = _shift(inputs, row, targets)
    if shift is None:
        return labels
    return replace(labels or Labels(LabelEncoding.TOKENS), shift=shift, place=place)


def columns_in(value: Value | None) -> Value | None:
    return value.columns if isinstance(value, EncodingValue) else value


def _shift(inputs: Value, row: Value | None, targets: Value) -> tuple[int | None, Place | None]:
    """How many tokens later than the inputs the labels begin, where both are cut from the same."""
    second, behind, end = _whole(targets)
    given, ids = columns_in(inputs), inputs
    if isinstance(given, DictValue):
        owners = [given, *([row] if isinstance(row, DictValue) and "input_ids" not in given.items else [])]
        ids = owners[-1].items.get("input_ids", UNKNOWN)
        if isinstance(second, Array) and any(second.state.get("of") is owner for owner in owners):
            ids = second
    first, ahead, first_end = _whole(ids)
    if first is None or second is None or not _same_numbers(first, second) or None in (ahead, behind, first_end, end):
        return None, None
    if (ahead, first_end) != (behind, end) and (ahead, first_end, behind, end) != (0, 1, 1, 0):
        return None, None
    cut = _cut_of(targets)
    return (behind or 0) - (ahead or 0), cut.place if cut is not None else None


def _same_numbers(left: Value, right: Value) -> bool:
    if left is right or not isinstance(left, Array) or not isinstance(right, Array):
        return left is right
    return left.state is right.state or _same_part(left.cut, right.cut)


def _same_part(left: Cut | None, right: Cut | None) -> bool:
    """Whether two slices have the same bounds in the same array, whatever these are."""
    if left is None or right is None or not left.bounds or len(left.bounds) != len(right.bounds):
        return False
    pairs = zip(left.bounds, right.bounds, strict=True)
    return _same_numbers(left.of, right.of) and all(_same_bound(one, other) for one, other in pairs)


def _same_bound(left: Value, right: Value) -> bool:
    if isinstance(left, Const) and isinstance(right, Const):
        return bool(left.value == right.value)
    return left is right and left.known


def _cut_of(value: Value) -> Cut | None:
    if isinstance(value, Array):
        return value.cut
    found = value.facts.get("cut") if isinstance(value, ListValue) else None
    if isinstance(found, Cut):
        return found
    if isinstance(value, ListValue) and not value.exact:
        return _cut_of(value.element)
    return None


def _whole(value: Value) -> tuple[Value | None, int | None, int | None]:
    """What an array or list is a part of in the end, and how much of it is left out at both ends."""
    start: int | None = 0
    end: int | None = 0
    if isinstance(value, ListValue) and not value.exact and "cut" not in value.facts:
        value = value.element if _cut_of(value.element) is not None else value
    while True:
        if not isinstance(value, Array | ListValue) or (isinstance(value, Array) and "written" in value.state):
            return None, None, None
        cut = value.cut if isinstance(value, Array) else value.facts.get("cut")
        if not isinstance(cut, Cut):
            return value, start, end
        if cut.start is None or cut.end is None:
            return value, start, end
        start, end, value = (start or 0) + cut.start, (end or 0) + cut.end, cut.of


def _negative(value: object) -> bool:
    return isinstance(value, int) and value < 0
