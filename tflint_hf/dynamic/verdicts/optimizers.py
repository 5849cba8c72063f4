"""The optimizer as it really is: its learning rate, its Keras, how far it moves the weights."""

from __future__ import annotations

from tflint_hf.dynamic.verdicts.probe import Measured, Scene, confirmed, on_made_up_data, probe, refuted, undecided

HIGH_RATE = 1e-4
HIGH_RATIO = 5e-3
SCALED_BY_GRADIENTS = frozenset({"SGD", "Adafactor", "Adadelta", "Adagrad"})
"""With these the rate alone does not say how far a step goes."""
FEW = 0.5
"""A schedule that is over before this part of the training leaves the rest without learning."""
TOO_LONG = 2.0
"""A schedule that lasts this many times the training never comes down."""
NEARLY = 0.1


@probe("update-ratio", "gradients")
def update_ratio(scene: Scene) -> Measured | None:
    """The rate that the optimizer really has, and how much of a weight one step changes."""
    said = scene.training.said
    rate = said.number("optimizer.highest_rate") or said.number("optimizer.learning_rate")
    if rate is None:
        return None
    ratio = scene.training.facts("gradients").number("update_ratio")
    text = f"{said.text('optimizer.class')} really has the learning rate {rate:g}"
    if rate <= HIGH_RATE:
        return refuted(f"{text}, which a pretrained model bears", rate=rate)
    if ratio is not None:
        text += f"; one step changes a weight matrix by {ratio:.1%} at the median"
    if scene.training.stand_in and said.text("optimizer.class") in SCALED_BY_GRADIENTS:
        return undecided(f"{text} (on the weights of a stand-in); how far it goes with the real ones depends on them")
    if scene.training.stand_in:
        # What the weights of a stand-in do says nothing of the real ones; the rate is the program's own.
        return confirmed(f"{text} (on the weights of a stand-in)", rate=rate)
    if ratio is not None and ratio < HIGH_RATIO:
        return undecided(f"{text}, which is not much", rate=rate, ratio=ratio)
    return confirmed(text, rate=rate)


@probe("learning-rate", "batch")
def learning_rate(scene: Scene) -> Measured | None:
    """The rate at the start and along the schedule, against the steps that the training has."""
    judge = {
        "TFO003": _ignored_argument,
        "TFO010": _whole_schedule,
        "TFO012": _warmup,
        "TFO013": _decay,
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


def _whole_schedule(scene: Scene) -> Measured | None:
    warmup, decay, _ = _steps(scene)
    return _schedule_of_length(scene, decay + (warmup or 0), "the schedule lasts") if decay is not None else None


def _decay(scene: Scene) -> Measured | None:
    _, decay, _ = _steps(scene)
    return _schedule_of_length(scene, decay, "the rate decays over") if decay is not None else None


def _schedule_of_length(scene: Scene, length: float, words: str) -> Measured | None:
    """A schedule of `length` steps against the training.

    A stand-in for a data set has fewer rows than the real one. A length that was counted from its rows or batches grows
    with them, and one that is too short for it is too short for more rows; nothing else can be said of the real data.
    """
    _, _, total = _steps(scene)
    if not total:
        return None
    counted = _counted(scene, length, total)
    text = f"{words} {length:g} steps, the training has {total:g}"
    numbers = {"schedule": length, "steps": total}
    if counted:
        return confirmed(f"{text}: {length:g} is {counted}", **numbers)
    if length < FEW * total:
        return confirmed(f"{text}: for the rest of it the rate stays at its end", **numbers)
    if abs(length - total) <= NEARLY * total:
        return refuted(text, **numbers)
    if on_made_up_data(scene):
        return undecided(f"{text}, on a stand-in for the data set, which has fewer rows than the real one", **numbers)
    if length > TOO_LONG * total:
        return confirmed(f"{text}: the rate hardly comes down", **numbers)
    return refuted(text, **numbers)


def _counted(scene: Scene, length: float, total: float) -> str:
    """What a length counts in the place of all steps of the training: its epochs, its rows, or one epoch of it."""
    said = scene.training.said
    epochs, rows = said.number("epochs") or 1, scene.training.facts("batch").number("rows_of_batch")
    batches = total / epochs
    if length == epochs and batches > 1:
        return "the number of epochs"
    if epochs > 1 and length == batches:
        return f"the number of batches in one of {epochs:g} epochs"
    if rows is None or rows < TOO_LONG:
        return ""
    for count, name in ((epochs, "the number of rows times that of epochs"), (1, "the number of rows")):
        if (batches - 1) * rows * count < length < (batches + 1) * rows * count and length > total:
            return f"{name}, and a batch has {rows:g} rows"
    return ""


def _warmup(scene: Scene) -> Measured | None:
    warmup, decay, total = _steps(scene)
    if warmup is None:
        return None
    if warmup != int(warmup) and scene.training.said.text("optimizer.class") != "AdamWeightDecay":
        return confirmed(f"the warm-up lasts {warmup:g} steps, which is no whole number", warmup=warmup)
    if decay is not None and decay <= 0:
        text = f"the warm-up lasts {warmup:g} of the {warmup + decay:g} steps of its schedule"
        return confirmed(f"{text}: none are left for the decay", warmup=warmup, schedule=warmup + decay)
    made_up = on_made_up_data(scene)
    if total is not None and warmup >= total and not made_up:
        text = f"the warm-up lasts {warmup:g} steps, the whole training {total:g}: the rate never comes to its height"
        return confirmed(text, warmup=warmup, steps=total)
    if decay is None:
        return None
    return refuted(f"the warm-up takes {warmup:g} of the {warmup + decay:g} steps of its schedule", warmup=warmup)


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
    # Where compile() refuses an optimizer the run goes on with another: what the program gave counts.
    kinds = ("compiled.optimizer_given", "compiled.metrics", "callbacks")
    parts = [one for kind in kinds for one in said.items(kind) if isinstance(one, dict)]
    parts.append(said.mapping("optimizer"))
    given = [(str(one.get("class", "")), str(one.get("keras") or "")) for one in parts]
    given.append((said.text("model.encoder"), said.text("model.encoder_keras")))
    others = [(name, keras) for name, keras in given if keras and keras != model]
    if others:
        name, keras = others[0]
        return confirmed(f"the model is one of {model}, {name} is one of {keras}")
    return refuted(f"the model and all that it is trained with are of {model}")


@probe("logits-dtype", "forward")
def logits_dtype(scene: Scene) -> Measured | None:
    """The type that the model computes in against the policies that were set, and the type of its outputs."""
    said = scene.training.said
    computes, outputs = said.text("model.compute_dtype"), scene.training.facts("forward").text("outputs.dtype")
    if not computes:
        return None
    mixed = [name for name in said.mapping("model.policies").values() if str(name).startswith("mixed_")]
    model = said.text("model.encoder") or said.text("model.class")
    if mixed and computes == "float32":
        return confirmed(f"the policy {mixed[0]} is set, and the layers of {model} compute in float32")
    if outputs == "float16":
        return confirmed("the outputs of the model are float16, and the loss is computed of them")
    if outputs:
        return refuted(f"the layers of {model} compute in {computes}, and its outputs are {outputs}")
    return None


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
