"""How many rows a batch could have: what a row takes against the memory that there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tflint_hf.dynamic.record import ObservedTraining

MARGIN_ESTIMATED, MARGIN_MEASURED = 1.7, 1.1
"""What a row takes in a real step against what was found. The estimate was up to 1.7 times too low beside the peaks of
whole processes; between two sizes a measured peak grows evenly, but for what the allocator of a GPU cannot use."""
LARGEST_SAID = 2**20


@dataclass(frozen=True, slots=True)
class LargestBatch:
    """The largest power of two of rows that fits, and against which memory: `room` are its bytes."""

    rows: int
    room: int
    on_gpu: bool


def largest_batch(training: ObservedTraining) -> LargestBatch | None:
    """For rows like those of the first batch; None where it was not measured. No row at all may fit."""
    memory = training.facts("memory")
    each = memory.number("activations.per_row")
    on_gpu = bool(memory.mapping("gpu"))
    room = memory.number("gpu.total" if on_gpu else "available")
    needed, made = memory.number("optimizer"), memory.number("optimizer_made")
    if not each or room is None or needed is None or made is None:
        return None
    if on_gpu:
        beside, margin = memory.number("activations.beside") or 0.0, MARGIN_MEASURED
    else:
        beside, margin = memory.number("gradients") or 0.0, MARGIN_ESTIMATED
    rows = (room - beside - max(needed - made, 0.0)) / (margin * each)
    whole = min(int(max(rows, 0.0)), LARGEST_SAID)
    return LargestBatch(1 << (whole.bit_length() - 1) if whole else 0, int(room), on_gpu)
