"""Expressions: what a piece of code evaluates to."""

from __future__ import annotations

import operator
import posixpath
from typing import TYPE_CHECKING, Any

import libcst as cst

from tflint_hf.static import amounts, attributes, calls, inputs, items, uses
from tflint_hf.static.arguments import evaluate_arguments
from tflint_hf.static.machine import MAX_EXPRESSION_DEPTH
from tflint_hf.static.scopes import Scope
from tflint_hf.static.syntax import parameters, source_text, string_value
from tflint_hf.static.truth import condition_key, truth
from tflint_hf.static.values import (
    UNKNOWN,
    Const,
    DictValue,
    Ending,
    Function,
    ListValue,
    Spot,
    Value,
    ending_of,
    join_all,
    list_of,
    make_list,
    make_union,
    narrow,
)
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from collections.abc import Callable

    from tflint_hf.static.machine import Machine

MAX_UNROLLED = 16
#: Longer displays hold data, whose items nobody is pointed at.
_MOST_PLACES = 4


def evaluate(machine: Machine, node: cst.BaseExpression, scope: Scope) -> Value:
    """The value of an expression; unknown past the bounds of the machine."""
    machine.steps += 1
    if machine.exhausted or machine.depth > MAX_EXPRESSION_DEPTH:
        return UNKNOWN
    handler = _HANDLERS.get(type(node))
    if handler is None:
        return UNKNOWN
    machine.depth += 1
    try:
        return handler(machine, node, scope)
    finally:
        machine.depth -= 1


_NAMED_CONSTANTS = {"True": True, "False": False, "None": None}


def _name(machine: Machine, node: cst.Name, scope: Scope) -> Value:
    if node.value in _NAMED_CONSTANTS:
        return Const(_NAMED_CONSTANTS[node.value], place=Place(scope.unit, node))
    value = scope.find(node.value)
    if value is not None:
        return narrow(value, machine.guards)
    return attributes.unbound_name(machine, node, scope)


def _attribute(machine: Machine, node: cst.Attribute, scope: Scope) -> Value:
    receiver = evaluate(machine, node.value, scope)
    return attributes.get_attribute(machine, receiver, node.attr.value, node, scope)


def _string(_machine: Machine, node: cst.SimpleString | cst.ConcatenatedString, scope: Scope) -> Value:
    value = string_value(node)
    return UNKNOWN if value is None else Const(value, place=Place(scope.unit, node))


def _formatted(machine: Machine, node: cst.FormattedString, scope: Scope) -> Value:
    parts: list[str] = []
    soft, known, is_path = False, True, False
    for part in node.parts:
        if isinstance(part, cst.FormattedStringText):
            parts.append(part.value)
        elif isinstance(part, cst.FormattedStringExpression):
            value = evaluate(machine, part.expression, scope)
            if "%" in "".join(source_text(spec) for spec in part.format_spec or ()):
                uses.read_as_probability(machine, value, part.expression, scope)
            if isinstance(value, Ending) and value.whole and part.format_spec is None:
                parts.append(value.text)
                is_path = True
                continue
            if not isinstance(value, Const) or part.format_spec is not None or part.conversion is not None:
                known = False
                continue
            soft = soft or value.soft
            parts.append(str(value.value))
    if known and is_path:
        return Ending("".join(parts), whole=True)
    return Const("".join(parts), soft) if known else _ending(node)


def _ending(node: cst.FormattedString) -> Value:
    """The text that a formatted string ends in, where the rest of it is not known."""
    last = node.parts[-1]
    return Ending(last.value) if isinstance(last, cst.FormattedStringText) else UNKNOWN


def _number(_machine: Machine, node: cst.Integer | cst.Float | cst.Imaginary, scope: Scope) -> Value:
    try:
        return Const(node.evaluated_value, place=Place(scope.unit, node))
    except (ValueError, SyntaxError):
        return UNKNOWN


def _sequence(machine: Machine, node: cst.List | cst.Tuple | cst.Set, scope: Scope) -> Value:
    kind = {cst.List: "list", cst.Tuple: "tuple", cst.Set: "set"}[type(node)]
    values: list[Value] = []
    for element in node.elements:
        value = evaluate(machine, element.value, scope)
        if not isinstance(element, cst.StarredElement):
            values.append(value)
        elif isinstance(value, ListValue) and value.exact:
            values.extend(value.values)
        else:
            element_value = items.element_of(machine, value)
            return list_of(kind, join_all([*values, element_value]) if values else element_value)
    made = make_list(kind, values)
    made.place = Place(scope.unit, node)
    if len(values) == len(node.elements) <= _MOST_PLACES:
        made.places = tuple(Place(scope.unit, element.value) for element in node.elements)
    return made


def _dict(machine: Machine, node: cst.Dict, scope: Scope) -> Value:
    result = DictValue(place=Place(scope.unit, node))
    for element in node.elements:
        value = evaluate(machine, element.value, scope)
        machine.modules.files.origins.note(Place(scope.unit, element.value), value)
        if isinstance(element, cst.StarredDictElement):
            items.update_dict(machine, result, value)
            continue
        key = evaluate(machine, element.key, scope) if isinstance(element, cst.DictElement) else UNKNOWN
        items.set_item(machine, result, key, value)
        if isinstance(key, Const) and isinstance(key.value, str):
            result.places[key.value] = Place(scope.unit, element.value)
    return result


def _call(machine: Machine, node: cst.Call, scope: Scope) -> Value:
    callee = evaluate(machine, node.func, scope)
    arguments = evaluate_arguments(machine, node, scope)
    return calls.call(machine, callee, arguments, node, scope)


def _subscript(machine: Machine, node: cst.Subscript, scope: Scope) -> Value:
    receiver = evaluate(machine, node.value, scope)
    keys = [_index(machine, element.slice, scope) for element in node.slice]
    key = keys[0] if len(keys) == 1 else make_list("tuple", keys)
    return items.get_item(machine, receiver, key, node, scope)


def _index(machine: Machine, node: cst.BaseSlice, scope: Scope) -> Value:
    if isinstance(node, cst.Index):
        return evaluate(machine, node.value, scope)
    assert isinstance(node, cst.Slice)
    bounds = [UNKNOWN if b is None else evaluate(machine, b, scope) for b in (node.lower, node.upper, node.step)]
    absent = [b is None for b in (node.lower, node.upper, node.step)]
    return items.SliceValue(tuple(Const(None) if gone else b for b, gone in zip(bounds, absent, strict=True)))


_ARITHMETIC: dict[type[cst.BaseBinaryOp], Callable[[Any, Any], Any]] = {
    cst.Add: operator.add,
    cst.Subtract: operator.sub,
    cst.Multiply: operator.mul,
    cst.Divide: operator.truediv,
    cst.FloorDivide: operator.floordiv,
    cst.Modulo: operator.mod,
    cst.Power: operator.pow,
}


#: The most items of a repeated list that are told one by one.
_MOST_REPEATED = 512


def _binary(machine: Machine, node: cst.BinaryOperation, scope: Scope) -> Value:
    left = evaluate(machine, node.left, scope)
    right = evaluate(machine, node.right, scope)
    return combine(machine, node.operator, left, right, node, scope)


def combine(
    machine: Machine, op: cst.BaseBinaryOp, left: Value, right: Value, node: cst.CSTNode, scope: Scope
) -> Value:
    """The result of a binary operator."""
    compute = _ARITHMETIC.get(type(op))
    if isinstance(left, Const) and isinstance(right, Const) and compute is not None:
        return _arithmetic(compute, left, right)
    if isinstance(op, cst.Add) and isinstance(left, ListValue) and isinstance(right, ListValue):
        if left.exact and right.exact:
            return make_list(left.kind, [*left.values, *right.values])
        return list_of(left.kind, join_all([left.element, right.element]))
    if isinstance(op, cst.Multiply):
        for items_of, times in ((left, right), (right, left)):
            if isinstance(items_of, ListValue) and isinstance(times, Const) and type(times.value) is int:
                return _repeated(items_of, times)
    if isinstance(op, cst.BitOr) and isinstance(left, DictValue):
        merged = DictValue(left.items, dict(left.facts))
        items.update_dict(machine, merged, right)
        return merged
    amount = amounts.combine(op, left, right)
    if amount is not None:
        return amount
    if isinstance(left, Ending) and isinstance(op, cst.Divide):
        return joined_path([left, right])
    if not left.known and isinstance(op, cst.Add | cst.Divide):
        ending = ending_of(right)
        if ending is not None:
            return Ending(ending)
    uses.operator_used(machine, left, right, node, scope)
    return uses.arithmetic_result(left, right)


def _repeated(items_of: ListValue, times: Const) -> ListValue:
    """`[0, 1] * 20`."""
    if not items_of.exact or times.soft or len(items_of.items) * times.value > _MOST_REPEATED:
        return list_of(items_of.kind, items_of.element)
    return make_list(items_of.kind, items_of.values * times.value)


def joined_path(parts: list[Value]) -> Value:
    """A path put together of its parts: all of it, or as much of its end as is known."""
    texts = [ending_of(part) for part in parts]
    whole = all(isinstance(part, Const) or (isinstance(part, Ending) and part.whole) for part in parts)
    if whole and all(text is not None for text in texts):
        return Ending(posixpath.join(*(text or "" for text in texts)), whole=True)
    return UNKNOWN if not texts or texts[-1] is None else Ending(texts[-1])


def _arithmetic(compute: Callable[[Any, Any], Any], left: Const, right: Const) -> Value:
    numbers = (int, float)
    if isinstance(left.value, str) and isinstance(right.value, str) and compute is operator.add:
        return Const(left.value + right.value, left.soft or right.soft)
    if not isinstance(left.value, numbers) or not isinstance(right.value, numbers):
        return UNKNOWN
    if compute is operator.pow and (abs(left.value) > 1e6 or abs(right.value) > 64):
        return UNKNOWN
    try:
        return Const(compute(left.value, right.value), left.soft or right.soft)
    except (ArithmeticError, ValueError):
        return UNKNOWN


def _unary(machine: Machine, node: cst.UnaryOperation, scope: Scope) -> Value:
    value = evaluate(machine, node.expression, scope)
    if isinstance(node.operator, cst.Not):
        verdict = truth(value)
        return UNKNOWN if verdict is None else Const(not verdict)
    inputs.note_used(machine, value)
    if isinstance(value, Const) and isinstance(value.value, int | float) and isinstance(node.operator, cst.Minus):
        return Const(-value.value, value.soft)
    return value if isinstance(node.operator, cst.Plus) else UNKNOWN


def _boolean(machine: Machine, node: cst.BooleanOperation, scope: Scope) -> Value:
    left = evaluate(machine, node.left, scope)
    verdict = truth(left)
    stops = isinstance(node.operator, cst.Or)
    if verdict is not None:
        return left if verdict is stops else evaluate(machine, node.right, scope)
    right = evaluate(machine, node.right, scope)
    return join_all([left, right]) if stops and left.known else UNKNOWN


_COMPARISONS: dict[type[cst.BaseCompOp], Callable[[Any, Any], Any]] = {
    cst.Equal: operator.eq,
    cst.NotEqual: operator.ne,
    cst.LessThan: operator.lt,
    cst.LessThanEqual: operator.le,
    cst.GreaterThan: operator.gt,
    cst.GreaterThanEqual: operator.ge,
    cst.Is: operator.is_,
    cst.IsNot: operator.is_not,
}


def _comparison(machine: Machine, node: cst.Comparison, scope: Scope) -> Value:
    left = evaluate(machine, node.left, scope)
    if len(node.comparisons) != 1:
        for part in node.comparisons:
            evaluate(machine, part.comparator, scope)
        return UNKNOWN
    part = node.comparisons[0]
    right = evaluate(machine, part.comparator, scope)
    compute = _COMPARISONS.get(type(part.operator))
    if isinstance(part.operator, cst.In | cst.NotIn):
        held = items.contains(right, left)
        return UNKNOWN if held is None else Const(held is isinstance(part.operator, cst.In))
    if isinstance(left, Const) and isinstance(right, Const) and compute is not None:
        try:
            return Const(bool(compute(left.value, right.value)), left.soft or right.soft)
        except TypeError:
            return UNKNOWN
    if isinstance(part.operator, cst.Is | cst.IsNot):
        return uses.is_none(left, right, negated=isinstance(part.operator, cst.IsNot))
    uses.operator_used(machine, left, right, node, scope)
    return uses.comparison(machine, node, left, right, scope)


def _conditional(machine: Machine, node: cst.IfExp, scope: Scope) -> Value:
    verdict = truth(evaluate(machine, node.test, scope))
    if verdict is not None:
        return evaluate(machine, node.body if verdict else node.orelse, scope)
    key, positive = condition_key(machine, node.test, scope)
    yes, no = frozenset({(key, int(positive))}), frozenset({(key, int(not positive))})
    pairs = []
    for guards, branch in ((yes, node.body), (no, node.orelse)):
        if machine.possible(guards):
            with machine.under(guards):
                pairs.append((guards, evaluate(machine, branch, scope)))
    return make_union(pairs)


def _lambda(machine: Machine, node: cst.Lambda, scope: Scope) -> Value:
    defaults = {p.name.value: evaluate(machine, p.default, scope) for p in parameters(node.params) if p.default}
    return Function(node, scope, scope.unit, "<lambda>", defaults)


def _comprehension(machine: Machine, node: cst.ListComp | cst.SetComp | cst.GeneratorExp, scope: Scope) -> Value:
    kind = "set" if isinstance(node, cst.SetComp) else "list"
    inner = Scope(scope.unit, scope.module, scope, path=scope.path)
    inner.owner, inner.instance = scope.owner, scope.instance
    values, exact = _rounds(machine, node.for_in, inner, lambda: evaluate(machine, node.elt, inner))
    made = make_list(kind, values) if exact else list_of(kind, join_all(values))
    texts = {value.value for value in values if isinstance(value, Const) and isinstance(value.value, str)}
    if kind == "set" and len(texts) > 1:
        made.facts["unordered"] = Spot(Place(scope.unit, node))
    return made


def _dict_comprehension(machine: Machine, node: cst.DictComp, scope: Scope) -> Value:
    inner = Scope(scope.unit, scope.module, scope, path=scope.path)
    result = DictValue()

    def one() -> Value:
        key = evaluate(machine, node.key, inner)
        items.set_item(machine, result, key, evaluate(machine, node.value, inner))
        return key

    _, exact = _rounds(machine, node.for_in, inner, one)
    if not exact:
        result.facts["open"] = UNKNOWN
        of_unknown_keys = [result.facts["element"]] if "element" in result.facts else []
        result.facts["element"] = join_all([*result.items.values(), *of_unknown_keys])
        result.items.clear()
    return result


def _rounds(machine: Machine, for_in: cst.CompFor, scope: Scope, body: Callable[[], Value]) -> tuple[list[Value], bool]:
    """Run a comprehension's body for each item; the flag says whether the rounds are exactly those of the program."""
    iterated = items.iterate(machine, evaluate(machine, for_in.iter, scope), for_in.iter, scope)
    rounds, exact = iterated
    if len(rounds) > MAX_UNROLLED:
        rounds, exact = [join_all(rounds)], False
    values: list[Value] = []
    loops, machine.open_loops = machine.open_loops, machine.open_loops + (not exact)
    for item in rounds:
        items.assign_target(machine, for_in.target, item, scope)
        skip = False
        for condition in for_in.ifs:
            verdict = truth(evaluate(machine, condition.test, scope))
            if verdict is False:
                skip = True
            elif verdict is None:
                exact = False
        if skip:
            continue
        if for_in.inner_for_in is not None:
            more, inner_exact = _rounds(machine, for_in.inner_for_in, scope, body)
            values.extend(more)
            exact = exact and inner_exact
        else:
            values.append(body())
    machine.open_loops = loops
    return values, exact


def _named(machine: Machine, node: cst.NamedExpr, scope: Scope) -> Value:
    value = evaluate(machine, node.value, scope)
    items.assign_target(machine, node.target, value, scope)
    return value


def _await(machine: Machine, node: cst.Await, scope: Scope) -> Value:
    return evaluate(machine, node.expression, scope)


def _yield(machine: Machine, node: cst.Yield, scope: Scope) -> Value:
    value: Value = UNKNOWN
    if isinstance(node.value, cst.From):
        value = items.element_of(machine, evaluate(machine, node.value.item, scope))
    elif node.value is not None:
        value = evaluate(machine, node.value, scope)
    if machine.frames:
        machine.frames[-1].yields.append(value)
    return UNKNOWN


def _ellipsis(_machine: Machine, _node: cst.Ellipsis, _scope: Scope) -> Value:
    return UNKNOWN


_HANDLERS: dict[type, Callable[[Machine, Any, Scope], Value]] = {
    cst.Name: _name,
    cst.Attribute: _attribute,
    cst.SimpleString: _string,
    cst.ConcatenatedString: _string,
    cst.FormattedString: _formatted,
    cst.Integer: _number,
    cst.Float: _number,
    cst.Imaginary: _number,
    cst.List: _sequence,
    cst.Tuple: _sequence,
    cst.Set: _sequence,
    cst.Dict: _dict,
    cst.Call: _call,
    cst.Subscript: _subscript,
    cst.BinaryOperation: _binary,
    cst.UnaryOperation: _unary,
    cst.BooleanOperation: _boolean,
    cst.Comparison: _comparison,
    cst.IfExp: _conditional,
    cst.Lambda: _lambda,
    cst.ListComp: _comprehension,
    cst.SetComp: _comprehension,
    cst.GeneratorExp: _comprehension,
    cst.DictComp: _dict_comprehension,
    cst.NamedExpr: _named,
    cst.Await: _await,
    cst.Yield: _yield,
    cst.Ellipsis: _ellipsis,
}
