"""Token ids turned back into text."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, check
from tflint_hf.findings import Safety, Severity
from tflint_hf.fixes import PlannedFix, Rewrite
from tflint_hf.trace.events import TokensDecoded


@check("TFE009")
def ignored_labels_decoded(decoded: TokensDecoded) -> Iterator[Fault]:
    """Labels are decoded with -100 among them. Tokenizers without Rust code write an unknown token for it."""
    name = decoded.tokenizer.class_name
    fast = name == "AutoTokenizer" or name.endswith("Fast")
    fix = None
    if decoded.decoder and decoded.numpy:
        template = f"{decoded.numpy}.where({{text}} != -100, {{text}}, {decoded.decoder}.pad_token_id)"
        padded = Rewrite(decoded.place, template, named=True)
        fix = PlannedFix(Safety.SAFE, "Decode padding in its place", (padded,))
    yield Fault(
        decoded.place,
        {"labels": decoded.text, "function": decoded.function},
        fix=fix,
        severity=None if fast else Severity.WARNING,
    )
