"""Labels and losses."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf import knowledge
from tflint_hf.checks.fault import Fault, check
from tflint_hf.checks.imports import keras_name
from tflint_hf.findings import Safety, Severity
from tflint_hf.fixes import AddArgument, PlannedFix, RemoveArgument, Replace
from tflint_hf.knowledge import Task
from tflint_hf.target import Target
from tflint_hf.trace.events import Fitted, LabelsConfigured
from tflint_hf.trace.objects import Form, LabelEncoding, Missing, Model, ModelOrigin, Output, Reads
from tflint_hf.trace.places import Place
from tflint_hf.trace.views import LossUse, ModelUse, Trace, Training

LABEL_KEYS = frozenset({"label", "labels", "label_ids", "start_positions", "end_positions"})


def _puts_out_logits(use: LossUse) -> bool:
    """An unchanged head of transformers, or a linear output on top of one of its models."""
    model = use.model
    if use.output is not Output.LOGITS or model.own_training or (use.state is not None and use.state.head_changed):
        return False
    return model.is_transformers or any(e.is_transformers for e in model.encoders)


def spelled_model(model: Model) -> str:
    if model.is_transformers:
        return model.class_name
    inner = next((e.class_name for e in model.encoders if e.is_transformers), "")
    return f"the model around {inner}" if inner else model.class_name


@check("TFL001")
def crossentropy_on_logits(use: LossUse, trace: Trace) -> Iterator[Fault]:
    """A loss given as a string or bare function reads probabilities, the model puts out logits."""
    loss = use.loss
    if loss.reads is Reads.PROBABILITIES and loss.form in (Form.STRING, Form.FUNCTION) and _puts_out_logits(use):
        keras = keras_name(use.compiled, trace) if use.compiled is not None else None
        fix = None
        if keras is not None:
            edit = Replace(loss.place, f"{keras[0]}.losses.{loss.class_name}(from_logits=True)")
            fix = PlannedFix(Safety.UNSAFE, f"Use {loss.class_name}(from_logits=True)", (*keras[1], edit))
        yield Fault(
            loss.place,
            {"loss": loss.spelling, "model": spelled_model(use.model), "loss_class": loss.class_name},
            related=((use.model.site.callee, "the model is made here"),),
            fix=fix,
        )


@check("TFL002")
def loss_without_from_logits(use: LossUse) -> Iterator[Fault]:
    """A loss object is left at from_logits=False, the model puts out logits."""
    loss = use.loss
    if loss.reads is Reads.PROBABILITIES and loss.form is Form.OBJECT and loss.site and _puts_out_logits(use):
        given = loss.site.values.get("from_logits")
        edit = AddArgument(loss.site.place, "from_logits=True") if given is None else Replace(given, "True")
        yield Fault(
            loss.site.value_or_callee("from_logits"),
            {"loss": loss.class_name, "model": spelled_model(use.model)},
            related=((use.model.site.callee, "the model is made here"),),
            fix=PlannedFix(Safety.UNSAFE, "Set from_logits=True", (edit,)),
        )


@check("TFL003")
def labels_in_input_dict(training: Training, target: Target) -> Iterator[Fault]:
    """The labels are among the inputs, where a Keras loss does not find them."""
    model = training.model
    old = {"transformers": ">=4.11,<4.20"}
    own = model.origin in (ModelOrigin.FUNCTIONAL, ModelOrigin.SUBCLASS) and "transformers" not in model.keywords
    wraps = own and not model.own_training and any(e.is_transformers for e in model.encoders)
    if not (wraps or (model.is_transformers and target.satisfies(old))):
        return
    losses = training.compiled.losses
    if not training.compiled.loss_given or any(loss.form in (Form.UNKNOWN, Form.NONE, Form.METHOD) for loss in losses):
        return
    for fit in training.fits:
        if fit.has_targets is not False or fit.keys is None:
            continue
        inside = [key for key in fit.keys if key in LABEL_KEYS]
        if inside:
            argument = training.compiled.site.arguments.get("loss")
            fix = None
            if argument is not None and not wraps:
                edits = (RemoveArgument(training.compiled.site.place, argument),)
                fix = PlannedFix(Safety.UNSAFE, "Let the model compute its own loss", edits)
            yield Fault(
                training.compiled.site.value_or_callee("loss"),
                {"loss": losses[0].spelling or losses[0].class_name or "a Keras loss", "keys": ", ".join(inside)},
                related=((_where_labels_go_in(fit), "the labels are put among the inputs here"),),
                fix=fix,
                rests_on={} if wraps else old,
            )
            return


def _where_labels_go_in(fit: Fitted) -> Place:
    return fit.feed.site.value_or_callee("columns") if fit.feed is not None else fit.site.value_or_callee("x")


@check("TFL005")
def explicit_loss_none(training: Training, target: Target) -> Iterator[Fault]:
    """loss=None switches the internal loss off."""
    if not training.model.is_transformers or not training.fits or training.model.own_training:
        return
    if not target.satisfies({"transformers": ">=4.11"}):
        return
    losses = training.compiled.losses
    if len(losses) == 1 and losses[0].form is Form.NONE:
        site = training.compiled.site
        argument = site.arguments.get("loss")
        fix = None
        if argument is not None:
            fix = PlannedFix(Safety.SAFE, "Remove loss=None", (RemoveArgument(site.place, argument),))
        yield Fault(
            site.value_or_callee("loss"),
            {"model": training.model.class_name},
            fix=fix,
            rests_on={"transformers": ">=4.11"},
        )


_HEADS_WITH_CLASSES = frozenset({Task.SEQUENCE_CLASSIFICATION, Task.TOKEN_CLASSIFICATION, Task.IMAGE_CLASSIFICATION})
_DEFAULT_CLASSES = 2


def _head_size(model: Model) -> int | None:
    """How many classes the head has when num_labels is not given; None if that is not known."""
    if model.origin is ModelOrigin.CONFIG or model.local_checkpoint:
        return None
    if isinstance(model.checkpoint, Missing):
        return _DEFAULT_CLASSES
    info = knowledge.checkpoint(model.checkpoint)
    if info.looks_fine_tuned or info.head_labels is not None or model.checkpoint.startswith((".", "/", "~")):
        return None
    return _DEFAULT_CLASSES


@check("TFL018")
def missing_num_labels(use: ModelUse) -> Iterator[Fault]:
    """The head keeps its default of two classes, the labels have another number of them."""
    model = use.model
    head = model.head
    if head is None or head.task not in _HEADS_WITH_CLASSES or model.origin is not ModelOrigin.PRETRAINED:
        return
    given = model.keywords & {"num_labels", "id2label", "config", "**"}
    size = _head_size(model)
    if given or size is None or not use.fits or any(f.state.head_changed for f in use.fits):
        return
    for labels in use.labels:
        if labels.classes is None or labels.encoding in (LabelEncoding.SCORE, LabelEncoding.TEXT):
            continue
        if labels.classes > size or (labels.classes != size and not labels.at_least):
            add = AddArgument(model.site.place, f"num_labels={labels.classes}")
            yield Fault(
                model.site.callee,
                {"model": model.class_name, "classes": labels.classes, "dataset": labels.known_from},
                fix=PlannedFix(Safety.UNSAFE, f"Give the head {labels.classes} classes", (add,)),
            )
            return
    if head.task is Task.TOKEN_CLASSIFICATION and not any(labels.classes for labels in use.labels):
        yield Fault(
            model.site.callee,
            {"model": model.class_name, "classes": "an unknown number of", "dataset": "the labels"},
            severity=Severity.INFO,
        )


@check("TFL020")
def label_map_size_mismatch(configured: LabelsConfigured) -> Iterator[Fault]:
    """id2label or label2id has another length than num_labels."""
    setup = configured.setup
    if setup.label_map is None or isinstance(setup.num_labels, Missing):
        return
    name, size, place = setup.label_map
    if size != setup.num_labels:
        yield Fault(place, {"num_labels": setup.num_labels, "map_size": size, "map": name})
