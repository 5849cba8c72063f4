"""Losses and metrics of `compile` that do not fit the model."""

from __future__ import annotations

import ast

from mutations.changes import adds, drops, gives, on_call
from mutations.engine import Mutation
from mutations.programs import Program
from mutations.syntax import argument, callee, code, expression, is_constant, with_argument
from tflint_hf.findings import Severity

LOGITS_LOSS = "tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)"
STRINGS = {
    "SparseCategoricalCrossentropy": "'sparse_categorical_crossentropy'",
    "CategoricalCrossentropy": "'categorical_crossentropy'",
    "BinaryCrossentropy": "'binary_crossentropy'",
}


def reads_logits(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Call) and is_constant(argument(node, "from_logits"), True)


def own_loss(call: ast.Call, program: Program) -> bool:
    """A compile() that leaves the loss to a head of transformers."""
    return program.trains_a_head and argument(call, "loss") is None and len(call.args) < 2


def trains_rows(program: Program) -> bool:
    """Whether the program trains heads with one label a row."""
    return program.trains_a_head and all("SequenceClassification" in name for name in program.classes)


def _string(call: ast.Call, program: Program) -> ast.expr | None:
    loss = argument(call, "loss")
    text = STRINGS.get(callee(loss)) if loss is not None and reads_logits(loss) else None
    return with_argument(call, "loss", expression(text)) if text and not program.has("softmax", "sigmoid") else None


def _function(call: ast.Call, program: Program) -> ast.expr | None:
    loss = argument(call, "loss")
    right = callee(loss) == "SparseCategoricalCrossentropy" if loss is not None else False
    if not right or not reads_logits(loss) or not program.has("import tensorflow as tf"):
        return None
    return with_argument(call, "loss", expression("tf.keras.losses.sparse_categorical_crossentropy"))


def _compute_loss(call: ast.Call, program: Program) -> ast.expr | None:
    if argument(call, "loss") is None or not isinstance(call.func, ast.Attribute) or not program.trains_a_head:
        return None
    return with_argument(call, "loss", expression(f"{code(call.func.value)}.compute_loss"))


def _has_ignored_token_labels(program: Program) -> bool:
    return program.trains_a_head and program.has(
        "DataCollatorForTokenClassification(", "DataCollatorForLanguageModeling("
    )


def _compares_classes(call: ast.Call, program: Program) -> bool:
    """A compile() without metrics, in a program whose labels are class ids."""
    other = (
        "Binary",
        "mse",
        "num_labels=1",
        "float",
        "one_hot",
        "to_categorical",
        "args.",
        "def __init__",
        "tensorflow.keras",
    )
    return len(call.args) < 3 and not program.has(*other)


def _activates(call: ast.Call, program: Program) -> bool:
    return is_constant(argument(call, "activation"), "softmax") and program.wraps_an_encoder


def _feeds_the_output(call: ast.Call, program: Program) -> bool:
    """A layer whose result is given to `Model` at once."""
    parent = program.slots[call].parent
    user = program.slots[parent].parent if isinstance(parent, ast.Call) and parent.func is call else None
    return isinstance(user, ast.Call) and callee(user) == "Model" and call is not parent


MUTATIONS = (
    Mutation("TFL001", "a string for the loss", ("compile",), on_call(_string)),
    Mutation("TFL001", "a function for the loss", ("compile",), on_call(_function)),
    Mutation(
        "TFL001",
        "the activation left out",
        ("Dense",),
        drops("activation", lambda call, p: _activates(call, p) and _feeds_the_output(call, p)),
        when=lambda p: p.has("loss='sparse_categorical_crossentropy'", "loss='categorical_crossentropy'"),
    ),
    Mutation(
        "TFL002",
        "from_logits left out",
        ("SparseCategoricalCrossentropy", "CategoricalCrossentropy", "BinaryCrossentropy"),
        drops("from_logits", lambda call, p: reads_logits(call) and _is_loss(call, p)),
        when=lambda p: p.trains_a_head and not p.has("softmax", "sigmoid", "def next_token_loss"),
    ),
    Mutation(
        "TFL002",
        "from_logits=False",
        ("SparseCategoricalCrossentropy", "CategoricalCrossentropy", "BinaryCrossentropy"),
        gives("from_logits", "False", lambda call, p: reads_logits(call) and _is_loss(call, p)),
        when=lambda p: p.trains_a_head and not p.has("softmax", "sigmoid", "def next_token_loss"),
    ),
    Mutation("TFL005", "loss=None", ("compile",), adds("loss", "None", own_loss)),
    Mutation(
        "TFL008",
        "a loss by the name of the labels",
        ("compile",),
        gives("loss", lambda old, p: f"{{'labels': {code(old)}}}" if reads_logits(old) else None),
        when=trains_rows,
    ),
    Mutation(
        "TFL008",
        "losses by the names of the positions",
        ("compile",),
        adds("loss", f"{{'start_positions': {LOGITS_LOSS}, 'end_positions': {LOGITS_LOSS}}}", own_loss),
        when=lambda p: p.has("ForQuestionAnswering"),
        imports=("import tensorflow as tf",),
    ),
    Mutation(
        "TFL011",
        "a Keras loss beside ignored labels",
        ("compile",),
        adds("loss", LOGITS_LOSS, own_loss),
        when=_has_ignored_token_labels,
        imports=("import tensorflow as tf",),
        # A Keras loss does not shift the labels of a causal model either.
        brings=frozenset({"TFL009"}),
    ),
    Mutation(
        "TFL011",
        "ignore_class left out",
        ("SparseCategoricalCrossentropy",),
        drops("ignore_class"),
        # A loss that ignores the padding token is another fault without it.
        when=lambda program: program.has("ignore_class=-100"),
    ),
    Mutation("TFL025", "the old name of the loss", ("compile",), on_call(_compute_loss)),
    Mutation(
        "TFL028",
        "a softmax over one unit",
        ("Dense",),
        on_call(
            lambda call, p: (
                code(call).replace(f"Dense({code(call.args[0])}", "Dense(1", 1)
                if call.args and _activates(call, p) and _feeds_the_output(call, p)
                else None
            )
        ),
    ),
    Mutation(
        "TFL029",
        "from_logits after a softmax",
        ("compile",),
        gives("loss", lambda old, p: LOGITS_LOSS if is_constant(old, "sparse_categorical_crossentropy") else None),
        when=lambda p: p.wraps_an_encoder and p.has("activation='softmax'") and not p.has("TFBertForSeq"),
        imports=("import tensorflow as tf",),
        least=Severity.INFO,
    ),
    Mutation(
        "TFL030",
        "precision of logits",
        ("compile",),
        adds("metrics", "[tf.keras.metrics.Precision()]", _compares_classes),
        when=lambda p: trains_rows(p) and p.has("num_labels"),
        imports=("import tensorflow as tf",),
    ),
    Mutation(
        "TFL030",
        "the class of a metric that compares",
        ("compile",),
        gives(
            "metrics", lambda old, p: "['Accuracy', tf.keras.metrics.AUC()]" if code(old) == "['accuracy']" else None
        ),
        when=lambda p: trains_rows(p) and not p.has("BinaryCr", "tensorflow.keras"),
        imports=("import tensorflow as tf",),
    ),
    Mutation(
        "TFE003",
        "an accuracy of logits",
        ("compile",),
        adds("metrics", "['accuracy']", lambda call, p: len(call.args) < 3 and p.has("BinaryCrossentropy(from_logits")),
        when=lambda p: p.trains_a_head,
    ),
    Mutation(
        "TFE003",
        "the threshold left out",
        ("BinaryAccuracy",),
        drops("threshold", lambda call, p: is_constant(argument(call, "threshold"), 0.0)),
    ),
    Mutation(
        "TFE005",
        "an accuracy of token labels",
        ("compile",),
        adds("metrics", "['accuracy']", own_loss),
        when=_has_ignored_token_labels,
    ),
)


def _is_loss(call: ast.Call, program: Program) -> bool:
    """Whether the object becomes a loss and no metric, as far as the next lines around it say."""
    parent = program.slots[call].parent
    if isinstance(parent, ast.keyword):
        return parent.arg == "loss"
    return isinstance(parent, ast.Assign)
