"""Mixed precision."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, check
from tflint_hf.checks.optimizer import TWO_KERAS, legacy_keras
from tflint_hf.trace.events import Fitted, ModelMade, PolicySet
from tflint_hf.trace.guards import compatible
from tflint_hf.trace.objects import ABSENT, Keras, Model, ModelOrigin
from tflint_hf.trace.views import Trace


@check("TFO019")
def ineffective_mixed_precision(trace: Trace) -> Iterator[Fault]:
    """A policy that the model never gets, or one that leaves the output layer in half precision."""
    policies = [e for e in trace.of(PolicySet) if isinstance(e.policy, str) and e.policy.startswith("mixed_")]
    fits = list(trace.of(Fitted))
    for policy in policies:
        yield from _of_the_wrong_keras(policy, trace, fits)
        yield from _too_late(policy, trace, fits)
    if policies:
        yield from _half_heads(fits)


def _parts(model: Model) -> tuple[Model, ...]:
    """The models of transformers in a model."""
    return tuple(part for part in (model, *model.encoders) if part.is_transformers)


def _of_the_wrong_keras(policy: PolicySet, trace: Trace, fits: list[Fitted]) -> Iterator[Fault]:
    """Keras 3 is told, tf-keras makes the model."""
    origin = policy.origin
    if origin is None or origin.keras is not Keras.KERAS_3:
        return
    others = [e for e in trace.of(PolicySet) if e.origin is None or e.origin.keras is not Keras.KERAS_3]
    own = any(e.model.keras is not None and e.model.keras.keras is Keras.KERAS_3 for e in trace.of(ModelMade))
    fitted = next((fit for fit in fits if fit.model.is_transformers and compatible(fit.guards, policy.guards)), None)
    if fitted is not None and not others and not own:
        yield Fault(
            policy.place,
            {"policy": policy.policy, "problem": f"is one of Keras 3, {fitted.model.class_name} is made with tf-keras"},
            related=((fitted.model.site.callee, "the model is made here"),),
            fix=legacy_keras(origin),
            rests_on=TWO_KERAS,
        )


def _too_late(policy: PolicySet, trace: Trace, fits: list[Fitted]) -> Iterator[Fault]:
    """The model exists already."""
    if policy.origin is None or policy.origin.keras is Keras.KERAS_3 or policy.loops:
        return
    made = [e for e in trace.of(ModelMade) if e.model.is_transformers]
    before = {id(e.model.site): e for e in made if e.order < policy.order and e.run == policy.run}
    if any(e.order > policy.order or e.run != policy.run for e in made):
        # It may be meant for another one.
        return
    for fit in fits:
        if fit.order < policy.order or fit.run != policy.run or not compatible(fit.guards, policy.guards):
            continue
        late = [before[id(part.site)] for part in _parts(fit.model) if id(part.site) in before]
        if late and all(e.model.policy in (ABSENT, "float32") for e in late):
            model = late[0].model
            yield Fault(
                policy.place,
                {"policy": policy.policy, "problem": f"comes after {model.class_name} was made, which keeps float32"},
                related=((model.site.callee, "the model is made here"),),
            )
            return


_LAYERED = (ModelOrigin.FUNCTIONAL, ModelOrigin.SEQUENTIAL, ModelOrigin.SUBCLASS)


def _half_heads(fits: list[Fitted]) -> Iterator[Fault]:
    """The last layer of a model around one of transformers computes in float16."""
    for fit in fits:
        if fit.model.origin not in _LAYERED or not _parts(fit.model):
            continue
        for layer in fit.model.last_layers:
            if layer is not None and layer.dtype == "mixed_float16":
                yield Fault(
                    layer.site.callee,
                    {"policy": layer.dtype, "problem": f"leaves the output layer {layer.class_name} in float16"},
                    related=((fit.site.callee, "the model is trained here"),),
                )
