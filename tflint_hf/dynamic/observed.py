"""The observed trace: the same events that the reader predicts, with the values that the run had.

The rules' own functions run over it. What the run did not show of an object is unknown, and rules stay silent on that.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from tflint_hf import knowledge
from tflint_hf.discovery import display_path
from tflint_hf.findings import Location
from tflint_hf.target import Target, unknown_target
from tflint_hf.trace.events import Compiled, Event, Fitted, ModelMade, OptimizerMade
from tflint_hf.trace.guards import NO_GUARDS
from tflint_hf.trace.objects import (
    ABSENT,
    UNKNOWN,
    Form,
    Keras,
    KerasOrigin,
    LabelEncoding,
    Labels,
    Loss,
    Model,
    ModelOrigin,
    ModelState,
    Optimizer,
    Output,
    Reads,
    Structure,
)
from tflint_hf.trace.places import CallSite, FilePlace, Place
from tflint_hf.trace.reading import reads_of
from tflint_hf.trace.views import Trace

if TYPE_CHECKING:
    from tflint_hf.dynamic.record import Facts, Frames, Observation, ObservedTraining

_OBSERVED_UNIT = -1
_KERAS = {"keras 3": Keras.KERAS_3, "tf-keras": Keras.TF_KERAS, "keras 2": Keras.KERAS_2}
_FORMS = {"string": Form.STRING, "function": Form.FUNCTION, "class": Form.CLASS, "object": Form.OBJECT}
_ORIGINS = {"Functional": ModelOrigin.FUNCTIONAL, "Sequential": ModelOrigin.SEQUENTIAL}


def target_of(observation: Observation) -> Target:
    """The versions that the program ran with."""
    given = {name: _version(text) for name, text in observation.versions.items()}
    assumed = unknown_target()
    return Target(
        given.get("transformers") or assumed.transformers,
        given.get("tensorflow") or assumed.tensorflow,
        given.get("datasets") or assumed.datasets,
        pinned=frozenset(given),
        complete=True,
        allows_transformers_5=False,
    )


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None


def locate(place: Place | FilePlace) -> Location:
    """The location of a place of an observed trace."""
    from tflint_hf.dynamic.record import Frame

    if isinstance(place, FilePlace) or not isinstance(place.anchor, Frame):
        raise TypeError(f"{place} is not of an observed trace")
    frame = place.anchor
    return Location(
        display_path(Path(frame.path)),
        frame.cell,
        frame.line,
        frame.column or 1,
        frame.end_line,
        frame.end_column or frame.column or 1,
    )


def observed_trace(training: ObservedTraining) -> Trace | None:
    """The events of one training; None where its compile() was not seen."""
    if not training.at or not training.compiled_at or training.is_loop:
        return None
    return Trace(tuple(_events(training)))


def _events(training: ObservedTraining) -> Iterator[Event]:
    order = itertools.count()
    made, fitted = _site(training.compiled_at), _site(training.at)
    model = _model(training, made)
    optimizer = _optimizer(training, made)
    common = {"guards": NO_GUARDS, "variants": 1}
    yield ModelMade(place=made.place, order=next(order), group=0, model=model, **common)  # type: ignore[arg-type]
    yield OptimizerMade(place=made.place, order=next(order), group=1, optimizer=optimizer, **common)  # type: ignore[arg-type]
    loss = training.said.mapping("compiled.loss")
    given = bool(training.said.flag("compiled.loss_given"))
    compiled = Compiled(
        place=made.place,
        order=next(order),
        guards=NO_GUARDS,
        group=2,
        variants=1,
        model=model,
        state=ModelState(frozen=None, frozen_parts=None),
        site=made,
        optimizer=optimizer,
        losses=tuple(_losses(loss, made)) if given else (),
        loss_names=tuple(loss.get("of", {})) if loss.get("form") == "dict" else (),
        metrics=(),
        weighted_metrics=(),
        metric_names=(),
        loss_given=given,
        jit_compile=UNKNOWN,
        names={},
        tf_is_free=False,
        strategy=UNKNOWN,
    )
    yield compiled
    batch = training.facts("batch")
    inputs, targets = batch.mapping("inputs"), batch.mapping("labels")
    seen = bool(batch.said)
    epochs = training.said.number("epochs")
    yield Fitted(
        place=fitted.place,
        order=next(order),
        guards=NO_GUARDS,
        group=3,
        variants=1,
        model=model,
        state=ModelState(frozen=None, frozen_parts=None),
        site=fitted,
        compiled=(compiled,),
        feed=None,
        validation=None,
        keys=tuple(inputs) if seen and batch.text("structure") not in {"list", "tuple"} else None,
        has_targets=bool(targets) if seen else None,
        weighted=batch.flag("weights"),
        inputs=_structure(batch.text("structure"), inputs) if seen else None,
        targets=None,
        labels=_labels(training),
        validation_labels=None,
        callbacks=(),
        callback_places=(),
        callbacks_known=False,
        own_callbacks=True,
        validates=training.said.get("validation") is not None,
        epochs=ABSENT if epochs is None else UNKNOWN,
        steps_per_epoch=UNKNOWN,
        tokenizer=None,
        batch_size=UNKNOWN,
        steps_count_rows=False,
        rows=None,
        validation_rows=None,
        history_kept=True,
    )


def _site(frames: Frames) -> CallSite:
    place = Place(_OBSERVED_UNIT, frames[0])
    return CallSite(place, place, open=True)


def _keras(facts: Facts, name: str) -> KerasOrigin:
    return KerasOrigin(_KERAS.get(facts.text(name), Keras.UNKNOWN))


def _model(training: ObservedTraining, site: CallSite) -> Model:
    said = training.said
    class_name = said.text("model.class")
    head = knowledge.tf_class(class_name) if said.text("model.module").startswith("transformers.") else None
    encoder = knowledge.tf_class(said.text("model.encoder")) if head is None else None
    checkpoint = said.text("model.checkpoint")
    pretrained = bool(checkpoint) or training.stand_in
    origin = ModelOrigin.PRETRAINED if pretrained else ModelOrigin.CONFIG
    labels = said.number("model.config.num_labels")
    inner = Model(origin, said.text("model.encoder"), site, encoder, checkpoint or ABSENT) if encoder else None
    return Model(
        origin if head is not None else _ORIGINS.get(class_name, ModelOrigin.SUBCLASS),
        class_name,
        site,
        head,
        checkpoint or ABSENT,
        num_labels=int(labels) if labels is not None and head is not None else ABSENT,
        outputs=(_output(training, is_head=head is not None),),
        encoders=(inner,) if inner is not None else (),
        keras=_keras(said, "model.keras"),
        own_training=head is None and class_name not in _ORIGINS,
    )


def _output(training: ObservedTraining, *, is_head: bool) -> Output:
    forward, activation = training.facts("forward"), training.said.text("model.activation")
    if forward.flag("outputs.sums_to_one") or activation == "softmax":
        return Output.SOFTMAX
    if activation == "sigmoid":
        return Output.SIGMOID
    if (forward.number("outputs.negative_share") or 0) > 0 and (is_head or activation == "linear"):
        return Output.LOGITS
    return Output.UNKNOWN


def _optimizer(training: ObservedTraining, site: CallSite) -> Optimizer:
    said = training.said
    class_name = said.text("optimizer.class")
    rate = said.number("optimizer.learning_rate")
    info = knowledge.optimizer(class_name)
    as_string = said.text("compiled.optimizer_form") == "str"
    return Optimizer(
        Form.STRING if as_string else Form.OBJECT,
        site.place,
        class_name,
        spelling=class_name.lower() if as_string else class_name,
        learning_rate=UNKNOWN if rate is None or said.text("optimizer.schedule") else rate,
        default_learning_rate=info.default_learning_rate if info else None,
        origin=_keras(said, "optimizer.keras"),
        site=None if as_string else site,
    )


def _losses(loss: dict[str, object], site: CallSite) -> Iterator[Loss]:
    of = loss.get("of")
    if isinstance(of, dict | list):
        for one in of.values() if isinstance(of, dict) else of:
            yield from _losses(one, site)
        return
    form = Form.NONE if loss.get("form") == "none" else _FORMS.get(str(loss.get("form")), Form.UNKNOWN)
    name = str(loss.get("name") or "")
    info = knowledge.loss(name)
    given = loss.get("from_logits")
    from_logits = given if isinstance(given, bool) else ABSENT
    reads = reads_of(info.kind, from_logits) if info is not None else Reads.UNKNOWN
    yield Loss(form, site.place, info.class_name if info else name, name, from_logits, site=site, reads=reads)


def _labels(training: ObservedTraining) -> Labels | None:
    facts = training.facts("labels")
    if not facts.said or facts.flag("missing"):
        return None
    if facts.items("examples"):
        return Labels(LabelEncoding.TEXT)
    lowest, highest = facts.number("min"), facts.number("max")
    shape = facts.items("shape")
    if facts.flag("one_hot"):
        return Labels(LabelEncoding.ONE_HOT, int(shape[-1]), "the run")
    if not facts.flag("whole") or lowest is None or highest is None:
        return Labels(LabelEncoding.SCORE if facts.text("dtype").startswith("float") else LabelEncoding.UNKNOWN)
    several = len(shape) > 1 and shape[-1] > 1
    return Labels(
        LabelEncoding.SEQUENCE if several else LabelEncoding.INDEX,
        int(highest) + 1,
        "the run",
        at_least=True,
        lowest=int(lowest) if lowest < 0 else None,
        ignored=-100 if facts.number("ignored") else None,
    )


def _structure(kind: str, inputs: dict[str, object]) -> Structure:
    word = {"list": "list", "tuple": "tuple"}.get(kind, "dict" if len(inputs) != 1 or "" not in inputs else "one")
    return Structure(word, tuple(inputs))
