"""Losses as compile() and training loops get them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf import knowledge
from tflint_hf.static.library.hooks import path
from tflint_hf.static.library.keras_calls import class_name_of, origin_of
from tflint_hf.static.library.text import literal
from tflint_hf.static.values import (
    UNKNOWN,
    Bound,
    Class,
    Const,
    DictValue,
    External,
    Fact,
    Function,
    Instance,
    ListValue,
    ModelValue,
    Value,
    text_of,
)
from tflint_hf.trace import objects as facts
from tflint_hf.trace.objects import ABSENT, Form, Loss, Missing, Reads
from tflint_hf.trace.places import Place
from tflint_hf.trace.reading import reads_of

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall


_INTERNAL_LOSSES = frozenset({"auto", "auto_with_warning", "passthrough"})


@path("keras.losses.*", "keras.metrics.sparse_categorical_crossentropy", "keras.metrics.categorical_crossentropy",
      "keras.backend.sparse_categorical_crossentropy", "keras.backend.categorical_crossentropy")  # fmt: skip
def _loss(call: LibraryCall) -> Value:
    name = class_name_of(call)
    if name == "get":
        return call.rest[0] if call.rest else call.get("identifier", UNKNOWN) or UNKNOWN
    if name[:1].islower():
        return UNKNOWN
    info = knowledge.loss(name)
    from_logits = _from_logits(call)
    kind = info.kind if info is not None else None
    return Fact(Loss(
        Form.OBJECT,
        call.site.callee,
        name,
        f"{name}()",
        from_logits,
        origin_of(call),
        call.site,
        reads_of(kind, from_logits),
        _ignored_class(call),
    ))  # fmt: skip


def _from_logits(call: LibraryCall) -> bool | Missing:
    value = literal(call.get("from_logits"), facts.UNKNOWN if call.open else ABSENT)
    return value if isinstance(value, bool | Missing) else facts.UNKNOWN


def _ignored_class(call: LibraryCall) -> int | Missing:
    value = literal(call.get("ignore_class"), facts.UNKNOWN if call.open else ABSENT)
    if value is None:
        return ABSENT
    return value if isinstance(value, int | Missing) else facts.UNKNOWN


def loss_of(value: Value, place: Place) -> Loss:
    """One loss that compile() got."""
    if isinstance(value, Fact) and isinstance(value.data, Loss):
        return value.data
    if isinstance(value, Const) and value.value is None:
        return Loss(Form.NONE, place, spelling="None")
    text = text_of(value)
    if text is not None:
        info = knowledge.loss(text)
        if info is None:
            return Loss(Form.UNKNOWN, place, spelling=text)
        return Loss(Form.STRING, place, info.class_name, text, reads=reads_of(info.kind, ABSENT))
    if isinstance(value, External) and value.path.startswith(("keras.losses.", "keras.metrics.", "keras.backend.")):
        info = knowledge.loss(value.last)
        form = Form.CLASS if value.last[:1].isupper() else Form.FUNCTION
        if info is None:
            return Loss(form, place, spelling=value.last, origin=value.origin)
        reads = reads_of(info.kind, ABSENT) if form is Form.FUNCTION else Reads.UNKNOWN
        return Loss(form, place, info.class_name, value.last, origin=value.origin, reads=reads)
    if isinstance(value, Bound) and isinstance(value.receiver, ModelValue) and isinstance(value.function, str):
        return Loss(Form.METHOD, place, value.function, value.function)
    if isinstance(value, Function | Class | Instance):
        return Loss(Form.FUNCTION, place, spelling=getattr(value, "name", ""))
    return Loss(Form.UNKNOWN, place)


def losses_of(value: Value | None, place: Place) -> tuple[tuple[Loss, ...], bool]:
    """The losses that compile() got, one for each output, and whether any was given at all."""
    if value is None:
        return (), False
    text = text_of(value)
    if text in _INTERNAL_LOSSES:
        return (), False
    if isinstance(value, ListValue):
        if not value.exact:
            return (Loss(Form.UNKNOWN, place),), True
        return tuple(loss_of(v, place) for v in value.values), True
    if isinstance(value, DictValue):
        if value.open:
            return (Loss(Form.UNKNOWN, place),), True
        return tuple(loss_of(v, place) for v in value.items.values()), True
    return (loss_of(value, place),), True


def loss_names(value: Value | None) -> tuple[str, ...]:
    """The outputs that losses or metrics are given for, where they are given by name."""
    return tuple(map(str, value.items)) if isinstance(value, DictValue) and not value.open else ()
