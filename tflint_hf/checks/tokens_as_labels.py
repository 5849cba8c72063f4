"""Labels that are token ids: language models and what their losses make of shifts, padding and marks."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf import knowledge
from tflint_hf.checks.fault import Fault, check
from tflint_hf.checks.heads import trains_as_made
from tflint_hf.findings import Safety
from tflint_hf.fixes import PlannedFix, RemoveArgument
from tflint_hf.knowledge import Task
from tflint_hf.target import Target
from tflint_hf.trace.events import Fitted
from tflint_hf.trace.objects import ABSENT, Form, Labels, Loss, Model
from tflint_hf.trace.views import Training

_SPARSE = "SparseCategoricalCrossentropy"
_WRITERS = frozenset({Task.CAUSAL_LM, Task.SEQ2SEQ_LM})
_MASK_PADS = frozenset({"bart", "mbart", "marian", "pegasus", "blenderbot", "blenderbot_small", "blenderbot-small"})
_COUNT_PADS = frozenset({"t5", "mt5", "longt5", "umt5", "led", "gpt2", "opt", "gptj", "xglm", "openai", "ctrl"})


def keras_sparse_loss(training: Training) -> Loss | None:
    """The one sparse crossentropy that compile() got from Keras, as it is."""
    losses = training.compiled.losses
    if len(losses) != 1 or losses[0].class_name != _SPARSE or losses[0].form in (Form.CLASS, Form.UNKNOWN):
        return None
    return losses[0]


def labels_of_all(training: Training) -> tuple[tuple[Fitted, Labels], ...]:
    """The labels of each fit() where those of all are known, else none."""
    known = tuple((fit, fit.labels) for fit in training.fits if fit.labels is not None)
    return known if len(known) == len(training.fits) else ()


def _without_loss(training: Training) -> PlannedFix | None:
    site = training.compiled.site
    argument = site.arguments.get("loss")
    if argument is None:
        return None
    return PlannedFix(Safety.UNSAFE, "Let the model use its own loss", (RemoveArgument(site.place, argument),))


def _family(model: Model) -> str | None:
    if model.head is not None and model.head.family is not None:
        return model.head.family
    return knowledge.checkpoint(model.checkpoint).family if isinstance(model.checkpoint, str) else None


def _is_causal(model: Model) -> bool:
    return model.head is not None and model.head.task is Task.CAUSAL_LM and _family(model) not in {None, "xlnet"}


@check("TFL009")
def unshifted_causal_lm_labels(training: Training) -> Iterator[Fault]:
    """A Keras loss compares each position of a causal language model with the token it has just read."""
    loss = keras_sparse_loss(training)
    if not trains_as_made(training) or loss is None or not _is_causal(training.model):
        return
    known = labels_of_all(training)
    if known and all(labels.shift == 0 for _, labels in known):
        yield Fault(
            training.compiled.site.value_or_callee("loss"),
            {"model": training.model.class_name},
            related=((known[0][0].site.callee, "the labels are the same tokens as the inputs here"),),
            fix=_without_loss(training),
        )


@check("TFL010")
def labels_shifted_twice(training: Training, target: Target) -> Iterator[Fault]:
    """Labels that are shifted by hand, for a model that shifts them itself."""
    applies = {"transformers": "<5"}
    model = training.model
    if not trains_as_made(training) or training.compiled.loss_given or not target.satisfies(applies):
        return
    if not _is_causal(model) or (model.head is not None and model.head.shifts_labels is False):
        return
    for _, labels in labels_of_all(training):
        if labels.shift == 1 and labels.place is not None:
            yield Fault(
                labels.place,
                {"model": model.class_name},
                related=((training.compiled.site.callee, "the loss of the model is used here"),),
                rests_on=applies,
            )
            return


@check("TFL011")
def ignored_labels_with_keras_loss(training: Training) -> Iterator[Fault]:
    """Labels marked with -100, for a loss of Keras that takes -100 for a class."""
    loss = keras_sparse_loss(training)
    if not trains_as_made(training) or loss is None or loss.ignore_class is not ABSENT:
        return
    known = labels_of_all(training)
    if not known or any(labels.ignored is None or fit.weighted is not False for fit, labels in known):
        return
    _, labels = known[0]
    yield Fault(
        training.compiled.site.value_or_callee("loss"),
        {
            "loss": loss.spelling or loss.class_name,
            "value": labels.ignored,
            "source": labels.ignored_by or "the program",
        },
        related=((known[0][0].site.callee, "the labels are given here"),),
        fix=_without_loss(training),
    )


def _counts_pads(model: Model) -> bool:
    """Whether the model's own loss counts pad tokens among the labels."""
    head = model.head
    if head is None or head.task not in _WRITERS:
        return False
    family = _family(model)
    return head.masks_pads is not True and family in _COUNT_PADS and family not in _MASK_PADS


@check("TFL012")
def padding_in_labels(training: Training) -> Iterator[Fault]:
    """Labels padded with the pad token, which the loss counts."""
    model, loss = training.model, keras_sparse_loss(training)
    if not trains_as_made(training) or model.head is None or model.head.task not in _WRITERS:
        return
    if loss is not None and loss.ignore_class is not ABSENT:
        return
    if loss is None and (training.compiled.loss_given or not _counts_pads(model)):
        return
    known = labels_of_all(training)
    if not known or any(not labels.padding or labels.ignored is not None for _, labels in known):
        return
    if any(fit.weighted is not False for fit, _ in known):
        return
    fit, labels = known[0]
    yield Fault(
        labels.place or fit.site.callee,
        {"padding": labels.padding, "loss": loss.class_name if loss is not None else f"the loss of {model.class_name}"},
        related=((fit.site.callee, "the model is trained on them here"),),
    )
