"""JSON for readers that refuse half of a surrogate pair, which file names and notebooks may hold."""

from __future__ import annotations

import json
from typing import Any


def dump(content: Any, indent: int | None = None) -> str:
    """ASCII only, with U+FFFD for what is no character."""
    return json.dumps(_well_formed(content), indent=indent, ensure_ascii=True, allow_nan=False) + "\n"


def _well_formed(content: Any) -> Any:
    if isinstance(content, str):
        return content if content.isascii() else content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(content, dict):
        return {_well_formed(key): _well_formed(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_well_formed(item) for item in content]
    return content
