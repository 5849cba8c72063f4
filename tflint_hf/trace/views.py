"""What rules look at: the events of a trace, joined into trainings, uses of losses, and uses of feeds."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tflint_hf.trace.events import (
    Compiled,
    Evaluated,
    Event,
    FeedLeft,
    FeedMade,
    Fitted,
    GradientsApplied,
    GradientsTaken,
    LearningRateSet,
    LossCalled,
    ModelCalled,
    ModelMade,
    Predicted,
    TokenizerMade,
    TrainableSet,
)
from tflint_hf.trace.guards import NO_GUARDS, Guards, compatible
from tflint_hf.trace.objects import Model, Output, PredictionForm

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tflint_hf.trace.objects import Feed, Labels, Layer, Loss, ModelState, Tokenizer
    from tflint_hf.trace.places import Place


@dataclass(frozen=True, eq=False, slots=True)
class Training:
    """A compile() call with the fit() calls that it serves. `fits` is empty where no fit was seen."""

    compiled: Compiled
    fits: tuple[Fitted, ...]
    judged: bool
    learning_rate_set: bool
    superseded: bool

    @property
    def group(self) -> int:
        return self.compiled.group

    @property
    def guards(self) -> Guards:
        return self.compiled.guards

    @property
    def model(self) -> Model:
        return self.compiled.model


@dataclass(frozen=True, eq=False, slots=True)
class LossUse:
    """A loss and the output that it judges, in compile() or in a training loop.

    `compiled` is None in a training loop; `layer` is the last layer before the output, if there is one and it is known.
    """

    loss: Loss
    output: Output
    model: Model
    state: ModelState | None
    group: int
    guards: Guards
    compiled: Compiled | None
    layer: Layer | None = None


@dataclass(frozen=True, eq=False, slots=True)
class ModelUse:
    """A model as it was made, with the labels of all data that it is trained on."""

    model: Model
    place: Place
    group: int
    guards: Guards
    fits: tuple[Fitted, ...]
    labels: tuple[Labels, ...]


@dataclass(frozen=True, eq=False, slots=True)
class FeedUse:
    """A feed as it is used (`feed`), as it was `made`, and what it is used for.

    `models` are those that get it in single rows, `trained` those that are trained on it, `validated` those whose
    training it validates, `scored` those that evaluate() or predict() on it. `leaves`: code that is not seen may use it
    as well.
    """

    feed: Feed
    made: Feed
    place: Place
    group: int
    guards: Guards
    trained_on: bool
    validates: bool
    evaluated: bool
    predicted: bool
    last_shuffle: Place | None
    models: tuple[Model, ...]
    trained: tuple[Model, ...] = ()
    validated: tuple[Model, ...] = ()
    scored: tuple[Model, ...] = ()
    leaves: bool = False

    @property
    def readers(self) -> tuple[Model, ...]:
        """All models that get its batches, those that are trained on it first."""
        return (*self.trained, *self.validated, *self.scored)

    @property
    def used(self) -> bool:
        return self.trained_on or self.validates or self.evaluated or self.predicted


@dataclass(frozen=True, eq=False, slots=True)
class Freezing:
    """A compile() call with what sets `trainable` in the model, or in the encoders inside it, around it.

    `late` comes after this compile() and before a fit() without another compile() between; `early` comes before it.
    """

    training: Training
    early: tuple[TrainableSet, ...]
    late: tuple[TrainableSet, ...]

    @property
    def group(self) -> int:
        return self.training.group

    @property
    def guards(self) -> Guards:
        return self.training.guards


@dataclass(frozen=True, eq=False, slots=True)
class TapeCall:
    """A model called under a gradient tape. `trains`: a tape gives the gradients of its weights, and
    the program changes weights by gradients."""

    called: ModelCalled
    trains: bool

    @property
    def group(self) -> int:
        return self.called.group

    @property
    def guards(self) -> Guards:
        return self.called.guards


@dataclass(frozen=True, eq=False)
class Trace:
    """All events of one program, in order."""

    events: tuple[Event, ...]

    def of(self, kind: type) -> Iterator[Any]:
        """The events of a kind, or the views of a kind."""
        if kind is Trace:
            return iter((self,))
        if kind in VIEWS:
            return iter(getattr(self, VIEWS[kind]))
        return iter([e for e in self.events if isinstance(e, kind)])

    @cached_property
    def trainings(self) -> tuple[Training, ...]:
        fits = [e for e in self.events if isinstance(e, Fitted)]
        judged = {id(e.model.site) for e in self.events if isinstance(e, Evaluated)}
        judged |= {id(e.prediction.model.site) for e in self.events if isinstance(e, Predicted)}
        rates = [e for e in self.events if isinstance(e, LearningRateSet)]
        found = []
        for event in self.events:
            if isinstance(event, Compiled):
                served = tuple(f for f in fits if event in f.compiled and compatible(f.guards, event.guards))
                set_later = any(r.model.site is event.model.site and r.order > event.order for r in rates)
                superseded = not served and self._compiled_again(event)
                found.append(Training(event, served, id(event.model.site) in judged, set_later, superseded))
        return tuple(found)

    @cached_property
    def freezings(self) -> tuple[Freezing, ...]:
        changes = [e for e in self.events if isinstance(e, TrainableSet)]
        compiles = [e for e in self.events if isinstance(e, Compiled)]
        found = []
        for training in self.trainings:
            made, fits = training.compiled, training.fits
            sites = {id(m.site) for m in (made.model, *made.model.encoders)}
            own = [c for c in changes if id(c.model.site) in sites and compatible(c.guards, made.guards)]
            again = [c for c in compiles if c.model.site is made.model.site and c.order > made.order]
            late = [
                c
                for c in own
                if c.run == made.run
                and any(
                    made.order < c.order < f.order
                    and f.run == made.run
                    and compatible(c.guards, f.guards)
                    and not any(one.order < f.order for one in again)
                    for f in fits
                )
            ]
            early = [c for c in own if c.order < made.order]
            found.append(Freezing(training, tuple(early), tuple(late)))
        return tuple(found)

    @cached_property
    def tokenizers(self) -> tuple[Tokenizer, ...]:
        """The tokenizers that the program makes."""
        return tuple(e.tokenizer for e in self.events if isinstance(e, TokenizerMade))

    @cached_property
    def trained(self) -> frozenset[int]:
        """The models that the program trains, by the identity of the call that makes them."""
        return frozenset(id(e.model.site) for e in self.events if isinstance(e, Fitted))

    @cached_property
    def tape_calls(self) -> tuple[TapeCall, ...]:
        trained = {id(e.model.site) for e in self.events if isinstance(e, GradientsTaken)}
        calls = [e for e in self.events if isinstance(e, ModelCalled)]
        applied = any(isinstance(e, GradientsApplied) for e in self.events)
        return tuple(TapeCall(e, applied and id(e.model.site) in trained) for e in calls)

    def _models_fed_with(self, feed: Feed) -> tuple[Model, ...]:
        found: list[Model] = []
        for event in self.events:
            if isinstance(event, Fitted):
                given: tuple[Feed | None, ...] = (event.feed, event.validation)
                model = event.model
            elif isinstance(event, Evaluated):
                given, model = (event.feed,), event.model
            elif isinstance(event, Predicted):
                given, model = (event.prediction.feed,), event.prediction.model
            else:
                continue
            if any(one is not None and one.site is feed.site and one.batched is False for one in given):
                found.append(model)
        return tuple(found)

    def _compiled_again(self, event: Compiled) -> bool:
        """Whether the same model gets another compile() later, on the same branch."""
        return any(
            isinstance(later, Compiled)
            and later.order > event.order
            and later.model.site is event.model.site
            and later.guards <= event.guards
            for later in self.events
        )

    @cached_property
    def loss_uses(self) -> tuple[LossUse, ...]:
        found: list[LossUse] = []
        idle = {id(training.compiled) for training in self.trainings if training.superseded}
        for event in self.events:
            if isinstance(event, Compiled) and id(event) not in idle:
                found.extend(_compiled_losses(event))
            elif isinstance(event, LossCalled) and event.prediction.form is PredictionForm.LOGITS:
                model = event.prediction.model
                found.append(LossUse(event.loss, Output.LOGITS, model, None, event.group, event.guards, None))
        return tuple(found)

    @cached_property
    def model_uses(self) -> tuple[ModelUse, ...]:
        fits = [e for e in self.events if isinstance(e, Fitted)]
        found = []
        for event in self.events:
            if isinstance(event, ModelMade):
                own = tuple(f for f in fits if f.model.site is event.model.site and compatible(f.guards, event.guards))
                labels = tuple(f.labels for f in own if f.labels is not None)
                found.append(ModelUse(event.model, event.place, event.group, event.guards, own, labels))
        return tuple(found)

    @cached_property
    def feed_uses(self) -> tuple[FeedUse, ...]:
        fits = [e for e in self.events if isinstance(e, Fitted)]
        found = []
        for event in self.events:
            if isinstance(event, FeedMade):
                site = event.feed.site
                trained = [f.feed for f in fits if f.feed is not None and f.feed.site is site]
                validating = [f.validation for f in fits if f.validation is not None and f.validation.site is site]
                evaluations = [
                    (e.feed, e.model)
                    for e in self.events
                    if isinstance(e, Evaluated) and e.feed is not None and e.feed.site is site
                ]
                predictions = [
                    (e.prediction.feed, e.prediction.model)
                    for e in self.events
                    if isinstance(e, Predicted) and e.prediction.feed is not None and e.prediction.feed.site is site
                ]
                evaluated, predicted = ([feed for feed, _ in uses] for uses in (evaluations, predictions))
                last: list[Feed] = [*predicted, *evaluated, *validating, *trained]
                found.append(
                    FeedUse(
                        last[0] if last else event.feed,
                        event.feed,
                        event.place,
                        event.group,
                        event.guards,
                        bool(trained),
                        bool(validating),
                        bool(evaluated),
                        bool(predicted),
                        last[0].shuffle_place if last else event.feed.shuffle_place,
                        self._models_fed_with(event.feed),
                        tuple(f.model for f in fits if f.feed is not None and f.feed.site is site),
                        tuple(f.model for f in fits if f.validation is not None and f.validation.site is site),
                        tuple(model for _, model in (*evaluations, *predictions)),
                        any(isinstance(e, FeedLeft) and e.feed.site is site for e in self.events),
                    )
                )
        return tuple(found)


VIEWS: Mapping[type, str] = {
    Freezing: "freezings",
    TapeCall: "tape_calls",
    Training: "trainings",
    LossUse: "loss_uses",
    ModelUse: "model_uses",
    FeedUse: "feed_uses",
}
"""What `Trace.of` gives beside events, and the property that holds it."""


def is_view(kind: object) -> bool:
    """Whether a rule can look at it: an event, a view, or the whole trace."""
    return isinstance(kind, type) and (issubclass(kind, Event) or kind in VIEWS or kind is Trace)


def _compiled_losses(event: Compiled) -> Iterator[LossUse]:
    """Each loss of a compile() with the output it judges; one loss for several outputs judges each."""
    outputs = event.model.outputs
    losses = event.losses
    named = dict(zip(event.model.output_names, outputs, strict=False))
    if event.loss_names:
        pairs = [(loss, named.get(name, Output.UNKNOWN)) for name, loss in zip(event.loss_names, losses, strict=True)]
    elif len(losses) == 1:
        pairs = [(losses[0], output) for output in outputs] or [(losses[0], Output.UNKNOWN)]
    elif len(losses) == len(outputs):
        pairs = list(zip(losses, outputs, strict=True))
    else:
        pairs = [(loss, Output.UNKNOWN) for loss in losses]
    seen: set[tuple[int, Output]] = set()
    for loss, output in pairs:
        if (id(loss), output) not in seen:
            seen.add((id(loss), output))
            # Each loss is judged by itself: the place of a loss among them is the same in every variant of a call.
            group = -(event.group * len(pairs) + pairs.index((loss, output)))
            layers = event.model.last_layers
            layer = layers[0] if len(layers) == len(outputs) == 1 else None
            yield LossUse(loss, output, event.model, event.state, group, event.guards, event, layer)


def places_of(view: object) -> tuple[Place, ...]:
    """The calls of the program that a view or an event joins: where it happens, and where its parts happen."""
    if isinstance(view, Trace):
        return ()
    found = [view.place] if isinstance(view, Event | ModelUse | FeedUse) else []
    for item in fields(view) if is_dataclass(view) else ():
        value = getattr(view, item.name)
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, Event | Training):
                found.extend(places_of(one))
            elif isinstance(one, Model):
                found.append(one.site.place)
    return tuple(dict.fromkeys(found))


def rests_on_environment(guards: Guards) -> bool:
    """Whether a branch is taken for what is installed: a version test, or a `try` for a name that may be missing."""
    for key, choice in guards or NO_GUARDS:
        if not isinstance(key, tuple) or not key:
            continue
        if key[0] == "try":
            if choice > 0 and any(
                word in str(key[-1]) for word in ("Import", "Module", "Attribute", "Exception", "Type")
            ):
                return True
        elif any(word in str(key[0]) for word in ("version", "hasattr", "find_spec")):
            return True
    return False
