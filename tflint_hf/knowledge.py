"""Facts about TensorFlow, Keras, transformers, datasets and the Hub, read from `rules/knowledge`.

The tables are JSON with one record a line: a scan reads several of them within a few milliseconds and a change to a
fact is a change of one line. Each table is read at its first use. A fact that is not known is None or left out, never
guessed: rules stay silent where they meet it.
"""

from __future__ import annotations

import enum
import json
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from packaging.version import Version

    Literal = str | int | float | bool | None


def rules_folder() -> Path:
    """Where the rules and the knowledge lie: inside an installed package, beside the package in a checkout."""
    package = Path(__file__).resolve().parent
    installed = package / "_rules"
    return installed if installed.is_dir() else package.parent / "rules"


@cache
def _table(name: str) -> dict[str, Any]:
    path = rules_folder() / "knowledge" / f"{name}.json"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise RuntimeError(f"{path} cannot be read ({error.strerror}): install tflint-hf again") from error
    return cast("dict[str, Any]", json.loads(text))


# Models


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
    record = _table("tf_classes").get(name)
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


def tf_class_names() -> tuple[str, ...]:
    """All TF classes with a record, sorted."""
    return tuple(sorted(_table("tf_classes")))


# Signatures


@dataclass(frozen=True, slots=True)
class Signature:
    """How a callable may be called: positional parameters in order (without self), keyword-only ones, defaults.

    `defaults` holds only literal defaults (text, number, bool, None).
    """

    positional: tuple[str, ...]
    keyword_only: tuple[str, ...] = ()
    defaults: Mapping[str, Literal] = field(default_factory=dict)


_CANONICAL = (
    (re.compile(r"^(?:tf|tensorflow)(?:\.compat\.v[12])?\.(?:python\.)?keras\."), "keras."),
    (re.compile(r"^(?:tf_keras|keras\.src|keras\.api)\.(?:src\.)?"), "keras."),
    (re.compile(r"^tf\."), "tensorflow."),
    (re.compile(r"^keras\.models\.(Model|Sequential)\b"), r"keras.\1"),
    (re.compile(r"^keras\.layers\.Input$"), "keras.Input"),
    (re.compile(r"^keras\.preprocessing\.sequence\."), "keras.utils."),
    (re.compile(r"^transformers\.AutoModel"), "transformers.TFAutoModel"),
    (re.compile(r"^transformers\.TFAutoModel\w*\."), "transformers.TFAutoModel."),
    (re.compile(r"^transformers\.TF[A-Z]\w*\.(?=[a-z])"), "transformers.TFPreTrainedModel."),
    (re.compile(r"^transformers\.Auto\w*(?:Tokenizer|Processor|FeatureExtractor)\."), "transformers.AutoTokenizer."),
    (re.compile(r"^transformers\.\w+(?:Tokenizer|TokenizerFast)\."), "transformers.PreTrainedTokenizerBase."),
)
_INNER_MODULE = re.compile(r"^(transformers|datasets)(?:\.[a-z_0-9]+)+\.(?=[A-Z]\w*|[a-z_]+$)")


@cache
def call_signature(callable_name: str, versions: tuple[tuple[str, str], ...] = ()) -> Signature | None:
    """The signature of a callable by its dotted name, or by its last parts where they are unambiguous.

    Names are those that scripts write: `tensorflow.keras.optimizers.Adam`, `keras.Model.fit`,
    `datasets.Dataset.to_tf_dataset`, `tensorflow.data.Dataset.batch`, or short, `Adam`, `Model.fit`. `versions`, pairs
    of library and version, choose between the signatures of several releases; without them it is the one of Keras 2
    (tf-keras) and of the newest datasets and transformers.
    """
    table = _table("signatures")
    records = table.get(_canonical(callable_name)) or table.get(callable_name)
    if records is None:
        full_name = _by_last_parts().get(callable_name)
        records = table.get(full_name) if full_name is not None else None
    if records is None:
        return None
    record = next((r for r in records if _applies(r.get("applies"), dict(versions))), records[-1])
    return Signature(
        tuple(record["positional"]), tuple(record.get("keyword_only", ())), dict(record.get("defaults", {}))
    )


def signature(callable_name: str, versions: Mapping[str, Version] | None = None) -> tuple[str, ...]:
    """The positional parameters of a callable in their order, without self; empty where they are not known."""
    chosen = tuple(sorted((library, str(version)) for library, version in (versions or {}).items()))
    found = call_signature(callable_name, chosen)
    return found.positional if found is not None else ()


def _canonical(name: str) -> str:
    name = _INNER_MODULE.sub(r"\1.", name)
    for pattern, replacement in _CANONICAL:
        name = pattern.sub(replacement, name)
    return name


@cache
def _by_last_parts() -> dict[str, str]:
    """Short names (`Adam`, `Model.fit`) to full ones; the shorter, then the earlier full name wins."""
    short: dict[str, str] = {}
    for name in sorted(_table("signatures"), key=lambda full: (full.count("."), full)):
        parts = name.split(".")
        for count in range(1, len(parts)):
            short.setdefault(".".join(parts[-count:]), name)
    return short


def _applies(applies: Mapping[str, str] | None, versions: Mapping[str, str]) -> bool:
    if not applies:
        return True
    from packaging.specifiers import SpecifierSet

    return all(
        library in versions and SpecifierSet(specifier).contains(versions[library], prereleases=True)
        for library, specifier in applies.items()
    )


# Keras


class LossKind(enum.Enum):
    """What a loss compares."""

    SPARSE_CROSSENTROPY = "sparse_crossentropy"  # class numbers with scores of each class
    CATEGORICAL_CROSSENTROPY = "categorical_crossentropy"  # one-hot rows with scores of each class
    BINARY_CROSSENTROPY = "binary_crossentropy"  # 0/1 for each output
    REGRESSION = "regression"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class LossInfo:
    """A Keras loss. `from_logits` is its default where it has such an argument, else None."""

    class_name: str
    function: str
    kind: LossKind
    from_logits: bool | None


@dataclass(frozen=True, slots=True)
class OptimizerInfo:
    """An optimizer. `adaptive` = of the Adam family, whose step does not grow with the gradient."""

    class_name: str
    module: str
    default_learning_rate: float
    adaptive: bool


class MetricReads(enum.Enum):
    """What a metric makes of the model's output."""

    ARGMAX = "argmax"  # the place of the largest score: logits do
    THRESHOLD = "threshold"  # a probability above 0.5: logits need threshold 0
    PROBABILITIES = "probabilities"
    CLASSES = "classes"  # compared as they are: the output has to be the class number
    VALUES = "values"
    TASK = "task"  # Keras chooses by the shapes of labels and output


class MetricLabels(enum.Enum):
    """Which labels a metric is for."""

    INTEGERS = "integers"
    ONE_HOT = "one_hot"
    BINARY = "binary"
    VALUES = "values"
    TASK = "task"


@dataclass(frozen=True, slots=True)
class MetricInfo:
    class_name: str
    reads: MetricReads
    labels: MetricLabels


@cache
def loss(name: str) -> LossInfo | None:
    """The Keras loss that a string, a function's or a class's name stands for (`mse`, `keras.losses.Huber`)."""
    class_name = _keras_name("losses", name)
    if class_name is None:
        return None
    record = _table("keras")["losses"][class_name]
    return LossInfo(class_name, record["function"], LossKind(record["kind"]), record.get("from_logits"))


@cache
def optimizer(name: str) -> OptimizerInfo | None:
    """The optimizer that a string (any case) or a class's name stands for (`adam`, `keras.optimizers.Adam`)."""
    class_name = _keras_name("optimizers", name)
    if class_name is None:
        return None
    record = _table("keras")["optimizers"][class_name]
    return OptimizerInfo(class_name, record["module"], record["learning_rate"], record["adaptive"])


@cache
def metric(name: str) -> MetricInfo | None:
    """The metric that a string or a class's name stands for (`acc`, `keras.metrics.AUC`)."""
    class_name = _keras_name("metrics", name)
    if class_name is None:
        return None
    record = _table("keras")["metrics"][class_name]
    return MetricInfo(class_name, MetricReads(record["reads"]), MetricLabels(record["labels"]))


@cache
def schedules() -> frozenset[str]:
    """The classes of learning rate schedules, bare names."""
    return frozenset(_table("keras")["schedules"])


@cache
def callbacks() -> frozenset[str]:
    """The classes of Keras callbacks, bare names."""
    return frozenset(_table("keras")["callbacks"])


def _keras_name(kind: str, name: str) -> str | None:
    name = name.rpartition(".")[2]
    return _keras_names(kind).get(name) or (_keras_names(kind).get(name.lower()) if kind == "optimizers" else None)


@cache
def _keras_names(kind: str) -> dict[str, str]:
    names: dict[str, str] = {}
    for class_name, record in _table("keras")[kind].items():
        names[class_name] = class_name
        for alias in record.get("aliases", ()):
            names[alias] = class_name
    return names


# Data sets of the Hub


class LabelKind(enum.Enum):
    """What the label column of a data set holds."""

    CLASS = "class"
    MULTI_LABEL = "multi_label"
    TOKEN_CLASSES = "token_classes"
    REGRESSION = "regression"
    NONE = "none"  # text to text, spans: no column of classes


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """One configuration of a data set. None or empty = not known.

    `columns` are those of the train split, `text_columns` those of them that a tokenizer gets. `label_values` are
    given where they are not 0, 1, 2 ... up to `classes`. `other_labels` are further label columns with their number
    of classes. `sorted_by_label` is about the train split: its rows come class by class. `unlabelled_splits` hold no
    labels (-1 throughout); `missing_labels` tells of single rows labelled -1 among the others.
    """

    path: str
    config: str | None
    kind: LabelKind
    columns: tuple[str, ...]
    text_columns: tuple[str, ...]
    label_column: str | None
    classes: int | None
    class_names: tuple[str, ...]
    label_values: tuple[int, ...]
    other_labels: tuple[tuple[str, int], ...]
    splits: tuple[str, ...]
    sorted_by_label: bool | None
    unlabelled_splits: tuple[str, ...]
    missing_labels: bool | None

    def classes_of(self, column: str) -> int | None:
        """The number of classes of a label column, None where it is none or not known."""
        return self.classes if column == self.label_column else dict(self.other_labels).get(column)


@cache
def dataset(path: str, config: str | None = None) -> DatasetInfo | None:
    """What is known of `load_dataset(path, config)`. Old and new ids (`imdb`, `stanfordnlp/imdb`) are the same.

    Without a configuration: the default one, None where the data set has several and none is the default.
    """
    name = _dataset_ids().get(path.lower())
    if name is None:
        return None
    record = _table("datasets")[name]
    configs = record.get("configs")
    if configs is not None:
        config = config if config is not None else record.get("default")
        if config is None or config not in configs:
            return None
        record = {**record, **configs[config]}
    return DatasetInfo(
        path=name,
        config=config if configs is not None else None,
        kind=LabelKind(record["kind"]),
        columns=tuple(record.get("columns", ())),
        text_columns=tuple(record.get("text", ())),
        label_column=record.get("label"),
        classes=record.get("classes") or len(record.get("names", ())) or len(record.get("values", ())) or None,
        class_names=tuple(record.get("names", ())),
        label_values=tuple(record.get("values", ())),
        other_labels=tuple(record.get("also", {}).items()),
        splits=tuple(record.get("splits", ())),
        sorted_by_label=record.get("sorted"),
        unlabelled_splits=tuple(record.get("unlabelled", ())),
        missing_labels=record.get("missing_labels"),
    )


@cache
def _dataset_ids() -> dict[str, str]:
    ids: dict[str, str] = {}
    for name, record in _table("datasets").items():
        for each in (name, *record.get("aliases", ())):
            ids[each.lower()] = name
    return ids


# Checkpoints of the Hub


@dataclass(frozen=True, slots=True)
class CheckpointInfo:
    """What the id of a checkpoint tells. None = not known.

    `head_task` and `head_labels`, the number of outputs, tell of the head that was trained with it; they are None too
    where there is no such head. `looks_fine_tuned` says whether the id speaks of one, or of a folder of somebody's own.
    """

    name: str
    family: str | None
    cased: bool | None
    head_task: Task | None
    head_labels: int | None
    looks_fine_tuned: bool
    has_pad_token: bool | None
    is_t5_like: bool


@cache
def checkpoint(name: str) -> CheckpointInfo:
    """What is known of the checkpoint `name`, with or without its organisation."""
    table = _table("checkpoints")
    bare = name.rpartition("/")[2].lower()
    family = next((family for pattern, family in table["families"] if re.match(pattern, bare)), None)
    known = table["checkpoints"].get(name.lower()) or table["checkpoints"].get(bare) or {}
    family = known.get("family", family)
    head_task = Task(known["head_task"]) if "head_task" in known else None
    cased = known.get("cased", _cased(bare, family))
    return CheckpointInfo(
        name=name,
        family=family,
        cased=cased,
        head_task=head_task,
        head_labels=known.get("head_labels"),
        looks_fine_tuned=known.get("fine_tuned", head_task is not None or _says_fine_tuned(name)),
        has_pad_token=known.get("pad_token", table["pad_token_by_family"].get(family)),
        is_t5_like=family in table["t5_like"],
    )


def _cased(bare: str, family: str | None) -> bool | None:
    if re.search(r"(?:^|[-_])uncased(?:$|[-_])", bare):
        return False
    if re.search(r"(?:^|[-_])cased(?:$|[-_])", bare):
        return True
    by_family: bool | None = _table("checkpoints")["cased_by_family"].get(family)
    return by_family


def _says_fine_tuned(name: str) -> bool:
    own_folder = name.startswith((".", "/", "~")) or name.count("/") > 1 or "\\" in name or "checkpoint" in name
    return own_folder or re.search(_table("checkpoints")["fine_tuned"], name.rpartition("/")[2].lower()) is not None


# Releases


@cache
def releases(library: str) -> tuple[str, ...]:
    """The stable releases of a library (transformers, tensorflow, tf-keras, datasets, keras), oldest first."""
    return tuple(_table("releases").get(library, ()))
