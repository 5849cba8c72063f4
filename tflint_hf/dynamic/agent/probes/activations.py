"""What one more row of a batch takes: read from the graph of a training step, or from the peaks of a GPU.

The graph is executed on paper: an output is held from the operation that makes it to the last one that reads it, and
the moment at which most is held counts. The peaks of whole processes that call fit() on a CPU at two sizes of a batch
rise by 1.02 to 1.27 times as much for tf-keras (BERT, DistilBERT, GPT-2, ViT, a convolutional net), by 1.7 times for
the convolutional net in Keras 3: kernels have buffers of their own. One run a size; what the rows of a perceptron take
is less than such peaks differ by chance.
"""

from ..batches import head, rows_of

_SAME_BUFFER = "Identity IdentityN Reshape ExpandDims Squeeze StopGradient PreventGradient Snapshot EnsureShape"
_OVERWRITES = """Add AddN AddV2 BiasAdd Cast DivNoNan Elu EluGrad Erf Exp Floor LeakyRelu LeakyReluGrad Log LogSoftmax
Maximum Minimum Mul Neg Pow RealDiv Reciprocal Relu Relu6 Relu6Grad ReluGrad Rsqrt RsqrtGrad Selu SeluGrad Select
SelectV2 Sigmoid SigmoidGrad Softmax Softplus SoftplusGrad Sqrt Square SquaredDifference Sub Tanh TanhGrad"""

SAME_BUFFER = frozenset(_SAME_BUFFER.split())
"""Operations whose output is their input under another shape."""

OVERWRITES = frozenset(_OVERWRITES.split())
"""Operations that write into an input that nothing else needs."""

HOLDS_NOTHING = frozenset({"Const", "NoOp", "Placeholder", "ReadVariableOp", "Shape", "VarHandleOp"})
"""Their outputs are weights, or are made before the step begins."""

CALLS = ("Case", "If", "PartitionedCall", "While")
"""How the names of operations end that hide others inside."""


def of_graph(graph, results, weights, rows):
    """Bytes for each row of the batch at the fullest moment of a traced step; None where this cannot be told.

    `results` are the loss and the gradients, which outlive the step, `weights` the shapes of the model's weights.
    """
    operations = graph.get_operations()
    if any(one.type.endswith(CALLS) or _is_opaque(one) for one in operations):
        return None
    buffers = _Buffers(operations)
    fixed = {buffers.of[tensor.name] for tensor in results}
    for tensor in (tensor for one in operations for tensor in one.outputs):
        partial = tensor.op.name.startswith(("gradient_tape/", "AddN"))
        if partial and tensor.shape.rank is not None and tuple(tensor.shape) in weights:
            fixed.add(buffers.of[tensor.name])
    held = buffers.fullest(operations, fixed, rows)
    return held / rows


def _is_opaque(operation):
    """Lists of tensors, as loops use them, do not tell their size."""
    return any(tensor.dtype.name == "variant" for tensor in operation.outputs)


class _Buffers:
    """`of`: the buffer that holds a tensor, by the names of both; `size` in bytes; `last`: who reads it last."""

    def __init__(self, operations):
        self.of, self.size, self.last = {}, {}, {}
        known = {}
        for place, operation in enumerate(operations):
            for number, tensor in enumerate(operation.outputs):
                name = tensor.name
                if operation.type in SAME_BUFFER and operation.inputs:
                    source = operation.inputs[min(number, len(operation.inputs) - 1)].name
                    self.of[name], known[name] = self.of[source], known[source]
                    continue
                count = _bytes(tensor)
                if count is None:  # what a mask picks out is no more than what it picks from
                    count = max((known[one.name] for one in operation.inputs if one.dtype == tensor.dtype), default=0)
                self.of[name], known[name] = name, count
                self.size[name] = 0 if operation.type in HOLDS_NOTHING else count
            for tensor in operation.inputs:
                self.last[self.of[tensor.name]] = place

    def fullest(self, operations, fixed, rows):
        """The bytes of what grows with the batch, when most of that is held."""
        ends = {}
        for buffer, place in self.last.items():
            ends.setdefault(place, []).append(buffer)
        live = {}
        held = most = 0
        for place, operation in enumerate(operations):
            made = [tensor.name for tensor in operation.outputs if self.of[tensor.name] == tensor.name]
            made = [one for one in made if one not in fixed and self.size[one] and self.size[one] % rows == 0]
            ending = [one for one in ends.get(place, ()) if one in live]
            if operation.type in OVERWRITES and made:
                same = next((one for one in ending if live[one] == self.size[made[0]]), None)
                if same is not None:
                    ending.remove(same)
                    held -= live.pop(same)
            for one in made:
                live[one] = self.size[one]
                held += live[one]
            most = max(most, held)
            for one in ending + [one for one in made if one not in self.last]:
                held -= live.pop(one)
        return most


def _bytes(tensor):
    count = tensor.dtype.size or 0
    if not tensor.shape.is_fully_defined():
        return None
    for side in tensor.shape:
        count *= side
    return int(count)


def of_gpu(step, batch, tensorflow):
    """Peaks of the GPU at the program's batch and at half of it, and what each row adds. None for a single row.

    A whole step was run with as many rows before: what the program asks for is not exceeded.
    """
    rows = rows_of(batch[0]) or 0
    if rows < 2:
        return None
    sizes, peaks = (rows // 2, rows), []
    for size in sizes:
        part = tuple(head(one, 0, size) for one in batch)
        step(part)  # the first call also makes what all later ones share
        tensorflow.config.experimental.reset_memory_stats("GPU:0")
        step(part)
        peaks.append(int(tensorflow.config.experimental.get_memory_info("GPU:0")["peak"]))
    if peaks[1] <= peaks[0]:
        return None
    each = (peaks[1] - peaks[0]) / (sizes[1] - sizes[0])
    return {
        "rows": list(sizes),
        "peaks": peaks,
        "per_row": int(each),
        "beside": max(int(peaks[0] - each * sizes[0]), 0),
    }
