"""Where the tables lie and how they are read."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, cast


def rules_folder() -> Path:
    """Where the rules and the knowledge lie: inside an installed package, beside the package in a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "_rules"
    return installed if installed.is_dir() else package.parent / "rules"


def knowledge_folder() -> Path:
    """Where the facts about the libraries lie, one JSON file a table."""
    return rules_folder() / "knowledge"


@cache
def table(name: str) -> dict[str, Any]:
    """The records of `rules/knowledge/<name>.json`, read at the first call. Do not change them."""
    path = knowledge_folder() / f"{name}.json"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise RuntimeError(f"{path} cannot be read ({error.strerror}): install tflint-hf again") from error
    return cast("dict[str, Any]", json.loads(text))
