"""The arguments of a call: from its text to values, to parameters, and to the places where they stand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import libcst as cst

from tflint_hf.static.syntax import callee_anchor, parameters
from tflint_hf.static.values import (
    UNKNOWN,
    Const,
    DictValue,
    EncodingValue,
    Function,
    ListValue,
    Partial,
    Union,
    Value,
    alternatives,
    list_of,
    make_list,
)
from tflint_hf.trace.places import CallSite, Place

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope


@dataclass(eq=False, slots=True)
class Arguments:
    """The arguments of one call. `open`: there may be more, from `*args` or `**kwargs` that cannot be read.

    `nodes` are the argument nodes of the program text, for each position and keyword that has one. `places` say of
    those that were given elsewhere, in a dictionary or by functools.partial, where each was and where its value.
    """

    positional: list[Value] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    open: bool = False
    nodes: dict[int | str, cst.Arg] = field(default_factory=dict)
    places: dict[int | str, tuple[Place, Place]] = field(default_factory=dict)

    def with_values(self, positional: list[Value], keywords: dict[str, Value]) -> Arguments:
        return Arguments(positional, keywords, self.open, self.nodes, self.places)

    def place_of(self, key: int | str, scope: Scope) -> tuple[Place, Place] | None:
        """Where an argument is written and where its value, if it has a place of its own."""
        node = self.nodes.get(key)
        if key in self.places or node is None or node.star:
            return self.places.get(key)
        return Place(scope.unit, node), Place(scope.unit, node.value)

    def behind(self, given: Partial) -> Arguments:
        """These arguments together with those that a partial has already."""
        first = len(given.positional)
        nodes = {key if isinstance(key, str) else key + first: node for key, node in self.nodes.items()}
        places = {key: place for key, place in given.places.items() if key not in self.keywords}
        places.update({key if isinstance(key, str) else key + first: place for key, place in self.places.items()})
        positional = [*given.positional, *self.positional]
        return Arguments(positional, {**given.keywords, **self.keywords}, self.open, nodes, places)


def evaluate_arguments(machine: Machine, node: cst.Call, scope: Scope) -> Arguments:
    """Evaluate the arguments of a call, literal `*` and `**` spread out."""
    result = Arguments()
    for arg in node.args:
        value = machine.evaluate(machine, arg.value, scope)
        machine.modules.files.origins.note(Place(scope.unit, arg.value), value)
        if arg.star == "*":
            if isinstance(value, ListValue) and value.exact and not result.open:
                for number, item in enumerate(value.values):
                    if len(value.places) == len(value.items):
                        result.places[len(result.positional)] = (value.places[number], value.places[number])
                    result.nodes[len(result.positional)] = arg
                    result.positional.append(item)
            else:
                result.open = True
        elif arg.star == "**":
            _spread_keywords(result, value, arg)
        elif arg.keyword is not None:
            result.nodes[arg.keyword.value] = arg
            result.keywords[arg.keyword.value] = value
        elif not result.open:
            result.nodes[len(result.positional)] = arg
            result.positional.append(value)
    return result


def _spread_keywords(result: Arguments, value: Value, arg: cst.Arg) -> None:
    if isinstance(value, EncodingValue):
        value = value.columns
    dicts = [v for _, v in alternatives(value) if isinstance(v, DictValue)]
    if not isinstance(value, Union) and len(dicts) == 1:
        for key, item in dicts[0].items.items():
            if isinstance(key, str):
                result.nodes[key] = arg
                result.keywords[key] = item
                if key in dicts[0].places:
                    result.places[key] = (dicts[0].places[key], dicts[0].places[key])
        result.open = result.open or dicts[0].open
    else:
        result.open = True


def bind_parameters(
    function: Function,
    positional: Sequence[Value],
    keywords: Mapping[str, Value],
    inner: Scope,
    open_call: bool,
    at: Mapping[int | str, Place],
) -> None:
    params = function.node.params
    names = [p.name.value for p in parameters(params)]
    bound: dict[str, Value] = dict(zip(names, positional, strict=False))
    extra = {}
    keyword_names = {*names, *(p.name.value for p in params.kwonly_params)}
    for name, value in keywords.items():
        if name in keyword_names:
            bound[name] = value
        else:
            extra[name] = value
    for name in keyword_names:
        if name not in bound:
            default = function.defaults.get(name, UNKNOWN)
            bound[name] = UNKNOWN if open_call else default
    if isinstance(params.star_arg, cst.Param):
        rest = make_list("tuple", positional[len(names) :])
        places = [at.get(number) for number in range(len(names), len(positional))]
        rest.places = tuple(place for place in places if place is not None) if None not in places else ()
        bound[params.star_arg.name.value] = list_of("tuple", UNKNOWN) if open_call else rest
    if params.star_kwarg is not None:
        places_of_extra = {name: at[name] for name in extra if name in at}
        known = DictValue({**extra}, {"open": UNKNOWN} if open_call else {}, places_of_extra)
        bound[params.star_kwarg.name.value] = known
    inner.names.update(bound)


# Classes of the program


def site(
    node: cst.CSTNode,
    scope: Scope,
    arguments: Arguments,
    names: Sequence[str] = (),
    is_there: Callable[[Place, Value], bool] = lambda _place, _value: True,
) -> CallSite:
    """Where a call and each of its arguments stands. A position without a name of its own is called `#0`, `#1`.

    `is_there` tells whether a value that was given elsewhere is really what is written at a place that can be shown.
    """
    whole: dict[str, Place] = {}
    values: dict[str, Place] = {}

    def name_of(key: int | str) -> str:
        if isinstance(key, str):
            return key
        return f"#{key}" if key >= len(names) or names[key] in arguments.keywords else names[key]

    for key, arg in arguments.nodes.items():
        name = name_of(key)
        whole[name] = Place(scope.unit, arg)
        values[name] = Place(scope.unit, arg if arg.star else arg.value)
    given = {name_of(i): v for i, v in enumerate(arguments.positional)}
    given.update(arguments.keywords)
    for key, (argument, value) in arguments.places.items():
        name = name_of(key)
        if name in given and is_there(value, given[name]):
            whole[name], values[name] = argument, value
    callee: Any = callee_anchor(node) if isinstance(node, cst.Call) else node
    return CallSite(
        Place(scope.unit, node),
        Place(scope.unit, callee),
        whole,
        values,
        literals=_literals(given),
        known=frozenset(name for name, value in given.items() if value.known),
        open=arguments.open,
        written=frozenset(name_of(key) for key, arg in arguments.nodes.items() if not arg.star and _written(arg.value)),
    )


def _written(value: cst.BaseExpression) -> bool:
    if isinstance(value, cst.UnaryOperation):
        return _written(value.expression)
    return isinstance(value, cst.BaseNumber | cst.SimpleString)


def _literals(given: Mapping[str, Value]) -> dict[str, object]:
    """The arguments that are literals. A default that another run may replace is one only if it says something."""
    found: dict[str, object] = {}
    for name, value in given.items():
        if isinstance(value, Const) and not (value.soft and (value.value is None or isinstance(value.value, bool))):
            found[name] = value.value
        elif isinstance(value, ListValue) and value.exact and all(isinstance(v, Const) for v in value.values):
            found[name] = tuple(v.value for v in value.values if isinstance(v, Const))
    return found
