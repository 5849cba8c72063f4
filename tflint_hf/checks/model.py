"""Models: what they are made of and built into."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, check
from tflint_hf.checks.optimizer import TWO_KERAS, legacy_keras
from tflint_hf.trace.events import Wrapped
from tflint_hf.trace.objects import Keras


@check("TFM003")
def keras_3_wrap_around_tf_model(wrapped: Wrapped) -> Iterator[Fault]:
    """A model of transformers inside a Keras 3 model."""
    origin = wrapped.origin
    if origin is not None and origin.keras is Keras.KERAS_3:
        yield Fault(
            origin.chosen_at or wrapped.place,
            {"object": wrapped.wrapper, "encoder": wrapped.encoder.class_name},
            related=((wrapped.place, "the model of transformers meets Keras 3 here"),),
            fix=legacy_keras(origin),
            rests_on=TWO_KERAS,
        )
