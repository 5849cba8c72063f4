"""A training step of a model as a graph, which several probes share: to trace one takes seconds."""

from .batches import head
from .step import Seen, listening, tensors

ROWS = 16
"""The graph is made for this many of the first rows."""


def first_rows(session):
    """The part of the first batch that the graph is made for."""
    return tuple(head(part, 0, ROWS) for part in session.batches[0])


def gradient_step(session):
    """The step of a training, made once."""
    if "step" not in session.memory:
        session.memory["step"] = GradientStep(session.model, first_rows(session), _has_gpu())
    return session.memory["step"]


def _has_gpu():
    import tensorflow

    return bool(tensorflow.config.list_physical_devices("GPU"))


class GradientStep:
    """Called with a batch, gives its loss, the gradients, and the variables that they are of.

    `any_rows`: batches may have other numbers of rows than that it is made for, but the graph knows fewer shapes.
    """

    def __init__(self, model, batch, any_rows):
        import tensorflow

        self._model = model
        self.variables = []
        self._like = _data(batch)
        specs = [
            tensorflow.TensorSpec([None] + list(one.shape)[1:] if any_rows else one.shape, one.dtype)
            for one in _flat(self._like)
        ]
        # To convert the code of a whole model takes seconds, and few models branch on what a tensor holds.
        self._traced = tensorflow.function(self._graph, input_signature=specs, autograph=False)
        try:
            self._traced.get_concrete_function()
        except (TypeError, NotImplementedError):
            self._traced = tensorflow.function(self._graph, input_signature=specs)

    def __call__(self, batch):
        loss, gradients = self._traced(*_flat(_data(batch)))
        return float(loss), gradients, self.variables

    def concrete(self):
        """The traced function."""
        return self._traced.get_concrete_function()

    def _graph(self, *flat):
        import tensorflow

        given = iter(flat)
        every = tensorflow.nest.flatten(self._like, expand_composites=True)
        leaves = [None if one is None else next(given) for one in every]
        data = tensorflow.nest.pack_sequence_as(self._like, leaves, expand_composites=True)
        seen = Seen()
        with listening(self._model, seen):
            self._model.train_step(data)
        self.variables = [v for g, v in zip(seen.gradients, seen.variables) if g is not None]
        loss = tensorflow.reduce_mean(tensorflow.cast(seen.loss, "float32"))
        return loss, [tensorflow.convert_to_tensor(g) for g in seen.gradients if g is not None]


def _data(batch):
    data = tuple(tensors(part) for part in batch)
    while len(data) > 1 and data[-1] is None:
        data = data[:-1]
    return data


def _flat(data):
    import tensorflow

    return [one for one in tensorflow.nest.flatten(data, expand_composites=True) if one is not None]
