"""What the training takes of the memory: weights, gradients, the optimizer's own numbers, what each row adds, peaks."""

import os
import subprocess
import sys

from ..batches import rows_of
from ..facts import weights_of
from ..graph_step import first_rows, gradient_step
from ..step import is_distributed
from . import activations


def probe(session):
    """Bytes by what they are for; on a GPU also the peak of the first steps, what there is, and who else holds it.

    What a row adds is left out where something is a stand-in: models are smaller than what they stand for, rows may be
    shorter.
    """
    model = session.model
    trainable = sum(_bytes(weight) for weight in model.trainable_weights)
    weights = sum(_bytes(weight) for weight in weights_of(model))
    made, needed = _optimizer_bytes(model.optimizer, trainable)
    facts = {
        "weights": weights,
        "gradients": trainable,
        "optimizer": max(made, needed),
        "optimizer_made": made,
        "rows": session.feed.batch_size,
        "peak_of_process": _peak_of_process(),
    }
    import tensorflow

    gpus = tensorflow.config.list_physical_devices("GPU")
    if gpus:
        facts["gpu"] = _gpu_facts(tensorflow, gpus[0])
    else:
        facts["available"] = available()
    stands_in = any(one["what"] != "metric" for one in session.context.stand_ins)
    if not stands_in and not is_distributed(model):
        try:
            facts["activations"] = _activations(session, tensorflow, bool(gpus))
        except session.context.enough:
            raise
        except Exception as error:
            facts["activations"] = {"trouble": "{}: {}".format(type(error).__name__, str(error)[:300])}
    return facts


def _activations(session, tensorflow, on_gpu):
    step = gradient_step(session)
    if on_gpu:
        return activations.of_gpu(step, session.batches[0], tensorflow)
    graph, rows = step.concrete(), rows_of(first_rows(session)[0])
    shapes = {tuple(weight.shape) for weight in weights_of(session.model)}
    results = [tensor for tensor in graph.outputs if hasattr(tensor, "op")]
    each = activations.of_graph(graph.graph, results, shapes, rows)
    return None if each is None else {"rows": [rows], "per_row": int(each)}


def available():
    """The memory that is free on this machine, or in the container that the run has; None where it is not said."""
    free = _number_after("/proc/meminfo", "MemAvailable:")
    room = [] if free is None else [free * 1024]
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        limit, used = _number_after(limit), _number_after(used)
        if limit is not None and used is not None:
            room.append(max(limit - used, 0))
    return min(room) if room else None


def _number_after(path, name=""):
    """The number in a file of the system, or in the line of it that begins with a name."""
    try:
        with open(path, encoding="ascii") as file:
            return next(int(line[len(name) :].split()[0]) for line in file if line.startswith(name))
    except (OSError, ValueError, StopIteration, IndexError):
        return None


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
    """What the optimizer has made so far, and what it will have made after the first step."""
    variables = getattr(optimizer, "variables", None)
    try:
        made = sum(_bytes(one) for one in (variables() if callable(variables) else variables or ()))
    except Exception:
        made = 0
    return made, SLOTS.get(type(optimizer).__name__, 1) * trainable


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
        first = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0].strip()
        said = subprocess.run(
            ["nvidia-smi", "--query-gpu=memory.total,memory.used", "--format=csv,noheader,nounits"]
            + (["-i", first] if first else []),
            stdout=subprocess.PIPE,
            timeout=10,
        )
        total, used = said.stdout.decode().splitlines()[0].split(",")
        facts["total"], facts["used_by_all"] = int(total) * 2**20, int(used) * 2**20
    except Exception:
        return facts
    return facts
