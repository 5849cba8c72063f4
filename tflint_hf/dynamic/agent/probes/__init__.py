"""What is measured at the first fit of a training, cheap things first. A probe takes a Session and returns facts."""

from . import batch, forward, gradients, memory, order, overfit, padding

PROBES = (
    ("batch", batch.probe),
    ("labels", batch.probe_labels),
    ("order", order.probe),
    ("forward", forward.probe),
    ("padding", padding.probe),
    ("mask", padding.probe_mask),
    ("gradients", gradients.probe),
    ("memory", memory.probe),
    ("overfit", overfit.probe),
)

CHANGES_WEIGHTS = frozenset({"gradients", "overfit"})
"""After these the weights are put back as they were."""
