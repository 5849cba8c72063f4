"""Which releases exist."""

from __future__ import annotations

from functools import cache

from tflint_hf.knowledge.tables import table


@cache
def releases(library: str) -> tuple[str, ...]:
    """The stable releases of a library (transformers, tensorflow, tf-keras, datasets, keras, pandas), oldest first."""
    return tuple(table("releases").get(library, ()))
