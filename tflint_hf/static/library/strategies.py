"""Distribution strategies of TensorFlow, and the blocks that they are in force in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import libcst as cst

from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.syntax import source_text
from tflint_hf.static.values import UNKNOWN, Const, Fact, StrategyScope, Value
from tflint_hf.trace import objects as facts
from tflint_hf.trace.objects import Strategy

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall


@dataclass(eq=False, slots=True)
class Resolver(Value):
    """A TPUClusterResolver. `remote`: its TPU is not a part of the machine that the program runs on."""

    remote: bool | None


@path("tensorflow.distribute.cluster_resolver.TPUClusterResolver")
def _resolver(call: LibraryCall) -> Value:
    address = call.get("tpu") or (call.rest[0] if call.rest else None)
    if address is None:
        return Resolver(None if call.open else True)
    if not isinstance(address, Const) or address.soft:
        return Resolver(None)
    text = address.value
    return Resolver(True if text is None or str(text).startswith("grpc") else False if text == "local" else None)


_DEFAULT = frozenset({"get_strategy", "has_strategy", "in_cross_replica_context", "get_replica_context"})


@path("tensorflow.distribute.*", "tensorflow.distribute.experimental.*")
def _strategy(call: LibraryCall) -> Value:
    name = call.path.rpartition(".")[2]
    if name == "experimental_set_strategy":
        call.machine.strategy = facts.UNKNOWN
    if name in _DEFAULT or not name.endswith("Strategy") or "Parameter" in name:
        return UNKNOWN
    resolver = call.rest[0] if call.rest else next(iter(call.given.values()), None)
    remote = resolver.remote if isinstance(resolver, Resolver) else None
    return Fact(Strategy(name, call.site, remote if name.startswith("TPU") else False))


@method(Strategy, "scope")
def _scope(call: LibraryCall) -> Value:
    data = call.receiver.data if isinstance(call.receiver, Fact) else None
    if not isinstance(data, Strategy):
        return StrategyScope(facts.UNKNOWN)
    return StrategyScope(replace(data, spelling=_spelled(call.node)))


def _spelled(node: cst.CSTNode) -> str:
    """A strategy as it is written in `with strategy.scope():`."""
    receiver = node.func.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) else node
    return source_text(receiver)
