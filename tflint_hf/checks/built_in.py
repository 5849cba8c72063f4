"""The functions of the rules that come with the tool."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

# The families register their functions when they are imported.
from tflint_hf.checks import (  # noqa: F401
    callbacks,
    data,
    decoding,
    evaluation,
    feeds,
    freezing,
    heads,
    held_out,
    input_keys,
    label_columns,
    label_forms,
    label_places,
    labels,
    loops,
    losses,
    metrics,
    model,
    optimizer,
    optimizer_use,
    precision,
    predictions,
    requirements,
    saving,
    schedules,
    seeds,
    strategies,
    text_lengths,
    texts,
    tokenizers,
    tokens,
    tokens_as_labels,
    versions,
)
from tflint_hf.checks.fault import checks_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tflint_hf.checks.fault import Check


@functools.cache
def built_in_checks() -> Mapping[str, Check]:
    """By code. Raises CheckError."""
    found, wrong = checks_in(__package__)
    for error in wrong:
        raise error
    return found
