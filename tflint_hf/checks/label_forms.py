"""How labels are written against what the loss and the head take them for."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf import knowledge
from tflint_hf.checks.fault import Fault, check
from tflint_hf.checks.heads import CLASSIFIERS, outputs_of, trains_as_made
from tflint_hf.checks.imports import keras_name
from tflint_hf.checks.labels import spelled_model
from tflint_hf.checks.losses import wraps_encoder
from tflint_hf.checks.tokens_as_labels import keras_sparse_loss, labels_of_all
from tflint_hf.findings import Safety, Severity
from tflint_hf.fixes import AddArgument, InsertAfter, InsertBefore, PlannedEdit, PlannedFix, Replace
from tflint_hf.knowledge import Task
from tflint_hf.trace.events import Fitted, LabelsConfigured
from tflint_hf.trace.objects import (
    ABSENT,
    UNKNOWN,
    Feed,
    Form,
    LabelEncoding,
    Labels,
    Loss,
    Missing,
    ModelOrigin,
    Reads,
)
from tflint_hf.trace.places import Place
from tflint_hf.trace.views import Trace, Training

_DENSE = frozenset({"CategoricalCrossentropy", "BinaryCrossentropy"})


def _is_classifier(training: Training) -> bool:
    """A head of transformers with one row of scores for each row of inputs, or a Keras model around an encoder."""
    model = training.model
    if model.head is not None:
        return trains_as_made(training) and model.head.task in CLASSIFIERS
    changed = training.compiled.state.head_changed
    return bool(training.fits) and wraps_encoder(model) and len(model.outputs) == 1 and not changed


def _all_are(training: Training, encoding: LabelEncoding) -> Labels | None:
    """The labels of the first fit() if those of all are written like this."""
    known = labels_of_all(training)
    return known[0][1] if known and all(labels.encoding is encoding for _, labels in known) else None


def _where(training: Training) -> Place:
    return training.compiled.site.value_or_callee("loss")


@check("TFL016")
def dense_loss_on_integer_labels(training: Training, trace: Trace) -> Iterator[Fault]:
    """A loss that wants a column for each class gets class ids."""
    losses = training.compiled.losses
    if not _is_classifier(training) or len(losses) != 1 or not _wants_columns(losses[0]):
        return
    loss, outputs = losses[0], outputs_of(training.model)
    labels = _all_are(training, LabelEncoding.INDEX)
    if labels is None or loss.form in (Form.CLASS, Form.UNKNOWN):
        return
    # One output may go with a binary loss; nothing but rows goes with a categorical one.
    if outputs == 1 or (outputs is None and loss.class_name != "CategoricalCrossentropy"):
        return
    keras, given = training.compiled.names.get("keras"), training.compiled.site.values.get("loss")
    fix = None
    if loss.class_name not in _DENSE:
        fix = _crossentropy_of_logits(training, trace, given)
    elif given is not None and loss.form is Form.STRING:
        text = '"sparse_categorical_crossentropy"'
        edit = Replace(given, text, for_all_uses=True)
        fix = PlannedFix(Safety.UNSAFE, "Use the sparse crossentropy", (edit,))
    elif given is not None and keras is not None:
        fix = _other_loss(loss, given, f"{keras}.losses.SparseCategoricalCrossentropy", "Use the sparse crossentropy")
    yield Fault(
        _where(training),
        {"loss": loss.class_name, "labels": labels.known_from or "class ids"},
        fix=fix,
    )


def _wants_columns(loss: Loss) -> bool:
    """Whether a loss compares each output with a label of its own."""
    info = knowledge.loss(loss.class_name)
    return loss.class_name in _DENSE or (info is not None and info.kind is knowledge.LossKind.REGRESSION)


def _crossentropy_of_logits(training: Training, trace: Trace, given: Place | None) -> PlannedFix | None:
    """The crossentropy that a head of transformers is trained with, in the place of a loss of another kind."""
    named = keras_name(training.compiled, trace)
    if given is None or named is None or training.model.head is None:
        return None
    keras, imports = named
    return _other_loss(
        None, given, f"{keras}.losses.SparseCategoricalCrossentropy", "Use the sparse crossentropy", *imports
    )


def _other_loss(loss: Loss | None, given: Place, name: str, title: str, *imports: PlannedEdit) -> PlannedFix | None:
    """Another class in the place of a loss, where the object is made; it may not know what else the loss was told."""
    site = loss.site if loss is not None else None
    if site is not None and (site.open or set(site.arguments) - {"from_logits"}):
        return None
    argument = "from_logits=True" if loss is None or loss.reads is Reads.LOGITS else ""
    place = site.place if site is not None and site.place.unit == given.unit else given
    return PlannedFix(Safety.UNSAFE, title, (*imports, Replace(place, f"{name}({argument})")))


@check("TFL015")
def one_hot_labels_with_sparse_loss(training: Training, trace: Trace) -> Iterator[Fault]:
    """One-hot rows for a loss that wants class ids."""
    if not _is_classifier(training):
        return
    loss = keras_sparse_loss(training)
    own = not training.compiled.loss_given and training.model.is_transformers
    labels = _all_are(training, LabelEncoding.ONE_HOT)
    if labels is None or (loss is None and not own):
        return
    if own and (outputs_of(training.model) or 0) < 2:
        return
    place = _where(training) if loss is not None else labels.place or training.compiled.site.callee
    compiled, keras = training.compiled, keras_name(training.compiled, trace)
    given, fix = compiled.site.values.get("loss"), None
    if keras is not None:
        title, name = "Use the crossentropy of one-hot rows", f"{keras[0]}.losses.CategoricalCrossentropy"
        if given is not None:
            fix = _other_loss(loss, given, name, title, *keras[1])
        else:
            edit = AddArgument(compiled.site.place, f"loss={name}(from_logits=True)")
            fix = PlannedFix(Safety.UNSAFE, title, (*keras[1], edit))
    yield Fault(
        place,
        {
            "encoding": labels.known_from or "the encoding",
            "loss": loss.class_name if loss is not None else "the loss of the model",
        },
        related=((labels.place, "the rows are made here"),) if labels.place is not None and loss is not None else (),
        fix=fix,
    )


@check("TFL021")
def scores_on_classification_head(training: Training) -> Iterator[Fault]:
    """Scores as labels of a head with several outputs."""
    model = training.model
    if not _is_classifier(training) or model.head is None:
        return
    outputs = outputs_of(model)
    labels = _all_are(training, LabelEncoding.SCORE)
    fits = not training.compiled.loss_given or all(
        loss.class_name == "SparseCategoricalCrossentropy" or loss.reads is Reads.VALUES
        for loss in training.compiled.losses
    )
    if labels is None or outputs is None or outputs < 2 or not fits:
        return
    yield Fault(
        model.labels_place or model.site.callee,
        {"model": spelled_model(model), "outputs": outputs, "labels": labels.known_from or "the labels"},
        related=((training.fits[0].site.callee, "the scores are given here"),),
        fix=_one_output(training),
        severity=Severity.INFO if labels.supposed else None,
    )


def _one_output(training: Training) -> PlannedFix | None:
    """A head with one output, trained by a loss for numbers: its own, or one that was given."""
    model = training.model
    if any(loss.reads is not Reads.VALUES for loss in training.compiled.losses):
        return None
    if model.labels_place is not None:
        return PlannedFix(
            Safety.UNSAFE, "Give the head one output", (Replace(model.labels_place, "1", for_all_uses=True),)
        )
    if (
        model.origin is not ModelOrigin.PRETRAINED
        or model.has_config
        or model.keywords & {"id2label", "label2id", "**"}
    ):
        return None
    return PlannedFix(Safety.UNSAFE, "Give the head one output", (AddArgument(model.site.place, "num_labels=1"),))


@check("TFL017")
def one_output_for_classes(training: Training) -> Iterator[Fault]:
    """A head with one output, trained on class ids with a loss that makes no classifier of it."""
    model, compiled = training.model, training.compiled
    if not _is_classifier(training) or model.head is None or model.num_labels != 1:
        return
    labels = _all_are(training, LabelEncoding.INDEX)
    if labels is None or labels.classes is None or labels.classes < 2:
        return
    losses = compiled.losses
    classes = {"SparseCategoricalCrossentropy", "CategoricalCrossentropy"}
    watched = any(metric.class_name.lower() in {"accuracy", "acc"} for metric in compiled.metrics)
    if compiled.loss_given:
        if len(losses) != 1 or losses[0].class_name not in classes:
            return
    elif labels.at_least and not watched:
        return
    yield Fault(
        model.labels_place or model.site.callee,
        {
            "model": model.class_name,
            "loss": losses[0].class_name if losses else "its own loss",
            "labels": labels.known_from or "the labels",
        },
        related=((compiled.site.value_or_callee("loss"), "the loss is chosen here"),),
        fix=_output_for_each_class(training, labels),
    )


def _output_for_each_class(training: Training, labels: Labels) -> PlannedFix | None:
    sparse = all(loss.class_name == "SparseCategoricalCrossentropy" for loss in training.compiled.losses)
    if training.model.labels_place is None or labels.at_least or not sparse:
        return None
    edit = Replace(training.model.labels_place, str(labels.classes), for_all_uses=True)
    return PlannedFix(Safety.UNSAFE, "Give the head an output for each class", (edit,))


@check("TFL031")
def label_ids_from_set(training: Training, trace: Trace) -> Iterator[Fault]:
    """Class ids in the order of a set of texts, which is another one in the next process."""
    # The keys of label2id are the names of the labels.
    named = [event.setup.numbered for event in trace.of(LabelsConfigured)]
    if training.model.own_training or not (training.model.is_transformers or wraps_encoder(training.model)):
        return
    for fit, labels in labels_of_all(training):
        if labels.unordered is not None and (not labels.supposed or labels.unordered in named):
            edits = (InsertBefore(labels.unordered, "sorted("), InsertAfter(labels.unordered, ")"))
            yield Fault(
                labels.unordered,
                fix=PlannedFix(Safety.SAFE, "Sort the names first", edits),
                related=((fit.site.callee, "the model is trained on them here"),),
                severity=Severity.INFO if labels.supposed else None,
            )
            return


@check("TFL022")
def text_labels(training: Training) -> Iterator[Fault]:
    """The labels are texts."""
    head = training.model.head
    if not (_is_classifier(training) or (head is not None and head.task is Task.TOKEN_CLASSIFICATION)):
        return
    labels = _all_are(training, LabelEncoding.TEXT)
    if labels is not None:
        yield Fault(_where_given(training), {"example": labels.known_from})


def _where_given(training: Training) -> Place:
    """The argument that names the labels or hands them over."""
    return _given_to(training.fits[0])


def _given_to(fit: Fitted) -> Place:
    if fit.feed is None:
        return fit.site.value_or_callee("y")
    given = fit.feed.site.values
    return given.get("label_cols") or given.get("tensors") or fit.feed.site.callee


@check("TFL019")
def labels_outside_the_head(training: Training) -> Iterator[Fault]:
    """Class ids that no output of the head stands for."""
    model, compiled = training.model, training.compiled
    if not _is_classifier(training) or model.num_labels is ABSENT:
        return
    outputs, loss = outputs_of(model), keras_sparse_loss(training)
    own = not compiled.loss_given and model.is_transformers
    if outputs is None or outputs < 2 or (loss is None and not own) or (loss and loss.ignore_class is not ABSENT):
        return
    for fit in training.fits:
        for labels, split, place in _labels_given(fit):
            if labels is None or labels.encoding is not LabelEncoding.INDEX:
                continue
            unlabelled = isinstance(split, str) and split in labels.missing_in
            value = -1 if unlabelled else _outside(labels, outputs)
            if value is None:
                continue
            name = labels.known_from or "the labels"
            values = {
                "labels": f"{name}, {split}" if unlabelled else name,
                "values": value,
                "classes": outputs,
                "last": outputs - 1,
            }
            used = ((fit.site.callee, "the model is trained on them here"),) if not unlabelled else ()
            if _loaded_at(fit.feed, labels) is not None and value > 0 and model.labels_place is not None:
                # A data set of the hub counts its labels from 0, without gaps: it is the head that is too small.
                edit = Replace(model.labels_place, str(labels.classes), for_all_uses=True)
                named = {"id2label", "label2id", "**"} & model.keywords
                fix = None if named else PlannedFix(Safety.UNSAFE, f"Make {labels.classes} outputs", (edit,))
                yield Fault(model.labels_place, values, related=used, fix=fix)
            else:
                yield Fault(place, values, related=used)
            return


def _outside(labels: Labels, outputs: int) -> int | None:
    """A value among the labels that a head with so many outputs has no place for."""
    if labels.lowest is not None:
        return labels.lowest
    return labels.classes - 1 if labels.classes is not None and labels.classes > outputs else None


def _labels_given(fit: Fitted) -> Iterator[tuple[Labels | None, str | Missing, Place]]:
    """The labels that a fit() trains and validates on, each with its split and the place to mend."""
    feed = fit.feed
    from_hub = _loaded_at(feed, fit.labels)
    yield fit.labels, feed.split if feed is not None else UNKNOWN, from_hub or _given_to(fit)
    held = fit.validation
    if held is None:
        yield fit.validation_labels, UNKNOWN, fit.site.value_or_callee("validation_data")
    else:
        yield fit.validation_labels, held.split, held.site.callee


def _loaded_at(feed: Feed | None, labels: Labels | None) -> Place | None:
    """Where a data set whose own labels these are is loaded."""
    source = feed.source if feed is not None else None
    if source is None or source.site is None or labels is None or source.name != labels.known_from:
        return None
    return source.site.callee
