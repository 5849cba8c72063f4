"""Tests that need TensorFlow share a process, so that each of two workers imports it once."""

from __future__ import annotations

from pathlib import Path

import pytest

PROOFS = "test_proofs.py"
WORKERS = 2


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for number, item in enumerate(items):
        if item.path.parent == here:
            # Proofs are many and alike: both workers take their part.
            group = number % WORKERS if item.path.name == PROOFS else 0
            item.add_marker(pytest.mark.xdist_group(f"tensorflow-{group}"))
