"""Conditions: which are decided, and which two are the same decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from tflint_hf.static.syntax import names_in, source_text
from tflint_hf.static.values import Const, DictValue, External, Fact, Function, ListValue, ModelValue, Value
from tflint_hf.trace.objects import Amount, Prediction

if TYPE_CHECKING:
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope


def truth(value: Value) -> bool | None:
    """Whether a value is true; None if that is not decided. Soft defaults decide nothing."""
    if isinstance(value, Const):
        return None if value.soft else bool(value.value)
    if isinstance(value, ListValue) and value.exact:
        return bool(value.items)
    if isinstance(value, DictValue) and not value.open:
        return bool(value.items)
    if isinstance(value, Fact) and isinstance(value.data, Amount | Prediction):
        return None
    if isinstance(value, Function | ModelValue | External | Fact):
        return True
    return None


_OPPOSITES: dict[type[cst.BaseCompOp], cst.BaseCompOp] = {
    cst.NotEqual: cst.Equal(),
    cst.IsNot: cst.Is(),
    cst.NotIn: cst.In(),
}


def condition_key(machine: Machine, node: cst.BaseExpression, scope: Scope) -> tuple[object, bool]:
    """A key that two conditions share if they are the same decision, and whether this one stands for its yes.

    The key is the text of the condition and the identity of the values that its names stand for, so that it changes
    when one of them is bound anew.
    """
    positive = True
    while isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        positive = not positive
        node = node.expression
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
        part = node.comparisons[0]
        opposite = _OPPOSITES.get(type(part.operator))
        if opposite is not None:
            positive = not positive
            node = node.with_changes(comparisons=[part.with_changes(operator=opposite)])
    text = source_text(node, limit=400)
    values = [scope.find(name) for name in names_in(node)]
    machine.kept.append(values)
    return (text, tuple(id(value) for value in values)), positive
