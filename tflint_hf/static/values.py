"""What a name may stand for while the reader executes a program.

Values are compared by identity. The containers are mutable, as in the program; every change goes through the store,
so that the reader can take a branch back.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from tflint_hf.trace.guards import NO_GUARDS, Guards, compatible

if TYPE_CHECKING:
    from collections.abc import Iterable

    import libcst as cst

    from tflint_hf.static.scopes import Scope
    from tflint_hf.trace import objects as facts
    from tflint_hf.trace.places import Place

MAX_ALTERNATIVES = 6


@dataclass(eq=False, slots=True)
class Value:
    """The base of all values. A plain Value is an unknown one."""

    @property
    def known(self) -> bool:
        return type(self) is not Value


UNKNOWN = Value()


@dataclass(eq=False, slots=True)
class Const(Value):
    """A literal. `soft` marks a default that another run of the program may replace (an argparse default).

    `place` is where it was written; None if it was computed.
    """

    value: Any
    soft: bool = False
    place: Place | None = None


@dataclass(eq=False, slots=True)
class Ending(Value):
    """A text of which only the end is known. `whole`: it is all of a path, which is never a name on the Hub."""

    text: str
    whole: bool = False


@dataclass(eq=False, slots=True)
class ListValue(Value):
    """A list, tuple or set. `items` is {position: value}; `exact` says that the length is known.

    `element` stands for any item of a list whose length is not known. `place` is where a display of it was written,
    `places` where its items were. `facts["unordered"]` is a Spot: the items are in the order of a set of texts.
    """

    kind: str
    items: dict[int, Value] = field(default_factory=dict)
    facts: dict[str, Value] = field(default_factory=dict)
    place: Place | None = None
    places: tuple[Place, ...] = ()

    @property
    def exact(self) -> bool:
        return "element" not in self.facts

    @property
    def values(self) -> list[Value]:
        return [self.items[i] for i in sorted(self.items)]

    @property
    def element(self) -> Value:
        """Any item: the summary of an inexact list, or the items of an exact one if they are all alike."""
        if not self.exact:
            return self.facts["element"]
        return join_all(self.values)


def make_list(kind: str, values: Iterable[Value]) -> ListValue:
    return ListValue(kind, dict(enumerate(values)))


def list_of(kind: str, element: Value) -> ListValue:
    """A list of unknown length."""
    return ListValue(kind, {}, {"element": element})


@dataclass(eq=False, slots=True)
class Spot(Value):
    """A place of the program, kept among the facts of a value. `supposed`: it may not have the meaning of that fact."""

    place: Place
    supposed: bool = False


def order_of_set(value: Value, here: Place | None = None) -> Spot | None:
    """Where a list got the order of a set of texts, None if it did not.

    A set whose members are not known may be one of texts, and counts where it is used: `here`.
    """
    if not isinstance(value, ListValue):
        return None
    spot = value.facts.get("unordered")
    if isinstance(spot, Spot):
        return spot
    unknown = value.kind == "set" and not value.exact and not isinstance(value.element, Const | ClassId | Length | Fact)
    return Spot(here, supposed=True) if unknown and here is not None else None


class Items(dict[Any, "Value"]):
    """The items of a dictionary. `unsure` are the keys that only some branch put in, or left in."""

    __slots__ = ("unsure",)

    def __init__(self, items: dict[Any, Value]) -> None:
        super().__init__(items)
        self.unsure: set[Any] = set(items.unsure) if isinstance(items, Items) else set()


@dataclass(eq=False, slots=True)
class DictValue(Value):
    """A dictionary. `facts["open"]` is there when it may hold keys that are not known.

    `places` says where the value of a key was written, for keys of a literal; `place` where the literal was.
    """

    items: dict[Any, Value] = field(default_factory=dict)
    facts: dict[str, Value] = field(default_factory=dict)
    places: dict[Any, Place] = field(default_factory=dict)
    place: Place | None = None

    def __post_init__(self) -> None:
        self.items = Items(self.items)

    @property
    def unsure(self) -> frozenset[Any]:
        """The keys that may be missing."""
        return frozenset(self.items.unsure) if isinstance(self.items, Items) else frozenset(self.items)

    @property
    def open(self) -> bool:
        return "open" in self.facts


def view_of(names: dict[str, Value]) -> DictValue:
    """A dictionary whose changes are changes of these names or attributes."""
    view = DictValue()
    view.items = names
    return view


@dataclass(eq=False, slots=True)
class Function(Value):
    """A function or lambda of the program, with the scope it closes over."""

    node: cst.FunctionDef | cst.Lambda
    scope: Scope
    unit: int
    name: str
    defaults: dict[str, Value] = field(default_factory=dict)
    decorators: tuple[Value, ...] = ()
    owner: Class | None = None


@dataclass(eq=False, slots=True)
class Class(Value):
    """A class of the program. `members` are its attributes, `bases` what it derives from."""

    node: cst.ClassDef
    unit: int
    name: str
    bases: tuple[Value, ...]
    members: dict[str, Value]
    scope: Scope
    decorators: tuple[Value, ...] = ()


@dataclass(eq=False, slots=True)
class Instance(Value):
    """An object of a class of the program. `model` are the facts of a Keras model subclass."""

    cls: Class
    attributes: dict[str, Value] = field(default_factory=dict)
    model: ModelValue | None = None


@dataclass(eq=False, slots=True)
class Bound(Value):
    """A method of an object: of the program (`function` is a Function) or of a library (a method's name)."""

    receiver: Value
    function: Value | str


@dataclass(eq=False, slots=True)
class Partial(Value):
    """A function with some of its arguments; `places` are those of each whole argument and of its value."""

    function: Value
    positional: tuple[Value, ...]
    keywords: dict[str, Value]
    places: dict[int | str, tuple[Place, Place]] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Module(Value):
    """A module of the program itself."""

    name: str
    scope: Scope


@dataclass(eq=False, slots=True)
class External(Value):
    """A name of a library: its canonical dotted path, and for Keras names which Keras it led to."""

    path: str
    origin: facts.KerasOrigin | None = None

    @property
    def last(self) -> str:
        return self.path.rpartition(".")[2]


@dataclass(eq=False, slots=True)
class EnumMember(Value):
    """A member of an Enum of the program."""

    value: Value
    name: str


@dataclass(eq=False, slots=True)
class Super(Value):
    instance: Instance
    cls: Class


@dataclass(eq=False, slots=True)
class ModelValue(Value):
    """A model; `state` holds what the program did to it: compiled, frozen, head_changed, layers."""

    model: facts.Model
    state: dict[str, Value] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Part(Value):
    """Something inside a model, as `model.bert` or `model.layers[0]`."""

    owner: ModelValue
    path: str


@dataclass(eq=False, slots=True)
class Tape(Value):
    """A tf.GradientTape; `state` says whether it was told to watch something."""

    state: dict[str, Value] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class CompiledRecord(Value):
    """Kept in a model's state: the compile() event that set it up."""

    event: Any


@dataclass(eq=False, slots=True)
class Fact(Value):
    """An object of a library: a Loss, Dataset, Feed, Layer, Collator ...

    `state` holds what the program put into it: the splits that it assigned to a DatasetDict.
    """

    data: Any
    state: dict[Any, Value] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class EncodingValue(Value):
    """A tokenizer's output, or a row batch of a data set: a dictionary with facts about its columns."""

    columns: DictValue
    encoding: facts.Encoding | None = None
    dataset: facts.Dataset | None = None
    as_dict: bool = False


@dataclass(eq=False, slots=True)
class Array(Value):
    """Numbers, texts or a column: `labels` when they may serve as labels, `column` when they come from a data set.

    `holder` is the kind of object that they are in, where that is known; `taken` is where they were taken out. `depth`
    counts how often one item of it was taken: 1 for a row of a column, 2 for a value in a row that is a list.
    `padded_with_ignored`: it holds -100 where a model's loss ignores a label. `name` is the key they were read by;
    `cut` says what part of another array this is. `state` holds what the program wrote into it: arrays that share it
    are the same numbers.
    """

    labels: facts.Labels | None = None
    column: facts.Column | None = None
    dataset: facts.Dataset | None = None
    name: str = ""
    reshaped: bool = False
    holder: facts.Holder | None = None
    taken: facts.Taken | None = None
    padded_with_ignored: bool = False
    cut: Cut | None = None
    state: dict[str, Value] = field(default_factory=dict)
    depth: int = 0


def one_of(array: Array) -> Array:
    """One item of an array: a row, or what is left of the array without its outermost object."""
    column = array.column
    if column is not None and column.encoding is not None:
        column = replace(column, encoding=None)
    return replace(array, column=column, holder=None, depth=array.depth + 1)


@dataclass(eq=False, slots=True)
class Cut(Value):
    """Part of another array or list: `start` items left out at the front of its last axis, `end` at the back.

    Both are 0 for a copy, None if they are not known. `bounds` are those of a slice of the first axis.
    """

    of: Value
    start: int | None
    end: int | None
    place: Place
    bounds: tuple[Value, ...] = ()


@dataclass(eq=False, slots=True)
class StrategyScope(Value):
    """`strategy.scope()`; the strategy is UNKNOWN where it cannot be read."""

    strategy: facts.Strategy | facts.Missing


@dataclass(eq=False, slots=True)
class ClassId(Value):
    """One class id out of `classes` known ones, as `NAMES.index(x)` gives it.

    `unordered` is where the ids got the order of a set of texts, which another start of Python changes; `supposed`: of
    a set that may be one of texts.
    """

    classes: int | None
    known_from: str
    unordered: Place | None = None
    supposed: bool = False


@dataclass(eq=False, slots=True)
class Length(Value):
    """len() of something whose length is not known."""

    of: Value


@dataclass(eq=False, slots=True)
class Union(Value):
    """One of several values; the guards say on which branch which one holds."""

    alternatives: tuple[tuple[Guards, Value], ...]


Alternatives: TypeAlias = "tuple[tuple[Guards, Value], ...]"


def alternatives(value: Value, guards: Guards = NO_GUARDS) -> Alternatives:
    """The values that `value` may be on a branch with these guards."""
    if isinstance(value, Union):
        return tuple((g, v) for g, v in value.alternatives if compatible(g, guards))
    return ((NO_GUARDS, value),)


def narrow(value: Value, guards: Guards) -> Value:
    """`value` without the alternatives that this branch rules out."""
    if not isinstance(value, Union):
        return value
    left = alternatives(value, guards)
    if len(left) == len(value.alternatives):
        return value
    if len(left) == 1:
        return left[0][1]
    return Union(left) if left else UNKNOWN


def same(left: Value, right: Value) -> bool:
    """Whether two values say the same."""
    if left is right:
        return True
    if isinstance(left, Const) and isinstance(right, Const):
        return type(left.value) is type(right.value) and bool(left.value == right.value)
    if isinstance(left, External) and isinstance(right, External):
        return left.path == right.path and left.origin == right.origin
    if isinstance(left, ClassId) and isinstance(right, ClassId):
        return left.classes == right.classes and left.unordered == right.unordered
    return not left.known and not right.known


def make_union(pairs: Iterable[tuple[Guards, Value]]) -> Value:
    """The value that is one of these; nested unions are spread out, equal values merged."""
    spread: list[tuple[Guards, Value]] = []
    for guards, value in pairs:
        for inner, alternative in alternatives(value, guards):
            merged = guards | inner
            for index, (other_guards, other) in enumerate(spread):
                if same(other, alternative):
                    spread[index] = (other_guards & merged, either(other, alternative))
                    break
            else:
                spread.append((merged, alternative))
    if len(spread) == 1:
        return spread[0][1]
    if not spread or len(spread) > MAX_ALTERNATIVES:
        return UNKNOWN
    return Union(tuple(spread))


def either(one: Value, other: Value) -> Value:
    """One of two values that say the same."""
    if isinstance(one, Const) and isinstance(other, Const) and one.place != other.place:
        return Const(one.value, one.soft)
    return one


def join_all(values: Iterable[Value]) -> Value:
    """One value that stands for all of these, whichever of them is meant."""
    seen: list[Value] = []
    for value in values:
        at = next((index for index, other in enumerate(seen) if same(value, other)), None)
        if at is not None:
            seen[at] = either(seen[at], value)
            continue
        seen.append(value)
        if len(seen) > MAX_ALTERNATIVES:
            return UNKNOWN
    if not seen:
        return UNKNOWN
    if len(seen) == 1:
        return seen[0]
    tuples = [v for v in seen if isinstance(v, ListValue) and v.kind == "tuple" and v.exact]
    if len(tuples) == len(seen) and len({len(t.items) for t in tuples}) == 1:
        return make_list("tuple", (join_all(t.items[i] for t in tuples) for i in range(len(tuples[0].items))))
    return Union(tuple((NO_GUARDS, v) for v in seen))


def text_of(value: Value) -> str | None:
    """The text of a string literal, else None."""
    return value.value if isinstance(value, Const) and isinstance(value.value, str) else None


def ending_of(value: Value) -> str | None:
    """How a text ends, as far as it is known."""
    return value.text if isinstance(value, Ending) else text_of(value)
