"""Training loops written in the program: gradient tapes, and the models called under them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tflint_hf.static.library import hooks
from tflint_hf.static.library.hooks import path
from tflint_hf.static.library.optimizers import OptimizerPart, OptimizerValue
from tflint_hf.static.values import UNKNOWN, Const, DictValue, Part, Tape, Value
from tflint_hf.trace.events import GradientsApplied, GradientsTaken, ModelCalled
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope
    from tflint_hf.static.values import ModelValue


@path("tensorflow.GradientTape")
def _tape(_call: LibraryCall) -> Value:
    return Tape()


@hooks.method(Tape, "watch")
def _watch(call: LibraryCall) -> Value:
    """A tape that watches inputs asks how they matter; it does not train."""
    assert isinstance(call.receiver, Tape)
    call.machine.store.write(call.receiver.state, "watches", Const(True))
    return UNKNOWN


@hooks.method(Tape, "stop_recording")
def _paused(_call: LibraryCall) -> Value:
    """What is called in this block is not trained by the tape."""
    return Tape({"watches": Const(True)})


@hooks.method(Tape, "gradient")
def _gradient(call: LibraryCall) -> Value:
    sources = call.get("sources") or (call.rest[1] if len(call.rest) > 1 else UNKNOWN)
    if isinstance(sources, Part) and sources.path.startswith("trainable_"):
        call.machine.record(GradientsTaken, call.place, call.group, model=sources.owner.model)
    return UNKNOWN


@hooks.method(Tape, "*")
def _tape_method(_call: LibraryCall) -> Value:
    return UNKNOWN


_APPLYING = ("apply_gradients", "minimize")


@hooks.method(OptimizerValue, *_APPLYING)
@hooks.method(OptimizerPart, *_APPLYING)
def _apply(call: LibraryCall) -> Value:
    call.machine.record(GradientsApplied, call.place, call.group)
    return UNKNOWN


@hooks.escape
def _perhaps_applied(
    machine: Machine,
    name: str,
    _receiver: Value | None,
    _positional: Any,
    _keywords: Any,
    node: Any,
    scope: Scope,
    group: int,
) -> None:
    """An optimizer that the reader does not know."""
    if name in _APPLYING:
        machine.record(GradientsApplied, Place(scope.unit, node), group)


@contextmanager
def outside_tapes(machine: Machine) -> Iterator[None]:
    """The layers inside a model are told by Keras whether the model trains."""
    tapes, machine.tapes = machine.tapes, []
    try:
        yield
    finally:
        machine.tapes = tapes


def note_model_call(call: LibraryCall, value: ModelValue | None) -> None:
    """Record the call of a model under a gradient tape."""
    tapes = call.machine.tapes
    if value is None or not tapes or any("watches" in t.state for t in tapes if isinstance(t, Tape)):
        return
    given = "training" in call.given or any(isinstance(v, DictValue) and "training" in v.items for v in call.rest)
    many = len(call.rest) > 1
    call.machine.record(
        ModelCalled,
        call.site.callee,
        call.group,
        model=value.model,
        site=call.site,
        training_given=True if given else None if many or call.open else False,
    )
