"""Models: what they are made of and built into."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tflint_hf import knowledge
from tflint_hf.checks.fault import Fault, check
from tflint_hf.checks.optimizer import TWO_KERAS, legacy_keras
from tflint_hf.findings import Safety
from tflint_hf.fixes import AddArgument, PlannedFix, Replace
from tflint_hf.knowledge import Task
from tflint_hf.trace.events import (
    Compiled,
    ForeignModelUsed,
    LayerApplied,
    ModelMade,
    PoolerAsked,
    TorchTrainerMade,
    Wrapped,
)
from tflint_hf.trace.objects import ABSENT, Keras, LabelEncoding, Model, Prediction, PredictionForm
from tflint_hf.trace.views import Trace, Training


@check("TFM003")
def keras_3_wrap_around_tf_model(wrapped: Wrapped) -> Iterator[Fault]:
    """A model of transformers inside a Keras 3 model."""
    origin = wrapped.origin
    if origin is not None and origin.keras is Keras.KERAS_3:
        yield Fault(
            origin.chosen_at or wrapped.place,
            {"object": wrapped.wrapper, "encoder": wrapped.encoder.class_name},
            related=((wrapped.place, "the model of transformers meets Keras 3 here"),),
            fix=legacy_keras(origin),
            rests_on=TWO_KERAS,
        )


_FLOATS = frozenset({"float16", "float32", "float64", "bfloat16", "half", "double"})
#: Families whose embeddings look up what they get; others cast it first.
_LOOKING_UP = frozenset(
    {"bert", "roberta", "distilbert", "albert", "electra", "xlm_roberta", "camembert", "xlnet", "deberta_v2", "mpnet",
     "mobilebert", "funnel", "xlm", "convbert", "rembert", "opt"}
)  # fmt: skip
_TOKEN_INPUTS = ("input_ids", "token_type_ids")


@check("TFM004")
def float_token_ids(wrapped: Wrapped) -> Iterator[Fault]:
    """A Keras Input of floats, its default, goes into an embedding."""
    call = wrapped.call
    if call is None or not _reads_tokens(wrapped.encoder):
        return
    for name in _TOKEN_INPUTS:
        tensor = call.inputs.get(name)
        if tensor is None or tensor.input_site is None:
            continue
        if tensor.dtype is ABSENT or tensor.dtype in _FLOATS:
            given = tensor.input_site.values.get("dtype")
            edit = AddArgument(tensor.input_site.place, 'dtype="int32"') if given is None else Replace(given, '"int32"')
            yield Fault(
                tensor.input_site.value_or_callee("dtype"),
                {"input": name, "encoder": wrapped.encoder.class_name},
                related=((wrapped.place, "the Input goes into the model here"),),
                fix=PlannedFix(Safety.SAFE, "Make it an Input of integers", (edit,)),
            )


def _reads_tokens(model: Model) -> bool:
    """Whether the first input of a model are token ids, which it looks up without a cast."""
    return (_family(model) or "") in _LOOKING_UP


_NO_POOLER = frozenset({"distilbert", "electra", "deberta_v2", "funnel", "xlm", "convbert"})
_ONE_TENSOR = frozenset(
    {"Dense", "Dropout", "Flatten", "Bidirectional", "LSTM", "GRU", "Conv1D", "GlobalAveragePooling1D",
     "GlobalMaxPooling1D", "LayerNormalization", "BatchNormalization"}
)  # fmt: skip
_ROW_LABELS = frozenset({LabelEncoding.INDEX, LabelEncoding.ONE_HOT, LabelEncoding.SCORE})


@check("TFM005")
def sequence_into_row_head(trace: Trace) -> Iterator[Fault]:
    """A head gets something else than one vector a row."""
    for applied in trace.of(LayerApplied):
        if applied.layer in _ONE_TENSOR and applied.prediction.form is PredictionForm.OUTPUT:
            yield Fault(
                applied.place,
                {
                    "problem": f"{applied.layer} gets the whole output object of {applied.prediction.model.class_name}",
                    "reason": "a Keras layer takes one tensor, not an object that holds several",
                },
            )
    for asked in trace.of(PoolerAsked):
        model = asked.prediction.model
        if _family(model) in _NO_POOLER and _puts_out_states_only(asked.prediction):
            yield Fault(
                asked.place,
                {
                    "problem": f"{model.class_name} has no pooled output at {asked.spelling}",
                    "reason": "this architecture has no pooler, its output holds only last_hidden_state",
                },
            )
    for training in trace.of(Training):
        wiring = training.model.wiring
        known = [f.labels for f in training.fits if f.labels is not None and f.labels.encoding in _ROW_LABELS]
        if wiring is None or wiring.sequences != (True,) or len(wiring.calls) != 1 or not known:
            continue
        encoder = wiring.calls[0].encoder
        yield Fault(
            wiring.calls[0].site.callee,
            {
                "problem": f"the head gets every token of {encoder.class_name}",
                "reason": "it then has one output a token, while there is one label a row",
            },
            related=(
                (training.compiled.site.callee, "the model is compiled here"),
                (training.fits[0].site.callee, "it is trained here"),
            ),
        )


def _family(model: Model) -> str | None:
    if model.head is not None and model.head.family is not None:
        return model.head.family
    return knowledge.checkpoint(model.checkpoint).family if isinstance(model.checkpoint, str) else None


def _puts_out_states_only(prediction: Prediction) -> bool:
    head, call = prediction.model.head, prediction.call
    if head is None or head.task is not Task.BASE or call is None or not call.complete:
        return False
    asked = {"output_hidden_states", "output_attentions", "config", "**"}
    return not asked & (prediction.model.keywords | call.inputs.keys()) and not prediction.model.has_config


_MASK_NAME = re.compile(r"(?i)\A(?!.*(label|loss|span|masked)).*mask")


@check("TFM006")
def unread_mask_input(made: ModelMade) -> Iterator[Fault]:
    """A functional model has an Input for the attention mask that it does not hand to the encoder."""
    wiring = made.model.wiring
    if wiring is None or not wiring.calls:
        return
    idle = [(name, place) for name, place in wiring.idle_inputs if _MASK_NAME.match(name)]
    calls = [c for c in wiring.calls if c.complete and "attention_mask" not in c.inputs and _takes_mask(c.encoder)]
    if not idle or len(calls) != len(wiring.calls):
        return
    for (name, place), call in zip(idle, calls, strict=False):
        yield Fault(
            call.site.callee,
            {"input": name, "encoder": call.encoder.class_name},
            related=((place, "the Input that nothing reads"),),
        )


def _takes_mask(model: Model) -> bool:
    arguments = model.head.call_arguments if model.head is not None else ()
    return arguments is None or "attention_mask" in arguments


@check("TFM014")
def pytorch_class_in_keras(trace: Trace) -> Iterator[Fault]:
    """A PyTorch class is trained as a Keras model, or a TF class by the PyTorch Trainer."""
    for used in trace.of(ForeignModelUsed):
        name = used.model.class_name
        if f"TF{name}" not in knowledge.tf_class_names() and not name.startswith("AutoModel"):
            continue
        yield Fault(
            used.model.site.callee,
            {"model": name, "user": f"the {used.use}() of Keras", "other": f"TF{name}"},
            related=((used.place, "it is used as a Keras model here"),),
        )
    compiled = {id(e.model.site) for e in trace.of(Compiled)}
    for made in trace.of(TorchTrainerMade):
        name = made.model.class_name
        if id(made.model.site) in compiled:
            # A page that shows both ways, one after the other.
            continue
        yield Fault(
            made.place,
            {"model": name, "user": f"the {made.trainer} of PyTorch", "other": f"compile() and fit(), or {name[2:]}"},
            related=((made.model.site.callee, "the model is made here"),),
        )
