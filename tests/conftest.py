"""Settings of all tests, and which of them share a process."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How fast inputs are made depends on what else the machine does.
settings.register_profile("any machine", suppress_health_check=[HealthCheck.too_slow], deadline=None)
settings.load_profile("any machine")

WITH_TENSORFLOW = Path(__file__).parent / "tensorflow"
PROOFS = "test_proofs.py"
WORKERS = 2


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that need TensorFlow share a process, so that each of two workers imports it once."""
    for number, item in enumerate(items):
        if item.path.parent == WITH_TENSORFLOW:
            # Proofs are many and alike: both workers take their part.
            group = number % WORKERS if item.path.name == PROOFS else 0
            item.add_marker(pytest.mark.xdist_group(f"tensorflow-{group}"))
