"""Tests that need TensorFlow share a process, so that each of two workers imports it once."""

from __future__ import annotations

from pathlib import Path

import pytest

PROOFS = "test_proofs.py"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here:
            group = "proofs" if item.path.name == PROOFS else "tensorflow"
            item.add_marker(pytest.mark.xdist_group(group))
