"""The shapes in which a fault is written: at its place, or by way of other code that means the same."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from mutations.programs import Program
from mutations.syntax import callee, code, expression, has_stars, statements, with_fields

# The order of the parameters that programs also give by position.
PARAMETERS = {
    "Adam": ("learning_rate",),
    "AdamWeightDecay": ("learning_rate",),
    "BinaryCrossentropy": ("from_logits",),
    "CategoricalCrossentropy": ("from_logits",),
    "Dense": ("units", "activation"),
    "EarlyStopping": ("monitor",),
    "PolynomialDecay": ("initial_learning_rate", "decay_steps", "end_learning_rate"),
    "SparseCategoricalCrossentropy": ("from_logits",),
    "compile": ("optimizer", "loss", "metrics"),
    "create_optimizer": ("init_lr", "num_train_steps", "num_warmup_steps"),
    "fit": ("x", "y", "batch_size", "epochs", "verbose", "callbacks", "validation_split", "validation_data"),
    "prepare_tf_dataset": ("dataset", "batch_size", "shuffle", "tokenizer", "collate_fn"),
    "to_tf_dataset": ("batch_size", "columns", "shuffle", "collate_fn"),
}


@dataclass(frozen=True)
class Change:
    """A node of a program and what to write in its place; imports and requirements that the program then needs."""

    program: Program
    node: ast.AST
    new: ast.expr | list[ast.stmt]
    imports: tuple[str, ...] = ()
    requires: str = ""


@dataclass(frozen=True)
class Shape:
    name: str
    suits: Callable[[Change], bool]
    write: Callable[[Change], tuple[str, str]]


@contextmanager
def _changed(change: Change, new: ast.AST | None = None, before: str = "") -> Iterator[ast.Module]:
    """The module with the change, and statements before the one with the node; the tree is as it was afterwards."""
    tree, slot = change.program.tree, change.program.slots[change.node]
    bodies: list[tuple[list[ast.stmt], list[ast.stmt]]] = []
    try:
        if isinstance(change.new, list):
            _splice(change.program, change.node, change.new, bodies)
        else:
            if before:
                statement = change.program.statement(change.node)
                assert statement is not None
                _splice(change.program, statement, [*statements(before), statement], bodies)
                # The statement that holds the node is in another list now, but the node's own parent is not.
            slot.put(change.new if new is None else new)
        _splice_imports(tree, change.imports, bodies)
        yield tree
    finally:
        for body, old in reversed(bodies):
            body[:] = old
        if not isinstance(change.new, list):
            slot.put(change.node)


def _splice(
    program: Program, old: ast.AST, new: list[ast.stmt], bodies: list[tuple[list[ast.stmt], list[ast.stmt]]]
) -> None:
    slot = program.slots[old]
    body = getattr(slot.parent, slot.field)
    bodies.append((body, list(body)))
    assert slot.at is not None
    body[slot.at : slot.at + 1] = new or [ast.Pass()]


def _splice_imports(
    tree: ast.Module, imports: tuple[str, ...], bodies: list[tuple[list[ast.stmt], list[ast.stmt]]]
) -> None:
    missing = [line for line in imports if line not in code(tree)]
    if missing:
        bodies.append((tree.body, list(tree.body)))
        at = max((i + 1 for i, s in enumerate(tree.body) if isinstance(s, (ast.Import, ast.ImportFrom))), default=0)
        tree.body[at:at] = statements("\n".join(missing))


def _script(change: Change, text: str) -> tuple[str, str]:
    if change.requires:
        listed = "\n".join(f'#   "{requirement}",' for requirement in change.requires.split())
        text = f"# /// script\n# dependencies = [\n{listed}\n# ]\n# ///\n{text}"
    return str(change.program.path), text


def _in_place(change: Change) -> tuple[str, str]:
    with _changed(change) as tree:
        return _script(change, code(tree))


def _changed_value(change: Change) -> ast.expr | None:
    """The one new argument value of a changed call; or the new expression itself, where that is something else."""
    new, old = change.new, change.node
    if isinstance(new, list):
        return None
    if not isinstance(new, ast.Call) or not isinstance(old, ast.Call) or new.func is not old.func:
        return new
    before = {id(arg) for arg in old.args} | {id(keyword.value) for keyword in old.keywords}
    fresh = [v for v in (*new.args, *(k.value for k in new.keywords)) if id(v) not in before]
    return fresh[0] if len(fresh) == 1 else new


def _can_stand_before(change: Change, values: list[ast.expr]) -> bool:
    """Whether values mean the same in front of the statement: no name of a lambda or comprehension, no branch."""
    program, bound = change.program, set()
    for node in program.around(change.node):
        if isinstance(node, (ast.IfExp, ast.BoolOp, ast.While, ast.FunctionDef, ast.ClassDef, ast.JoinedStr)) and (
            not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node is program.statement(change.node)
        ):
            return False
        if isinstance(node, ast.Lambda):
            bound |= {arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            bound |= {n.id for part in node.generators for n in ast.walk(part.target) if isinstance(n, ast.Name)}
        if isinstance(node, ast.stmt):
            slot = program.slots[node]
            if slot.field not in {"body", "orelse", "finalbody"} or isinstance(slot.parent, ast.ClassDef):
                return False
            break
    return not any(isinstance(n, ast.Name) and n.id in bound for value in values for n in ast.walk(value))


def _suits_a_name(change: Change) -> bool:
    value = _changed_value(change)
    if value is None or isinstance(change.program.slots[change.node].parent, (ast.Expr, ast.withitem)):
        # What a whole statement gives is not used; its one new argument still may come from a name.
        value = None if value is change.new else value
    return value is not None and _can_stand_before(change, [value])


def _through_a_name(change: Change, before: str, name: str) -> tuple[str, str]:
    value = _changed_value(change)
    assert value is not None
    new = change.new
    assert isinstance(new, ast.expr)
    named = expression(name)
    if value is not new:
        assert isinstance(new, ast.Call)
        args = [named if arg is value else arg for arg in new.args]
        keywords = [ast.keyword(k.arg, named) if k.value is value else k for k in new.keywords]
        named = with_fields(new, args=args, keywords=keywords)
    with _changed(change, named, before.format(code(value))) as tree:
        return _script(change, code(tree))


def _suits_keywords(change: Change) -> bool:
    new = change.new
    if not isinstance(new, ast.Call) or not new.keywords or has_stars(new):
        return False
    return _can_stand_before(change, [keyword.value for keyword in new.keywords])


def _through_keywords(change: Change) -> tuple[str, str]:
    new = change.new
    assert isinstance(new, ast.Call)
    entries = ", ".join(f"{k.arg!r}: {code(k.value)}" for k in new.keywords)
    called = with_fields(new, keywords=[ast.keyword(None, expression("injected"))])
    with _changed(change, called, f"injected = {{{entries}}}") as tree:
        return _script(change, code(tree))


def _by_position(change: Change) -> ast.Call | None:
    new = change.new
    names = PARAMETERS.get(callee(new), ()) if isinstance(new, ast.Call) else ()
    if not isinstance(new, ast.Call) or has_stars(new) or change.program.has(f"def {callee(new)}"):
        return None
    args, keywords = list(new.args), {k.arg: k.value for k in new.keywords}
    for name in names[len(args) :]:
        if name not in keywords:
            break
        args.append(keywords.pop(name))
    if len(args) == len(new.args):
        return None
    return with_fields(new, args=args, keywords=[ast.keyword(name, value) for name, value in keywords.items()])


def _positional(change: Change) -> tuple[str, str]:
    with _changed(change, _by_position(change)) as tree:
        return _script(change, code(tree))


def _suits_a_method(change: Change) -> bool:
    """Whether the program may stand in a method: what nothing calls must not stand in another function."""
    runs = not isinstance(change.program.tree.body[-1], (ast.FunctionDef, ast.ClassDef))
    return runs and not change.program.has("import *", "global ", "__future__")


def _in_a_class(change: Change) -> tuple[str, str]:
    with _changed(change) as tree:
        # Names that a module binds are seen by its functions before they are bound, and so are those of a method.
        job, run = statements("class Job:\n    def run(self):\n        pass\n\nJob().run()")
        assert isinstance(job, ast.ClassDef)
        method = job.body[0]
        assert isinstance(method, ast.FunctionDef)
        method.body = list(tree.body)
        text = code(ast.Module([job, run], []))
    return _script(change, text)


def _in_a_notebook(change: Change) -> tuple[str, str]:
    with _changed(change) as tree:
        sources = [code(ast.Module(tree.body[at : at + 3], [])) for at in range(0, len(tree.body), 3)]
    if change.requires:
        sources.insert(0, f"!pip install {change.requires}")
    shown: list[dict[str, object]] = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
        for source in sources
    ]
    notebook = {"cells": shown, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return str(change.program.path.with_suffix(".ipynb")), json.dumps(notebook)


def _always(change: Change) -> bool:
    return True


IN_PLACE = Shape("in place", _always, _in_place)
SHAPES = (
    IN_PLACE,
    Shape("through a variable", _suits_a_name, lambda c: _through_a_name(c, "injected = {}", "injected")),
    Shape(
        "through a function", _suits_a_name, lambda c: _through_a_name(c, "def inject():\n    return {}", "inject()")
    ),
    Shape("through keyword arguments", _suits_keywords, _through_keywords),
    Shape("by position", lambda change: _by_position(change) is not None, _positional),
    Shape("in a class", _suits_a_method, _in_a_class),
    Shape("in a notebook", _always, _in_a_notebook),
)
