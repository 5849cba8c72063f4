"""The optimizer as it really is: its learning rate, its Keras, how far it moves the weights."""

from __future__ import annotations

from tflint_hf.dynamic.verdicts.probe import Measured, Scene, confirmed, probe, refuted, undecided

HIGH_RATE = 1e-4
HIGH_RATIO = 5e-3
FEW = 0.5
"""A schedule that is over before this part of the training leaves the rest without learning."""
TOO_LONG = 2.0
"""A schedule that lasts this many times the training never comes down."""


@probe("update-ratio", "gradients")
def update_ratio(scene: Scene) -> Measured | None:
    """The rate that the optimizer really has, and how much of a weight one step changes."""
    said = scene.training.said
    rate = said.number("optimizer.learning_rate")
    if rate is None:
        return None
    ratio = scene.training.facts("gradients").number("update_ratio")
    text = f"{said.text('optimizer.class')} really has the learning rate {rate:g}"
    if rate <= HIGH_RATE:
        return refuted(f"{text}, which a pretrained model bears", rate=rate)
    if ratio is not None:
        text += f"; one step changes a weight matrix by {ratio:.1%} at the median"
    if scene.training.stand_in:
        # What the weights of a stand-in do says nothing of the real ones; the rate is the program's own.
        return confirmed(f"{text} (on the weights of a stand-in)", rate=rate)
    if ratio is not None and ratio < HIGH_RATIO:
        return undecided(f"{text}, which is not much", rate=rate, ratio=ratio)
    return confirmed(text, rate=rate)


@probe("learning-rate")
def learning_rate(scene: Scene) -> Measured | None:
    """The rate at the start and along the schedule, against the steps that the training has."""
    judge = {
        "TFO003": _ignored_argument,
        "TFO010": _schedule_too_short,
        "TFO012": _warmup_too_long,
        "TFO013": _schedule_of_other_length,
        "TFO014": _two_masters,
    }.get(scene.finding.code)
    return judge(scene) if judge is not None else None


def _ignored_argument(scene: Scene) -> Measured | None:
    said = scene.training.said
    rate = said.number("optimizer.learning_rate")
    if rate is None:
        return None
    name = said.text("optimizer.class")
    default = {"SGD": 0.01}.get(name, 0.001)
    if abs(rate - default) < 1e-9:
        return confirmed(f"{name} has the rate {rate:g}, its default: the argument was not taken", rate=rate)
    return refuted(f"{name} has the rate {rate:g}, not its default", rate=rate)


def _steps(scene: Scene) -> tuple[float | None, float | None, float | None]:
    said = scene.training.said
    return tuple(  # type: ignore[return-value]
        said.number(f"optimizer.{name}") for name in ("warmup_steps", "decay_steps", "total_steps")
    )


def _schedule_too_short(scene: Scene) -> Measured | None:
    warmup, decay, total = _steps(scene)
    if decay is None or total is None:
        return None
    length = decay + (warmup or 0)
    if length < FEW * total:
        text = f"the schedule is over after {length:g} steps, the training has {total:g}: then the rate is at its end"
        return confirmed(text, schedule=length, steps=total)
    if total > 1:
        return refuted(f"the schedule lasts {length:g} steps, the training has {total:g}", schedule=length, steps=total)
    return None


def _warmup_too_long(scene: Scene) -> Measured | None:
    warmup, _, total = _steps(scene)
    if warmup is None or total is None:
        return None
    if 0 < warmup < 1:
        return confirmed(f"the warm-up lasts {warmup:g} steps, less than one", warmup=warmup)
    if warmup >= total:
        text = f"the warm-up lasts {warmup:g} steps, the whole training {total:g}: the rate never comes to its height"
        return confirmed(text, warmup=warmup, steps=total)
    return refuted(f"the warm-up takes {warmup:g} of {total:g} steps", warmup=warmup, steps=total)


def _schedule_of_other_length(scene: Scene) -> Measured | None:
    _, decay, total = _steps(scene)
    if decay is None or not total:
        return None
    text = f"the rate decays over {decay:g} steps, the training has {total:g}"
    if decay < FEW * total or decay > TOO_LONG * total:
        return confirmed(text, decay=decay, steps=total)
    return refuted(text, decay=decay, steps=total)


def _two_masters(scene: Scene) -> Measured | None:
    said = scene.training.said
    schedule = said.text("optimizer.schedule")
    setters = [one.get("class", "") for one in said.items("callbacks") if isinstance(one, dict)]
    setters = [name for name in setters if name in {"LearningRateScheduler", "ReduceLROnPlateau"}]
    if schedule and setters:
        return confirmed(f"the optimizer follows {schedule}, and {setters[0]} sets its rate too")
    return refuted("the optimizer has a plain rate") if setters else None


@probe("keras-generation")
def keras_generation(scene: Scene) -> Measured | None:
    """The Keras of the model, and of what it is trained with."""
    said = scene.training.said
    model = said.text("model.keras")
    if not model:
        return None
    parts = [("optimizer", said.text("optimizer.class"), said.text("optimizer.keras"))]
    parts.append(("encoder", said.text("model.encoder"), said.text("model.encoder_keras")))
    for kind in ("callbacks", "compiled.metrics"):
        parts.extend((kind, str(one.get("class", "")), str(one.get("keras", ""))) for one in said.items(kind))
    others = [(name, keras) for _, name, keras in parts if keras and keras != model]
    if others:
        name, keras = others[0]
        return confirmed(f"the model is one of {model}, {name} is one of {keras}")
    return refuted(f"the model and all that it is trained with are of {model}")


@probe("trainable-without-change")
def trainable_without_change(scene: Scene) -> Measured | None:
    """How many of the model's parameters are trained at all."""
    said = scene.training.said
    trainable, every = said.number("model.trainable"), said.number("model.parameters")
    if trainable is None or not every:
        return None
    if trainable == 0:
        return confirmed(f"none of the model's {every:,.0f} parameters is trainable", trainable=0.0, parameters=every)
    return refuted(f"{trainable:,.0f} of {every:,.0f} parameters are trainable", trainable=trainable, parameters=every)


@probe("frozen-weights-move")
def frozen_weights_move(scene: Scene) -> Measured | None:
    """Which weights the program's own fit changed."""
    moved = scene.training.facts("moved")
    frozen, still = moved.number("frozen_moved"), moved.number("trainable_still")
    trained = moved.number("trainable_moved")
    if frozen is None or still is None or trained is None:
        return None
    if frozen:
        return confirmed(f"fit changed {frozen:g} weights that are set to be frozen", frozen_moved=frozen)
    if still > trained:
        return confirmed(f"fit left {still:g} weights as they were that are set to be trained", trainable_still=still)
    return refuted("fit changed the weights that are set to be trained, and no other")


@probe("dropout-in-training")
def dropout_in_training(scene: Scene) -> Measured | None:
    """The dropout layers of a model where a training loop of the program calls it."""
    calls = [moment.said for moment in scene.moments if moment.kind == "dropouts"]
    on, off = (sum(said.number(name) or 0 for said in calls) for name in ("on", "off"))
    if not on and not off:
        return None
    if on:
        return refuted(f"{on:g} dropout layers of the model are on where the loop calls it", on=on, off=off)
    return confirmed(f"where the loop calls the model, all its {off:g} dropout layers are off", on=on, off=off)
