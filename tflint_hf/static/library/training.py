"""compile, fit and evaluate."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tflint_hf.static.amounts import written
from tflint_hf.static.library.array_labels import paired
from tflint_hf.static.library.feeds import feed_of, keys_of, labels_inside, tokenizer_behind
from tflint_hf.static.library.hooks import method
from tflint_hf.static.library.hub_data import dataset_of
from tflint_hf.static.library.keras_callbacks import callback_places, callbacks_of, has_own_callbacks
from tflint_hf.static.library.keras_models import described
from tflint_hf.static.library.losses import loss_names, losses_of
from tflint_hf.static.library.metrics import metrics_of
from tflint_hf.static.library.model_state import encoders_frozen, frozen_parts, receiving_model, state_of
from tflint_hf.static.library.optimizers import optimizer_of
from tflint_hf.static.library.rows import element_place, note_encodings, note_rows_given, note_targets
from tflint_hf.static.library.same_rows import rows_of_feed, validates_on_training_data
from tflint_hf.static.library.structures import structure_of
from tflint_hf.static.library.text import literal
from tflint_hf.static.values import (
    UNKNOWN,
    CompiledRecord,
    Const,
    External,
    Length,
    ListValue,
    ModelValue,
    Union,
    Value,
    alternatives,
)
from tflint_hf.trace import objects as facts
from tflint_hf.trace.events import Compiled, Evaluated, Fitted
from tflint_hf.trace.objects import ABSENT, Amount, Feed, Keras, Labels, Missing, Model

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope


@method(ModelValue, "compile", signature="keras.Model.compile")
def _compile(call: LibraryCall) -> Value:
    value = receiving_model(call)
    if value is None:
        return UNKNOWN
    model = described(value)
    state = replace(state_of(value), frozen_parts=frozen_parts(call.machine, value))
    if state.frozen is False:
        state = replace(state, frozen=encoders_frozen(call.machine, value))
    if call.machine.layers_changed and value.model.head is None:
        state = replace(state, head_changed=True)
    here = call.site.callee
    losses, loss_given = losses_of(call.get("loss"), call.site.values.get("loss", here))
    if call.open and call.get("loss") is None:
        losses, loss_given = losses_of(UNKNOWN, here)
    event = call.machine.record(
        Compiled,
        here,
        call.group,
        model=model,
        state=state,
        site=call.site,
        optimizer=optimizer_of(
            call.get("optimizer"), call.site.values.get("optimizer", here), here, open_call=call.open
        ),
        losses=losses,
        loss_names=loss_names(call.get("loss")),
        metrics=metrics_of(call.get("metrics"), call.site.values.get("metrics", here)),
        weighted_metrics=metrics_of(call.get("weighted_metrics"), call.site.values.get("weighted_metrics", here)),
        metric_names=loss_names(call.get("metrics")),
        loss_given=loss_given,
        jit_compile=_flag(call, "jit_compile"),
        names=library_names(call.machine, call.scope),
        tf_is_free=_tf_is_free(call.machine, call.scope),
        strategy=call.machine.strategy,
    )
    call.machine.store.write(value.state, "compiled", CompiledRecord(event))
    return Const(None)


def library_names(machine: Machine, scope: Scope) -> dict[str, str]:
    """The program's own names for modules of TensorFlow and Keras 2, by their dotted paths."""
    names: dict[str, str] = {}
    resolved = machine.keras.resolved
    for name, value in scope.top.names.items():
        if not isinstance(value, External) or "." in name:
            continue
        if value.path == "tensorflow" and (resolved is None or resolved.keras is not Keras.KERAS_3):
            names.setdefault("keras", f"{name}.keras")
        elif value.path == "tensorflow.keras" and (resolved is None or resolved.keras is not Keras.KERAS_3):
            names["keras"] = name
        elif value.path.startswith("keras") and value.origin is not None and value.origin.keras is not Keras.KERAS_3:
            names[value.path] = name
    return names


def _tf_is_free(machine: Machine, scope: Scope) -> bool:
    """`tf.keras`, first used here, is the Keras that transformers has chosen when its models were made."""
    if scope.find("tf") is not None or machine.keras.resolved is not None:
        return False
    return machine.keras.single or machine.keras.transformers_loaded


def compiled_by(value: ModelValue, machine: Machine) -> tuple[Compiled, ...]:
    record = value.state.get("compiled")
    if record is None:
        return ()
    options = alternatives(record, machine.guards) if isinstance(record, Union) else ((frozenset(), record),)
    return tuple(v.event for _, v in options if isinstance(v, CompiledRecord))


def _labels(inputs: Value | None, targets: Value | None, feed: Feed | None) -> Labels | None:
    if feed is not None:
        return feed.labels
    if targets is not None:
        return paired(inputs or UNKNOWN, targets)
    return labels_inside(inputs) if inputs is not None else None


def _labels_held_out(data: Value | None, feed: Feed | None) -> Labels | None:
    """The labels of validation_data: a feed, or (inputs, labels)."""
    if isinstance(data, ListValue) and data.kind == "tuple" and data.exact and len(data.items) in (2, 3):
        return _labels(data.values[0], data.values[1], None)
    return feed.labels if feed is not None else None


def _weighted(call: LibraryCall, feed: Feed | None) -> bool | None:
    if call.get("sample_weight") is not None or call.get("class_weight") is not None:
        return True
    return None if call.open else feed.weighted if feed is not None else False


@method(ModelValue, "fit", "fit_generator", signature="keras.Model.fit")
def _fit(call: LibraryCall) -> Value:
    value = receiving_model(call)
    if value is None:
        return UNKNOWN
    call.machine.store.write(value.state, "built", Const(True))
    inputs = call.get("x") or call.get("generator")
    feed, validation = feed_of(inputs), feed_of(call.get("validation_data"))
    same = validates_on_training_data(call)
    given = {name: call.get(name) for name in ("x", "y", "validation_data")}
    note_rows_given(call, "fit", given, as_texts=False)
    callbacks, known = callbacks_of(call.get("callbacks"), call.site.values.get("callbacks", call.site.callee))
    _note_given(call, described(value), inputs)
    call.machine.record(
        Fitted,
        call.site.callee,
        call.group,
        model=described(value),
        state=state_of(value),
        site=call.site,
        compiled=compiled_by(value, call.machine),
        feed=feed,
        validation=validation,
        keys=feed.keys if feed is not None else keys_of(inputs or UNKNOWN),
        has_targets=feed.has_targets if feed is not None else (None if call.open else call.get("y") is not None),
        weighted=_weighted(call, feed),
        inputs=feed.inputs if feed is not None else structure_of(inputs, place=call.site.values.get("x")),
        targets=feed.targets if feed is not None else structure_of(call.get("y"), place=call.site.values.get("y")),
        labels=_labels(inputs, call.get("y"), feed),
        validation_labels=_labels_held_out(call.get("validation_data"), validation),
        callbacks=callbacks,
        callback_places=callback_places(call.get("callbacks")),
        callbacks_known=known and not call.open,
        own_callbacks=has_own_callbacks(call.get("callbacks")),
        validates=_validates(call),
        epochs=_counted(call, "epochs"),
        steps_per_epoch=_counted(call, "steps_per_epoch"),
        tokenizer=feed.rows_tokenizer if feed is not None else tokenizer_behind(inputs or UNKNOWN),
        batch_size=literal(call.get("batch_size"), facts.UNKNOWN if call.open else ABSENT),
        steps_count_rows=feed is not None and _count_rows(call.get("steps_per_epoch"), feed),
        rows=call.site.place if same else rows_of_feed(feed),
        validation_rows=call.site.place if same else rows_of_feed(validation),
        history_kept=call.machine.discarded is not call.node,
    )
    return UNKNOWN


def _validates(call: LibraryCall) -> bool | None:
    """Whether fit() has data to validate on after each epoch."""
    data, share = call.get("validation_data"), call.get("validation_split")
    if call.get("validation_freq") is not None or any(v is not None and not v.known for v in (data, share)):
        return None
    given = [v for v in (data, share) if v is not None and not (isinstance(v, Const) and not v.value)]
    return None if not given and call.open else bool(given)


def _note_given(call: LibraryCall, model: Model, inputs: Value | None) -> None:
    """Record what kinds of objects a model is trained or evaluated on."""
    values, here = call.site.values, call.site.callee
    note_encodings(call, call.path, inputs, values.get("x"), model)
    note_targets(call, call.path, model, inputs, call.get("y"), values.get("y", here))
    held, place = call.get("validation_data"), values.get("validation_data")
    note_encodings(call, "validation_data", held, place, model)
    if isinstance(held, ListValue) and held.kind == "tuple" and held.exact and len(held.items) in (2, 3):
        inputs, targets = held.values[:2]
        note_targets(call, "validation_data", model, inputs, targets, element_place(place, 1) or place or here)


def _flag(call: LibraryCall, name: str) -> bool | Missing:
    value = call.get(name)
    if value is None:
        return facts.UNKNOWN if call.open else facts.ABSENT
    return value.value if isinstance(value, Const) and isinstance(value.value, bool) else facts.UNKNOWN


def _count_rows(steps: Value | None, feed: Feed) -> bool:
    """Whether these steps are the number of the feed's rows."""
    if not isinstance(steps, Length):
        return False
    source = dataset_of(steps.of)
    return any(steps.of is rows for rows in feed.rows) or (source is not None and source is feed.source)


def _counted(call: LibraryCall, name: str) -> Amount | Missing:
    """An argument of fit() that counts something."""
    value = call.get(name)
    if value is None:
        return facts.UNKNOWN if call.open else facts.ABSENT
    return written(value, call.site.values.get(name)) or facts.UNKNOWN


@method(ModelValue, "evaluate", "test_on_batch", signature="keras.Model.evaluate")
def _evaluate(call: LibraryCall) -> Value:
    value = receiving_model(call)
    if value is not None:
        call.machine.store.write(value.state, "built", Const(True))
        _note_given(call, described(value), call.get("x"))
        call.machine.record(
            Evaluated,
            call.site.callee,
            call.group,
            model=described(value),
            feed=feed_of(call.get("x")),
            site=call.site,
            rows=rows_of_feed(feed_of(call.get("x"))),
        )
    return UNKNOWN


@method(ModelValue, "train_on_batch", signature="keras.Model.train_on_batch")
def _train_on_batch(call: LibraryCall) -> Value:
    value = receiving_model(call)
    if value is not None:
        _note_given(call, described(value), call.get("x"))
    return UNKNOWN
