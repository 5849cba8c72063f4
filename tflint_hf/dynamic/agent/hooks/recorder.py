"""What the recorder says of the program's compile, fit, evaluate, predict and steps, and how it cuts them short."""

import itertools
from collections import Counter

from ..batches import TF_DATA, Feed, rows_of
from ..environment import say_environment
from ..facts import loss_facts, model_facts, names_of, optimizer_facts, weights_of
from ..probes.gradients import gradient_facts
from ..probes.order import two_passes
from ..session import Session, feed_of, validation_of
from ..step import is_distributed
from . import repairs
from .batch_loops import BatchLoops
from .dropout import say_dropouts
from .hub import origins

PASS_BATCHES = 10
LOOP_PATIENCE = 4
"""The run ends when a loop that cannot be cut has made this many times the steps that others may make."""
PROBED_PER_SITE = 2
"""A program that trains in a loop (folds, seeds) has its first trainings measured, the others only run."""


class Recorder:
    """Has a method for each method of Keras that is wrapped; each makes the call in the program's place."""

    def __init__(self, context):
        self.context = context
        self.compiled = {}
        self.trainings = itertools.count(1)
        self.sites = {}
        self.loops = {}
        self.batch_loops = BatchLoops(context)

    def guarded(self, where, function, *args):
        """Observe; a failure of the agent must not become one of the program."""
        try:
            return function(*args)
        except self.context.enough:
            raise
        except Exception as error:
            self.context.channel.trouble(where, error)
            return None

    # what the program calls

    def compile(self, original, model, arguments, at):
        try:
            result = original(model, **arguments)
        except Exception as error:
            result = repairs.compile_anyway(self.context, error, original, model, arguments, at)
        facts = {
            "loss": loss_facts(arguments.get("loss")),
            "loss_given": "loss" in arguments,
            "optimizer_form": type(arguments.get("optimizer")).__name__ if "optimizer" in arguments else None,
            "optimizer_at": getattr(arguments.get("optimizer"), "_tflint_hf_at", []),
            "optimizer_given": names_of(arguments.get("optimizer")),
            "metrics": names_of(arguments.get("metrics")),
            "jit_compile": arguments.get("jit_compile"),
        }
        self.compiled[id(model)] = {"at": at, "facts": facts, "model": model}
        self.guarded("compile", self._say_compiled, model, facts, at)
        return result

    def _say_compiled(self, model, facts, at):
        optimizer = optimizer_facts(getattr(model, "optimizer", None), None)
        self.context.channel.send(
            "compiled", at=at, model=model_facts(model, self.context.stand_ins), optimizer=optimizer, **facts
        )

    def fit(self, original, model, arguments, at):
        session = self.guarded("fit", self._session, model, arguments)
        if session is None:
            return original(model, **arguments)
        self.guarded("fit", self._say_fit, session, at)
        if session.number == 1:
            self.guarded("fit", say_environment, self.context)
        if self._first_of_site(at, model):
            self.guarded("the probes of a training", session.measure, self.context.job["probe_seconds"])
        return self._short_fit(original, session, at)

    def _session(self, model, arguments):
        feed, validation = feed_of(arguments), validation_of(arguments)
        total = self.guarded("fit", self._total_steps, feed, arguments)
        return Session(self.context, next(self.trainings), model, feed, validation, arguments, total)

    def _first_of_site(self, at, model):
        key = (at[0]["path"], at[0]["cell"], at[0]["line"], type(model).__name__)
        self.sites[key] = self.sites.get(key, 0) + 1
        return self.sites[key] <= PROBED_PER_SITE

    def _total_steps(self, feed, arguments):
        epochs = int(arguments.get("epochs") or 1)
        per_epoch = arguments.get("steps_per_epoch") or feed.size()["batches"]
        return int(per_epoch) * epochs if per_epoch is not None else None

    def _say_fit(self, session, at):
        arguments, compiled = session.fit_arguments, self.compiled.get(id(session.model))
        self.context.channel.send(
            "training",
            training=session.number,
            at=at,
            compiled=compiled and dict(compiled["facts"], at=compiled["at"]),
            model=model_facts(session.model, self.context.stand_ins),
            optimizer=optimizer_facts(getattr(session.model, "optimizer", None), session.total_steps),
            feed=dict(session.feed.size(), kind=session.feed.kind, batch_size=session.feed.batch_size),
            validation=session.validation and dict(session.validation.size(), kind=session.validation.kind),
            epochs=arguments.get("epochs", 1),
            steps_per_epoch=arguments.get("steps_per_epoch"),
            validation_steps=arguments.get("validation_steps"),
            total_steps=session.total_steps,
            shuffle=arguments.get("shuffle"),
            callbacks=names_of(arguments.get("callbacks")),
            class_weight=arguments.get("class_weight") is not None,
            fed_by=origins(session.feed.x),
            validated_by=origins(session.validation.x) if session.validation is not None else [],
        )

    def _short_fit(self, original, session, at):
        """The program's own fit, on a few batches: it must get its History, and its errors must show."""
        arguments = dict(session.fit_arguments)
        steps = self.context.job["steps"]
        x, y, weights = session.feed.cut(steps, _share(arguments.get("validation_split")))
        arguments.update(x=x)
        for name, value in (("y", y), ("sample_weight", weights)):
            if value is not None:
                arguments[name] = value
        asked = int(arguments.get("epochs") or 1) - int(arguments.get("initial_epoch") or 0)
        arguments["epochs"] = 1
        arguments.pop("initial_epoch", None)
        if arguments.get("steps_per_epoch") is not None or session.feed.kind in ("sequence", "generator"):
            limit = arguments.get("steps_per_epoch") or session.feed.size()["batches"] or steps
            arguments["steps_per_epoch"] = min(int(limit), steps)
        if session.validation is not None:
            arguments["validation_data"] = _cut_validation(session.validation, steps)
            if arguments.get("validation_steps") is not None:
                arguments["validation_steps"] = min(int(arguments["validation_steps"]), steps)
        arguments["verbose"] = 0
        self.guarded("the variables of the optimizer", _make_slots, session.model)
        before = self.guarded("the weights before fit", _values, session.model) or {}
        try:
            history = original(session.model, **arguments)
        except Exception as error:
            self.context.channel.send("fit_failed", training=session.number, error=type(error).__name__)
            return repairs.history_of_nothing(error, self.context, session.model, session.fit_arguments, at)
        self.guarded("the weights after fit", self._say_moved, session, before)
        log = getattr(history, "history", None)
        if isinstance(log, dict):
            self.context.channel.send("fitted", training=session.number, log={k: list(v) for k, v in log.items()})
            for name, values in log.items():
                log[name] = list(values) + list(values[-1:]) * (asked - len(values))
            if hasattr(history, "epoch"):
                history.epoch = list(range(max(asked, 1)))
        return history

    def _say_moved(self, session, before):
        """Which weights the program's own fit changed, by whether they were meant to be trained."""
        after = _values(session.model)
        trainable = {id(weight) for weight in session.model.trainable_weights}
        counts = {"trainable_moved": 0, "trainable_still": 0, "frozen_moved": 0, "frozen_still": 0}
        for key, (_, value) in after.items():
            if key in before:
                moved = not (before[key][1] == value).all()
                name = ("trainable" if key in trainable else "frozen") + ("_moved" if moved else "_still")
                counts[name] += 1
        self.context.channel.send("measured", training=session.number, probe="moved", facts=counts)

    def evaluate(self, original, model, arguments, at):
        feed = self.guarded("evaluate", feed_of, arguments)
        if feed is None:
            return original(model, **arguments)
        self.guarded("evaluate", self._say_use, "evaluated", model, feed, at)
        return original(model, **self._cut(arguments, feed))

    def predict(self, original, model, arguments, at):
        # Predictions stay whole: the program compares them row by row with its labels.
        feed = self.guarded("predict", feed_of, arguments)
        if feed is not None:
            self.guarded("predict", self._say_use, "predicted", model, feed, at)
        arguments["verbose"] = 0
        return original(model, **arguments)

    def _cut(self, arguments, feed):
        arguments = dict(arguments)
        if feed.kind == TF_DATA:
            arguments["x"] = feed.x.take(self.context.job["steps"])
        if arguments.get("steps") is not None:
            arguments["steps"] = min(int(arguments["steps"]), self.context.job["steps"])
        arguments["verbose"] = 0
        return arguments

    def _say_use(self, kind, model, feed, at):
        order = {}
        if feed.kind == TF_DATA:
            passes = two_passes(feed, PASS_BATCHES)
            first, second = (Counter(row for batch in one for row in batch) for one in passes)
            order = {
                "same_order_twice": passes[0] == passes[1] if passes[0] else None,
                "rows": sum(second.values()),
                "other_rows": sum((second - first).values()),
                "whole": len(passes[0]) < PASS_BATCHES,
            }
        self.context.channel.send(
            kind,
            at=at,
            model=type(model).__name__,
            feed=dict(feed.size(), kind=feed.kind),
            fed_by=origins(feed.x),
            **order,
        )

    def train_on_batch(self, original, model, arguments, at):
        self.guarded("train_on_batch", self._loop_of_batches, model, arguments, at)
        return original(model, **arguments)

    def test_on_batch(self, original, model, arguments, at):
        return original(model, **arguments)

    predict_on_batch = test_on_batch

    def _loop_of_batches(self, model, arguments, at):
        """The first batch of a loop of train_on_batch is measured as the data of a training."""
        key = ("train_on_batch", id(model), at[0]["path"], at[0]["cell"], at[0]["line"])
        count = self.loops[key] = self.loops.get(key, 0) + 1
        if count > 1:
            self.guarded("a training loop", self.batch_loops.trains)
            if count > self.context.job["loop_steps"] * LOOP_PATIENCE:
                raise self.context.enough
            return
        self.guarded("a training loop", self.batch_loops.trains)
        feed = Feed(arguments.get("x"), arguments.get("y"), arguments.get("sample_weight"), rows_of(arguments.get("x")))
        session = Session(self.context, next(self.trainings), model, feed, None, arguments, None)
        self._say_fit(session, at)
        session.measure(self.context.job["probe_seconds"])

    def apply_gradients(self, original, optimizer, arguments, at):
        """A loop of the program's own with a gradient tape."""
        key = ("apply_gradients", id(optimizer), at[0]["path"], at[0]["cell"], at[0]["line"])
        count = self.loops[key] = self.loops.get(key, 0) + 1
        if count == 1:
            pairs = list(arguments["grads_and_vars"])
            arguments["grads_and_vars"] = pairs
            self.guarded("a training loop", self._say_loop, optimizer, pairs, at)
        elif count > self.context.job["loop_steps"] * LOOP_PATIENCE:
            raise self.context.enough
        self.guarded("a training loop", self.batch_loops.trains)
        return original(optimizer, **arguments)

    def _say_loop(self, optimizer, pairs, at):
        gradients = [pair[0] for pair in pairs]
        say_dropouts(self.context)
        facts = {}
        if all(gradient is None or hasattr(gradient, "numpy") or hasattr(gradient, "values") for gradient in gradients):
            facts = self.guarded("the gradients of a loop", gradient_facts, gradients, [pair[1] for pair in pairs])
        self.context.channel.send(
            "loop",
            training=next(self.trainings),
            at=at,
            optimizer=optimizer_facts(optimizer, None),
            gradients=facts or None,
        )


def _make_slots(model):
    """Have an optimizer of tf-keras make its variables now. If the first step does it, TensorFlow traces that twice."""
    makes_slots = hasattr(model.optimizer, "_build_index_dict") and not getattr(model.optimizer, "_built", False)
    if makes_slots and model.built and not is_distributed(model) and _trains_as_compiled(model):
        model.optimizer.build(model.trainable_variables)


def _trains_as_compiled(model):
    """Whether nothing was frozen or unfrozen after compile(), which is what fit() goes by."""
    then = getattr(model, "_compiled_trainable_state", None) or {}
    return all(layer.trainable == was for layer, was in then.items())


def _values(model):
    """The weights of a model with their values, by identity."""
    return {id(weight): (weight, weight.numpy()) for weight in weights_of(model)}


def _share(given):
    return float(given) if isinstance(given, (int, float)) and 0.0 < given < 1.0 else 0.0


def _cut_validation(validation, steps):
    if validation.kind == TF_DATA:
        return validation.x.take(steps)
    x, y, weights = validation.cut(steps)
    if validation.y is None and validation.weights is None:
        return x
    return tuple(part for part in (x, y, weights) if part is not None)
