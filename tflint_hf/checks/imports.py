"""Names of transformers that a fix needs, and how the program gets them."""

from __future__ import annotations

from tflint_hf.fixes import AddImport
from tflint_hf.trace.events import Imported
from tflint_hf.trace.places import Place
from tflint_hf.trace.views import Trace


def imported_from_transformers(trace: Trace, name: str, used_at: Place) -> tuple[AddImport, ...] | None:
    """What takes a name from transformers by an import that is there; None if the program has none to add it to."""
    found: list[Place] = []
    for event in trace.of(Imported):
        statement: Place | None = event.statement
        always = not event.guards and not event.loops and event.run == 0
        if event.module == "transformers" and event.name not in ("", "*") and statement is not None and always:
            if event.name == name and statement.unit == used_at.unit:
                return (AddImport(statement, name, used_at),)
            if statement.unit <= used_at.unit:
                found.append(statement)
    nearest = max((statement.unit for statement in found), default=None)
    chosen = next((statement for statement in found if statement.unit == nearest), None)
    return None if chosen is None else (AddImport(chosen, name, used_at),)
