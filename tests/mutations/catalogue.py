"""All faults, and the rules whose fault no mutation can make."""

from __future__ import annotations

from mutations.engine import Mutation
from mutations.kinds import data, evaluation, labels, losses, models, optimizers, tokens, versions

MUTATIONS: tuple[Mutation, ...] = (
    *losses.MUTATIONS,
    *labels.MUTATIONS,
    *optimizers.MUTATIONS,
    *data.MUTATIONS,
    *tokens.MUTATIONS,
    *evaluation.MUTATIONS,
    *models.MUTATIONS,
    *versions.MUTATIONS,
)

NOT_INJECTED = {
    "TFX001": "a program that is no Python has no syntax tree to change",
    "TFX002": "a comment that hides nothing is not part of the syntax tree",
}
