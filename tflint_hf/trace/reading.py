"""What a loss takes the model's output for."""

from __future__ import annotations

from tflint_hf.knowledge.keras import LossKind
from tflint_hf.trace.objects import UNKNOWN, Missing, Reads

_CROSSENTROPIES = frozenset(
    {LossKind.SPARSE_CROSSENTROPY, LossKind.CATEGORICAL_CROSSENTROPY, LossKind.BINARY_CROSSENTROPY}
)


def reads_of(kind: LossKind | None, from_logits: bool | Missing) -> Reads:
    """What a loss of this kind reads, told `from_logits` or left at its default (ABSENT)."""
    if kind is None or from_logits is UNKNOWN:
        return Reads.UNKNOWN
    if kind not in _CROSSENTROPIES:
        return Reads.VALUES if kind is LossKind.REGRESSION else Reads.UNKNOWN
    return Reads.LOGITS if from_logits is True else Reads.PROBABILITIES
