"""What the training takes of the memory: weights, gradients and the optimizer's own numbers, and the measured peak."""

import subprocess
import sys

from ..facts import weights_of


def probe(session):
    """Bytes by what they are for; on a GPU also the peak of the first steps, what there is, and who else holds it."""
    model = session.model
    trainable = sum(_bytes(weight) for weight in model.trainable_weights)
    weights = sum(_bytes(weight) for weight in weights_of(model))
    facts = {
        "weights": weights,
        "gradients": trainable,
        "optimizer": _optimizer_bytes(model.optimizer, trainable),
        "rows": session.feed.batch_size,
        "peak_of_process": _peak_of_process(),
    }
    import tensorflow

    gpus = tensorflow.config.list_physical_devices("GPU")
    if gpus:
        facts["gpu"] = _gpu_facts(tensorflow, gpus[0])
    return facts


def _bytes(weight):
    size = getattr(weight.dtype, "size", None)
    if size is None:
        import numpy

        size = numpy.dtype(str(weight.dtype).replace("bfloat16", "float16")).itemsize
    for side in weight.shape:
        size *= int(side)
    return int(size)


SLOTS = {"Adam": 2, "AdamW": 2, "AdamWeightDecay": 2, "Nadam": 2, "Adamax": 2, "RMSprop": 1, "Adagrad": 1, "SGD": 0}
"""How many numbers an optimizer keeps for each weight, where it has not made them yet."""


def _optimizer_bytes(optimizer, trainable):
    variables = getattr(optimizer, "variables", None)
    try:
        made = sum(_bytes(one) for one in (variables() if callable(variables) else variables or ()))
    except Exception:
        made = 0
    return max(made, SLOTS.get(type(optimizer).__name__, 1) * trainable)


def _peak_of_process():
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _gpu_facts(tensorflow, device):
    facts = {"growth": None, "peak": None, "total": None, "used_by_all": None}
    try:
        facts["growth"] = bool(tensorflow.config.experimental.get_memory_growth(device))
        facts["peak"] = int(tensorflow.config.experimental.get_memory_info("GPU:0")["peak"])
    except Exception as error:
        facts["trouble"] = str(error)[:200]
    try:
        said = subprocess.run(
            ["nvidia-smi", "--query-gpu=memory.total,memory.used", "--format=csv,noheader,nounits"],
            stdout=subprocess.PIPE,
            timeout=10,
        )
        total, used = said.stdout.decode().splitlines()[0].split(",")
        facts["total"], facts["used_by_all"] = int(total) * 2**20, int(used) * 2**20
    except Exception:
        return facts
    return facts
