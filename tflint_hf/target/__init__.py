"""Which versions of transformers, TensorFlow and datasets a piece of code is for."""

from __future__ import annotations

from tflint_hf.target.resolution import (
    FolderCache,
    Pin,
    Target,
    VersionError,
    find_target,
    pins_in_text,
    project_root,
    unknown_target,
)

__all__ = [
    "FolderCache",
    "Pin",
    "Target",
    "VersionError",
    "find_target",
    "pins_in_text",
    "project_root",
    "unknown_target",
]
