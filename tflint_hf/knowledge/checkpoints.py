"""Checkpoints of the Hub: what their ids tell."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from tflint_hf.knowledge.models import Task
from tflint_hf.knowledge.tables import table


@dataclass(frozen=True, slots=True)
class CheckpointInfo:
    """What the id of a checkpoint tells. None = not known.

    `head_task` and `head_labels`, the number of outputs, tell of the head that was trained with it; they are None too
    where there is no such head. `looks_fine_tuned` says whether the id speaks of one, or of a folder of somebody's own.
    `positions` is how many tokens its table of positions has room for, None too where there is no such table.
    """

    name: str
    family: str | None
    cased: bool | None
    head_task: Task | None
    head_labels: int | None
    looks_fine_tuned: bool
    has_pad_token: bool | None
    is_t5_like: bool
    positions: int | None


@cache
def checkpoint(name: str) -> CheckpointInfo:
    """What is known of the checkpoint `name`, with or without its organisation."""
    known_ids = table("checkpoints")
    bare = name.rpartition("/")[2].lower()
    family = next((family for pattern, family in known_ids["families"] if re.match(pattern, bare)), None)
    known = known_ids["checkpoints"].get(name.lower()) or known_ids["checkpoints"].get(bare) or {}
    family = known.get("family", family)
    head_task = Task(known["head_task"]) if "head_task" in known else None
    cased = known.get("cased", _cased(bare, family))
    return CheckpointInfo(
        name=name,
        family=family,
        cased=cased,
        head_task=head_task,
        head_labels=known.get("head_labels"),
        looks_fine_tuned=known.get("fine_tuned", head_task is not None or _says_fine_tuned(name)),
        has_pad_token=known.get("pad_token", known_ids["pad_token_by_family"].get(family)),
        is_t5_like=family in known_ids["t5_like"],
        # A number in the id may speak of a longer table.
        positions=None if re.search(r"\d{4}|\d+k\b", bare) else positions_of(family),
    )


def positions_of(family: str | None) -> int | None:
    """How many tokens the usual checkpoints of a family have positions for."""
    found: int | None = table("checkpoints")["positions"].get((family or "").replace("_", "-"))
    return found


def _cased(bare: str, family: str | None) -> bool | None:
    if re.search(r"(?:^|[-_])uncased(?:$|[-_])", bare):
        return False
    if re.search(r"(?:^|[-_])cased(?:$|[-_])", bare):
        return True
    by_family: bool | None = table("checkpoints")["cased_by_family"].get(family)
    return by_family


def _says_fine_tuned(name: str) -> bool:
    own_folder = name.startswith((".", "/", "~")) or name.count("/") > 1 or "\\" in name or "checkpoint" in name
    return own_folder or re.search(table("checkpoints")["fine_tuned"], name.rpartition("/")[2].lower()) is not None
