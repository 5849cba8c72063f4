"""How the functions and classes that training code calls bind their positional arguments."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from tflint_hf.knowledge.tables import table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from packaging.version import Version

    Literal = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Signature:
    """How a callable may be called: positional parameters in order (without self), keyword-only ones, defaults.

    `defaults` holds only literal defaults (text, number, bool, None).
    """

    positional: tuple[str, ...]
    keyword_only: tuple[str, ...] = ()
    defaults: Mapping[str, Literal] = field(default_factory=dict)


_CANONICAL = (
    (re.compile(r"^(?:tf|tensorflow)(?:\.compat\.v[12])?\.(?:python\.)?keras\."), "keras."),
    (re.compile(r"^(?:tf_keras|keras\.src|keras\.api)\.(?:src\.)?"), "keras."),
    (re.compile(r"^tf\."), "tensorflow."),
    (re.compile(r"^keras\.models\.(Model|Sequential)\b"), r"keras.\1"),
    (re.compile(r"^keras\.layers\.Input$"), "keras.Input"),
    (re.compile(r"^keras\.preprocessing\.sequence\."), "keras.utils."),
    (re.compile(r"^transformers\.AutoModel"), "transformers.TFAutoModel"),
    (re.compile(r"^transformers\.TFAutoModel\w*\."), "transformers.TFAutoModel."),
    (re.compile(r"^transformers\.TF[A-Z]\w*\.(?=[a-z])"), "transformers.TFPreTrainedModel."),
    (re.compile(r"^transformers\.Auto\w*(?:Tokenizer|Processor|FeatureExtractor)\."), "transformers.AutoTokenizer."),
    (re.compile(r"^transformers\.\w+(?:Tokenizer|TokenizerFast)\."), "transformers.PreTrainedTokenizerBase."),
)
_INNER_MODULE = re.compile(r"^(transformers|datasets)(?:\.[a-z_0-9]+)+\.(?=[A-Z]\w*|[a-z_]+$)")


@cache
def call_signature(callable_name: str, versions: tuple[tuple[str, str], ...] = ()) -> Signature | None:
    """The signature of a callable by its dotted name, or by its last parts where they are unambiguous.

    Names are those that scripts write: `tensorflow.keras.optimizers.Adam`, `keras.Model.fit`,
    `datasets.Dataset.to_tf_dataset`, `tensorflow.data.Dataset.batch`, or short, `Adam`, `Model.fit`. `versions`, pairs
    of library and version, choose between the signatures of several releases; without them it is the one of Keras 2
    (tf-keras) and of the newest datasets and transformers.
    """
    known = table("signatures")
    records = known.get(_canonical(callable_name)) or known.get(callable_name)
    if records is None:
        full_name = _by_last_parts().get(callable_name)
        records = known.get(full_name) if full_name is not None else None
    if records is None:
        return None
    record = next((r for r in records if _applies(r.get("applies"), dict(versions))), records[-1])
    return Signature(
        tuple(record["positional"]), tuple(record.get("keyword_only", ())), dict(record.get("defaults", {}))
    )


def signature(callable_name: str, versions: Mapping[str, Version] | None = None) -> tuple[str, ...]:
    """The positional parameters of a callable in their order, without self; empty where they are not known."""
    chosen = tuple(sorted((library, str(version)) for library, version in (versions or {}).items()))
    found = call_signature(callable_name, chosen)
    return found.positional if found is not None else ()


def _canonical(name: str) -> str:
    name = _INNER_MODULE.sub(r"\1.", name)
    for pattern, replacement in _CANONICAL:
        name = pattern.sub(replacement, name)
    return name


@cache
def _by_last_parts() -> dict[str, str]:
    """Short names (`Adam`, `Model.fit`) to full ones; the shorter, then the earlier full name wins."""
    short: dict[str, str] = {}
    for name in sorted(table("signatures"), key=lambda full: (full.count("."), full)):
        parts = name.split(".")
        for count in range(1, len(parts)):
            short.setdefault(".".join(parts[-count:]), name)
    return short


def _applies(applies: Mapping[str, str] | None, versions: Mapping[str, str]) -> bool:
    if not applies:
        return True
    if not applies.keys() <= versions.keys():
        return False
    from packaging.specifiers import SpecifierSet

    return all(
        SpecifierSet(specifier).contains(versions[library], prereleases=True) for library, specifier in applies.items()
    )
