"""What a run is doing, in words, for those who wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_WORDS = {
    "stand_in": "a stand-in for {name}",
    "tokenized": "tokenizing",
    "model_made": "a model is made",
    "training": "training {training}: looking at the batches",
    "measured": "training {training}: {probe} measured",
    "fitted": "training {training} is done",
    "finished": "putting the report together",
}


def words_for(message: Mapping[str, Any]) -> str | None:
    """What the run does by now, from a message of its own; None if that tells nothing."""
    words = _WORDS.get(message["kind"])
    return None if words is None else words.format(**{"training": "", "probe": "", "name": "", **message})
