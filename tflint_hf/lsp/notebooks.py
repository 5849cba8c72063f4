"""A notebook's file from the texts of its cells."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def notebook_bytes(cells: Sequence[str | None]) -> bytes:
    """The notebook with these cells of Python. None is a cell of anything else, which keeps its place."""
    written: list[dict[str, object]] = [
        {"cell_type": "raw", "metadata": {}, "source": ""}
        if text is None
        else {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": text}
        for text in cells
    ]
    return json.dumps({"cells": written, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()
