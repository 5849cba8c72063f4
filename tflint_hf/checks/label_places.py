"""Where labels and inputs are put: what reaches the model under which name, or at which place."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.data import LABEL_NAMES
from tflint_hf.checks.fault import Fault, check
from tflint_hf.checks.heads import trains_as_made
from tflint_hf.checks.labels import LABEL_KEYS
from tflint_hf.findings import Safety
from tflint_hf.fixes import NameElements, PlannedFix, ReplaceString
from tflint_hf.knowledge import Task
from tflint_hf.target import Target
from tflint_hf.trace.events import Fitted
from tflint_hf.trace.objects import ABSENT, Collator, Feed, FeedMaker, Missing, Model, Structure
from tflint_hf.trace.places import Place
from tflint_hf.trace.views import Training

_SINCE_4_20 = {"transformers": ">=4.20,<5"}
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


@check("TFL027")
def inputs_by_position(training: Training, target: Target) -> Iterator[Fault]:
    """The inputs are a list, which the model's own loss cannot add the labels to, or one in the wrong order."""
    model = training.model
    if not trains_as_made(training) or model.head is None or not target.satisfies(_SINCE_4_20):
        return
    order = model.head.call_arguments or _INPUTS
    for fit in training.fits:
        inputs = fit.inputs
        if inputs is None or not inputs.is_sequence or fit.has_targets is not True:
            continue
        named = [(name, order[at]) for at, name in enumerate(inputs.names) if name in _INPUTS and at < len(order)]
        wrong = any(name != expected for name, expected in named)
        if wrong if training.compiled.loss_given else bool(named):
            yield Fault(
                inputs.place or fit.site.value_or_callee("x"),
                {
                    "inputs": f"a {inputs.kind}",
                    "model": model.class_name,
                    "order": ", ".join(order[: max(len(inputs.names), 3)]),
                },
                related=((fit.site.callee, "the model is trained on it here"),),
                fix=_by_names(fit, inputs, order),
                rests_on=_SINCE_4_20,
            )
            return


def _by_names(fit: Fitted, inputs: Structure, order: tuple[str, ...]) -> PlannedFix | None:
    """A dictionary of the inputs, where it is known what each of them is. Validation data would need the same."""
    if inputs.place is None or fit.validates is not False or not set(inputs.names) <= set(_INPUTS) & set(order):
        return None
    # With the model's own loss a list stops the training; with one of Keras it trains, on inputs that are exchanged.
    safety = Safety.UNSAFE if any(compiled.loss_given for compiled in fit.compiled) else Safety.SAFE
    return PlannedFix(safety, "Give the inputs by name", (NameElements(inputs.place, inputs.names),))


@check("TFL026")
def mask_taken_for_labels(training: Training) -> Iterator[Fault]:
    """A dataset of (ids, mask, labels), which Keras reads as inputs, labels and weights."""
    model = training.model
    if model.own_training or not (model.is_transformers or any(e.is_transformers for e in model.encoders)):
        return
    for fit in training.fits:
        element = fit.feed.element if fit.feed is not None else None
        if element is None or element.kind != "tuple" or len(element.names) != 3:
            continue
        if element.names[0] == "input_ids" and element.names[1] in _INPUTS:
            yield Fault(
                element.place or fit.site.callee,
                {"second": element.names[1], "third": element.names[2] or "the third element"},
                related=((fit.site.callee, "Keras takes the elements apart here"),),
                fix=_inputs_together(fit, element),
            )
            return


def _inputs_together(fit: Fitted, element: Structure) -> PlannedFix | None:
    """Both inputs in a dictionary by their names, which a model of transformers reads."""
    if element.place is None or not fit.model.is_transformers or (fit.feed is not None and fit.feed.mapped):
        return None
    # A mask has a label for each token: a tagger learns it, where all others stop.
    tags = fit.model.head is not None and fit.model.head.task is Task.TOKEN_CLASSIFICATION
    safety = Safety.UNSAFE if tags and any(compiled.loss_given for compiled in fit.compiled) else Safety.SAFE
    return PlannedFix(safety, "Put the inputs together", (NameElements(element.place, element.names[:2]),))


def _spelled(names: tuple[str, ...]) -> str:
    return " and ".join(names)


@check("TFL007")
def labels_in_unmatched_structure(training: Training, target: Target) -> Iterator[Fault]:
    """Labels beside the inputs in a structure in which the model's own loss does not find them."""
    model = training.model
    if not trains_as_made(training) or training.compiled.loss_given or not target.satisfies(_SINCE_4_20):
        return
    wanted = model.head.label_arguments if model.head is not None else ()
    pair = model.head is not None and model.head.task is Task.QUESTION_ANSWERING and len(wanted) == 2
    if len(wanted) != 1 and not pair:
        return
    for fit in training.fits:
        targets = fit.targets
        if targets is None or fit.has_targets is not True or targets.open:
            continue
        if _carries_labels(fit):
            continue
        known = [name for name in targets.names if name in wanted]
        is_sequence = targets.kind in {"list", "tuple"}
        unmatched = is_sequence or (targets.kind == "dict" and bool(targets.names) and len(known) < len(wanted))
        if unmatched:
            labels = f"a {targets.kind}" if is_sequence else f"a dict of {_spelled(targets.names)}"
            yield Fault(
                targets.place or fit.site.callee,
                {"labels": labels, "model": model.class_name, "expected": _spelled(wanted)},
                related=((fit.site.callee, "the model is trained on them here"),),
                fix=_key_of_labels(targets, wanted),
                rests_on=_SINCE_4_20,
            )
            return


def _key_of_labels(targets: Structure, wanted: tuple[str, ...]) -> PlannedFix | None:
    """The key that the model looks for, in place of the only one that there is."""
    if targets.place is None or targets.names != ("label",) or wanted != ("labels",):
        return None
    return PlannedFix(Safety.UNSAFE, "Call them labels", (ReplaceString(targets.place, "label", "labels"),))


def _carries_labels(fit: Fitted) -> bool:
    """Whether labels may travel among the inputs."""
    inputs = fit.inputs
    return inputs is None or any(name in LABEL_KEYS for name in inputs.names)


@check("TFL024")
def weights_without_separate_labels(training: Training) -> Iterator[Fault]:
    """Weights for labels that are among the inputs, or class weights for labels of tokens."""
    model = training.model
    if not trains_as_made(training) or model.head is None:
        return
    for fit in training.fits:
        given = [name for name in ("class_weight", "sample_weight") if name in fit.site.arguments]
        if not given:
            continue
        inside = fit.has_targets is False and fit.keys is not None and any(key in LABEL_KEYS for key in fit.keys)
        tokens = model.head.task is Task.TOKEN_CLASSIFICATION and fit.has_targets is True and "class_weight" in given
        if inside or tokens:
            reason = "the labels are among the inputs" if inside else "each row has a label for each token"
            argument = given[0] if inside else "class_weight"
            yield Fault(
                fit.site.arguments[argument],
                {"argument": argument, "reason": reason},
                related=((_where_made(fit), "the labels are put there here"),) if inside else (),
            )


def _where_made(fit: Fitted) -> Place:
    return fit.feed.site.value_or_callee("columns") if fit.feed is not None else fit.site.value_or_callee("x")


@check("TFL004")
def no_labels(training: Training, target: Target) -> Iterator[Fault]:
    """Nothing that the model is trained on is called as its labels are, and there is no y."""
    model = training.model
    if not trains_as_made(training) or model.head is None or not target.satisfies(_SINCE_4_20):
        return
    wanted = model.head.label_arguments
    for fit in training.fits:
        found = _names_without_labels(fit, model) if wanted else None
        if found is not None:
            names, place = found
            shown = ", ".join(names[:6]) + (" ..." if len(names) > 6 else "")
            yield Fault(
                place,
                {"columns": shown, "expected": _spelled(wanted)},
                related=((fit.site.callee, "the model is trained on it here"),),
                rests_on=_SINCE_4_20,
            )
            return


def _names_without_labels(fit: Fitted, model: Model) -> tuple[tuple[str, ...], Place] | None:
    """The names of all that reaches the model, and where they are chosen, if none of them is one of labels."""
    feed = fit.feed
    names: tuple[str, ...] | None = None
    place = fit.site.value_or_callee("x")
    if feed is None:
        names = fit.keys if fit.has_targets is False else None
    elif feed.element is None and feed.maker is FeedMaker.PREPARE_TF_DATASET and feed.weighted is False:
        source = feed.source
        known = source is not None and source.columns is not None and not source.open and _makes_no_labels(feed)
        names = tuple(source.columns) if known and source is not None and source.columns is not None else None
        place = feed.site.callee
    elif feed.maker is FeedMaker.TO_TF_DATASET and feed.label_columns is ABSENT and _makes_no_labels(feed):
        names = feed.keys if feed.weighted is False else None
        place = feed.site.callee
    elif feed.maker is FeedMaker.FROM_TENSOR_SLICES and feed.has_targets is False:
        names = feed.keys
        place = feed.site.callee
    if not names or ("input_ids" not in names and "pixel_values" not in names):
        return None
    labels = LABEL_KEYS | LABEL_NAMES | set(model.head.label_arguments if model.head is not None else ())
    return None if labels & set(names) else (names, place)


def _makes_no_labels(feed: Feed) -> bool:
    """Whether the collator surely adds no labels."""
    collator = feed.collator
    if isinstance(collator, Missing):
        return collator is ABSENT
    assert isinstance(collator, Collator)
    return collator.class_name in {"DataCollatorWithPadding", "DefaultDataCollator"}
