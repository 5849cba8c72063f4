"""TF model classes of transformers: their task, labels, arguments and what their internal loss does."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from functools import cache

from tflint_hf.knowledge.tables import table


class Task(enum.Enum):
    """What the head of a model is for."""

    BASE = "base"
    SEQUENCE_CLASSIFICATION = "sequence_classification"
    TOKEN_CLASSIFICATION = "token_classification"
    QUESTION_ANSWERING = "question_answering"
    MULTIPLE_CHOICE = "multiple_choice"
    MASKED_LM = "masked_lm"
    CAUSAL_LM = "causal_lm"
    SEQ2SEQ_LM = "seq2seq_lm"
    IMAGE_CLASSIFICATION = "image_classification"
    NEXT_SENTENCE = "next_sentence"
    PRETRAINING = "pretraining"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class TFClass:
    """A TF model class of transformers.

    `call_arguments` is None where they depend on the checkpoint (the TFAuto classes) or are not known. `loss` is the
    class that computes the internal loss, None where there is none or it is not known. `shifts_labels` and
    `masks_pads` tell what the internal loss does by itself: shift the labels by one, turn pads into -100.
    """

    name: str
    task: Task
    family: str | None
    label_arguments: tuple[str, ...]
    call_arguments: tuple[str, ...] | None
    loss: str | None
    shifts_labels: bool | None
    masks_pads: bool | None
    auto: bool = False


# Longest suffixes first where one ends in another.
_TASK_SUFFIXES = (
    ("ForSequenceClassification", Task.SEQUENCE_CLASSIFICATION),
    ("ForTokenClassification", Task.TOKEN_CLASSIFICATION),
    ("ForQuestionAnswering", Task.QUESTION_ANSWERING),
    ("ForQuestionAnsweringSimple", Task.QUESTION_ANSWERING),
    ("ForMultipleChoice", Task.MULTIPLE_CHOICE),
    ("ForMaskedLM", Task.MASKED_LM),
    ("ForCausalLM", Task.CAUSAL_LM),
    ("ForSeq2SeqLM", Task.SEQ2SEQ_LM),
    ("ForConditionalGeneration", Task.SEQ2SEQ_LM),
    ("ForImageClassification", Task.IMAGE_CLASSIFICATION),
    ("ForNextSentencePrediction", Task.NEXT_SENTENCE),
    ("ForPreTraining", Task.PRETRAINING),
    ("WithLMHeadModel", Task.MASKED_LM),
    ("LMHeadModel", Task.CAUSAL_LM),
    ("DoubleHeadsModel", Task.OTHER),
    ("MTModel", Task.SEQ2SEQ_LM),
    ("EncoderDecoderModel", Task.SEQ2SEQ_LM),
    ("DualEncoderModel", Task.OTHER),
    ("PreTrainedModel", Task.OTHER),
    ("Model", Task.BASE),
)
_AUTO_TASKS = {
    "TFAutoModelForSpeechSeq2Seq": Task.SEQ2SEQ_LM,
    "TFAutoModelForVision2Seq": Task.SEQ2SEQ_LM,
    "TFAutoModelForDocumentQuestionAnswering": Task.QUESTION_ANSWERING,
    "TFAutoModelForTableQuestionAnswering": Task.OTHER,
    "TFAutoModelForZeroShotImageClassification": Task.OTHER,
    "TFAutoModelForTextEncoding": Task.BASE,
    "TFAutoModelWithLMHead": Task.OTHER,
}
_MODEL_NAME = re.compile(r"TF(?:AutoModel\w*|[A-Z]\w*(?:For[A-Z]\w+|Model))\Z")
_NO_MODEL = re.compile(r"(?:Pre[Tt]rained\w*Model|Output)\Z")
_NO_LABELS = frozenset({Task.BASE, Task.PRETRAINING, Task.OTHER})


@cache
def tf_class(name: str) -> TFClass | None:
    """The TF class `name` (a bare name, or dotted: its last part counts), None where it is no TF model class.

    A class that no table knows, of an older release say, is described by what its name says.
    """
    name = name.rpartition(".")[2]
    record = table("tf_classes").get(name)
    if record is None:
        return _tf_class_by_name(name)
    arguments = tuple(record["call"])
    return TFClass(
        name=name,
        task=Task(record["task"]),
        family=record["family"],
        label_arguments=tuple(record.get("labels", [a for a in arguments if a == "labels"])),
        call_arguments=arguments,
        loss=record.get("loss"),
        shifts_labels=record.get("shifts", False),
        masks_pads=record.get("masks_pads", False),
    )


def _tf_class_by_name(name: str) -> TFClass | None:
    if not _MODEL_NAME.match(name) or _NO_MODEL.search(name):
        return None
    auto = name.startswith("TFAutoModel")
    task = _AUTO_TASKS.get(name)
    if task is None:
        task = next((found for suffix, found in _TASK_SUFFIXES if name.endswith(suffix)), Task.OTHER)
    if task is Task.QUESTION_ANSWERING:
        labels: tuple[str, ...] = ("start_positions", "end_positions")
    elif task is Task.NEXT_SENTENCE:
        labels = ("next_sentence_label",)
    else:
        labels = () if task in _NO_LABELS else ("labels",)
    return TFClass(name, task, None, labels, None, None, None, None, auto)


def call_arguments_of(found: TFClass, family: str | None) -> tuple[str, ...] | None:
    """All arguments that the call() of a class takes, None if it takes any or they are not known.

    Those of a TFAuto class are known by the family of the checkpoint.
    """
    records = table("tf_classes")
    if found.auto:
        wanted = ((family or "").replace("-", "_"), found.task.value)
        known = [r for r in records.values() if (r["family"], r["task"]) == wanted]
    else:
        known = [records[found.name]] if found.name in records else []
    if not known or any(r.get("more") or set(r["call"]) != set(known[0]["call"]) for r in known):
        return None
    return tuple(known[0]["call"])


def tf_class_names() -> tuple[str, ...]:
    """All TF classes with a record, sorted."""
    return tuple(sorted(table("tf_classes")))


#: Names of transformers, beside its TF classes, whose import loads its TensorFlow code; all are gone in release 5.
TENSORFLOW_NAMES = frozenset(
    {"create_optimizer", "AdamWeightDecay", "WarmUp", "GradientAccumulator", "KerasMetricCallback", "PushToHubCallback"}
)
