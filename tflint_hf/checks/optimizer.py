"""Optimizers, learning rates, and which Keras an object belongs to."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf import knowledge
from tflint_hf.checks.fault import Fault, Options, check
from tflint_hf.checks.imports import keras_name
from tflint_hf.checks.labels import spelled_model
from tflint_hf.findings import Safety, Severity
from tflint_hf.fixes import InsertLines, PlannedFix, RenameKeyword, Replace
from tflint_hf.target import Target
from tflint_hf.trace.events import OptimizerMade
from tflint_hf.trace.objects import ABSENT, Form, Keras, KerasOrigin, Missing, Model, ModelOrigin, Schedule
from tflint_hf.trace.places import Place
from tflint_hf.trace.views import Trace, Training

TWO_KERAS = {"tensorflow": ">=2.16"}
DEFAULT_THRESHOLD = 5e-4


def _fine_tunes(training: Training) -> bool:
    """Whether pretrained weights are trained, at a rate that stays what compile() was given."""
    state = training.compiled.state
    if not training.model.pretrained_parts or training.model.own_training or training.learning_rate_set:
        return False
    if state.frozen is not False or any(fit.state.frozen is not False for fit in training.fits):
        return False
    if not training.fits and (training.judged or training.superseded):
        return False
    if any("trainable" in part.keywords for part in training.model.pretrained_parts):
        return False
    return not any(c.class_name == "LearningRateScheduler" for fit in training.fits for c in fit.callbacks)


def _perhaps_scheduled(training: Training) -> Severity | None:
    """A callback that is not known may set the rate: then a fault is only worth knowing."""
    return None if all(fit.callbacks_known for fit in training.fits) else Severity.INFO


def _learns_fast(model: Model) -> bool:
    """T5 and its kin are fine-tuned at rates up to 1e-3."""
    for part in model.pretrained_parts:
        if part.head is not None and part.head.family in {"t5", "mt5", "longt5", "umt5"}:
            return True
        if isinstance(part.checkpoint, str) and knowledge.checkpoint(part.checkpoint).is_t5_like:
            return True
        if isinstance(part.checkpoint, Missing) and part.head is not None and part.head.auto and _seq2seq(part):
            return True
    return False


def _seq2seq(model: Model) -> bool:
    return model.head is not None and model.head.task is knowledge.Task.SEQ2SEQ_LM


@check("TFO001")
def string_optimizer(training: Training, trace: Trace) -> Iterator[Fault]:
    """An optimizer given by its name keeps its default learning rate."""
    optimizer = training.compiled.optimizer
    if optimizer.form not in (Form.STRING, Form.ABSENT) or not _fine_tunes(training):
        return
    if optimizer.form is Form.ABSENT and not training.fits:
        return
    rate = optimizer.default_learning_rate or 1e-3
    fix = None
    keras = keras_name(training.compiled, trace)
    if keras is not None and optimizer.form is Form.STRING:
        edit = Replace(optimizer.place, f"{keras[0]}.optimizers.{optimizer.class_name}(learning_rate=5e-5)")
        fix = PlannedFix(Safety.UNSAFE, "Give the optimizer a rate for fine-tuning", (*keras[1], edit))
    spelled = f'"{optimizer.spelling}"' if optimizer.form is Form.STRING else "the default optimizer"
    yield Fault(
        optimizer.place,
        {"optimizer": spelled, "learning_rate": f"{rate:g}", "model": spelled_model(training.model)},
        fix=fix,
        severity=_perhaps_scheduled(training),
    )


@check("TFO002")
def learning_rate_too_high(training: Training, options: Options) -> Iterator[Fault]:
    """A learning rate that suits training from scratch, on pretrained weights."""
    optimizer = training.compiled.optimizer
    if optimizer.form is not Form.OBJECT or not _fine_tunes(training) or _learns_fast(training.model):
        return
    if optimizer.class_name in {"SGD", "Adafactor", "Adadelta", "Adagrad"} or optimizer.site is None:
        return
    if "lr" in optimizer.site.values and optimizer.class_name != "AdamWeightDecay":
        return
    rate = optimizer.default_learning_rate if optimizer.learning_rate is ABSENT else optimizer.learning_rate
    if isinstance(rate, Schedule):
        rate = rate.initial if rate.class_name != "WarmUp" and "warmup_target" not in rate.site.values else None
    if not isinstance(rate, float) or rate < float(options.get("threshold", DEFAULT_THRESHOLD)):
        return
    name = "init_lr" if optimizer.class_name == "create_optimizer" else "learning_rate"
    given = optimizer.site.values.get(name)
    if isinstance(optimizer.learning_rate, Schedule):
        given = optimizer.learning_rate.site.values.get("initial_learning_rate")  # what follows it stays
    fix = None
    if given is not None:
        fix = PlannedFix(Safety.UNSAFE, "Use a rate for fine-tuning", (Replace(given, "5e-5", for_all_uses=True),))
    yield Fault(
        optimizer.site.value_or_callee(name),
        {"optimizer": optimizer.class_name, "learning_rate": f"{rate:g}", "model": spelled_model(training.model)},
        related=((training.compiled.site.callee, "the model is compiled with it here"),),
        fix=fix,
        severity=_perhaps_scheduled(training),
    )


@check("TFO003")
def ignored_lr_argument(made: OptimizerMade, target: Target) -> Iterator[Fault]:
    """`lr=` is not an argument of Keras optimizers any more."""
    optimizer = made.optimizer
    applies = {"tensorflow": ">=2.11"}
    if optimizer.origin is None or optimizer.legacy or optimizer.site is None or "lr" not in optimizer.site.arguments:
        return
    if optimizer.origin.keras is Keras.KERAS_2 and not target.satisfies(applies):
        return
    consequence = f"it is ignored, the learning rate stays at {optimizer.default_learning_rate or 1e-3:g}"
    if optimizer.origin.keras is Keras.KERAS_3:
        consequence = "Keras 3 raises a ValueError"
    yield Fault(
        optimizer.site.arguments["lr"],
        {"optimizer": optimizer.class_name, "consequence": consequence},
        fix=PlannedFix(
            Safety.UNSAFE, "Call it learning_rate", (RenameKeyword(optimizer.site.arguments["lr"], "learning_rate"),)
        ),
        rests_on=applies,
    )


def legacy_keras(origin: KerasOrigin | None) -> PlannedFix | None:
    """Choose tf-keras for the whole program, before TensorFlow is loaded."""
    if origin is None or origin.first_import is None or origin.spelling.startswith("import keras"):
        return None
    lines = 'import os\n\nos.environ["TF_USE_LEGACY_KERAS"] = "1"\n\n'
    return PlannedFix(Safety.UNSAFE, "Set TF_USE_LEGACY_KERAS", (InsertLines(origin.first_import, lines),))


def _is_keras_3(origin: KerasOrigin | None) -> bool:
    return origin is not None and origin.keras is Keras.KERAS_3


def _needs_tf_keras(training: Training) -> bool:
    """The models of transformers, and what is built around them with tf-keras."""
    model = training.model
    if model.origin in (ModelOrigin.PRETRAINED, ModelOrigin.CONFIG):
        return model.is_transformers
    if model.keras is not None and model.keras.keras is Keras.TF_KERAS:
        return True
    return "transformers" in model.keywords


def _decided_at(origin: KerasOrigin | None, fallback: Place) -> Place:
    return origin.chosen_at if origin is not None and origin.chosen_at is not None else fallback


@check("TFO005")
def keras_3_optimizer(training: Training) -> Iterator[Fault]:
    """A Keras 3 optimizer for a model that belongs to tf-keras."""
    optimizer = training.compiled.optimizer
    if optimizer.form is Form.OBJECT and _is_keras_3(optimizer.origin) and _needs_tf_keras(training):
        assert optimizer.origin is not None
        yield Fault(
            _decided_at(optimizer.origin, optimizer.place),
            {"optimizer": optimizer.class_name, "import_text": optimizer.origin.spelling},
            related=((optimizer.place, "the optimizer is made here"),),
            fix=legacy_keras(optimizer.origin),
            rests_on=TWO_KERAS,
        )


@check("TFO006")
def keras_3_objects_mixed(training: Training) -> Iterator[Fault]:
    """Keras 3 metrics, callbacks or schedules beside a model that belongs to tf-keras."""
    if not _needs_tf_keras(training):
        return
    for metric in training.compiled.metrics:
        if metric.form is Form.OBJECT and metric.origin is not None and _is_keras_3(metric.origin):
            yield _mixed(metric.origin, metric.place, metric.class_name, "metric")
    rate = training.compiled.optimizer.learning_rate
    alone = isinstance(rate, Schedule) and not _is_keras_3(training.compiled.optimizer.origin)
    if alone and isinstance(rate, Schedule) and rate.origin is not None and _is_keras_3(rate.origin):
        yield _mixed(rate.origin, rate.site.callee, rate.class_name, "learning-rate schedule")
    for fit in training.fits:
        for callback in fit.callbacks:
            if callback.origin is not None and _is_keras_3(callback.origin):
                yield _mixed(callback.origin, callback.site.callee, callback.class_name, "callback")


def _mixed(origin: KerasOrigin, place: Place, name: str, kind: str) -> Fault:
    return Fault(
        _decided_at(origin, place),
        {"object": name, "kind": kind, "import_text": origin.spelling},
        related=((place, f"the {kind} is made here"),),
        fix=legacy_keras(origin),
        rests_on=TWO_KERAS,
    )


@check("TFO009")
def legacy_optimizer_in_keras_3(made: OptimizerMade) -> Iterator[Fault]:
    """A legacy optimizer is asked from Keras 3, which has none."""
    optimizer = made.optimizer
    if not optimizer.legacy or not _is_keras_3(optimizer.origin):
        return
    assert optimizer.origin is not None
    imported = "legacy" in optimizer.origin.spelling
    yield Fault(
        _decided_at(optimizer.origin, made.place) if imported else made.place,
        {"optimizer": optimizer.class_name, "import_text": optimizer.origin.spelling},
        related=(
            (made.place, "the optimizer is made here"),
            (_decided_at(optimizer.origin, made.place), "Keras 3 here"),
        ),
        fix=legacy_keras(optimizer.origin),
        rests_on=TWO_KERAS,
    )
