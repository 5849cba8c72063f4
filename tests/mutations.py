"""Faults put into programs that are right, in several code shapes.

A mutation looks for a place in a program where it can put its fault, and gives the expression to write there. A shape
says how: in place, through a variable, through a function, or through a dictionary of keyword arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import libcst as cst

Wanted: TypeAlias = Callable[[cst.Call, cst.Arg], "cst.BaseExpression | None"]


@dataclass(frozen=True)
class Mutation:
    """Replace the value of an argument, take the argument out, or give it another keyword.

    In programs that hold one of the words of `not_beside` it would be no fault. `brings` are rules about what the
    fault leads to elsewhere in the program.
    """

    code: str
    title: str
    replaces: Wanted | None = None
    drops: Callable[[cst.Call, cst.Arg], bool] | None = None
    renames: Callable[[cst.Call, cst.Arg], str | None] | None = None
    not_beside: tuple[str, ...] = ()
    brings: frozenset[str] = frozenset()


def _name(call: cst.Call) -> str:
    func = call.func
    return func.attr.value if isinstance(func, cst.Attribute) else func.value if isinstance(func, cst.Name) else ""


def _keyword(arg: cst.Arg) -> str:
    return arg.keyword.value if arg.keyword is not None else ""


def _is_call_of(node: cst.BaseExpression, *names: str) -> bool:
    return isinstance(node, cst.Call) and _name(node) in names


def _from_logits(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Call) and any(_keyword(arg) == "from_logits" for arg in node.args)


def _string_loss(call: cst.Call, arg: cst.Arg) -> cst.BaseExpression | None:
    right = _is_call_of(arg.value, "SparseCategoricalCrossentropy") and _from_logits(arg.value)
    if _name(call) == "compile" and _keyword(arg) == "loss" and right:
        return cst.SimpleString('"sparse_categorical_crossentropy"')
    return None


def _probability_loss(call: cst.Call, arg: cst.Arg) -> cst.BaseExpression | None:
    if _name(call) == "compile" and _keyword(arg) == "loss" and _from_logits(arg.value):
        assert isinstance(arg.value, cst.Call)
        return arg.value.with_changes(args=[])
    return None


def _string_optimizer(call: cst.Call, arg: cst.Arg) -> cst.BaseExpression | None:
    if _name(call) == "compile" and _keyword(arg) == "optimizer" and _is_call_of(arg.value, "Adam"):
        return cst.SimpleString('"adam"')
    return None


def _fast(call: cst.Call, arg: cst.Arg) -> cst.BaseExpression | None:
    if _name(call) == "Adam" and _keyword(arg) in {"", "learning_rate"} and isinstance(arg.value, cst.Float):
        return cst.Float("1e-3")
    return None


def _old_rate_name(call: cst.Call, arg: cst.Arg) -> str | None:
    return "lr" if _name(call) == "Adam" and _keyword(arg) == "learning_rate" else None


def _shuffled(call: cst.Call, arg: cst.Arg) -> cst.BaseExpression | None:
    is_false = isinstance(arg.value, cst.Name) and arg.value.value == "False"
    if _name(call) == "to_tf_dataset" and _keyword(arg) == "shuffle" and is_false:
        return cst.Name("True")
    return None


def _optimizer_class(call: cst.Call, arg: cst.Arg) -> cst.BaseExpression | None:
    if _name(call) == "compile" and _keyword(arg) == "optimizer" and _is_call_of(arg.value, "Adam"):
        assert isinstance(arg.value, cst.Call)
        return arg.value.func
    return None


def _old_loss_name(call: cst.Call, arg: cst.Arg) -> cst.BaseExpression | None:
    if _name(call) == "compile" and _keyword(arg) == "loss" and isinstance(call.func, cst.Attribute):
        return cst.Attribute(call.func.value, cst.Name("compute_loss"))
    return None


def _unknown_monitor(call: cst.Call, arg: cst.Arg) -> cst.BaseExpression | None:
    if _name(call) == "EarlyStopping" and _keyword(arg) == "monitor":
        return cst.SimpleString('"val_fluency"')
    return None


MUTATIONS = (
    Mutation("TFL001", "a string for the loss", replaces=_string_loss),
    Mutation("TFL002", "from_logits left out", replaces=_probability_loss),
    Mutation("TFO001", "a string for the optimizer", replaces=_string_optimizer),
    Mutation("TFO002", "a rate of 1e-3", replaces=_fast),
    Mutation("TFO003", "the old name of the rate", renames=_old_rate_name, not_beside=("legacy",)),
    Mutation("TFO020", "the class of the optimizer", replaces=_optimizer_class),
    Mutation("TFL025", "the old name of the loss", replaces=_old_loss_name),
    Mutation("TFE008", "a monitor that nobody computes", replaces=_unknown_monitor, not_beside=("Callback):",)),
    Mutation(
        "TFD004",
        "return_tensors left out",
        drops=lambda call, arg: _name(call).startswith("DataCollator") and _keyword(arg) == "return_tensors",
    ),
    Mutation(
        "TFD016",
        "shuffle=False left out",
        drops=lambda call, arg: _name(call) == "prepare_tf_dataset" and _keyword(arg) == "shuffle" and (
            isinstance(arg.value, cst.Name) and arg.value.value == "False"
        ),
        brings=frozenset({"TFE004"}),
    ),
    Mutation("TFD017", "shuffled evaluation data", replaces=_shuffled, brings=frozenset({"TFE004"})),
)  # fmt: skip

SHAPES = ("in place", "through a variable", "through a function", "through keyword arguments")


class _Inject(cst.CSTTransformer):
    """Put a mutation at its `which`-th place, in a shape."""

    def __init__(self, mutation: Mutation, which: int, shape: str) -> None:
        super().__init__()
        self.mutation, self.which, self.shape = mutation, which, shape
        self.seen = 0
        self.done = False
        self.before: list[str] = []
        self.value: cst.BaseExpression | None = None

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:  # noqa: N802
        for index, arg in enumerate(original_node.args):
            changed = self._changed(original_node, arg)
            if changed is None:
                continue
            self.seen += 1
            if self.seen - 1 != self.which or self.done:
                continue
            self.done = True
            args = list(updated_node.args)
            if isinstance(changed, str):
                args[index] = args[index].with_changes(keyword=cst.Name(changed))
            elif isinstance(changed, bool):
                del args[index]
            elif self.shape == "through keyword arguments" and arg.keyword is not None:
                self.before.append(f"injected = {{'{arg.keyword.value}': {_code(changed)}}}")
                args[index] = cst.Arg(cst.Name("injected"), star="**")
                args.append(args.pop(index))
            else:
                args[index] = args[index].with_changes(value=self._shaped(changed))
            return updated_node.with_changes(args=args)
        return updated_node

    def _changed(self, call: cst.Call, arg: cst.Arg) -> cst.BaseExpression | str | bool | None:
        if self.mutation.replaces is not None:
            return self.mutation.replaces(call, arg)
        if self.mutation.renames is not None:
            return self.mutation.renames(call, arg)
        return True if self.mutation.drops is not None and self.mutation.drops(call, arg) else None

    def _shaped(self, value: cst.BaseExpression) -> cst.BaseExpression:
        if self.shape == "through a variable":
            self.before.append(f"injected = {_code(value)}")
            return cst.Name("injected")
        if self.shape == "through a function":
            self.before.append(f"def inject():\n    return {_code(value)}")
            return cst.parse_expression("inject()")
        return value

    def leave_SimpleStatementLine(  # noqa: N802
        self,
        original_node: cst.SimpleStatementLine,  # noqa: ARG002
        updated_node: cst.SimpleStatementLine,
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        if not self.before:
            return updated_node
        statements = [cst.parse_statement(text) for text in self.before]
        self.before = []
        return cst.FlattenSentinel([*statements, updated_node])


def _code(node: cst.BaseExpression) -> str:
    return cst.Module([]).code_for_node(node)


def mutants(text: str, mutation: Mutation) -> Iterator[tuple[str, str]]:
    """The program with the fault at each of its places, in each shape that suits the mutation."""
    module = cst.parse_module(text)
    shapes = SHAPES if mutation.replaces is not None else SHAPES[:1]
    for shape in shapes:
        which = 0
        while True:
            inject = _Inject(mutation, which, shape)
            mutated = module.visit(inject)
            if not inject.done:
                break
            yield f"{shape}, place {which + 1}", mutated.code
            which += 1
