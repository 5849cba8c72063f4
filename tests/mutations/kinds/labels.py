"""Labels that the loss cannot use: their values, their form, their place."""

from __future__ import annotations

import ast

from mutations.changes import adds, drops_statement, gives, on_call, skips_method
from mutations.engine import Mutation, Rewrite
from mutations.kinds.losses import LOGITS_LOSS, own_loss, trains_rows
from mutations.programs import Program
from mutations.syntax import (
    argument,
    callee,
    code,
    expression,
    first,
    receiver,
    whole_numbers,
    with_argument,
    with_fields,
    with_position,
)
from tflint_hf.findings import Severity

TF = ("import tensorflow as tf",)
NUMPY = ("import numpy as np",)
# Data sets whose schema is public knowledge, with three or more classes.
KNOWN_CLASSES = ("'ag_news'", "'emotion'", "'dair-ai/emotion'", "'conll2003'", "'trec'", "'tweet_eval', 'sentiment'")
FINE_TUNED = "'distilbert-base-uncased-finetuned-sst-2-english'"


def label_numbers(node: ast.expr | None, program: Program) -> list[int] | None:
    """The class ids that an expression holds, where they are written in the program."""
    node = program.value(node)
    if isinstance(node, ast.Call) and callee(node) in {"array", "constant", "asarray"} and node.args:
        node = program.value(node.args[0])
    return whole_numbers(node)


def _fits_once(program: Program) -> bool:
    return len(program.calls("fit")) == 1


def _labels(call: ast.Call) -> ast.expr | None:
    return call.args[1] if len(call.args) > 1 else argument(call, "y")


def _fits_arrays(call: ast.Call, program: Program) -> bool:
    """A fit() of a head on a dict of arrays and labels of one number a row."""
    inputs, labels = program.value(first(call)), _labels(call)
    is_dict = callee(inputs) == "dict" or isinstance(inputs, ast.Dict) if inputs is not None else False
    return is_dict and labels is not None and trains_rows(program) and callee(receiver_of(call)) != "x"


def receiver_of(call: ast.Call) -> ast.expr:
    return call.func.value if isinstance(call.func, ast.Attribute) else call.func


def _with_labels(call: ast.Call, labels: ast.expr) -> ast.Call:
    return with_position(call, 1, labels) if len(call.args) > 1 else with_argument(call, "y", labels)


def _without_labels(call: ast.Call, inputs: ast.expr) -> ast.Call:
    rest = [k for k in call.keywords if k.arg != "y"]
    return with_fields(call, args=[inputs, *call.args[2:]], keywords=rest) if len(call.args) <= 2 else call


def _other_labels(text: str, needs_numbers: bool = True) -> Rewrite:
    def rewrite(call: ast.Call, program: Program) -> ast.expr | None:
        labels = _labels(call)
        if labels is None or not _fits_arrays(call, program):
            return None
        if needs_numbers and label_numbers(labels, program) is None:
            return None
        return _with_labels(call, expression(text.format(code(labels))))

    return on_call(rewrite)


def _no_loss(program: Program) -> bool:
    return trains_rows(program) and all(own_loss(call, program) for call in program.calls("compile"))


def _sparse_loss(program: Program) -> bool:
    compiled = program.calls("compile")
    losses = [argument(call, "loss") for call in compiled]
    by_position = any(len(call.args) > 1 for call in compiled)
    return (
        trains_rows(program)
        and not by_position
        and all(
            loss is None or callee(program.value(loss) or loss) == "SparseCategoricalCrossentropy" for loss in losses
        )
    )


def _no_y(call: ast.Call, program: Program) -> ast.expr | None:
    inputs = first(call)
    if inputs is None or not _fits_arrays(call, program) or len(call.args) > 2:
        return None
    return _without_labels(call, inputs)


def _class_weights(call: ast.Call, program: Program) -> ast.expr | None:
    inputs, labels = first(call), _labels(call)
    if inputs is None or labels is None or not _fits_arrays(call, program) or len(call.args) > 2 or call.keywords == []:
        return None
    joined = expression(f"{{**{code(inputs)}, 'labels': {code(labels)}}}")
    return with_argument(_without_labels(call, joined), "class_weight", expression("{0: 1.0, 1: 2.0}"))


def _list_of_inputs(call: ast.Call, program: Program) -> ast.expr | None:
    inputs = program.value(first(call))
    if (
        inputs is None
        or not _fits_arrays(call, program)
        or callee(inputs) != "dict"
        or not isinstance(inputs, ast.Call)
    ):
        return None
    source = first(inputs)
    if not isinstance(source, ast.Name):
        return None
    return with_position(call, 0, expression(f"[{source.id}['input_ids'], {source.id}['attention_mask']]"))


def _strings(call: ast.Call, program: Program) -> ast.expr | None:
    labels = _labels(call)
    numbers = label_numbers(labels, program)
    if labels is None or numbers is None or not _fits_arrays(call, program):
        return None
    return _with_labels(call, expression(f"np.array({[f'kind {n}' for n in numbers]!r})"))


def _scores(call: ast.Call, program: Program) -> ast.expr | None:
    labels = _labels(call)
    numbers = label_numbers(labels, program)
    if labels is None or numbers is None or not _fits_arrays(call, program):
        return None
    return _with_labels(call, expression(f"np.array({[n + 0.25 for n in numbers]!r})"))


def _one_more(call: ast.Call, program: Program) -> ast.expr | None:
    labels = _labels(call)
    numbers = label_numbers(labels, program)
    if labels is None or numbers is None or not _fits_arrays(call, program):
        return None
    sizes = {code(size) for made in program.calls("from_pretrained") if (size := argument(made, "num_labels"))}
    if sizes != {str(max(numbers) + 1)}:
        return None
    return _with_labels(call, expression(f"np.array({[n + 1 for n in numbers]!r})"))


def _is_a_row_head(call: ast.Call) -> bool:
    return code(call.func).startswith("TF") and "SequenceClassification.from_pretrained" in code(call.func)


def _fewer_outputs(call: ast.Call, program: Program) -> ast.expr | None:
    if not _is_a_row_head(call) or argument(call, "num_labels") is None or argument(call, "id2label") is not None:
        return None
    numbers = [n for fit in program.calls("fit") if (n := label_numbers(_labels(fit), program)) is not None]
    known = numbers or program.has(*KNOWN_CLASSES)
    return with_argument(call, "num_labels", expression("1")) if known else None


def _classes_not_said(call: ast.Call, program: Program) -> ast.expr | None:
    size = argument(call, "num_labels")
    if size is None or not isinstance(size, ast.Constant) or not isinstance(size.value, int) or size.value < 3:
        return None
    numbers = [n for fit in program.calls("fit") if (n := label_numbers(_labels(fit), program)) is not None]
    if not any(max(n) >= 2 for n in numbers) and not program.has(*KNOWN_CLASSES):
        return None
    if argument(call, "id2label") is not None or argument(call, "config") is not None:
        return None
    if "mnli" in code(program.value(first(call)) or call):
        return None
    return with_fields(call, keywords=[k for k in call.keywords if k.arg != "num_labels"])


def _fine_tuned(call: ast.Call, program: Program) -> ast.expr | None:
    size = argument(call, "num_labels")
    name = program.value(first(call))
    if not _is_a_row_head(call) or size is None or code(size) in {"2", "1"} or not isinstance(size, ast.Constant):
        return None
    if name is None or code(name) != "'distilbert-base-uncased'" or argument(call, "ignore_mismatched_sizes"):
        return None
    return with_position(call, 0, expression(FINE_TUNED))


def _elements_apart(call: ast.Call, program: Program) -> ast.expr | None:
    """`(ids, mask, labels)` for `(dict(enc), labels)`."""
    pair = first(call)
    if not isinstance(pair, ast.Tuple) or len(pair.elts) != 2 or not trains_rows(program):
        return None
    inputs = pair.elts[0]
    source = first(inputs) if isinstance(inputs, ast.Call) and callee(inputs) == "dict" else None
    if not isinstance(source, ast.Name):
        return None
    name = source.id
    return with_position(call, 0, expression(f"({name}['input_ids'], {name}['attention_mask'], {code(pair.elts[1])})"))


def _label_sizes(value: ast.expr, program: Program) -> str | None:
    return (
        str(value.value + 1)
        if isinstance(value, ast.Constant) and isinstance(value.value, int)
        else f"{code(value)} + 1"
    )


def _trains_causal(program: Program) -> bool:
    names = {name for name in program.classes if "CausalLM" in name or "GPT2LMHead" in name}
    return program.trains_a_head and bool(names) and names == program.classes


def _same_labels(call: ast.Call, program: Program) -> str:
    """The ids that a causal model gets as inputs and as labels as well, in one dict."""
    inputs = program.value(first(call))
    if not isinstance(inputs, ast.Dict) or len(call.args) != 1 or not _trains_causal(program):
        return ""
    given = {k.value: code(v) for k, v in zip(inputs.keys, inputs.values, strict=True) if isinstance(k, ast.Constant)}
    return given["labels"] if len(given) == 2 and given.get("labels") == given.get("input_ids") else ""


def _shifted(call: ast.Call, program: Program) -> ast.expr | None:
    ids = _same_labels(call, program)
    if not ids:
        return None
    return with_position(call, 0, expression(f"{{'input_ids': {ids}[:, :-1], 'labels': {ids}[:, 1:]}}"))


def _are_texts(node: ast.expr | None, program: Program) -> bool:
    items = getattr(program.value(node), "elts", [])
    return bool(items) and all(isinstance(item, ast.Constant) and isinstance(item.value, str) for item in items)


def _sorts_a_set(call: ast.Call, program: Program) -> bool:
    """`names.sort()`, where names are `list(set(texts))`."""
    made = program.value(call.func.value) if isinstance(call.func, ast.Attribute) else None
    inner = first(made) if isinstance(made, ast.Call) and callee(made) == "list" else None
    is_set = isinstance(inner, ast.Call) and callee(inner) == "set"
    return callee(call) == "sort" and is_set and isinstance(inner, ast.Call) and _are_texts(first(inner), program)


def _columns_without_labels(call: ast.Call, program: Program) -> ast.expr | None:
    if argument(call, "label_cols") is None or not trains_rows(program) or argument(call, "columns") is None:
        return None
    if "label" in code(argument(call, "columns") or call):
        return None
    return with_fields(call, keywords=[k for k in call.keywords if k.arg != "label_cols"])


def _to_the_loss(call: ast.Call, program: Program) -> ast.expr | None:
    """A function that writes -100 into labels, left out."""
    if len(call.args) != 3 or "-100" not in {code(arg) for arg in call.args[1:]} or not program.has("T5", "t5"):
        return None
    return call.args[2] if code(call.args[1]) == "-100" else call.args[1]


def _dense(value: ast.expr, program: Program) -> str | None:
    if callee(value) != "SparseCategoricalCrossentropy" or not isinstance(value, ast.Call):
        return None
    numbers = [n for fit in program.calls("fit") if (n := label_numbers(_labels(fit), program)) is not None]
    if not numbers and not program.has(*KNOWN_CLASSES):
        return None
    text = code(value)
    return text.replace("SparseCategorical", "Categorical", 1) if text.startswith("tf.keras.") else None


def _dense_string(value: ast.expr, program: Program) -> str | None:
    if code(value) != "'sparse_categorical_crossentropy'":
        return None
    numbers = [n for fit in program.calls("fit") if (n := label_numbers(_labels(fit), program)) is not None]
    return "'categorical_crossentropy'" if numbers else None


def _rows_of_wrapped(call: ast.Call, program: Program) -> bool:
    return isinstance(program.value(first(call)), ast.Dict) and _labels(call) is not None and len(call.args) == 2


def _table_of_texts(call: ast.Call, program: Program) -> str | None:
    """Rows whose labels are texts until map() numbers them, out of a table."""
    rows = program.value(first(call))
    if not isinstance(rows, ast.Dict) or not program.has(".map(lambda row: {'label':"):
        return None
    columns = {code(key): value for key, value in zip(rows.keys, rows.values, strict=True) if key is not None}
    labels = columns.get("'label'")
    texts = [isinstance(getattr(item, "value", None), str) for item in getattr(labels, "elts", [])]
    return f"{code(receiver(call) or call)}.from_pandas(pd.DataFrame({code(rows)}))" if texts and all(texts) else None


MUTATIONS = (
    Mutation(
        "TFL003",
        "labels among the inputs",
        ("fit",),
        on_call(
            lambda call, p: (
                _without_labels(call, expression(f"{{**{code(call.args[0])}, 'labels': {code(call.args[1])}}}"))
                if _rows_of_wrapped(call, p)
                else None
            )
        ),
        when=lambda p: p.wraps_an_encoder and p.has("loss="),
    ),
    Mutation("TFL004", "the labels left out", ("fit",), on_call(_no_y)),
    Mutation("TFL004", "label_cols left out", ("to_tf_dataset",), on_call(_columns_without_labels)),
    Mutation("TFL007", "labels in a dict", ("fit",), _other_labels("{{'label': {}}}", False), when=_no_loss),
    Mutation("TFL007", "labels in a tuple", ("fit",), _other_labels("({},)", False), when=_no_loss),
    Mutation(
        "TFL009",
        "a Keras loss for labels that are not shifted",
        ("compile",),
        adds("loss", LOGITS_LOSS, own_loss),
        when=lambda p: any(_same_labels(call, p) for call in p.calls("fit")),
        imports=TF,
    ),
    Mutation("TFL010", "labels shifted by hand", ("fit",), on_call(_shifted), when=_trains_causal),
    Mutation("TFL012", "padding left in the labels", ("where",), on_call(_to_the_loss)),
    Mutation(
        "TFL014",
        "a problem type that nothing reads",
        ("from_pretrained",),
        adds("problem_type", "'multi_label_classification'", lambda call, p: _is_a_row_head(call)),
        when=_no_loss,
    ),
    Mutation(
        "TFL015",
        "one-hot labels",
        ("fit",),
        _other_labels("tf.keras.utils.to_categorical({}, 2)", False),
        when=lambda p: _sparse_loss(p) and _fits_once(p) and not p.has("num_labels=1", "num_labels=len("),
        imports=TF,
    ),
    Mutation(
        "TFL015",
        "one-hot labels of TensorFlow",
        ("fit",),
        _other_labels("tf.one_hot({}, 2)"),
        when=lambda p: _sparse_loss(p) and _fits_once(p),
        imports=TF,
    ),
    Mutation("TFL016", "a dense loss", ("compile",), gives("loss", _dense), when=trains_rows),
    Mutation(
        "TFL016", "a dense loss by name", ("compile",), gives("loss", _dense_string), when=lambda p: p.wraps_an_encoder
    ),
    Mutation(
        "TFL017",
        "one output for classes",
        ("from_pretrained",),
        on_call(_fewer_outputs),
        when=lambda p: trains_rows(p) and p.has("'accuracy'", "SparseCategorical"),
    ),
    Mutation(
        "TFL018",
        "the number of classes left out",
        ("from_pretrained",),
        on_call(_classes_not_said),
        when=lambda p: p.trains_a_head,
    ),
    Mutation("TFL019", "labels from one on", ("fit",), on_call(_one_more), imports=NUMPY),
    Mutation(
        "TFL020",
        "one class more than names",
        ("from_pretrained",),
        gives("num_labels", _label_sizes, lambda call, p: isinstance(p.value(argument(call, "id2label")), ast.Dict)),
    ),
    Mutation(
        "TFL021",
        "scores for classes",
        ("fit",),
        on_call(_scores),
        when=lambda p: _no_loss(p) and _fits_once(p),
        imports=NUMPY,
    ),
    Mutation("TFL022", "texts for classes", ("fit",), on_call(_strings), when=_fits_once, imports=NUMPY),
    Mutation(
        "TFL023", "a head of another size", ("from_pretrained",), on_call(_fine_tuned), when=lambda p: p.trains_a_head
    ),
    Mutation("TFL024", "class weights for labels among the inputs", ("fit",), on_call(_class_weights), when=_no_loss),
    Mutation("TFL026", "the mask in the place of the labels", ("from_tensor_slices",), on_call(_elements_apart)),
    Mutation("TFL027", "a list of inputs", ("fit",), on_call(_list_of_inputs), when=_no_loss),
    Mutation(
        "TFL032",
        "numbers left as texts",
        ("cast_column",),
        skips_method(),
        when=lambda p: p.has("from_pandas("),
        # It is read once as JSON, whose columns follow their values.
        least=Severity.INFO,
    ),
    Mutation(
        "TFL032",
        "a table of pandas",
        ("from_dict",),
        on_call(_table_of_texts),
        imports=("import pandas as pd",),
    ),
    Mutation("TFL031", "classes in the order of a set", ("Expr",), drops_statement(_sorts_a_set)),
)
