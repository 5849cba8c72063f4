"""Callbacks as fit() gets them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tflint_hf.static import attributes
from tflint_hf.static.library.hooks import path
from tflint_hf.static.library.keras_calls import class_name_of, origin_of
from tflint_hf.static.library.metric_functions import metric_function
from tflint_hf.static.library.text import literal
from tflint_hf.static.syntax import source_text
from tflint_hf.static.values import UNKNOWN, External, Fact, Instance, ListValue, Value, ending_of, text_of
from tflint_hf.trace import objects as facts
from tflint_hf.trace.events import CallbackMade
from tflint_hf.trace.objects import ABSENT, Callback, SavedFile
from tflint_hf.trace.places import CallSite, Place

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall


@path("keras.callbacks.*", "transformers.KerasMetricCallback")
def made_callback(call: LibraryCall) -> Value:
    name = class_name_of(call)
    callback = Callback(
        name,
        origin_of(call),
        call.site,
        monitor=_option(call, "monitor"),
        saved_file=_checkpoint_file(call),
        only_best=_option(call, "save_best_only"),
        metric=metric_function(call) if name == "KerasMetricCallback" else None,
    )
    call.machine.record(CallbackMade, call.site.callee, call.group, callback=callback)
    return Fact(callback)


def _option(call: LibraryCall, name: str) -> Any:
    return literal(call.get(name), facts.UNKNOWN if call.open else ABSENT)


def _checkpoint_file(call: LibraryCall) -> SavedFile | None:
    """The file that a ModelCheckpoint writes."""
    target = call.get("filepath")
    ending = ending_of(target) if target is not None and class_name_of(call) == "ModelCheckpoint" else None
    only = literal(call.get("save_weights_only"), None if call.open else False)
    whole = text_of(target or UNKNOWN) is not None
    return None if ending is None else SavedFile(ending, whole, only if isinstance(only, bool) else None)


@dataclass(eq=False, slots=True)
class CallbackListValue(Value):
    """A CallbackList: the callbacks in it."""

    callbacks: Value


@path("keras.callbacks.CallbackList")
def _callback_list(call: LibraryCall) -> Value:
    return CallbackListValue(call.get("callbacks") or (call.rest[0] if call.rest else UNKNOWN))


def callbacks_of(value: Value | None, place: Place) -> tuple[tuple[Callback, ...], bool]:
    """The callbacks that fit() got, and whether these are all."""
    if value is None:
        return (), True
    if isinstance(value, CallbackListValue):
        return callbacks_of(value.callbacks, place)
    values = value.values if isinstance(value, ListValue) and value.exact else [value]
    found = [v.data for v in values if isinstance(v, Fact) and isinstance(v.data, Callback)]
    for one in values:
        base = attributes.external_base(one.cls) if isinstance(one, Instance) else None
        if base is not None and base.last == "LearningRateScheduler":
            return (*found, Callback(base.last, base.origin, CallSite(_NOWHERE, _NOWHERE), own=True)), False
    harmless = sum(isinstance(one, Instance) and not _sets_rate(one) for one in values)
    known = len(found) + harmless == len(values)
    for one in values:
        if isinstance(one, External) and one.path.startswith("keras.callbacks.") and one.last[:1].isupper():
            found.append(Callback(one.last, one.origin, CallSite(place, place), is_class=True))
    return tuple(found), known and (not isinstance(value, ListValue) or value.exact)


def callback_places(value: Value | None) -> tuple[Place, ...]:
    """Where the elements of a list of callbacks are written, if each is one."""
    if not isinstance(value, ListValue) or not value.exact or len(value.places) != len(value.values):
        return ()
    each = all(isinstance(v, Fact) and isinstance(v.data, Callback) for v in value.values)
    return value.places if each else ()


def has_own_callbacks(value: Value | None) -> bool:
    """Whether a callback is of a class that the program defines."""
    if isinstance(value, CallbackListValue):
        return has_own_callbacks(value.callbacks)
    values = value.values if isinstance(value, ListValue) else [value]
    return any(isinstance(one, Instance) for one in values)


def _sets_rate(callback: Instance) -> bool:
    """Whether a callback written in the program speaks of the learning rate."""
    text = source_text(callback.cls.node, limit=20_000)
    return not text or any(word in text for word in ("learning_rate", ".lr", "optimizer"))


_NOWHERE = Place(0, None)
