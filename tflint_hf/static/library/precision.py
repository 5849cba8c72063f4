"""Mixed precision: the policy that a Keras gives to the layers it makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.static.library.hooks import path
from tflint_hf.static.library.text import literal
from tflint_hf.static.values import UNKNOWN, Const, ListValue, Value, make_list
from tflint_hf.trace import objects as facts
from tflint_hf.trace.events import PolicySet
from tflint_hf.trace.objects import ABSENT, Keras, KerasOrigin, Missing

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.machine import Machine


@path("keras.mixed_precision.Policy", "keras.mixed_precision.DTypePolicy", "keras.DTypePolicy")
def _policy(call: LibraryCall) -> Value:
    """A policy is as good as its name."""
    return call.get("name") or (call.rest[0] if call.rest else UNKNOWN)


@path(
    "keras.mixed_precision.set_global_policy",
    "keras.mixed_precision.set_dtype_policy",
    "keras.mixed_precision.experimental.set_policy",
    "keras.config.set_dtype_policy",
)
def _set_policy(call: LibraryCall) -> Value:
    value = call.get("policy") or (call.rest[0] if call.rest else UNKNOWN)
    name = literal(value, facts.UNKNOWN)
    policy = name if isinstance(name, str) else facts.UNKNOWN
    origin = call.callee.origin if call.callee is not None else None
    call.machine.record(PolicySet, call.site.callee, call.group, policy=policy, origin=origin)
    said = make_list("tuple", [Const(policy), Const(call.machine.run)])
    for keras in _KERAS if origin is None or origin.keras is Keras.UNKNOWN else (_which(origin),):
        call.machine.store.write(call.machine.policies, keras, said)
    return Const(None)


_KERAS = ("Keras 2", "Keras 3")


def _which(origin: KerasOrigin | None) -> str:
    return _KERAS[1] if origin is not None and origin.keras is Keras.KERAS_3 else _KERAS[0]


def policy_in_force(machine: Machine, origin: KerasOrigin | None) -> str | Missing:
    """The policy that an object of this Keras gets now, ABSENT where none was set."""
    said = machine.policies.get(_which(origin))
    if said is None:
        return ABSENT
    if not isinstance(said, ListValue):
        return facts.UNKNOWN
    policy, run = (part.value if isinstance(part, Const) else None for part in said.values)
    # Two functions that only other programs call have no order.
    return policy if isinstance(policy, str) and run in (0, machine.run) else facts.UNKNOWN
