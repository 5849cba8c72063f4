"""Versions that a project asks for and that do not work together."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, Once, check
from tflint_hf.checks.versions import needs_tensorflow
from tflint_hf.findings import Safety, Severity
from tflint_hf.fixes import AppendLine, PlannedFix
from tflint_hf.target import Pin, Target
from tflint_hf.trace.events import Fitted, Imported, OptimizerMade
from tflint_hf.trace.objects import ModelOrigin
from tflint_hf.trace.places import FilePlace, Place
from tflint_hf.trace.views import Trace

#: Packages that install tf-keras, at least in some of their releases.
_BRING_TF_KERAS = frozenset(
    {
        "ktrain", "tensorflow-decision-forests", "tensorflow-hub", "tensorflow-model-optimization",
        "tensorflow-probability", "tensorflow-recommenders", "tf-models-official", "tf-models-nightly",
    }
)  # fmt: skip
_LOCKS = (".lock", "pylock.toml")


def _pin(target: Target, library: str) -> Pin | None:
    """The line that a person wrote about a library; that of a lock file where there is none."""
    pins = [pin for pin in target.pins if pin.library == library]
    return next((pin for pin in pins if not pin.path.endswith(_LOCKS)), pins[0] if pins else None)


def _place(pin: Pin | None, otherwise: Place) -> Place | FilePlace:
    return FilePlace(pin.path, pin.line, pin.cell) if pin is not None else otherwise


def _has_tf_keras(target: Target) -> bool:
    return "tf-keras" in target.listed | target.given


@check("TFO007", once_per_project=Once.INFOS)
def missing_tf_keras(trace: Trace, target: Target) -> Iterator[Fault]:
    """The requirements bring Keras 3 and not the Keras 2 that the TF classes need.

    Versions that are given by hand list nothing: only a list that names both libraries could have named tf-keras.
    """
    applies = {"tensorflow": ">=2.16", "transformers": ">=4.38,<5"}
    listed = target.listed
    if "tensorflow" not in target.pinned or not target.satisfies(applies):
        return
    if not {"tensorflow", "transformers"} <= listed or _has_tf_keras(target) or listed & _BRING_TF_KERAS:
        return
    first = next((e for e in trace.of(Imported) if needs_tensorflow(e)), None)
    if first is None:
        return
    pin, fix = _pin(target, "tensorflow"), None
    if pin is not None:
        # pip takes the release of tf-keras that goes with TensorFlow.
        line = AppendLine(FilePlace(pin.path, pin.line, pin.cell), "tf-keras")
        fix = PlannedFix(Safety.SAFE, "Ask for tf-keras", (line,))
    settled = "transformers" in target.pinned and not target.allows_transformers_5
    yield Fault(
        _place(pin, first.place),
        {"name": first.name or first.module, "tensorflow": f"tensorflow{dict(target.ranges)['tensorflow']}"},
        related=((first.place, f"{first.name or first.module} is imported here"),),
        fix=fix,
        severity=None if settled else Severity.INFO,
        rests_on=applies,
    )


@check("TFO008", once_per_project=Once.INFOS)
def tensorflow_too_old(trace: Trace, target: Target) -> Iterator[Fault]:
    """A training step of transformers that needs a newer Keras 2 than TensorFlow brings.

    Versions that are given by hand do not say whether tf-keras is installed, which some release of goes with any
    TensorFlow.
    """
    applies = {"tensorflow": "<2.13", "transformers": ">=4.38,<5"}
    if target.depends_on(applies) is not None or _has_tf_keras(target):
        return
    fit = next((e for e in trace.of(Fitted) if _trains_as_transformers(e)), None)
    if fit is None:
        return
    yield Fault(
        _place(_pin(target, "tensorflow"), fit.site.callee),
        {"transformers": target.transformers, "tensorflow": target.tensorflow},
        related=((fit.site.callee, "the model is trained here"),),
        severity=None if target.listed & {"tensorflow", "transformers"} else Severity.INFO,
        rests_on=applies,
    )


def _trains_as_transformers(fit: Fitted) -> bool:
    return fit.model.origin in (ModelOrigin.PRETRAINED, ModelOrigin.CONFIG) and fit.model.is_transformers


@check("TFO017")
def broken_adam_weight_decay(made: OptimizerMade, target: Target) -> Iterator[Fault]:
    """AdamWeightDecay in the releases of transformers that build it on an Adam which TensorFlow replaced."""
    applies = {"tensorflow": ">=2.11", "transformers": ">=4.24,<4.26"}
    optimizer = made.optimizer
    if target.depends_on(applies) is not None or optimizer.site is None:
        return
    decay = optimizer.weight_decay
    decays = isinstance(decay, float) and decay > 0
    if optimizer.class_name == "AdamWeightDecay" or (optimizer.class_name == "create_optimizer" and decays):
        yield Fault(
            optimizer.site.callee,
            {
                "optimizer": optimizer.class_name,
                "transformers": target.transformers,
                "tensorflow": target.tensorflow,
            },
            rests_on=applies,
        )
