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
    "TFD012": "no mutation yet: a key too many needs a model whose inputs are known, and changes several calls",
    "TFE011": "no mutation yet: it would have to know both the data trained on and the data that validates",
    "TFE012": "no mutation yet: it is told once in a project, and only beside a split",
    "TFL032": "no mutation yet: it needs a table of pandas whose labels are texts",
    "TFX001": "a program that is no Python has no syntax tree to change",
    "TFX002": "a comment that hides nothing is not part of the syntax tree",
}
