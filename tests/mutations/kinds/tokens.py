"""Tokenizers and what their results are used for."""

from __future__ import annotations

import ast

from mutations.changes import adds, drops, drops_statement, gives, on_call, renames, skips_method, unwraps
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
    with_argument,
    with_fields,
    with_position,
)
from tflint_hf.findings import Severity

# What the padding that is added leads to by itself.
PADDED = frozenset({"TFD036", "TFL012"})
TOKENIZERS = ("tok", "tokenizer", "tokenise", "bert_tokenizer", "self.tok")


def _tokenizes(call: ast.Call, program: Program) -> bool:
    """A call of a tokenizer, by its name and arguments."""
    del program
    is_named = code(call.func) in {"tok", "tokenizer", "self.tok", "self.tokenizer"}
    return is_named and bool(call.args) and not has_stars(call)


def _several(call: ast.Call, program: Program) -> bool:
    """Several texts: a list of two or more, or all rows of a map()."""
    texts = program.value(first(call))
    if isinstance(texts, ast.BinOp):
        texts = texts.left
    return isinstance(texts, ast.List) and len(texts.elts) > 1


def _differ(call: ast.Call, program: Program) -> bool:
    """Texts that are written in the program, with different numbers of words."""
    texts = program.value(first(call))
    if isinstance(texts, ast.BinOp):
        texts = texts.left
    written = [t.value for t in getattr(texts, "elts", []) if isinstance(t, ast.Constant) and isinstance(t.value, str)]
    return len({len(text.split()) for text in written}) > 1


def _makes_tensors(call: ast.Call, program: Program) -> bool:
    return _tokenizes(call, program) and argument(call, "return_tensors") is not None and _several(call, program)


def _padded(call: ast.Call, program: Program) -> bool:
    return _makes_tensors(call, program) and _differ(call, program) and argument(call, "padding") is not None


def _goes_to_fit(call: ast.Call, program: Program) -> bool:
    """Tokenizer results that reach fit() of a head as a dict, not by way of a dataset."""
    return (
        _makes_tensors(call, program)
        and program.trains_a_head
        and not program.has("from_tensor_slices", "Dataset", ".map(", "where", "constant(enc", "np.array(enc")
    )


def _longest_words(call: ast.Call, program: Program) -> bool:
    """Texts that are not written in the program: they may be longer than the length."""
    texts = program.value(first(call))
    if (
        isinstance(texts, ast.List)
        or program.has("from_dict", "load_dataset('text'")
        or not program.has("load_dataset(")
    ):
        return False
    return (
        _tokenizes(call, program)
        and is_constant(argument(call, "padding"), "max_length")
        and argument(call, "max_length") is not None
    )


def _reads_data(program: Program) -> bool:
    """Whether a head with a table of positions is trained on texts of a data set that may be long."""
    families = ("'bert-base", "'roberta-base'", "'distilbert-base", "'distilroberta-base'")
    short = (
        "ag_news",
        "banking77",
        "glue",
        "imdb",
        "tweet",
        "emotion",
        "rotten_tomatoes",
        "trec",
        "sms_spam",
        "tokens",
        "from_dict",
        "filter(",
    )
    return program.trains_a_head and program.has("load_dataset(") and program.has(*families) and not program.has(*short)


def _row_by_row(call: ast.Call, program: Program) -> ast.expr | None:
    """`rows.map(f)` with a tokenizer that pads, for `rows.map(f, batched=True)`."""
    function = first(call)
    if not isinstance(function, ast.Lambda) or not isinstance(function.body, ast.Call) or len(call.args) != 1:
        return None
    body = function.body
    if not _tokenizes(body, program) or argument(call, "batched") is None or argument(body, "padding") is not None:
        return None
    padded = with_fields(function, body=with_argument(body, "padding", expression("True")))
    return with_fields(call, args=[padded], keywords=[k for k in call.keywords if k.arg != "batched"])


def _tensors_row_by_row(call: ast.Call, program: Program) -> ast.expr | None:
    new = _row_by_row(call, program)
    if (
        not isinstance(new, ast.Call)
        or not isinstance(new.args[0], ast.Lambda)
        or not isinstance(new.args[0].body, ast.Call)
    ):
        return None
    body = with_argument(new.args[0].body, "return_tensors", expression("'np'"))
    return with_fields(new, args=[with_fields(new.args[0], body=body)])


def _is_pad_token(node: ast.AST, program: Program) -> list[ast.stmt] | None:
    """`tok.pad_token = tok.eos_token`, left out."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Attribute):
        return None
    if node.targets[0].attr != "pad_token" or not program.has("gpt2'", "gpt2-medium'"):
        return None
    return [] if program.has("padding=", "DataCollatorWithPadding", "prepare_tf_dataset") else None


def _another_tokenizer(call: ast.Call, program: Program) -> ast.expr | None:
    """The tokenizer of another family."""
    name = program.value(first(call))
    if (
        "Tokenizer" not in code(call.func)
        or name is None
        or len(program.calls("from_pretrained")) != 2
        or not program.trains_a_head
    ):
        return None
    mine = code(name)
    if program.has("add_tokens("):
        return None
    if mine in {"'bert-base-uncased'", "'distilbert-base-uncased'"} and "AutoTokenizer" in code(call.func):
        return with_position(call, 0, expression("'roberta-base'"))
    if mine in {"'roberta-base'", "'xlm-roberta-base'"} and "AutoTokenizer" in code(call.func):
        return with_position(call, 0, expression("'bert-base-cased'"))
    return None


def _cased(call: ast.Call, program: Program) -> ast.expr | None:
    name = program.value(first(call))
    if (
        "Tokenizer" not in code(call.func)
        or name is None
        or len(program.calls("from_pretrained")) != 2
        or not program.trains_a_head
    ):
        return None
    by_hand = program.has("np.where(", "np.concatenate(", "read_batches(", "add_tokens(")
    return (
        with_position(call, 0, expression("'bert-base-cased'"))
        if code(name) == "'bert-base-uncased'" and not by_hand
        else None
    )


def _not_resized(call: ast.Call, program: Program) -> bool:
    return (
        callee(call) == "resize_token_embeddings"
        and program.has("add_tokens(")
        and program.text.count("resize_token_embeddings") == 1
    )


def _other_collator(call: ast.Call, program: Program) -> ast.expr | None:
    if program.has("label_pad_token_id", "padding='max_length'") or not program.has(".map("):
        return None
    kept = [k for k in call.keywords if k.arg in {"tokenizer", "return_tensors"}]
    return with_fields(call, func=expression("DataCollatorWithPadding"), keywords=kept, args=call.args[:1])


def _plain_texts(call: ast.Call, program: Program) -> bool:
    """`.tolist()` of a pandas column, for a tokenizer."""
    parent = program.slots[call].parent
    if not isinstance(parent, ast.Call) or not _tokenizes(parent, program) or parent.args[0] is not call:
        return False
    assert isinstance(call.func, ast.Attribute)
    column = call.func.value
    source = program.value(column.value) if isinstance(column, (ast.Subscript, ast.Attribute)) else None
    return code(source or call).startswith(("pd.read_csv", "pd.DataFrame"))


def _in_slices(call: ast.Call, program: Program) -> bool:
    """`dict(enc)` as the inputs of from_tensor_slices(), where enc comes straight out of a tokenizer."""
    source = program.value(first(call))
    around = list(program.around(call))[:2]
    return (
        isinstance(source, ast.Call)
        and _tokenizes(source, program)
        and any(callee(node) == "from_tensor_slices" for node in around)
    )


def _as_lists(call: ast.Call, program: Program) -> bool:
    """`np.array([...])` as the labels of fit() beside arrays."""
    parent = program.slots[call].parent
    is_list = isinstance(first(call), ast.List) or isinstance(program.value(first(call)), ast.List)
    if not is_list or any(isinstance(item, ast.List) for item in getattr(program.value(first(call)), "elts", [])):
        return False
    given = isinstance(parent, ast.Call) and callee(parent) == "fit" and len(parent.args) > 1 and parent.args[1] is call
    return given and program.trains_a_head and not program.has("cast", "one_hot", "to_categorical")


def _one_key_more(node: ast.AST, program: Program) -> ast.expr | None:
    """A dictionary of inputs with the position of the rows among them."""
    if not isinstance(node, ast.Dict) or not any(is_constant(key, "input_ids") for key in node.keys):
        return None
    ids = next(value for key, value in zip(node.keys, node.values, strict=True) if is_constant(key, "input_ids"))
    # A function may make rows for map(), and a table or a signature is not yet the input of a model.
    outer = list(program.around(node))
    is_input = not any(isinstance(n, (ast.FunctionDef, ast.Lambda, ast.ClassDef)) for n in outer)
    is_input = is_input and not {callee(n) for n in outer} & {"from_dict", "from_generator"}
    if not is_input or None in node.keys or isinstance(ids, ast.Call):
        return None
    return with_fields(node, keys=[*node.keys, ast.Constant("position")], values=[*node.values, ids])


def _one_column_more(old: ast.expr, program: Program) -> ast.expr | None:
    """The columns of the inputs with the number of the row among them, as the tasks of GLUE have it."""
    if not isinstance(old, ast.List) or not program.has("load_dataset('glue'"):
        return None
    return with_fields(old, elts=[*old.elts, ast.Constant("idx")])


MUTATIONS = (
    Mutation("TFD012", "a key too many", ("Dict",), _one_key_more, when=lambda p: p.trains_a_head),
    Mutation(
        "TFD012",
        "a column too many",
        ("to_tf_dataset",),
        gives("columns", _one_column_more),
        when=lambda p: p.trains_a_head,
    ),
    Mutation("TFD001", "padding left out", TOKENIZERS, drops("padding", _padded), brings=frozenset()),
    Mutation(
        "TFD002",
        "truncation left out where nothing limits the length",
        TOKENIZERS,
        drops("truncation", lambda call, p: _tokenizes(call, p) and argument(call, "max_length") is None),
        when=_reads_data,
        least=Severity.INFO,
    ),
    Mutation(
        "TFD003",
        "max_length left out",
        TOKENIZERS,
        drops(
            "max_length",
            lambda call, p: _tokenizes(call, p) and is_constant(argument(call, "padding"), "max_length"),
        ),
        when=_reads_data,
        least=Severity.INFO,
    ),
    Mutation("TFD005", "return_tensors left out", TOKENIZERS, drops("return_tensors", _goes_to_fit)),
    Mutation("TFD006", "the encoding itself", ("dict",), unwraps(_in_slices)),
    Mutation(
        "TFD007",
        "a list of labels",
        ("array", "constant"),
        on_call(lambda call, p: first(call) if _as_lists(call, p) else None),
    ),
    Mutation("TFD026", "a series of texts", ("tolist",), skips_method(_plain_texts)),
    Mutation(
        "TFD027",
        "padded row by row",
        ("map",),
        on_call(_row_by_row),
        when=lambda p: not p.has("gpt2"),
        brings=PADDED,
        least=Severity.INFO,
    ),
    Mutation(
        "TFD027",
        "tensors row by row",
        ("map",),
        on_call(_tensors_row_by_row),
        when=lambda p: not p.has("gpt2"),
        brings=PADDED,
    ),
    Mutation(
        "TFD028",
        "words taken for texts",
        TOKENIZERS,
        drops("is_split_into_words"),
        when=lambda p: not p.has("row["),
    ),
    Mutation(
        "TFD029",
        "a collator that pads no labels",
        ("DataCollatorForTokenClassification", "DataCollatorForSeq2Seq"),
        on_call(_other_collator),
        imports=("from transformers import DataCollatorWithPadding",),
    ),
    Mutation("TFD030", "no padding token", ("Assign",), _is_pad_token),
    Mutation("TFD031", "a tokenizer of another family", ("from_pretrained",), on_call(_another_tokenizer)),
    Mutation("TFD031", "a tokenizer of another casing", ("from_pretrained",), on_call(_cased)),
    Mutation("TFD031", "embeddings not resized", ("Expr",), drops_statement(_not_resized)),
    Mutation(
        "TFD035",
        "an argument of other libraries",
        TOKENIZERS,
        renames("max_length", "max_seq_length", _tokenizes),
    ),
    Mutation(
        "TFD035",
        "an argument that was removed",
        TOKENIZERS,
        adds(
            "pad_to_max_length", "True", lambda call, p: _tokenizes(call, p) and argument(call, "padding") is not None
        ),
    ),
    Mutation(
        "TFD036",
        "truncation left out",
        TOKENIZERS,
        drops("truncation", _longest_words),
        when=lambda p: not p.has("is_split_into_words"),
    ),
    Mutation(
        "TFV003",
        "an old method",
        TOKENIZERS,
        on_call(
            lambda call, p: (
                with_fields(call, func=expression(f"{code(call.func)}.batch_encode_plus"))
                if _tokenizes(call, p) and _several(call, p)
                else None
            )
        ),
        least=Severity.INFO,
    ),
)
