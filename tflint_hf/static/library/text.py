"""Tokenizers, processors and collators of transformers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tflint_hf.static.library import hooks
from tflint_hf.static.library.hooks import method
from tflint_hf.static.library.rows import note_rows_given
from tflint_hf.static.machine import Mapping
from tflint_hf.static.values import UNKNOWN, Array, Const, DictValue, EncodingValue, External, Fact, Value, text_of
from tflint_hf.trace import objects as facts
from tflint_hf.trace.events import TokenizerMade
from tflint_hf.trace.objects import ABSENT, Collator, Column, Encoding, LabelEncoding, Labels, Missing, Tokenizer

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope

_COLLATORS = ("DataCollator", "DefaultDataCollator", "default_data_collator")


def is_tokenizer_class(name: str) -> bool:
    return name == "AutoTokenizer" or name.endswith(("Tokenizer", "TokenizerFast"))


def is_collator_class(name: str) -> bool:
    return name.startswith(_COLLATORS)


def literal(value: Value | None, default: Any = ABSENT) -> Any:
    """The literal that an argument has: `default` if it is not given, UNKNOWN if it cannot be read."""
    if value is None:
        return default
    return value.value if isinstance(value, Const) else facts.UNKNOWN


def make_tokenizer(call: LibraryCall, class_name: str) -> Value:
    name = call.get("pretrained_model_name_or_path") or (call.rest[0] if call.rest else UNKNOWN)
    checkpoint: str | Missing = text_of(name) or facts.UNKNOWN
    keywords = frozenset(call.given) | ({"**"} if call.open else set())
    tokenizer = Tokenizer(class_name, checkpoint, call.site, keywords)
    call.machine.record(TokenizerMade, call.site.callee, call.group, tokenizer=tokenizer)
    return TokenizerValue(tokenizer)


@dataclass(eq=False, slots=True)
class TokenizerValue(Value):
    """A tokenizer; `state` holds what the program set on it, as pad_token."""

    tokenizer: Tokenizer
    state: dict[str, Value] = field(default_factory=dict)


@hooks.attribute_of(TokenizerValue)
def _tokenizer_attribute(
    _machine: Machine, receiver: TokenizerValue, name: str, _node: Any, _scope: Scope
) -> Value | None:
    if name in receiver.state:
        return receiver.state[name]
    return UNKNOWN if name.endswith(("_token", "_token_id", "vocab_size", "_length")) else None


@hooks.set_attribute_of(TokenizerValue)
def _set_tokenizer(
    machine: Machine, receiver: TokenizerValue, name: str, value: Value, _node: Any, _scope: Scope
) -> None:
    machine.store.write(receiver.state, name, value)


_TOKENIZE = "transformers.PreTrainedTokenizerBase.__call__"


@method(TokenizerValue, "__call__", "batch_encode_plus", "encode_plus", signature=_TOKENIZE)
def _tokenize(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, TokenizerValue)
    if call.path == "__call__" or (call.path == "batch_encode_plus" and _is_fast(call, call.receiver.tokenizer)):
        texts = {name: call.get(name) for name in ("text", "text_pair", "text_target", "batch_text_or_text_pairs")}
        note_rows_given(call, "the tokenizer", texts, as_texts=True)
    ragged, padded = _raggedness(call)
    to_longest = ragged is None and padded is True and call.get("max_length") is None
    returned = literal(call.get("return_tensors"), facts.UNKNOWN if call.open else ABSENT)
    single = call.machine.mapping is Mapping.SINGLE
    encoding = Encoding(call.receiver.tokenizer, call.site, ragged, padded, returned, single)
    labels = Labels(LabelEncoding.TOKENS, padding=_padding_text(call) if padded else "")
    column = Column(
        labels, ragged=ragged, padded=padded, padded_to_longest=to_longest, from_tokenizer=True, encoding=encoding
    )
    mask = replace(column, labels=None)
    columns = DictValue(
        {
            "input_ids": Array(column=column, name="input_ids"),
            "attention_mask": Array(column=mask, name="attention_mask"),
        },
        {"open": UNKNOWN, "tokenizer": UNKNOWN},
    )
    if call.get("text_target") is not None:
        target = "labels" if call.get("text") is not None else "input_ids"
        columns.items[target] = Array(column=Column(labels, ragged=ragged, padded=padded), name=target)
    return EncodingValue(columns, encoding)


def _padding_text(call: LibraryCall) -> str:
    padding = literal(call.get("padding"))
    return f"padding={padding!r}".replace("'", '"')


def _is_fast(call: LibraryCall, tokenizer: Tokenizer) -> bool:
    """Whether a tokenizer is one of the fast ones, which look at what kind of object they get."""
    if tokenizer.class_name == "AutoTokenizer":
        since_4 = call.machine.target.transformers.major >= 4
        return since_4 and not {"use_fast", "**"} & tokenizer.keywords
    return tokenizer.class_name.endswith("Fast")


def _raggedness(call: LibraryCall) -> tuple[bool | None, bool | None]:
    """Whether the rows differ in length, and whether they are padded."""
    if call.open or call.get("pad_to_max_length") is not None or call.path == "encode_plus":
        return None, None
    padding = literal(call.get("padding"), False)
    if padding in (False, "do_not_pad"):
        return (None if call.get("return_tensors") is not None else True), False
    if padding == "max_length":
        truncation = literal(call.get("truncation"), False)
        return (False if truncation not in (False, facts.UNKNOWN) else None), True
    return None, None if padding is facts.UNKNOWN else True


@method(
    TokenizerValue,
    "pad",
    "encode",
    "decode",
    "batch_decode",
    "add_tokens",
    "convert_tokens_to_ids",
    "add_special_tokens",
    "tokenize",
    "as_target_tokenizer",
)
def _other(call: LibraryCall) -> Value:
    return UNKNOWN


@method(EncodingValue, "word_ids", "sequence_ids", "to", "convert_to_tensors", "char_to_token", "words")
def _encoding_method(_call: LibraryCall) -> Value:
    return UNKNOWN


def make_collator(call: LibraryCall, class_name: str) -> Value:
    """A data collator; its tensors are PyTorch's unless return_tensors says otherwise."""
    returned: str | Missing = literal(call.get("return_tensors"), facts.UNKNOWN if call.open else ABSENT)
    return Fact(Collator(class_name, returned, call.site, _label_padding(call, class_name), _masks(call, class_name)))


_PADS_LABELS = frozenset({"DataCollatorForTokenClassification", "DataCollatorForSeq2Seq"})
_MASKS_TOKENS = frozenset({"DataCollatorForLanguageModeling", "DataCollatorForWholeWordMask"})


def _label_padding(call: LibraryCall, class_name: str) -> int | Missing:
    if class_name not in _PADS_LABELS:
        return ABSENT
    value = literal(call.get("label_pad_token_id"), facts.UNKNOWN if call.open else -100)
    return value if isinstance(value, int) else facts.UNKNOWN


def _masks(call: LibraryCall, class_name: str) -> bool | Missing:
    if class_name not in _MASKS_TOKENS:
        return ABSENT
    value = literal(call.get("mlm"), facts.UNKNOWN if call.open else True)
    return value if isinstance(value, bool) else facts.UNKNOWN


@hooks.set_attribute_of(Collator)
def _set_collator(machine: Machine, receiver: Fact, name: str, value: Value, _node: Any, _scope: Scope) -> None:
    machine.store.write(receiver.state, name, value)


def collator_of(value: Value | None) -> Collator | Missing:
    """The collator given as collate_fn."""
    if value is None or (isinstance(value, Const) and value.value is None):
        return ABSENT
    if isinstance(value, Fact) and isinstance(value.data, Collator):
        given = value.state.get("return_tensors")
        return value.data if given is None else replace(value.data, return_tensors=literal(given))
    if isinstance(value, External):
        return facts.UNKNOWN
    return facts.UNKNOWN
