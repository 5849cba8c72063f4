"""The head of a model: how many outputs it has, and whether it has one at all."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf import knowledge
from tflint_hf.checks.fault import Fault, check
from tflint_hf.checks.imports import keras_name
from tflint_hf.findings import Safety
from tflint_hf.fixes import AddArgument, PlannedFix
from tflint_hf.knowledge import Task
from tflint_hf.target import Target
from tflint_hf.trace.events import ModelMade
from tflint_hf.trace.objects import ABSENT, Form, Loss, Model, ModelOrigin
from tflint_hf.trace.views import Trace, Training

CLASSIFIERS = frozenset({Task.SEQUENCE_CLASSIFICATION, Task.IMAGE_CLASSIFICATION})
HEADS_WITH_CLASSES = CLASSIFIERS | {Task.TOKEN_CLASSIFICATION}
_DEFAULT_CLASSES = 2


def outputs_of(model: Model) -> int | None:
    """How many numbers the model puts out for one row or token, None if that is not known."""
    if model.head is None:
        layer = model.last_layers[0] if len(model.last_layers) == 1 else None
        return layer.units if layer is not None and isinstance(layer.units, int) else None
    if model.head.task not in HEADS_WITH_CLASSES:
        return None
    if isinstance(model.num_labels, int):
        return model.num_labels
    if model.num_labels is not ABSENT or model.origin is not ModelOrigin.PRETRAINED or model.has_config:
        return None
    if model.local_checkpoint or not isinstance(model.checkpoint, str):
        return None
    info = knowledge.checkpoint(model.checkpoint)
    if info.head_labels is not None:
        return info.head_labels if info.head_task is model.head.task else None
    return None if info.looks_fine_tuned else _DEFAULT_CLASSES


def trains_as_made(training: Training) -> bool:
    """Whether fit() trains the model of a transformers class with its own head and the usual training step."""
    states = [training.compiled.state, *(fit.state for fit in training.fits)]
    changed = any(state.head_changed for state in states)
    return training.model.is_transformers and bool(training.fits) and not training.model.own_training and not changed


def is_crossentropy(loss: Loss) -> bool:
    kind = knowledge.loss(loss.class_name).kind if knowledge.loss(loss.class_name) else None  # type: ignore[union-attr]
    return kind is not None and kind.value.endswith("crossentropy")


def _is_encoder(model: Model) -> bool:
    """Whether the checkpoint of a TFAutoModel is known to be of a plain encoder, which computes no loss."""
    family = knowledge.checkpoint(model.checkpoint).family if isinstance(model.checkpoint, str) else None
    return family is not None and not any(word in family for word in ("clip", "blip", "dual", "encoder-decoder"))


@check("TFL006")
def base_model_trained(training: Training) -> Iterator[Fault]:
    """An encoder without a head is compiled and trained."""
    model = training.model
    if not trains_as_made(training) or model.head is None or model.head.task is not Task.BASE:
        return
    if "return_loss" in (model.head.call_arguments or ()) or (model.head.auto and not _is_encoder(model)):
        return
    losses = training.compiled.losses
    told = all(loss.form is Form.NONE or is_crossentropy(loss) for loss in losses)
    if told:
        yield Fault(
            model.site.callee,
            {"model": model.class_name},
            related=((training.compiled.site.callee, "it is compiled here"),),
        )


@check("TFL014")
def ignored_problem_type(training: Training, target: Target, trace: Trace) -> Iterator[Fault]:
    """problem_type="multi_label_classification" on a TensorFlow head, which never reads it."""
    model, compiled = training.model, training.compiled
    applies = {"transformers": "<5"}
    if model.problem_type != "multi_label_classification" or model.problem_place is None or model.head is None:
        return
    if not trains_as_made(training) or model.head.task not in CLASSIFIERS or not target.satisfies(applies):
        return
    if model.head.auto or model.head.family == "swiftformer":
        known = isinstance(model.checkpoint, str) and "swiftformer" not in model.checkpoint.lower()
        if not known:
            return
    sparse = [loss for loss in compiled.losses if loss.class_name == "SparseCategoricalCrossentropy"]
    if compiled.loss_given and not sparse:
        return
    fix = None
    keras = keras_name(compiled, trace)
    if keras is not None and not compiled.loss_given:
        add = AddArgument(compiled.site.place, f"loss={keras[0]}.losses.BinaryCrossentropy(from_logits=True)")
        fix = PlannedFix(Safety.UNSAFE, "Compile with a binary crossentropy", (*keras[1], add))
    spelled = sparse[0].spelling or sparse[0].class_name if sparse else "its own loss"
    yield Fault(
        model.problem_place,
        {"model": model.class_name, "loss": spelled},
        related=((compiled.site.value_or_callee("loss"), "the loss is chosen here"),),
        fix=fix,
        rests_on=applies,
    )


@check("TFL023")
def head_size_of_fine_tuned_checkpoint(made: ModelMade, target: Target) -> Iterator[Fault]:
    """A checkpoint that has a head already is loaded for another number of labels."""
    model = made.model
    applies = {"transformers": ">=4.9,<5"}
    if model.head is None or model.origin is not ModelOrigin.PRETRAINED or not isinstance(model.checkpoint, str):
        return
    if model.local_checkpoint or {"ignore_mismatched_sizes", "**"} & model.keywords or not target.satisfies(applies):
        return
    info = knowledge.checkpoint(model.checkpoint)
    if info.head_task is not model.head.task or info.head_labels is None or not isinstance(model.num_labels, int):
        return
    if model.num_labels != info.head_labels:
        add = AddArgument(model.site.place, "ignore_mismatched_sizes=True")
        yield Fault(
            model.site.callee,
            {"checkpoint": model.checkpoint, "head": info.head_labels, "num_labels": model.num_labels},
            fix=PlannedFix(Safety.SAFE, "Make a new head where the sizes differ", (add,)),
            rests_on=applies,
        )
