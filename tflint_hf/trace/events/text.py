"""Tokenizers, and what becomes of their results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.trace.events.base import Event

if TYPE_CHECKING:
    from tflint_hf.trace.objects import (
        Encoding,
        Model,
        Tokenizer,
    )
    from tflint_hf.trace.places import CallSite


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TokenizerMade(Event):
    tokenizer: Tokenizer


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Tokenized(Event):
    """A tokenizer is called on texts."""

    encoding: Encoding


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TokenizerAsked(Event):
    """Another method of a tokenizer is called."""

    method: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class EncodingUsed(Event):
    """What a tokenizer gave goes to something that wants arrays: `use` names it, `model` is the model that gets it.

    `whole`: it is the BatchEncoding itself and not a dictionary or a column of it. `lists`: its rows are still Python
    lists. `site` is the call that takes it; `written`: the event's place is the expression that stands for it.
    """

    encoding: Encoding
    use: str
    site: CallSite
    model: Model | None
    whole: bool
    lists: bool
    written: bool


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TokensDecoded(Event):
    """Token ids that hold -100 are decoded: `text`, as they are written, in the function `function`.

    `decoder` is how the tokenizer is written, `numpy` the program's name for numpy; both are empty if there is none.
    """

    tokenizer: Tokenizer
    text: str
    function: str
    decoder: str
    numpy: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PaddingAsked(Event):
    """A tokenizer is asked to pad, by a call, a collator or prepare_tf_dataset.

    `token_set`: the program gave it a padding token, or may have.
    """

    tokenizer: Tokenizer
    token_set: bool


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class WordsGiven(Event):
    """A tokenizer call that gets rows of words, and is not told that they are words.

    `supposed`: only the name of the column tells that its rows are lists of words.
    """

    site: CallSite
    column: str
    supposed: bool


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TokensAdded(Event):
    """Tokens that no vocabulary has by itself are added to a tokenizer."""

    tokenizer: Tokenizer
    tokens: tuple[str, ...]
