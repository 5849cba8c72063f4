"""tflint-hf: a linter for TensorFlow/Keras training code that uses Hugging Face transformers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tflint_hf.findings import Finding

__version__ = "0.1.0"
__all__ = ["__version__", "scan", "scan_source"]


def scan(paths: Sequence[Path]) -> tuple[Finding, ...]:
    """The findings in these files and folders, with the configuration that lies beside them."""
    from tflint_hf.engine import ScanOptions
    from tflint_hf.engine import scan as scan_paths

    return scan_paths(paths, ScanOptions()).findings


def scan_source(text: str, filename: str = "program.py") -> tuple[Finding, ...]:
    """The findings in a text; the suffix of `filename` says whether it is a script, a notebook or Markdown."""
    from tflint_hf.engine import ScanOptions
    from tflint_hf.engine import scan as scan_paths

    return scan_paths((), ScanOptions(stdin=(text, filename))).findings
