"""What measurements must leave as it was: the weights of a model, and every source of random numbers."""

import contextlib
import random
import sys

from .facts import variables_of


class Kept:
    """The state at the moment that this is made."""

    def __init__(self, model):
        self._model = model
        self._weights = [(variable, variable.numpy()) for variable in variables_of(model)]
        self._generators = list(_generators())

    def put_weights_back(self):
        for variable, value in self._weights:
            variable.assign(value)

    def put_back(self):
        """Put back weights and random numbers, so that the program trains as if nothing had been measured."""
        self.put_weights_back()
        for put, state in self._generators:
            put(state)


@contextlib.contextmanager
def same_random_numbers():
    """Let the program draw the same random numbers after what happens here as it would have before."""
    generators = list(_generators())
    try:
        yield
    finally:
        for put, state in generators:
            put(state)


def _generators():
    """A function that puts a state back and the state, for each generator of random numbers that is in use."""
    yield random.setstate, random.getstate()
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        yield numpy.random.set_state, numpy.random.get_state()
    for one in (_of_eager_tensorflow(), _of_keras_2()):
        if one is not None:
            yield one.setstate, one.getstate()
    keras_3 = _of_keras_3()
    if keras_3 is not None:
        yield keras_3.assign, keras_3.numpy()


def _of_eager_tensorflow():
    """What operations without a seed of their own draw their seeds from, once the program has set a global seed."""
    context = sys.modules.get("tensorflow.python.eager.context")
    found = getattr(context.context(), "_rng", None) if context is not None else None
    return found if isinstance(found, random.Random) else None


def _of_keras_2():
    for name in ("tf_keras.src.backend", "keras.src.backend", "keras.backend"):
        found = getattr(getattr(sys.modules.get(name), "_SEED_GENERATOR", None), "generator", None)
        if isinstance(found, random.Random):
            return found
    return None


def _of_keras_3():
    state = sys.modules.get("keras.src.backend.common.global_state")
    if state is None:
        return None
    generator = state.get_global_attribute("global_seed_generator")
    variable = getattr(generator, "state", None)
    return variable if hasattr(variable, "assign") and hasattr(variable, "numpy") else None
