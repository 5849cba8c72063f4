"""Models: how they are made, wrapped, frozen, called and saved."""

from __future__ import annotations

import ast

from mutations.changes import adds, adds_after, adds_before, drops, drops_statement, gives, on_call
from mutations.engine import Mutation
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
    with_fields,
    with_position,
)
from tflint_hf.findings import Severity

TF = ("import tensorflow as tf",)


def _model(call: ast.Call) -> str:
    made = receiver(call)
    return code(made) if isinstance(made, (ast.Name, ast.Attribute)) else ""


def _makes_head(call: ast.Call, program: Program) -> bool:
    made = receiver(call)
    return made is not None and last_name(made) in program.classes and program.trains_a_head and _is_fit(call, program)


def _is_fit(call: ast.Call, program: Program) -> bool:
    """Whether the model that a call makes is the one that the program trains, where it is kept under a name."""
    statement = program.statement(call)
    if not isinstance(statement, ast.Assign):
        return True
    return program.value(statement.targets[0]) is not statement.targets[0]


def _straight(node: ast.AST, program: Program, *names: str) -> bool:
    """Whether calls of these methods stand in one body with the node, each once."""
    slot = program.slots[program.statement(node) or node]
    calls = [program.calls(name) for name in names]
    if any(len(found) != 1 for found in calls):
        return False
    return all(program.slots[program.statement(found[0]) or node].parent is slot.parent for found in calls)


def _freezes_late(call: ast.Call, program: Program) -> str | None:
    straight = callee(call) == "compile" and program.trains_a_head and _straight(call, program, "compile", "fit")
    return (
        f"{_model(call)}.layers[0].trainable = False" if straight and not program.has("trainable", "KINDS[") else None
    )


def _freezes_all(call: ast.Call, program: Program) -> str | None:
    straight = callee(call) == "compile" and program.trains_a_head and _straight(call, program, "compile", "fit")
    return f"{_model(call)}.trainable = False" if straight and not program.has("trainable") else None


def _saves_hdf5(call: ast.Call, program: Program) -> str | None:
    right = callee(call) == "fit" and program.trains_a_head and _model(call)
    return f"{_model(call)}.save('model.h5')" if right else None


def _loads_again(call: ast.Call, program: Program) -> str | None:
    path = first(call)
    if callee(call) != "save_pretrained" or path is None or not program.trains_a_head or "tok" in _model(call):
        return None
    return f"again = tf.keras.models.load_model({code(path)})"


def _grows_late(call: ast.Call, program: Program) -> str | None:
    if callee(call) != "from_pretrained" or not _makes_head(call, program) or program.has("memory_growth"):
        return None
    return "for gpu in tf.config.list_physical_devices('GPU'):\n    tf.config.experimental.set_memory_growth(gpu, True)"


def _sets_policy_late(call: ast.Call, program: Program) -> str | None:
    if callee(call) != "from_pretrained" or not _makes_head(call, program) or program.has("mixed_precision"):
        return None
    one_model = sum(_makes_head(made, program) for made in program.calls("from_pretrained")) == 1
    return "tf.keras.mixed_precision.set_global_policy('mixed_float16')" if one_model else None


def _is_compile(call: ast.Call, program: Program) -> bool:
    return callee(call) == "compile" and program.trains_a_head and _straight(call, program, "compile", "fit")


def _saves_tokenizer(call: ast.Call, program: Program) -> bool:
    saved = callee(call) == "save_pretrained" and code(receiver(call) or call) in {"tok", "tokenizer"}
    return saved and program.trains_a_head and program.text.count("save_pretrained") == 2


def _bare(call: ast.Call, program: Program) -> ast.expr | None:
    """The encoder without the head."""
    if callee(call) != "from_pretrained" or not _makes_head(call, program) or program.has("class Work"):
        return None
    kept = [k for k in call.keywords if k.arg not in {"num_labels", "id2label", "label2id"}]
    return with_fields(call, func=expression("TFAutoModel.from_pretrained"), keywords=kept)


def _torch(call: ast.Call, program: Program) -> ast.expr | None:
    made = receiver(call)
    if made is None or not _makes_head(call, program) or not isinstance(made, ast.Name):
        return None
    return with_fields(call, func=expression(f"transformers.{made.id.removeprefix('TF')}.from_pretrained"))


def _float_ids(call: ast.Call, program: Program) -> bool:
    names = program.has("BertModel", "RobertaModel", "ElectraModel", "TFAutoModel")
    text = code(argument(call, "name") or call)
    return names and text == "'input_ids'" and not program.has("cast(", "T5", "GPT2")


def _all_tokens(node: ast.AST, program: Program) -> ast.expr | None:
    """The states of all tokens, for those of the first."""
    if not isinstance(node, ast.Subscript) or code(node.slice) not in {":, 0", ":, 0, :", "(:, 0)"}:
        return None
    parent = program.slots[node].parent
    is_dense = isinstance(parent, ast.Call) and isinstance(parent.func, ast.Call) and callee(parent.func) == "Dense"
    right = code(node.value).endswith(("last_hidden_state", "[0]"))
    return node.value if is_dense and right and program.wraps_an_encoder and program.has("sparse_cat") else None


def _mask_not_read(call: ast.Call, program: Program) -> ast.expr | None:
    mask = argument(call, "attention_mask")
    made = program.value(mask) if mask is not None else None
    if made is None or callee(made) != "Input" or not isinstance(mask, ast.Name):
        return None
    others = [
        n for n in program.nodes("Name") if isinstance(n, ast.Name) and n.id == mask.id and isinstance(n.ctx, ast.Load)
    ]
    if len(others) != 2 or "mask" not in code(argument(made, "name") or mask):  # type: ignore[arg-type]
        return None
    return with_fields(call, keywords=[k for k in call.keywords if k.arg != "attention_mask"])


def _under_a_tape(call: ast.Call, program: Program) -> bool:
    taped = any(isinstance(n, ast.With) and "GradientTape" in code(n.items[0]) for n in program.around(call))
    return taped and program.has("apply_gradients") and not program.has("keras.Model", "def call", "def train_step")


def _outside(node: ast.AST, program: Program) -> list[ast.stmt] | None:
    """The model made in front of the scope."""
    if not isinstance(node, ast.With) or ".scope()" not in code(node.items[0]) or not program.has("Strategy("):
        return None
    made = [s for s in node.body if isinstance(s, ast.Assign) and callee(s.value) == "from_pretrained"]
    compiled = [s for s in node.body if isinstance(s, ast.Expr) and callee(s.value) == "compile"]
    if len(made) != 1 or not compiled:
        return None
    return [made[0], with_fields(node, body=[s for s in node.body if s is not made[0]])]


def _remote_tpu(call: ast.Call, program: Program) -> ast.expr | None:
    local = argument(call, "tpu") or first(call)
    if local is None or code(local) != "'local'" or not program.has(*("prepare_tf_dataset", "to_tf_dataset")):
        return None
    return with_fields(call, args=[], keywords=[])


def _builds(call: ast.Call, program: Program) -> bool:
    is_build = callee(call) == "build" or (isinstance(call.func, ast.Name) and "dummy_inputs" in code(call))
    return is_build and program.has("load_weights(") and program.has(".h5'")


def _all_of_keras_3(call: ast.Call, program: Program) -> ast.expr | None:
    text = code(call)
    if not text.startswith("tf.keras.Input") or program.has("TF_USE_LEGACY_KERAS", "tf_keras", "import keras"):
        return None
    if "'input_ids'" not in text:
        return None
    return expression(text.replace("tf.keras.", "keras.", 1))


def _is_seq2seq(program: Program) -> bool:
    names = {n for n in program.classes if "Seq2Seq" in n or "ForConditionalGeneration" in n}
    return bool(names) and names == program.classes and program.trains_a_head


def _without_decoder_inputs(call: ast.Call, program: Program) -> ast.expr | None:
    """Inputs without decoder_input_ids beside a Keras loss and labels."""
    inputs = first(call)
    if not isinstance(inputs, ast.Dict) or len(call.args) != 2 or not _is_seq2seq(program):
        return None
    kept = [(k, v) for k, v in zip(inputs.keys, inputs.values, strict=True) if not is_constant(k, "decoder_input_ids")]
    if len(kept) == len(inputs.keys) or not program.has("Crossentropy("):
        return None
    return with_position(call, 0, ast.Dict([k for k, _ in kept], [v for _, v in kept]))


def _hub_folder(call: ast.Call, program: Program) -> str | None:
    folder = argument(call, "output_dir") or first(call)
    models = {_model(fit) for fit in program.calls("fit")}
    if callee(call) != "PushToHubCallback" or not isinstance(program.value(folder), ast.Constant) or len(models) != 1:
        return None
    assert folder is not None
    return f"{models.pop()}.save_pretrained({code(folder)})"


MUTATIONS = (
    Mutation("TFD032", "a remote TPU", ("TPUClusterResolver",), on_call(_remote_tpu)),
    Mutation("TFD033", "the model outside of the scope", ("With",), _outside),
    Mutation(
        "TFL006",
        "the encoder for the head",
        ("from_pretrained",),
        on_call(_bare),
        imports=("from transformers import TFAutoModel",),
    ),
    Mutation("TFM001", "frozen after compile", ("Expr",), adds_after(_freezes_late)),
    Mutation("TFM002", "all frozen", ("Expr",), adds_before(_freezes_all)),
    Mutation(
        "TFM003",
        "inputs of Keras 3",
        ("Input",),
        on_call(_all_of_keras_3),
        when=lambda p: p.wraps_an_encoder,
        imports=("import keras",),
    ),
    Mutation("TFM004", "ids of floats", ("Input",), drops("dtype", _float_ids), when=lambda p: p.wraps_an_encoder),
    Mutation(
        "TFM004",
        "ids of float32",
        ("Input",),
        gives("dtype", "'float32'", _float_ids),
        when=lambda p: p.wraps_an_encoder,
    ),
    Mutation("TFM005", "all tokens for the first", ("Subscript",), _all_tokens),
    Mutation(
        "TFM006", "a mask that is not read", ("Call",), on_call(_mask_not_read), when=lambda p: p.wraps_an_encoder
    ),
    Mutation("TFM007", "a head in HDF5", ("Expr", "Assign"), adds_after(_saves_hdf5)),
    Mutation("TFM008", "load_model of a saved head", ("Expr",), adds_after(_loads_again), imports=TF),
    Mutation("TFM009", "weights before variables", ("Expr",), drops_statement(_builds)),
    Mutation("TFM011", "the tokenizer not saved", ("Expr",), drops_statement(_saves_tokenizer), least=Severity.INFO),
    Mutation("TFM012", "no dropout in the loop", ("Call",), drops("training", _under_a_tape)),
    Mutation("TFM013", "tuples for outputs", ("from_pretrained",), adds("return_dict", "False", _makes_head)),
    Mutation("TFM014", "the class of PyTorch", ("from_pretrained",), on_call(_torch), imports=("import transformers",)),
    Mutation("TFM015", "no inputs for the decoder", ("fit",), on_call(_without_decoder_inputs)),
    Mutation("TFM016", "memory growth after the model", ("Assign",), adds_after(_grows_late), imports=TF),
    Mutation("TFO019", "a policy after the model", ("Assign",), adds_after(_sets_policy_late), imports=TF),
    Mutation("TFM017", "compile left out", ("Expr",), drops_statement(_is_compile)),
    Mutation("TFV004", "a folder in use for the hub", ("Assign", "Expr"), adds_before(_hub_folder)),
)
