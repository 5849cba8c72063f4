"""Numbers that count something: how rows, batches and plain numbers go through arithmetic."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from tflint_hf.static.syntax import source_text
from tflint_hf.static.values import Array, Const, Fact, Length, Value
from tflint_hf.trace.objects import Amount, Dataset, Feed, Unit

if TYPE_CHECKING:
    from tflint_hf.trace.places import Place


def amount_of(value: Value | None) -> Amount | None:
    """What a value counts, None if it is no number or nothing is known of it."""
    if isinstance(value, Const):
        number = value.value
        if isinstance(number, bool) or not isinstance(number, int | float):
            return None
        return Amount(Unit.NUMBER, float(number), isinstance(number, int), soft=value.soft, literal=value)
    if isinstance(value, Length):
        return _length(value.of)
    return value.data if isinstance(value, Fact) and isinstance(value.data, Amount) else None


def _length(of: Value) -> Amount | None:
    if isinstance(of, Array):
        rows = of.dataset is not None and of.dataset.is_dict is False and bool(of.name) and not of.reshaped
        return Amount(Unit.ROWS, 1.0, True, of.dataset) if rows else None
    data = of.data if isinstance(of, Fact) else None
    if isinstance(data, Dataset):
        return Amount(Unit.ROWS, 1.0, True, data) if data.is_dict is False else None
    if isinstance(data, Feed) and data.batched is not None:
        return Amount(Unit.BATCHES if data.batched else Unit.ROWS, 1.0, True, data)
    return None


def written(value: Value | None, place: Place | None) -> Amount | None:
    """The amount that an argument is, with its text."""
    amount = amount_of(value)
    if amount is None:
        return None
    text = source_text(place.anchor) if place is not None and isinstance(place.anchor, cst.CSTNode) else ""
    return replace(amount, text=text)


def combine(op: cst.BaseBinaryOp, left: Value, right: Value) -> Value | None:
    """The result of an operator on two amounts, None if it is not known."""
    one, other = amount_of(left), amount_of(right)
    if one is None or other is None or one.number is None or other.number is None:
        return None
    soft = one.soft or other.soft
    whole = None if one.whole is None or other.whole is None else one.whole and other.whole
    if isinstance(op, cst.Multiply) and Unit.NUMBER in (one.unit, other.unit):
        counted = other if one.unit is Unit.NUMBER else one
        return Fact(Amount(counted.unit, one.number * other.number, whole, counted.of, soft))
    if isinstance(op, cst.Divide | cst.FloorDivide) and other.unit is Unit.NUMBER and other.number:
        whole = whole if isinstance(op, cst.FloorDivide) else False
        return Fact(Amount(one.unit, one.number / other.number, whole, one.of, soft))
    if isinstance(op, cst.Add | cst.Subtract):
        return Fact(Amount(one.unit if one.unit is not Unit.NUMBER else other.unit, None, whole, soft=soft))
    return None


def some_number(*, whole: bool) -> Value:
    """A number of which nothing is known."""
    return Fact(Amount(Unit.NUMBER, None, whole))


def rounded(value: Value) -> Value | None:
    """`int(value)` and its like."""
    amount = amount_of(value)
    return None if amount is None else Fact(replace(amount, whole=True))
