"""Functions that write labels in another way: one-hot rows, class ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.values import UNKNOWN, Array, Const, Value
from tflint_hf.trace.objects import LabelEncoding, Labels

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall


@path("keras.utils.to_categorical", "keras.utils.np_utils.to_categorical", "tensorflow.one_hot", "pandas.get_dummies")
def _one_hot(call: LibraryCall) -> Value:
    count = call.get("num_classes") or call.get("depth")
    classes = count.value if isinstance(count, Const) and isinstance(count.value, int) else None
    if call.get("drop_first") is not None:
        return Array()
    return Array(labels=Labels(LabelEncoding.ONE_HOT, classes, "the one-hot encoding", place=call.site.callee))


@path("sklearn.preprocessing.LabelEncoder")
def _label_encoder(_call: LibraryCall) -> Value:
    return LabelEncoderValue()


@dataclass(eq=False, slots=True)
class LabelEncoderValue(Value):
    """scikit-learn's LabelEncoder, which numbers class names."""


@method(LabelEncoderValue, "fit_transform", "transform")
def _numbered(_call: LibraryCall) -> Value:
    return Array(labels=Labels(LabelEncoding.INDEX, known_from="LabelEncoder"))


@method(LabelEncoderValue, "*")
def _label_encoder_method(call: LibraryCall) -> Value:
    return (call.receiver or UNKNOWN) if call.path == "fit" else UNKNOWN
