"""What calls of Keras have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.trace.objects import KerasOrigin

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall


def origin_of(call: LibraryCall) -> KerasOrigin | None:
    return call.callee.origin if call.callee is not None else None


def class_name_of(call: LibraryCall) -> str:
    return call.path.rpartition(".")[2]
