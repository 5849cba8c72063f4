"""Data sets on their way to `fit`."""

from __future__ import annotations

import ast

from mutations.changes import adds, drops, gives, on_call, skips_method, unwraps
from mutations.engine import Mutation, Rewrite
from mutations.programs import Program
from mutations.syntax import (
    argument,
    callee,
    code,
    expression,
    first,
    is_constant,
    last_name,
    receiver,
    with_argument,
    with_fields,
)
from tflint_hf.findings import Severity

FEEDS = ("prepare_tf_dataset", "to_tf_dataset")


def _pads_late(program: Program) -> bool:
    """Whether rows are tokenized in map() without padding, as far as can be seen."""
    return program.has(".map(") and not program.has(
        "padding=True", "max_length'", "pad(", "chain(", "padding='longest'", "group", "BLOCK", "LanguageModeling"
    )


def _is_false(call: ast.Call, program: Program) -> bool:
    return is_constant(argument(call, "shuffle"), False)


def _is_true(call: ast.Call, program: Program) -> bool:
    return is_constant(argument(call, "shuffle"), True)


def _in_stored_order(program: Program) -> bool:
    """Whether rows come from a file or the hub, and nothing shuffles them on the way."""
    read = program.has("load_dataset(", "read_csv(", "np.load(")
    return read and not program.has("from_dict", "train_test_split", ".shuffle(seed")


def _trained_on(call: ast.AST, program: Program) -> bool:
    """Whether the expression is given to fit() as its data, or kept under a name that is."""
    parent = program.slots[call].parent
    names = []
    if isinstance(parent, ast.Assign):
        names = [code(target) for target in parent.targets]
    fits = program.calls("fit")
    return any(fit.args and (fit.args[0] is call or code(fit.args[0]) in names) for fit in fits)


def _evaluated_on(call: ast.AST, program: Program, *ways: str) -> bool:
    """Whether the expression goes to one of these ways of evaluating, and not to fit()."""
    parent = program.slots[call].parent
    if not isinstance(parent, ast.Assign) or _trained_on(call, program):
        return False
    name = code(parent.targets[0])
    uses = [use for way in ways if way != "validation_data" for use in program.calls(way)]
    if any(name in {code(arg) for arg in (*use.args, *(k.value for k in use.keywords))} for use in uses):
        return True
    valued = [argument(fit, "validation_data") for fit in program.calls("fit")] if "validation_data" in ways else []
    return any(code(value) == name for value in valued if value is not None)


def _is_slices(node: ast.AST | None, program: Program) -> bool:
    """Whether a chain of steps begins with from_tensor_slices()."""
    while isinstance(node, (ast.Call, ast.Name)):
        if callee(node) == "from_tensor_slices":
            return True
        node = receiver(node) if isinstance(node, ast.Call) else program.value(node)
        if isinstance(node, ast.Name) and program.value(node) is node:
            return False
    return False


def _batch_after_shuffle(call: ast.Call, program: Program) -> ast.expr | None:
    shuffled = receiver(call)
    if (
        callee(shuffled or call) != "shuffle"
        or not isinstance(shuffled, ast.Call)
        or not isinstance(call.func, ast.Attribute)
    ):
        return None
    rows = receiver(shuffled)
    if rows is None or not _is_slices(rows, program) or "shuffle" in code(rows) or not _trained_on(call, program):
        return None
    assert isinstance(shuffled.func, ast.Attribute)
    batched = with_fields(call, func=with_fields(call.func, value=rows))
    return with_fields(shuffled, func=with_fields(shuffled.func, value=batched))


def _column_list(call: ast.Call) -> list[str] | None:
    columns = argument(call, "columns")
    if not isinstance(columns, ast.List):
        return None
    return [str(item.value) for item in columns.elts if isinstance(item, ast.Constant)]


def _without_column(name: str) -> Rewrite:
    def rewrite(call: ast.Call, program: Program) -> ast.expr | None:
        columns = _column_list(call)
        if columns is None or name not in columns or "input_ids" not in columns:
            return None
        if name == "attention_mask" and not (argument(call, "collate_fn") or program.has("padding=")):
            return None
        return with_argument(call, "columns", expression(repr([c for c in columns if c != name])))

    return on_call(rewrite)


def _pairs(program: Program) -> bool:
    return program.has("sentence2", "question2", "hypothesis", "passage", "sentence_B") and program.has("bert-base-")


def _discards(node: ast.AST, program: Program) -> list[ast.stmt] | None:
    steps = {
        "map",
        "filter",
        "shuffle",
        "remove_columns",
        "rename_column",
        "cast_column",
        "with_format",
        "batch",
        "repeat",
    }
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call) or callee(node.value) not in steps:
        return None
    source = receiver(node.value)
    if program.has("processor("):
        # What this function gives is not known: map() may be called for what it does.
        return None
    if source is None or code(source) != code(node.targets[0]) or not program.has("load_dataset", "from_tensor_slices"):
        return None
    return [ast.Expr(node.value)]


def _repeats(call: ast.Call, program: Program) -> ast.expr | None:
    if not _is_slices(call, program) or program.has("steps", "repeat", "take(") or not _trained_on(call, program):
        return None
    return expression(f"{code(call)}.repeat()")


def _twice(call: ast.Call, program: Program) -> ast.expr | None:
    if not _trained_on(call, program) or program.has("unbatch", "GradientTape", "steps_per_epoch"):
        return None
    if callee(call) == "batch" and not _is_slices(call, program):
        return None
    if callee(call) == "to_tf_dataset" and argument(call, "batch_size") is None:
        return None
    return expression(f"{code(call)}.batch(8)")


def _fits_batches(call: ast.Call, program: Program) -> bool:
    made = program.value(first(call))
    return (
        len(call.args) == 1
        and made is not None
        and (callee(made) in FEEDS or (callee(made) == "batch" and _is_slices(made, program)))
    )


def _old_order(call: ast.Call, program: Program) -> ast.expr | None:
    """The columns as first argument by position."""
    columns = argument(call, "columns")
    if columns is None or call.args:
        return None
    del program
    return with_fields(call, args=[columns], keywords=[k for k in call.keywords if k.arg != "columns"])


def _whole_dict(call: ast.Call, program: Program) -> bool:
    """A split of load_dataset that is fed without another step that a dictionary of splits has too."""
    statement = program.statement(call)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return False
    name = statement.targets[0].id
    if program.has(f"{name}['", f"{name}.map") or argument(call, "split") is None:
        uses = program.has(
            f"prepare_tf_dataset({name},", f"{name}.to_tf_dataset(", f"{name}['text']", f"{name}.select("
        )
        return uses and argument(call, "split") is not None
    return program.has(f"prepare_tf_dataset({name},", f"{name}.to_tf_dataset(", f"{name}.select(")


def _list_of_column(call: ast.Call, program: Program) -> bool:
    """`list(rows["text"])` of a data set, for the texts of a tokenizer or the labels of fit()."""
    column = first(call)
    if not isinstance(column, ast.Subscript) or not isinstance(column.slice, ast.Constant):
        return False
    source = program.value(column.value)
    if isinstance(source, ast.Subscript):
        source = program.value(source.value)
    parent = program.slots[call].parent
    user = last_name(parent.func) if isinstance(parent, ast.Call) else ""
    return (
        callee(source or call) in {"load_dataset", "from_dict"}
        and isinstance(column.slice.value, str)
        and (user.startswith("tok") or user in {"fit", "encode"})
    )


MUTATIONS = (
    Mutation(
        "TFD004",
        "return_tensors left out",
        (
            "DataCollatorWithPadding",
            "DataCollatorForTokenClassification",
            "DataCollatorForSeq2Seq",
            "DefaultDataCollator",
            "DataCollatorForLanguageModeling",
        ),
        drops("return_tensors"),
        when=lambda p: p.has("collate_fn"),
    ),
    Mutation(
        "TFD004",
        "return_tensors of PyTorch",
        (
            "DataCollatorWithPadding",
            "DataCollatorForTokenClassification",
            "DataCollatorForSeq2Seq",
            "DefaultDataCollator",
            "DataCollatorForLanguageModeling",
        ),
        gives("return_tensors", "'pt'"),
        when=lambda p: p.has("collate_fn"),
    ),
    Mutation(
        "TFD008",
        "batch() left out",
        ("batch",),
        skips_method(lambda call, p: _is_slices(call, p) and _trained_on(call, p)),
        when=lambda p: (
            p.trains_a_head
            and not p.has("steps_per_epoch")
            and p.text.count(".batch(") == 1
            and p.has("dict(", "encode(")
        ),
    ),
    Mutation(
        "TFD008",
        "batch_size left out",
        ("to_tf_dataset",),
        drops("batch_size", _trained_on),
        when=lambda p: p.trains_a_head and not p.has(".batch("),
    ),
    Mutation("TFD009", "a second batch()", ("batch", *FEEDS), on_call(_twice), when=lambda p: p.trains_a_head),
    Mutation("TFD010", "the mask left out of the columns", ("to_tf_dataset",), _without_column("attention_mask")),
    Mutation(
        "TFD011",
        "the segments left out of the columns",
        ("to_tf_dataset",),
        _without_column("token_type_ids"),
        when=_pairs,
    ),
    Mutation(
        "TFD013",
        "the other name of the label column",
        ("to_tf_dataset",),
        gives(
            "label_cols",
            lambda old, p: "'labels'" if code(old) in {"'label'", "['label']"} else None,
            lambda call, p: argument(call, "collate_fn") is None,
        ),
        when=lambda p: not p.has("'json'", "'csv'", "read_csv"),
    ),
    Mutation(
        "TFD014",
        "the collator left out",
        ("to_tf_dataset",),
        drops("collate_fn"),
        when=lambda p: _pads_late(p) and p.has("tok"),
        # The collator has renamed the column of labels.
        brings=frozenset({"TFD013"}),
    ),
    Mutation("TFD015", "dummy labels", ("to_tf_dataset",), adds("dummy_labels", "True")),
    Mutation("TFD015", "the columns first", ("to_tf_dataset",), on_call(_old_order)),
    Mutation(
        "TFD016",
        "shuffle=False left out",
        ("prepare_tf_dataset",),
        drops("shuffle", _is_false),
        when=lambda p: not p.has(".take("),
        brings=frozenset({"TFE004"}),
    ),
    Mutation(
        "TFD017",
        "shuffled evaluation data",
        FEEDS,
        gives(
            "shuffle",
            "True",
            lambda call, p: (
                _is_false(call, p)
                and _evaluated_on(call, p, "predict", "evaluate", "KerasMetricCallback", "validation_data")
            ),
        ),
        brings=frozenset({"TFE004"}),
        least=Severity.INFO,
    ),
    Mutation(
        "TFD018",
        "shuffle=False",
        ("prepare_tf_dataset", "to_tf_dataset"),
        gives("shuffle", "False", lambda call, p: _is_true(call, p) and _trained_on(call, p)),
        when=_in_stored_order,
    ),
    Mutation(
        "TFD018",
        "shuffle left out",
        ("to_tf_dataset",),
        drops("shuffle", lambda call, p: _is_true(call, p) and _trained_on(call, p)),
        when=_in_stored_order,
    ),
    Mutation(
        "TFD018",
        "shuffle() left out",
        ("shuffle",),
        skips_method(lambda call, p: _is_slices(call, p) and p.text.count("shuffle") == 1),
        when=lambda p: p.trains_a_head and _in_stored_order(p) and p.has("load_dataset("),
    ),
    Mutation("TFD019", "batched before shuffle()", ("batch",), on_call(_batch_after_shuffle)),
    Mutation(
        "TFD020",
        "a step whose result is not kept",
        ("Assign",),
        _discards,
        brings=frozenset({"TFD008", "TFL026"}),
        not_through=frozenset({"in a notebook"}),
    ),
    Mutation("TFD021", "repeat() without steps", ("batch",), on_call(_repeats), when=lambda p: p.trains_a_head),
    Mutation(
        "TFD022",
        "validation_split of a dataset",
        ("fit",),
        adds("validation_split", "0.1", _fits_batches),
        when=lambda p: not p.has("validation_data"),
    ),
    Mutation("TFD022", "batch_size of a dataset", ("fit",), adds("batch_size", "8", _fits_batches)),
    Mutation(
        "TFD023",
        "the tokenizer left out",
        ("prepare_tf_dataset",),
        drops("tokenizer", lambda call, p: argument(call, "collate_fn") is None),
        when=_pads_late,
    ),
    Mutation(
        "TFD023",
        "the collator left out",
        ("prepare_tf_dataset",),
        drops("collate_fn", lambda call, p: argument(call, "tokenizer") is None),
        when=_pads_late,
    ),
    Mutation("TFD024", "the split left out", ("load_dataset",), drops("split", _whole_dict)),
    Mutation("TFD025", "a column as it is", ("list",), unwraps(_list_of_column)),
    Mutation(
        "TFD034",
        "reshuffled for each pass",
        ("shuffle",),
        drops("reshuffle_each_iteration"),
        when=lambda p: p.has("take(") and p.has("skip(") and not p.has("cache("),
    ),
)
