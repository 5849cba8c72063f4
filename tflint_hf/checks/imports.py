"""Names of transformers and TensorFlow that a fix needs, and how the program gets them."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.fixes import AddImport, AddModule
from tflint_hf.trace.events import Compiled, Imported
from tflint_hf.trace.places import Place
from tflint_hf.trace.views import Trace


def imported_from_transformers(trace: Trace, name: str, used_at: Place) -> tuple[AddImport, ...] | None:
    """What takes a name from transformers by an import that is there; None if the program has none to add it to."""
    statements = list(_statements(trace, used_at))
    for said, statement in statements:
        if said == name and statement.unit == used_at.unit:
            return (AddImport(statement, name, used_at),)
    chosen = _nearest(statements)
    return None if chosen is None else (AddImport(chosen, name, used_at),)


def keras_name(compiled: Compiled, trace: Trace) -> tuple[str, tuple[AddModule, ...]] | None:
    """How the program can write Keras at a compile(), and the import that it needs; None if it cannot."""
    known = compiled.names.get("keras")
    if known is not None:
        return known, ()
    statement = _nearest(list(_statements(trace, compiled.site.place)))
    if not compiled.tf_is_free or statement is None:
        return None
    return "tf.keras", (AddModule(statement, "import tensorflow as tf", compiled.site.place),)


def _statements(trace: Trace, used_at: Place) -> Iterator[tuple[str, Place]]:
    """What `from transformers import` statements take before a place, always executed, and these statements."""
    for event in trace.of(Imported):
        statement, always = event.statement, not event.guards and not event.loops and event.run == 0
        if event.module != "transformers" or event.name in ("", "*") or statement is None or not always:
            continue
        if statement.unit <= used_at.unit:
            yield event.name, statement


def _nearest(statements: list[tuple[str, Place]]) -> Place | None:
    last = max((statement.unit for _, statement in statements), default=None)
    return next((statement for _, statement in statements if statement.unit == last), None)
