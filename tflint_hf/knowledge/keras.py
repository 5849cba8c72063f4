"""Losses, optimizers, metrics, schedules and callbacks of Keras, by all their names."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cache

from tflint_hf.knowledge.tables import table


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
    record = table("keras")["losses"][class_name]
    return LossInfo(class_name, record["function"], LossKind(record["kind"]), record.get("from_logits"))


@cache
def optimizer(name: str) -> OptimizerInfo | None:
    """The optimizer that a string (any case) or a class's name stands for (`adam`, `keras.optimizers.Adam`)."""
    class_name = _keras_name("optimizers", name)
    if class_name is None:
        return None
    record = table("keras")["optimizers"][class_name]
    return OptimizerInfo(class_name, record["module"], record["learning_rate"], record["adaptive"])


@cache
def metric(name: str) -> MetricInfo | None:
    """The metric that a string or a class's name stands for (`acc`, `keras.metrics.AUC`)."""
    class_name = _keras_name("metrics", name)
    if class_name is None:
        return None
    record = table("keras")["metrics"][class_name]
    return MetricInfo(class_name, MetricReads(record["reads"]), MetricLabels(record["labels"]))


@cache
def schedules() -> frozenset[str]:
    """The classes of learning rate schedules, bare names."""
    return frozenset(table("keras")["schedules"])


@cache
def callbacks() -> frozenset[str]:
    """The classes of Keras callbacks, bare names."""
    return frozenset(table("keras")["callbacks"])


def _keras_name(kind: str, name: str) -> str | None:
    name = name.rpartition(".")[2]
    return _keras_names(kind).get(name) or (_keras_names(kind).get(name.lower()) if kind == "optimizers" else None)


@cache
def _keras_names(kind: str) -> dict[str, str]:
    names: dict[str, str] = {}
    for class_name, record in table("keras")[kind].items():
        names[class_name] = class_name
        for alias in record.get("aliases", ()):
            names[alias] = class_name
    return names
