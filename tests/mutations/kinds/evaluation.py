"""Predictions, metrics and callbacks."""

from __future__ import annotations

import ast

from mutations.changes import drops, gives, gives_at, on_call
from mutations.engine import Mutation
from mutations.programs import Program
from mutations.syntax import (
    argument,
    callee,
    code,
    expression,
    first,
    has_stars,
    is_constant,
    receiver,
    with_argument,
    with_fields,
)
from tflint_hf.findings import Severity


def _logits(node: ast.AST | None, program: Program) -> ast.expr | None:
    """The `model.predict(...)` of `model.predict(...).logits`."""
    node = program.value(node) if isinstance(node, ast.expr) else None
    is_logits = isinstance(node, ast.Attribute) and node.attr == "logits"
    if not is_logits or not isinstance(node, ast.Attribute):
        return None
    return node.value if callee(program.value(node.value) or node) == "predict" else None


def _ranked(call: ast.Call, program: Program) -> tuple[ast.expr, ast.expr] | None:
    """The logits that a call of argmax() gets, and the output they belong to."""
    for values in (receiver(call), first(call)):
        output = _logits(values, program)
        if output is not None and values is not None:
            return values, output
    return None


def _output_ranked(call: ast.Call, program: Program) -> ast.expr | None:
    ranked = _ranked(call, program)
    if ranked is None or not program.trains_a_head or program.has("return_dict"):
        return None
    values, output = ranked
    if values is first(call):
        return with_fields(call, args=[output, *call.args[1:]])
    assert isinstance(call.func, ast.Attribute)
    return with_fields(call, func=with_fields(call.func, value=output))


def _logits_compared(call: ast.Call, program: Program) -> ast.expr | None:
    ranked = _ranked(call, program)
    if ranked is None or program.has("softmax", "sigmoid"):
        return None
    return expression(f"{code(ranked[0])}[:, 1] > 0.5")


def _metric_functions(program: Program) -> set[str]:
    calls = program.calls("KerasMetricCallback")
    return {code(f) for call in calls if (f := first(call) or argument(call, "metric_fn")) is not None}


def _returns_a_number(node: ast.AST, program: Program) -> list[ast.stmt] | None:
    if not isinstance(node, ast.Return) or not isinstance(node.value, ast.Dict) or len(node.value.values) != 1:
        return None
    function = next((n for n in program.around(node) if isinstance(n, ast.FunctionDef)), None)
    if function is None or function.name not in _metric_functions(program):
        return None
    value = node.value.values[0]
    return [ast.Return(value)] if callee(value) == "float" else None


def _two_arguments(node: ast.AST, program: Program) -> list[ast.stmt] | None:
    if not isinstance(node, ast.FunctionDef) or node.name not in _metric_functions(program) or len(node.args.args) != 1:
        return None
    if any(isinstance(outer, ast.ClassDef) for outer in program.around(node)):
        return None
    return [with_fields(node, args=expression("lambda predictions, references: 0").args)]  # type: ignore[attr-defined]


def _stops_first(call: ast.Call, program: Program) -> ast.expr | None:
    callbacks = argument(call, "callbacks")
    if not isinstance(callbacks, ast.List) or len(callbacks.elts) != 2:
        return None
    made = [callee(program.value(item) or item) for item in callbacks.elts]
    if made[0] != "KerasMetricCallback" or made[1] not in {"EarlyStopping", "ReduceLROnPlateau"}:
        return None
    stop = program.value(callbacks.elts[1])
    monitor = argument(stop, "monitor") or first(stop) if isinstance(stop, ast.Call) else None
    if monitor is None or code(monitor) in {"'val_loss'", "'loss'"}:
        return None
    keywords = [
        ast.keyword(k.arg, ast.List(callbacks.elts[::-1]) if k.arg == "callbacks" else k.value) for k in call.keywords
    ]
    return with_fields(call, keywords=keywords)


def _keeps_ignored(node: ast.AST, program: Program) -> list[ast.stmt] | None:
    """`labels[labels < 0] = pad`, left out."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Subscript):
        return None
    is_mask = isinstance(node.targets[0].slice, ast.Compare) and code(node.value).endswith("pad_token_id")
    return [] if is_mask and program.has("KerasMetricCallback(") and program.has("batch_decode") else None


def _has_one_fit(program: Program) -> bool:
    return program.trains_a_head and len(program.calls("fit")) == 1


def _monitors(program: Program) -> bool:
    return program.trains_a_head and not program.has("Callback)", "KerasMetricCallback")


def _predicted(program: Program) -> bool:
    return program.trains_a_head and program.has(".predict(")


def _shuffled_predictions(call: ast.Call, program: Program) -> bool:
    parent = program.slots[call].parent
    if not isinstance(parent, ast.Assign) or not is_constant(argument(call, "shuffle"), False):
        return False
    name = code(parent.targets[0])
    rows = first(call)
    compared = rows is not None and program.has(f"{code(rows)}['label']", f'{code(rows)}["label"]')
    return compared and program.has(f"predict({name})") and program.has("==", "references=", "score(")


def _validates_on_training_rows(call: ast.Call, program: Program) -> ast.expr | None:
    """A feed that is trained on as `validation_data`."""
    given = [*call.args, *(value for name in ("x", "y") if (value := argument(call, name)) is not None)]
    is_feed = len(given) == 1 and isinstance(given[0], (ast.Name, ast.Attribute)) and not has_stars(call)
    is_feed = is_feed and argument(call, "validation_data") is not None
    return with_argument(call, "validation_data", given[0]) if is_feed else None


def _validates_on_training_arrays(call: ast.Call, program: Program) -> ast.expr | None:
    """`(x, y)` that are trained on as `validation_data`."""
    held, given = argument(call, "validation_data"), call.args
    is_pair = isinstance(held, ast.Tuple) and len(held.elts) == len(given) == 2
    if not is_pair or not all(isinstance(arg, (ast.Name, ast.Attribute)) for arg in given):
        return None
    return with_argument(call, "validation_data", ast.Tuple(given))


def _splits_rows(call: ast.Call, program: Program) -> bool:
    """A split at the top of a program that trains there and sets no other seed."""
    inside = (ast.FunctionDef, ast.ClassDef, ast.Lambda)
    steps = [call, *program.calls("fit")]
    alone = not any(isinstance(outer, inside) for step in steps for outer in program.around(step))
    return alone and not program.has("set_seed(", "set_random_seed(", "random.seed(", "seed_everything")


def _seed_of_tensorflow(call: ast.Call, program: Program) -> ast.expr | None:
    others = program.has("train_test_split", "random.seed(")
    seed = first(call)
    return None if others or seed is None else expression(f"tf.random.set_seed({code(seed)})")


MUTATIONS = (
    Mutation(
        "TFE011",
        "validated on the training data",
        ("fit",),
        on_call(_validates_on_training_rows),
        when=_has_one_fit,
        # What is trained on is shuffled.
        brings=frozenset({"TFD017"}),
    ),
    Mutation(
        "TFE011",
        "validated on the training arrays",
        ("fit",),
        on_call(_validates_on_training_arrays),
        when=_has_one_fit,
        # Arrays are known to be the same by their names in the call.
        not_through=frozenset({"through a variable", "through a function"}),
    ),
    Mutation(
        "TFE012",
        "a split without a seed",
        ("train_test_split",),
        drops("seed", _splits_rows),
        least=Severity.INFO,
    ),
    Mutation(
        "TFE012",
        "a split of arrays without a seed",
        ("train_test_split",),
        drops("random_state", _splits_rows),
        least=Severity.INFO,
    ),
    Mutation(
        "TFE012",
        "the seed of TensorFlow alone",
        ("set_seed", "set_random_seed"),
        on_call(_seed_of_tensorflow),
        imports=("import tensorflow as tf",),
        least=Severity.INFO,
    ),
    Mutation("TFE001", "the output for its logits", ("argmax",), on_call(_output_ranked)),
    Mutation("TFE002", "logits above one half", ("argmax",), on_call(_logits_compared), when=_predicted),
    Mutation(
        "TFE004",
        "predictions of shuffled data",
        ("prepare_tf_dataset",),
        drops("shuffle", _shuffled_predictions),
        brings=frozenset({"TFD016"}),
    ),
    Mutation("TFE006", "a metric function that returns a number", ("Return",), _returns_a_number),
    Mutation("TFE006", "a metric function of two arguments", ("FunctionDef",), _two_arguments),
    Mutation("TFE007", "stopping before the metric", ("fit",), on_call(_stops_first)),
    Mutation(
        "TFE008",
        "a monitor that nobody computes",
        ("EarlyStopping", "ReduceLROnPlateau"),
        gives("monitor", "'val_fluency'"),
        when=_monitors,
    ),
    Mutation(
        "TFE008",
        "a monitor that nobody computes by position",
        ("EarlyStopping", "ReduceLROnPlateau"),
        gives_at(0, "'val_fluency'"),
        when=_monitors,
    ),
    Mutation("TFE009", "ignored labels decoded", ("Assign",), _keeps_ignored),
    Mutation(
        "TFE010",
        "a metric of datasets",
        ("load",),
        on_call(
            lambda call, p: (
                f"datasets.load_metric({code(call.args[0])})"
                if code(call.func) == "evaluate.load" and call.args
                else None
            )
        ),
        imports=("import datasets",),
    ),
)
