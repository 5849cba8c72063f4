"""Optimizers, rates and schedules."""

from __future__ import annotations

import ast

from mutations.changes import adds, drops, gives, gives_at, on_call, renames
from mutations.engine import Mutation
from mutations.programs import Program
from mutations.syntax import (
    argument,
    callee,
    code,
    expression,
    first,
    receiver,
    statements,
    with_fields,
)
from tflint_hf.findings import Severity

TF = ("import tensorflow as tf",)


def _makes_adam(call: ast.Call, program: Program) -> bool:
    return program.trains_a_head and callee(argument(call, "optimizer") or call) == "Adam"


def _is_adam(call: ast.Call, program: Program) -> bool:
    return code(call.func).startswith("tf.keras.optimizers.Adam")


def _fast(value: ast.expr, program: Program) -> str | None:
    return "0.001" if isinstance(value, ast.Constant) and isinstance(value.value, float) else None


def _pretrained(program: Program) -> bool:
    return program.trains_a_head and program.has("from_pretrained(") and not program.has("T5", "t5", "trainable")


def _class(value: ast.expr, program: Program) -> ast.expr | None:
    return value.func if callee(value) in {"Adam", "AdamWeightDecay"} and isinstance(value, ast.Call) else None


def _not_unpacked(node: ast.AST, program: Program) -> list[ast.stmt] | None:
    if not isinstance(node, ast.Assign) or callee(node.value) != "create_optimizer":
        return None
    target = node.targets[0]
    if not isinstance(target, ast.Tuple) or program.has("def create_optimizer"):
        return None
    return [with_fields(node, targets=[target.elts[0]])]


def _schedule_taken(node: ast.AST, program: Program) -> list[ast.stmt] | None:
    new = _not_unpacked(node, program)
    if new is None or not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Tuple):
        return None
    first_name, second = node.targets[0].elts
    if code(second) != "_":
        return None
    swapped = with_fields(node.targets[0], elts=[second, first_name])
    return [with_fields(node, targets=[swapped])]


def _keeps_an_optimizer(node: ast.AST, program: Program) -> list[ast.stmt] | None:
    """A second model, compiled with the optimizer of the first and trained as well."""
    if not isinstance(node, ast.Expr) or callee(node.value) != "fit" or not isinstance(node.value, ast.Call):
        return None
    model = receiver(node.value)
    made = program.value(model)
    compiled = [
        call for call in program.calls("compile") if model is not None and code(receiver(call) or call) == code(model)
    ]
    if made is None or callee(made) != "from_pretrained" or len(compiled) != 1 or program.on_a_branch(node):
        return None
    optimizer = argument(compiled[0], "optimizer")
    if not isinstance(optimizer, ast.Name) or callee(program.value(optimizer) or made) != "Adam":
        return None
    again = code(node.value).replace(code(node.value.func), "second.fit", 1)
    return [node, *statements(f"second = {code(made)}\nsecond.compile(optimizer={optimizer.id})\n{again}")]


def _rows_for_batches(value: ast.expr, program: Program) -> str | None:
    """`len(rows) * epochs` for `len(feed) * epochs`."""
    text = code(value)
    for feed in program.calls("len"):
        made = program.value(first(feed))
        if (
            made is None
            or callee(made) != "prepare_tf_dataset"
            or code(feed) not in text
            or not isinstance(made, ast.Call)
        ):
            continue
        rows = first(made)
        return None if rows is None else text.replace(code(feed), f"len({code(rows)})")
    return None


def _epochs_for_steps(value: ast.expr, program: Program) -> str | None:
    """`EPOCHS` for `len(feed) * EPOCHS`."""
    value = program.value(value) or value
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Mult):
        return None
    sides = [side for side in (value.left, value.right) if isinstance(side, ast.Name) and "epoch" in side.id.lower()]
    return (
        sides[0].id
        if len(sides) == 1 and callee(value.left if value.right is sides[0] else value.right) == "len"
        else None
    )


def _one_epoch(value: ast.expr, program: Program) -> ast.expr | None:
    """`len(feed)` for `len(feed) * epochs`."""
    value = program.value(value) or value
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Mult):
        return None
    return next((side for side in (value.left, value.right) if callee(side) in {"len", "numpy"}), None)


def _has_a_schedule(program: Program) -> bool:
    return program.trains_a_head and program.has("create_optimizer(") and not program.has("def create_optimizer")


def _warms_up(program: Program) -> bool:
    """Whether Keras makes the optimizer: that of transformers takes a share of the steps."""
    return _has_a_schedule(program) and not program.has("weight_decay_rate")


def _of_keras_3(call: ast.Call, program: Program) -> ast.expr | None:
    text = code(call)
    if not text.startswith("tf.keras."):
        return None
    return expression(text.replace("tf.keras.", "keras.", 1))


def _no_keras_choice(program: Program) -> bool:
    return program.trains_a_head and not program.has("keras import", "import keras", "TF_USE_LEGACY_KERAS", "tf_keras")


def _pads_dynamically(program: Program) -> bool:
    return (
        program.trains_a_head
        and program.has("prepare_tf_dataset(")
        and program.has("tokenizer=")
        and not program.has("max_length'", "pad_to_multiple_of", "collate_fn", "from_dict", "to_tf_dataset", "group")
    )


def _no_callbacks(call: ast.Call, program: Program) -> bool:
    return len(call.args) < 6 and not program.has("sklearn")


MUTATIONS = (
    Mutation(
        "TFO001",
        "a string for the optimizer",
        ("compile",),
        gives("optimizer", "'adam'", _makes_adam),
        when=_pretrained,
    ),
    Mutation("TFO001", "no optimizer", ("compile",), drops("optimizer", _makes_adam), when=_pretrained),
    Mutation("TFO002", "a rate of 1e-3", ("Adam",), gives("learning_rate", _fast), when=_pretrained),
    Mutation("TFO002", "a rate of 1e-3 by position", ("Adam",), gives_at(0, _fast), when=_pretrained),
    Mutation(
        "TFO002",
        "the rate left out",
        ("Adam",),
        on_call(
            lambda call, p: (
                with_fields(call, args=[], keywords=[])
                if len([*call.args, *call.keywords]) == 1
                and _fast((*call.args, *(k.value for k in call.keywords))[0], p)
                else None
            )
        ),
        when=_pretrained,
    ),
    Mutation(
        "TFO003",
        "the old name of the rate",
        ("Adam",),
        renames("learning_rate", "lr"),
        when=lambda p: not p.has("legacy"),
    ),
    Mutation("TFO004", "a decay", ("Adam",), adds("decay", "1e-06", _is_adam), when=lambda p: not p.has("legacy")),
    Mutation(
        "TFO005",
        "an optimizer of Keras 3",
        ("Adam",),
        on_call(lambda call, p: _of_keras_3(call, p) if _is_adam(call, p) else None),
        when=_no_keras_choice,
        imports=("import keras",),
    ),
    Mutation(
        "TFO006",
        "a callback of Keras 3",
        ("EarlyStopping", "ReduceLROnPlateau", "ModelCheckpoint", "TerminateOnNaN", "TensorBoard"),
        on_call(_of_keras_3),
        when=_no_keras_choice,
        imports=("import keras",),
    ),
    Mutation(
        "TFO006",
        "a metric of Keras 3",
        ("compile",),
        adds("metrics", "[keras.metrics.SparseCategoricalAccuracy()]", lambda call, p: len(call.args) < 3),
        when=lambda p: (
            _no_keras_choice(p) and all("SequenceClassification" in c for c in p.classes) and not p.has("Binary")
        ),
        imports=("import keras",),
    ),
    Mutation(
        "TFO009",
        "a legacy optimizer of Keras 3",
        ("Adam",),
        on_call(
            lambda call, p: (
                expression(code(call).replace("tf.keras.optimizers.", "keras.optimizers.legacy.", 1))
                if _is_adam(call, p)
                else None
            )
        ),
        when=_no_keras_choice,
        imports=("import keras",),
        # Keras 3 would have no optimizer for this model under another name either.
        brings=frozenset({"TFO005"}),
    ),
    Mutation(
        "TFO010",
        "epochs for steps",
        ("create_optimizer",),
        gives("num_train_steps", _epochs_for_steps),
        # A parameter may hold anything.
        when=lambda p: _has_a_schedule(p) and not p.has("epochs):"),
        # So few steps are fewer than those of the warm-up.
        brings=frozenset({"TFO012"}),
    ),
    Mutation(
        "TFO010",
        "rows for batches",
        ("create_optimizer",),
        gives("num_train_steps", _rows_for_batches),
        when=lambda p: _has_a_schedule(p) and p.has("load_dataset("),
    ),
    Mutation(
        "TFO010",
        "rows for batches by position",
        ("create_optimizer",),
        gives_at(1, _rows_for_batches),
        when=lambda p: _has_a_schedule(p) and p.has("load_dataset(") and not p.has("args.num_train_epochs"),
    ),
    Mutation("TFO011", "the pair for the optimizer", ("Assign",), _not_unpacked),
    Mutation("TFO011", "the schedule for the optimizer", ("Assign",), _schedule_taken),
    Mutation(
        "TFO012", "a share for warm-up steps", ("create_optimizer",), gives("num_warmup_steps", "0.1"), when=_warms_up
    ),
    Mutation(
        "TFO012", "a share for warm-up steps by position", ("create_optimizer",), gives_at(2, "0.1"), when=_warms_up
    ),
    Mutation(
        "TFO013",
        "one epoch of steps",
        ("PolynomialDecay", "CosineDecay"),
        gives("decay_steps", _one_epoch),
    ),
    Mutation(
        "TFO014",
        "a plateau beside a schedule",
        ("fit",),
        adds("callbacks", "[tf.keras.callbacks.ReduceLROnPlateau(monitor='loss')]", _no_callbacks),
        when=_has_a_schedule,
        imports=TF,
    ),
    Mutation(
        "TFO015",
        "an optimizer for two models",
        ("Expr",),
        _keeps_an_optimizer,
        when=lambda p: p.trains_a_head and not p.has("legacy"),
    ),
    Mutation(
        "TFO016",
        "a decay for all weights",
        ("AdamWeightDecay",),
        adds("weight_decay_rate", "0.01", lambda call, p: argument(call, "exclude_from_weight_decay") is None),
        when=lambda p: p.trains_a_head,
        least=Severity.INFO,
    ),
    Mutation(
        "TFO018", "XLA on batches of any length", ("compile",), adds("jit_compile", "True"), when=_pads_dynamically
    ),
    Mutation("TFO020", "the class of the optimizer", ("compile",), gives("optimizer", _class)),
    Mutation(
        "TFO020",
        "the class of a metric",
        ("compile",),
        adds("metrics", "[tf.keras.metrics.SparseCategoricalAccuracy]", lambda call, p: len(call.args) < 3),
        when=lambda p: (
            p.trains_a_head and all("SequenceClassification" in c for c in p.classes) and not p.has("Binary")
        ),
        imports=TF,
    ),
)
