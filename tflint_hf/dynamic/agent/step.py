"""One step of a model, seen from inside: labels and outputs as the loss gets them, the loss, the gradients.

The model's own train_step or test_step runs, so that custom steps and the internal losses of transformers are seen as
they are; only the optimizer is exchanged for one that keeps the gradients and changes nothing.
"""

import contextlib

from .batches import host, is_mapping


class Seen:
    """`labels` and `outputs` as the loss got them; `gradients` belong to `variables`, None where there is none."""

    def __init__(self):
        self.labels = None
        self.outputs = None
        self.loss = None
        self.gradients = []
        self.variables = []


class GradientKeeper:
    """Stands in for an optimizer during one step."""

    iterations = 0
    learning_rate = 0.0

    def __init__(self, seen):
        self._seen = seen

    def minimize(self, loss, var_list, tape=None, **_):
        if callable(loss):
            raise TypeError("the loss is a function")
        variables = var_list() if callable(var_list) else list(var_list)
        self._keep(tape.gradient(loss, variables), variables)
        self._seen.loss = loss

    def apply_gradients(self, grads_and_vars, *_, **__):
        pairs = list(grads_and_vars)
        self._keep([pair[0] for pair in pairs], [pair[1] for pair in pairs])

    def apply(self, grads, trainable_variables=None):
        self._keep(list(grads), list(trainable_variables or ()))

    def scale_loss(self, loss):
        self._seen.loss = loss
        return loss

    def get_scaled_loss(self, loss):
        return loss

    def get_unscaled_gradients(self, gradients):
        return gradients

    def _keep(self, gradients, variables):
        self._seen.gradients = list(gradients)
        self._seen.variables = list(variables)


class _Listener:
    """Calls through to a loss or metrics container of Keras 2, and keeps what it was given."""

    def __init__(self, inner, keep):
        self.__dict__["_inner"] = inner
        self.__dict__["_keep"] = keep

    def __call__(self, *args, **kwargs):
        result = self._inner(*args, **kwargs)
        self._keep(args, kwargs, result)
        return result

    def update_state(self, *args, **kwargs):
        self._keep(args, kwargs, None)
        return self._inner.update_state(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def __setattr__(self, name, value):
        setattr(self._inner, name, value)


@contextlib.contextmanager
def listening(model, seen):
    """Have `seen` filled by what the model's step does."""
    internal = bool(getattr(model, "_using_dummy_loss", False))

    def from_loss(args, kwargs, result):
        if not internal:
            seen.labels = args[0] if args else kwargs.get("y_true")
            seen.outputs = args[1] if len(args) > 1 else kwargs.get("y_pred")
        seen.loss = result

    def from_metrics(args, kwargs, _):
        if internal and seen.outputs is None:
            seen.labels = args[0] if args else kwargs.get("y_true")
            seen.outputs = args[1] if len(args) > 1 else kwargs.get("y_pred")

    changed = {}
    for name, keep in (("compiled_loss", from_loss), ("compiled_metrics", from_metrics)):
        inner = model.__dict__.get(name)
        if inner is not None and callable(getattr(inner, "update_state", None) or inner):
            changed[name] = inner
            setattr(model, name, _Listener(inner, keep))
    own = getattr(model, "_compute_loss", None)
    if own is not None:

        def compute_loss(*args, **kwargs):
            result = own(*args, **kwargs)
            seen.labels, seen.outputs, seen.loss = kwargs.get("y"), kwargs.get("y_pred"), result
            return result

        object.__setattr__(model, "_compute_loss", compute_loss)
    optimizer = model.optimizer
    try:
        model.optimizer = GradientKeeper(seen)
        yield
    finally:
        model.optimizer = optimizer
        for name, inner in changed.items():
            setattr(model, name, inner)
        if own is not None:
            model.__dict__.pop("_compute_loss", None)


def see_step(model, batch, training):
    """Run one step eagerly, with dropout and gradients if `training`."""
    import tensorflow

    seen = Seen()
    data = tuple(tensors(part) for part in batch)
    while len(data) > 1 and data[-1] is None:
        data = data[:-1]
    data = data[0] if len(data) == 1 else data
    _reset(model)
    try:
        with listening(model, seen):
            (model.train_step if training else model.test_step)(data if isinstance(data, tuple) else (data,))
    finally:
        _reset(model)
    if seen.loss is not None:
        seen.loss = tensorflow.convert_to_tensor(seen.loss)
    return seen


def in_replica(model, function):
    """What `function()` gives where the strategy of the model runs a step, if it has one. Several devices would each
    see a part of it."""
    if not is_distributed(model):
        return function()
    strategy = model.distribute_strategy
    if strategy.num_replicas_in_sync != 1:
        raise RuntimeError("a model on several devices takes no single step from outside")
    given = []

    def step():
        given.append(function())

    strategy.run(step)
    return given[0]


def is_distributed(model):
    """Whether the program made the model in the scope of a strategy for several devices."""
    strategy = getattr(model, "distribute_strategy", None)
    return strategy is not None and type(strategy).__name__ != "_DefaultDistributionStrategy"


def _reset(model):
    with contextlib.suppress(Exception):
        model.reset_metrics()


def tensors(data):
    """The same structure with tensors for arrays, as Keras does before it calls a model."""
    import tensorflow

    if data is None:
        return None
    if is_mapping(data):
        return {key: tensors(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)) and not (data and isinstance(data[0], (int, float, str, bool, list))):
        return type(data)(tensors(item) for item in data) if type(data) in (list, tuple) else data
    if hasattr(data, "iloc"):
        data = data.to_numpy()
    if isinstance(data, (tensorflow.RaggedTensor, tensorflow.SparseTensor)):
        return data
    value = tensorflow.convert_to_tensor(data)
    return tensorflow.cast(value, "float32") if value.dtype == tensorflow.float64 else value


def logits_of(outputs):
    """The first array of what a model put out, on the host."""
    if outputs is None:
        return None
    if is_mapping(outputs):
        for key in ("logits", "start_logits"):
            if key in outputs.keys():
                return host(outputs[key])
        outputs = list(outputs.values())
    if isinstance(outputs, (list, tuple)):
        outputs = outputs[0] if outputs else None
    return host(outputs)


def first_labels(labels):
    """The first array of the labels that a loss got, out of a dictionary or not, on the host."""
    return host(next(iter(labels.values()), None) if is_mapping(labels) else labels)
