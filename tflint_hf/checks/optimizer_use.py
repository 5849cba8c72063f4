"""What an optimizer is given to."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf import knowledge
from tflint_hf.checks.fault import Fault, check
from tflint_hf.findings import Safety, Severity
from tflint_hf.fixes import AddArgument, InsertAfter, PlannedFix, RemoveArgument, Rewrite
from tflint_hf.target import Target
from tflint_hf.trace.events import Event, ModelMade, OptimizerMade, WeightDecayExcluded
from tflint_hf.trace.guards import compatible
from tflint_hf.trace.objects import ABSENT, UNKNOWN, Collator, Feed, Form, Keras, Loss, Optimizer, Output, Tokenizer
from tflint_hf.trace.places import Place
from tflint_hf.trace.views import Trace, Training


def _knows_its_variables(optimizer: Optimizer) -> bool:
    """Whether it makes its slots once, for the variables of its first training: all but the older kind do."""
    if optimizer.form is not Form.OBJECT or optimizer.site is None or optimizer.legacy:
        return False
    if optimizer.class_name == "create_optimizer":
        return optimizer.weight_decay in (ABSENT, 0.0)
    return optimizer.origin is not None


@check("TFO015")
def reused_optimizer(trace: Trace, target: Target) -> Iterator[Fault]:
    """One optimizer object trains variables that it was not made for."""
    applies = {"tensorflow": ">=2.11"}
    if not target.satisfies(applies):
        return
    made = {id(e.optimizer.site): e for e in trace.of(OptimizerMade)}
    told = {id(e.optimizer.site) for e in trace.of(WeightDecayExcluded)}
    models = {id(e.model.site): e for e in trace.of(ModelMade)}
    trained: list[Training] = []
    for training in trace.trainings:
        optimizer = training.compiled.optimizer
        if not training.fits or not _knows_its_variables(optimizer) or training.model.own_training:
            continue
        first = next((t for t in trained if _is_other_use(t, training)), None)
        belongs = None
        if first is not None:
            belongs = "another model" if first.model.site is not training.model.site else "the frozen model"
        elif _in_each_round(training, made.get(id(optimizer.site)), models.get(id(training.model.site))):
            belongs = "the model of the round before"
        trained.append(training)
        if belongs is not None:
            place = training.compiled.site.value_or_callee("optimizer")
            yield Fault(
                place,
                {"optimizer": optimizer.class_name, "first": belongs},
                related=((optimizer.place, "the optimizer is made here"),),
                fix=None if id(optimizer.site) in told else _made_anew(optimizer, place),
                rests_on=applies,
            )


def _made_anew(optimizer: Optimizer, place: Place) -> PlannedFix | None:
    """A new optimizer with the settings of the old one. A warm-up of transformers is not read back as one."""
    schedule = optimizer.follows
    if schedule is not None and schedule.origin is None and (schedule.warmup is None or schedule.warmup.number != 0):
        return None
    if optimizer.learning_rate is UNKNOWN:
        return None
    copied = Rewrite(place, "{text}.from_config({text}.get_config())", named=True)
    return PlannedFix(Safety.SAFE, "Give it an optimizer of its own", (copied,))


def _is_other_use(before: Training, now: Training) -> bool:
    """Whether the same optimizer trained other variables before, in the same run of the program."""
    if before.compiled.optimizer.site is not now.compiled.optimizer.site:
        return False
    if not compatible(before.guards, now.guards) or before.group == now.group:
        return False
    if min(f.order for f in before.fits) > min(f.order for f in now.fits):
        return False
    if before.compiled.place == now.compiled.place and max(f.order for f in before.fits) > now.compiled.order:
        # One compile() call for one of several models, not one round after the other.
        return False
    if before.model.site is now.model.site:
        frozen, left = before.compiled.state.frozen_parts, now.compiled.state.frozen_parts
        return frozen is not None and left is not None and bool(frozen - left)
    inside = {id(m.site) for m in (before.model, *before.model.encoders)}
    return not inside & {id(m.site) for m in (now.model, *now.model.encoders)}


def _in_each_round(training: Training, optimizer: Event | None, model: Event | None) -> bool:
    """Whether each round of a loop makes a model for an optimizer from outside of it."""
    if optimizer is None or model is None:
        return False
    rounds = set(training.compiled.loops) & set(model.loops) & {loop for f in training.fits for loop in f.loops}
    return bool(rounds - set(optimizer.loops))


@check("TFO011")
def create_optimizer_not_unpacked(training: Training) -> Iterator[Fault]:
    """compile() gets what create_optimizer returned as a whole, or its schedule."""
    optimizer = training.compiled.optimizer
    if optimizer.form in (Form.PAIR, Form.SCHEDULE) and optimizer.site is not None:
        whole = optimizer.form is Form.PAIR
        take = InsertAfter(optimizer.place, "[0]")
        yield Fault(
            optimizer.place,
            {"name": "the pair (optimizer, schedule)" if whole else "the schedule"},
            related=((optimizer.site.callee, "they are made here"),),
            fix=PlannedFix(Safety.SAFE, "Take the optimizer out of the pair", (take,)) if whole else None,
        )


@check("TFO020")
def class_instead_of_instance(training: Training) -> Iterator[Fault]:
    """A class stands where an object of it is wanted."""
    compiled = training.compiled
    optimizer = compiled.optimizer
    if optimizer.form is Form.CLASS and (knowledge.optimizer(optimizer.class_name) or optimizer.class_name in _OWN):
        rate = "learning_rate=5e-5" if training.model.pretrained_parts else ""
        yield Fault(
            optimizer.place,
            {"argument": "optimizer", "name": optimizer.class_name},
            fix=PlannedFix(Safety.UNSAFE, "Make an object of it", (InsertAfter(optimizer.place, f"({rate})"),)),
        )
    for loss in compiled.losses:
        if loss.form is Form.CLASS and knowledge.loss(loss.spelling) is not None:
            yield Fault(loss.place, {"argument": "loss", "name": loss.spelling}, fix=_loss_made(loss, training))
    for metric in compiled.metrics:
        if metric.form is Form.CLASS and metric.origin is not None and knowledge.metric(metric.class_name) is not None:
            yield Fault(metric.place, {"argument": "metrics", "name": metric.class_name})
    for fit in training.fits:
        for callback in fit.callbacks:
            if callback.is_class and callback.class_name in knowledge.callbacks():
                yield Fault(callback.site.callee, {"argument": "callbacks", "name": callback.class_name})


def _loss_made(loss: Loss, training: Training) -> PlannedFix | None:
    """An object of a class of losses, which is told what it reads."""
    info = knowledge.loss(loss.spelling)
    if info is None or info.kind not in _FROM_LOGITS:
        return None
    if training.model.outputs != (Output.LOGITS,) or training.compiled.state.head_changed:
        return None
    made = InsertAfter(loss.place, "(from_logits=True)")
    return PlannedFix(Safety.UNSAFE, "Make an object of it", (made,))


_FROM_LOGITS = frozenset(
    {
        knowledge.LossKind.SPARSE_CROSSENTROPY,
        knowledge.LossKind.CATEGORICAL_CROSSENTROPY,
        knowledge.LossKind.BINARY_CROSSENTROPY,
    }
)
_OWN = frozenset({"AdamWeightDecay"})
_REMOVED = ("decay", "schedule_decay")


@check("TFO004")
def removed_decay_argument(made: OptimizerMade, target: Target) -> Iterator[Fault]:
    """`decay=` is not an argument of Keras optimizers any more; Keras 3 ignores it with a warning."""
    applies = {"tensorflow": ">=2.11"}
    optimizer = made.optimizer
    if optimizer.origin is None or optimizer.legacy or optimizer.site is None or not target.satisfies(applies):
        return
    for name in _REMOVED:
        if name in optimizer.site.arguments:
            yield Fault(
                optimizer.site.arguments[name],
                {"optimizer": optimizer.class_name, "argument": name},
                fix=_without_decay(optimizer, name),
                severity=Severity.WARNING if optimizer.origin.keras is Keras.KERAS_3 else None,
                rests_on=applies,
            )


def _without_decay(optimizer: Optimizer, name: str) -> PlannedFix | None:
    """The argument goes where it does nothing: Keras 3 ignores it, and 0 asks for nothing."""
    site = optimizer.site
    if site is None or (optimizer.origin is None or optimizer.origin.keras is not Keras.KERAS_3):
        asks = site is None or site.literals.get(name, name) not in (0, None)
        if asks:
            return None
    assert site is not None
    return PlannedFix(Safety.SAFE, f"Drop {name}", (RemoveArgument(site.place, site.arguments[name]),))


@check("TFO016")
def decayed_layer_norm(trace: Trace) -> Iterator[Fault]:
    """Weight decay on all weights of a model of transformers, its LayerNorms and biases too."""
    excluded = {id(e.optimizer.site) for e in trace.of(WeightDecayExcluded)}
    for training in trace.trainings:
        optimizer, rate = training.compiled.optimizer, training.compiled.optimizer.weight_decay
        if optimizer.class_name not in {"AdamWeightDecay", "AdamW"} or optimizer.site is None:
            continue
        if not isinstance(rate, float) or rate <= 0 or id(optimizer.site) in excluded or training.superseded:
            continue
        given = optimizer.site.values
        if "exclude_from_weight_decay" in given or "include_in_weight_decay" in given:
            continue
        if not any(part.is_transformers for part in training.model.pretrained_parts):
            continue
        fix = None
        if optimizer.class_name == "AdamWeightDecay":
            text = 'exclude_from_weight_decay=["LayerNorm", "layer_norm", "bias"]'
            edits = (AddArgument(optimizer.site.place, text),)
            fix = PlannedFix(Safety.UNSAFE, "Leave LayerNorm and biases out", edits)
        yield Fault(optimizer.site.callee, {"optimizer": optimizer.class_name, "rate": f"{rate:g}"}, fix=fix)


@check("TFO018")
def jit_compile_with_dynamic_padding(training: Training) -> Iterator[Fault]:
    """XLA compiles a program for each length of a batch."""
    compiled = training.compiled
    if compiled.jit_compile is not True:
        return
    for fit in training.fits:
        padding = _pads_to_batches(fit.feed) if fit.feed is not None else None
        if padding is not None:
            argument = compiled.site.arguments.get("jit_compile")
            fix = None
            if argument is not None:
                edits = (RemoveArgument(compiled.site.place, argument),)
                fix = PlannedFix(Safety.UNSAFE, "Train without XLA", edits)
            yield Fault(
                argument or compiled.site.callee,
                {"padding": padding},
                related=((fit.site.callee, "the batches are given here"),),
                fix=fix,
            )
            return


def _pads_to_batches(feed: Feed) -> str | None:
    """What pads each batch to its own longest row, None if nothing does, or that is not known."""
    ids = (feed.source.columns or {}).get("input_ids") if feed.source is not None else None
    if ids is None or ids.ragged is not True:
        return None
    collator = feed.collator
    if isinstance(collator, Collator):
        fixed = {"padding", "pad_to_multiple_of", "max_length"} & set(collator.site.values)
        return collator.class_name if collator.class_name in _PAD_TO_LONGEST and not fixed else None
    if collator is ABSENT and isinstance(feed.tokenizer, Tokenizer):
        return None if "pad_to_multiple_of" in feed.site.values else "prepare_tf_dataset"
    return None


_PAD_TO_LONGEST = frozenset(
    {
        "DataCollatorWithPadding", "DataCollatorForSeq2Seq", "DataCollatorForTokenClassification",
        "DataCollatorForLanguageModeling", "DataCollatorForMultipleChoice",
    }
)  # fmt: skip
