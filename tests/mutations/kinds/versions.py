"""Versions that do not fit the code, and names that were removed."""

from __future__ import annotations

import ast

from mutations.engine import Mutation
from mutations.programs import Program


def _same(node: ast.AST, program: Program) -> list[ast.stmt] | None:
    """The last statement as it is: the fault is in the requirements or imports."""
    return [node] if node is program.tree.body[-1] and isinstance(node, ast.stmt) else None


ANY = ("Expr", "Assign", "If", "For", "FunctionDef", "With")
_TAPE = ("GradientTape",)


def _trains(program: Program) -> bool:
    return program.trains_a_head and not program.has("pip install", *_TAPE)


MUTATIONS = (
    Mutation("TFO007", "no tf-keras", ANY, _same, when=_trains, requires="tensorflow==2.17.0 transformers==4.44.0"),
    Mutation(
        "TFO008", "an old TensorFlow", ANY, _same, when=_trains, requires="tensorflow==2.12.0 transformers==4.40.0"
    ),
    Mutation(
        "TFO017",
        "releases whose AdamWeightDecay fails",
        ANY,
        _same,
        when=lambda p: _trains(p) and bool(p.calls("AdamWeightDecay")),
        requires="tensorflow==2.11.0 transformers==4.25.1",
    ),
    Mutation("TFV001", "transformers 5", ANY, _same, when=_trains, requires="transformers==5.0.0"),
    Mutation("TFV002", "TFTrainer", ANY, _same, when=_trains, imports=("from transformers import TFTrainer",)),
    Mutation(
        "TFV005",
        "a release that reads safetensors wrongly",
        ANY,
        _same,
        when=lambda p: _trains(p) and p.has("from_pretrained"),
        requires="transformers==4.57.1",
    ),
)
