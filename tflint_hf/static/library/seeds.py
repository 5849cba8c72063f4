"""Seeds of random numbers, and what is drawn without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from tflint_hf.static.library import hooks
from tflint_hf.static.library.hooks import path
from tflint_hf.static.syntax import source_text
from tflint_hf.static.values import Const, Value
from tflint_hf.trace.events import RandomSplit, SeedSet
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from typing import Any

    from tflint_hf.static.calls import LibraryCall

_ALL = frozenset({"python", "numpy", "tensorflow"})
_GENERATORS = {
    "random.seed": frozenset({"python"}),
    "numpy.random.seed": frozenset({"numpy"}),
    "tensorflow.random.set_seed": frozenset({"tensorflow"}),
    "tensorflow.compat.v1.set_random_seed": frozenset({"tensorflow"}),
    "tensorflow.set_random_seed": frozenset({"tensorflow"}),
}


@path(
    *_GENERATORS,
    "keras.utils.set_random_seed",
    "transformers.set_seed",
    "transformers.enable_full_determinism",
    "transformers.trainer_utils.set_seed",
    signature="random.seed",
)
def _seed(call: LibraryCall) -> Value:
    generators = _GENERATORS.get(call.path, _ALL)
    node = call.node.func if isinstance(call.node, cst.Call) else call.node
    function = Place(call.scope.unit, node)
    call.machine.record(SeedSet, call.site.callee, call.group, call=call.path, generators=generators, function=function)
    return Const(None)


@hooks.escape
def _perhaps_seeds(
    machine: Any,
    name: str,
    _receiver: Value | None,
    _positional: Any,
    _keywords: Any,
    node: Any,
    scope: Any,
    group: int,
) -> None:
    """Code that the reader does not know, and that speaks of seeds."""
    spelled = f"{name} {source_text(node.func)}".lower() if isinstance(node, cst.Call) else name.lower()
    if "seed" in spelled or "determinis" in spelled:
        place = Place(scope.unit, node)
        machine.record(SeedSet, place, group, call=name, generators=_ALL, function=place)


def note_split(call: LibraryCall, argument: str) -> None:
    """Record a split of rows that is drawn at random, where nothing is given that decides it."""
    decided = [call.get(name) for name in (argument, "generator", "rng", "train_indices_cache_file_name")]
    shuffle = call.get("shuffle")
    in_order = shuffle is not None and not (isinstance(shuffle, Const) and shuffle.value is True)
    if call.open or in_order or any(v is not None and not _is_none(v) for v in decided):
        return
    given = argument in call.given
    call.machine.record(RandomSplit, call.site.callee, call.group, site=call.site, argument=argument, given=given)


def _is_none(value: Value) -> bool:
    return isinstance(value, Const) and value.value is None and not value.soft
