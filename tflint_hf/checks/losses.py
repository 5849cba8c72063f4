"""Losses and metrics against what the model puts out."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf import knowledge
from tflint_hf.checks.fault import Fault, check
from tflint_hf.checks.heads import CLASSIFIERS, HEADS_WITH_CLASSES, is_crossentropy, outputs_of, trains_as_made
from tflint_hf.checks.labels import spelled_model
from tflint_hf.findings import Safety
from tflint_hf.fixes import AddArgument, PlannedEdit, PlannedFix, RemoveArgument, RenameMember, Replace
from tflint_hf.knowledge import Task
from tflint_hf.knowledge.keras import MetricLabels
from tflint_hf.target import Target
from tflint_hf.trace.objects import ABSENT, Form, LabelEncoding, Metric, Model, Output, Reads
from tflint_hf.trace.views import LossUse, Training

_SETS_OF_CLASSES = frozenset(
    {"SparseCategoricalCrossentropy", "CategoricalCrossentropy", "CategoricalFocalCrossentropy"}
)
_LABEL_NAMES = frozenset({"labels", "label", "start_positions", "end_positions", "next_sentence_label"})


def wraps_encoder(model: Model) -> bool:
    """A Keras model around a model of transformers, trained in the usual way."""
    return not model.is_transformers and not model.own_training and any(e.is_transformers for e in model.encoders)


@check("TFL025")
def compute_loss_as_loss(training: Training, target: Target) -> Iterator[Fault]:
    """model.compute_loss is a method of Keras, and not a loss of two arguments."""
    applies = {"transformers": ">=4.16,<5", "tensorflow": ">=2.8"}
    model, compiled = training.model, training.compiled
    if not model.is_transformers or model.own_training or not target.satisfies(applies):
        return
    if len(compiled.losses) == 1 and compiled.losses[0].form is Form.METHOD:
        loss = compiled.losses[0]
        if loss.class_name != "compute_loss":
            return
        argument = compiled.site.arguments.get("loss")
        fix = None
        if argument is not None:
            edits = (RemoveArgument(compiled.site.place, argument),)
            fix = PlannedFix(Safety.SAFE, "Let the model use its own loss", edits)
        yield Fault(
            compiled.site.value_or_callee("loss"),
            {"loss": "compute_loss", "model": model.class_name},
            fix=fix,
            rests_on=applies,
        )


@check("TFL028")
def activation_against_loss(use: LossUse) -> Iterator[Fault]:
    """The activation or the size of the last layer does not go with the loss."""
    layer, loss = use.layer, use.loss
    if layer is None or use.compiled is None or not wraps_encoder(use.model) or not is_crossentropy(loss):
        return
    if layer.activation is ABSENT or not isinstance(layer.activation, str) or (use.state and use.state.head_changed):
        return
    place, fix = layer.site.value_or_callee("activation"), None
    if layer.units == 1 and layer.activation == "softmax":
        if loss.class_name == "BinaryCrossentropy" and "activation" in layer.site.values:
            fix = PlannedFix(Safety.UNSAFE, "Use a sigmoid", (Replace(place, '"sigmoid"', for_all_uses=True),))
    elif layer.units == 1 and loss.class_name in _SETS_OF_CLASSES:
        place = layer.site.value_or_callee("units")
    elif layer.activation in {"relu", "tanh"} and loss.reads is Reads.PROBABILITIES and use.output is Output.BOUNDED:
        several = isinstance(layer.units, int) and layer.units > 1 and loss.class_name in _SETS_OF_CLASSES
        if several and "activation" in layer.site.values:
            fix = PlannedFix(Safety.UNSAFE, "Use a softmax", (Replace(place, '"softmax"', for_all_uses=True),))
    else:
        return
    yield Fault(
        place,
        {
            "activation": layer.activation,
            "units": layer.units if isinstance(layer.units, int) else "some",
            "loss": loss.spelling or loss.class_name,
        },
        related=((loss.place, "the loss is chosen here"),),
        fix=fix,
    )


@check("TFL029")
def from_logits_after_activation(use: LossUse) -> Iterator[Fault]:
    """A loss that is told to read logits, after a softmax or sigmoid."""
    loss, layer = use.loss, use.layer
    names = {Output.SOFTMAX: "softmax", Output.SIGMOID: "sigmoid"}
    if use.compiled is None or layer is None or not wraps_encoder(use.model) or use.output not in names:
        return
    if loss.reads is Reads.LOGITS and loss.site is not None and not (use.state and use.state.head_changed):
        argument = loss.site.arguments.get("from_logits")
        fix = None
        if argument is not None:
            fix = PlannedFix(Safety.SAFE, "Read probabilities", (RemoveArgument(loss.site.place, argument),))
        yield Fault(
            loss.site.value_or_callee("from_logits"),
            {"loss": loss.class_name, "activation": names[use.output]},
            related=((layer.site.value_or_callee("activation"), "the activation is here"),),
            fix=fix,
        )


@check("TFL008")
def loss_keys_are_not_outputs(training: Training) -> Iterator[Fault]:
    """Losses or metrics are given by names that no output of the model has."""
    model, compiled = training.model, training.compiled
    if not trains_as_made(training) or model.head is None:
        return
    if model.head.task is Task.QUESTION_ANSWERING:
        outputs, spelled = {"start_logits", "end_logits"}, "start_logits and end_logits"
        if model.head.family in {"xlnet", "xlm", "flaubert"} or len(model.head.label_arguments) != 2:
            return
    elif model.head.task in HEADS_WITH_CLASSES:
        outputs, spelled = {"output_1"}, "output_1"
    else:
        return
    for argument, names in (("loss", compiled.loss_names), ("metrics", compiled.metric_names)):
        wrong = [name for name in names if name not in outputs]
        if not wrong:
            continue
        given = compiled.site.arguments.get(argument)
        fix = None
        if argument == "loss" and given is not None and set(wrong) <= _LABEL_NAMES | {"logits"}:
            edits = (RemoveArgument(compiled.site.place, given),)
            fix = PlannedFix(Safety.UNSAFE, "Let the model use its own loss", edits)
        yield Fault(
            compiled.site.value_or_callee(argument),
            {"argument": argument, "keys": " and ".join(wrong), "outputs": spelled},
            fix=fix,
        )


_FIT_FOR_CLASS_IDS = frozenset({MetricLabels.INTEGERS, MetricLabels.TASK, MetricLabels.VALUES})
_COMPARES_CLASSES = frozenset({"MeanIoU", "IoU"})


def _compares_numbers(metric: Metric) -> bool:
    """Whether a metric takes no argmax before it compares class ids."""
    info = knowledge.metric(metric.class_name)
    if info is None or metric.form not in (Form.OBJECT, Form.STRING):
        return False
    if metric.class_name == "Accuracy":
        return metric.form is Form.OBJECT
    if metric.form is Form.STRING and metric.class_name.lower() in {"accuracy", "acc", "crossentropy", "ce"}:
        return False
    return info.class_name in _COMPARES_CLASSES or info.labels not in _FIT_FOR_CLASS_IDS


def _sparse_accuracy(metric: Metric) -> PlannedFix | None:
    """The accuracy of class ids, under the name that the other one has in the logs."""
    if metric.class_name not in {"Accuracy", "CategoricalAccuracy"} or metric.site is None or not metric.name:
        return None
    edits: list[PlannedEdit] = [RenameMember(metric.site.callee, "SparseCategoricalAccuracy")]
    if not metric.site.arguments:
        edits.append(AddArgument(metric.site.place, f'name="{metric.name}"'))
    elif not set(metric.site.arguments) <= {"name", "dtype"}:
        return None
    return PlannedFix(Safety.SAFE, "Compare class ids", tuple(edits))


@check("TFL030")
def metric_compares_logits(training: Training, target: Target) -> Iterator[Fault]:
    """A metric that compares class ids with the outputs number by number."""
    applies = {"transformers": ">=4.20,<5"}
    model, compiled = training.model, training.compiled
    if not trains_as_made(training) or model.head is None or model.head.task not in CLASSIFIERS:
        return
    outputs = outputs_of(model)
    if outputs is None or outputs < 2 or not target.satisfies(applies):
        return
    sparse = {loss.class_name for loss in compiled.losses} == {"SparseCategoricalCrossentropy"}
    ids = all(fit.labels is not None and fit.labels.encoding is LabelEncoding.INDEX for fit in training.fits)
    if not ids and not (sparse or not compiled.loss_given):
        return
    if any(fit.labels is not None and fit.labels.encoding is LabelEncoding.ONE_HOT for fit in training.fits):
        return
    for metric in compiled.metrics:
        if _compares_numbers(metric):
            yield Fault(
                metric.site.callee if metric.site is not None else metric.place,
                {"metric": metric.class_name, "outputs": outputs, "model": spelled_model(model)},
                related=((compiled.site.value_or_callee("metrics"), "the model is compiled with it here"),),
                fix=_sparse_accuracy(metric),
                rests_on=applies,
            )
