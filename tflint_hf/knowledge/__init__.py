"""Facts about TensorFlow, Keras, transformers, datasets and the Hub, read from `rules/knowledge`.

The tables are JSON with one record a line: a scan reads several of them within a few milliseconds and a change to a
fact is a change of one line. Each table is read at its first use. A fact that is not known is None or left out, never
guessed: rules stay silent where they meet it.
"""

from __future__ import annotations

from tflint_hf.knowledge.checkpoints import CheckpointInfo, checkpoint, positions_of
from tflint_hf.knowledge.datasets import DatasetInfo, LabelKind, dataset
from tflint_hf.knowledge.keras import (
    LossInfo,
    LossKind,
    MetricInfo,
    MetricLabels,
    MetricReads,
    OptimizerInfo,
    callbacks,
    loss,
    metric,
    optimizer,
    schedules,
)
from tflint_hf.knowledge.known_releases import releases
from tflint_hf.knowledge.models import TENSORFLOW_NAMES, Task, TFClass, call_arguments_of, tf_class, tf_class_names
from tflint_hf.knowledge.signatures import Signature, call_signature, signature
from tflint_hf.knowledge.tables import rules_folder

__all__ = [
    "TENSORFLOW_NAMES",
    "CheckpointInfo",
    "DatasetInfo",
    "LabelKind",
    "LossInfo",
    "LossKind",
    "MetricInfo",
    "MetricLabels",
    "MetricReads",
    "OptimizerInfo",
    "Signature",
    "TFClass",
    "Task",
    "call_arguments_of",
    "call_signature",
    "callbacks",
    "checkpoint",
    "dataset",
    "loss",
    "metric",
    "optimizer",
    "positions_of",
    "releases",
    "rules_folder",
    "schedules",
    "signature",
    "tf_class",
    "tf_class_names",
]
