"""Models: what they are made of and built into."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, check
from tflint_hf.checks.optimizer import TWO_KERAS
from tflint_hf.trace.events import Wrapped
from tflint_hf.trace.objects import Keras


@check("TFM003")
def keras_3_wrap_around_tf_model(wrapped: Wrapped) -> Iterator[Fault]:
    """A model of transformers inside a Keras 3 model."""
    if wrapped.generation == Keras.KERAS_3.value:
        yield Fault(
            wrapped.keras or wrapped.place,
            {"object": wrapped.wrapper, "encoder": wrapped.encoder.class_name},
            related=((wrapped.place, "the model of transformers meets Keras 3 here"),),
            rests_on=TWO_KERAS,
        )
