"""Which methods of Keras 3, tf-keras and Keras 2 are wrapped, so that a recorder gets the program's own calls."""

import contextlib
import functools
import inspect
import threading

from .recorder import Recorder

# Modules that define a Model of some Keras; each is patched when the program imports it.
TRAINERS = {
    "keras.src.trainers.trainer": ("Trainer", ("compile",)),
    "keras.src.backend.tensorflow.trainer": (
        "TensorFlowTrainer",
        ("fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch"),
    ),
}
KERAS_2_MODULES = (
    "tf_keras.src.engine.training",
    "keras.src.engine.training",
    "keras.engine.training",
    "tensorflow.python.keras.engine.training",
)
KERAS_2_METHODS = ("compile", "fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch")
OPTIMIZERS = (
    ("keras.src.optimizers.base_optimizer", "BaseOptimizer"),
    ("tf_keras.src.optimizers.optimizer", "Optimizer"),
    ("tf_keras.src.optimizers.legacy.optimizer_v2", "OptimizerV2"),
    ("keras.src.optimizers.optimizer", "Optimizer"),
    ("keras.src.optimizers.legacy.optimizer_v2", "OptimizerV2"),
    ("keras.optimizers.optimizer_experimental.optimizer", "Optimizer"),
    ("keras.optimizers.optimizer_v2.optimizer_v2", "OptimizerV2"),
    ("keras.optimizer_v2.optimizer_v2", "OptimizerV2"),
    ("tensorflow.python.keras.optimizer_v2.optimizer_v2", "OptimizerV2"),
)


def install(context):
    recorder = Recorder(context)
    calls = OutermostCalls(context.places, recorder)
    after = context.after_import.call
    after("tensorflow.python.data.ops.iterator_ops", recorder.batch_loops.install)
    for module, (class_name, methods) in TRAINERS.items():
        after(module, functools.partial(calls.wrap_class, class_name, methods))
    for module in KERAS_2_MODULES:
        after(module, functools.partial(calls.wrap_class, "Model", KERAS_2_METHODS))
    after("transformers.modeling_tf_utils", functools.partial(calls.wrap_class, "TFPreTrainedModel", ("compile",)))
    for module, class_name in OPTIMIZERS:
        after(module, functools.partial(calls.wrap_class, class_name, ("apply_gradients",)))
        after(module, functools.partial(_remember_where_made, context, class_name))


class OutermostCalls:
    """Hands the program's calls to the recorder's method of the same name, as (original, self, arguments, places).

    What Keras calls inside its own methods is none of the program's.
    """

    def __init__(self, places, recorder):
        self._places = places
        self._recorder = recorder
        self._inside = threading.local()

    def wrap_class(self, class_name, methods, module):
        owner = getattr(module, class_name, None)
        for name in methods:
            original = owner.__dict__.get(name) if owner is not None else None
            if original is None or getattr(original, "_tflint_hf", False):
                continue
            setattr(owner, name, self._wrapped(original, getattr(self._recorder, name), inspect.signature(original)))

    def _wrapped(self, original, observer, signature):
        calls = self

        @functools.wraps(original)
        def method(self, *args, **kwargs):
            if getattr(calls._inside, "depth", 0):
                return original(self, *args, **kwargs)
            at = calls._places.of_stack()
            if not at:
                return original(self, *args, **kwargs)
            try:
                bound = signature.bind(self, *args, **kwargs)
            except TypeError:
                return original(self, *args, **kwargs)
            arguments = dict(bound.arguments)
            arguments.pop(next(iter(signature.parameters)))
            for name, parameter in signature.parameters.items():
                if parameter.kind is parameter.VAR_KEYWORD:
                    arguments.update(arguments.pop(name, {}))
            with calls._one_deeper():
                return observer(original, self, arguments, at)

        method._tflint_hf = True
        return method

    @contextlib.contextmanager
    def _one_deeper(self):
        self._inside.depth = getattr(self._inside, "depth", 0) + 1
        try:
            yield
        finally:
            self._inside.depth -= 1


def _remember_where_made(context, class_name, module):
    """Optimizers know where the program made them: not all are made in the call of compile()."""
    owner = getattr(module, class_name, None)
    original = owner.__dict__.get("__init__") if owner is not None else None
    if original is None or getattr(original, "_tflint_hf", False):
        return

    @functools.wraps(original)
    def made(self, *args, **kwargs):
        at = context.places.of_stack()
        if at:
            object.__setattr__(self, "_tflint_hf_at", at)
        return original(self, *args, **kwargs)

    made._tflint_hf = True
    owner.__init__ = made
