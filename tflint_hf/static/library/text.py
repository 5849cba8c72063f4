"""Tokenizers, processors and collators of transformers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import libcst as cst

from tflint_hf.knowledge import checkpoint as known_checkpoint
from tflint_hf.static.library import hooks
from tflint_hf.static.library.hooks import method
from tflint_hf.static.library.hub_data import strings
from tflint_hf.static.library.rows import note_rows_given
from tflint_hf.static.machine import Mapping
from tflint_hf.static.names import library_name
from tflint_hf.static.syntax import dotted_name, source_text
from tflint_hf.static.values import (
    UNKNOWN,
    Array,
    Const,
    DictValue,
    EncodingValue,
    External,
    Fact,
    ListValue,
    Value,
    text_of,
)
from tflint_hf.trace import objects as facts
from tflint_hf.trace.events import (
    PaddingAsked,
    Tokenized,
    TokenizerAsked,
    TokenizerMade,
    TokensAdded,
    TokensDecoded,
    WordsGiven,
)
from tflint_hf.trace.objects import (
    ABSENT,
    Collator,
    Column,
    Encoding,
    Holder,
    LabelEncoding,
    Labels,
    Missing,
    Texts,
    Tokenizer,
)

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope
    from tflint_hf.trace.places import Place

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
    tokenizer = call.receiver.tokenizer
    maximum_set = bool({"model_max_length", "max_len", "**"} & tokenizer.keywords)
    encoding = Encoding(
        tokenizer,
        call.site,
        ragged,
        padded,
        returned,
        single,
        _texts(call),
        _pair(call),
        call.path,
        maximum_set or bool({"model_max_length", "escaped"} & call.receiver.state.keys()),
    )
    text = call.get("text")
    given = _words_of_rows(call, text) if isinstance(text, Array) else None
    if isinstance(text, Array) and given is not None:
        call.machine.record(
            WordsGiven, call.site.callee, call.group, site=call.site, column=text.name, supposed=not given
        )
    if isinstance(text, ListValue) and _are_written_words(call, text):
        call.machine.record(WordsGiven, call.site.callee, call.group, site=call.site, column="", supposed=False)
    if padded:
        note_padding(call, call.receiver, call.site.values.get("padding", call.site.callee))
    labels = Labels(LabelEncoding.TOKENS, padding=_padding_text(call) if padded else "")
    column = Column(
        labels, ragged=ragged, padded=padded, padded_to_longest=to_longest, from_tokenizer=True, encoding=encoding
    )
    mask = replace(column, labels=None)
    holder = _row_holder(call, returned)
    columns = DictValue(
        {
            "input_ids": Array(column=column, name="input_ids", holder=holder),
            "attention_mask": Array(column=mask, name="attention_mask", holder=holder),
        },
        {"open": UNKNOWN, "tokenizer": UNKNOWN},
    )
    if _gives_segments(call, tokenizer):
        columns.items["token_type_ids"] = Array(column=mask, name="token_type_ids", holder=holder)
    if call.get("text_target") is not None:
        target = "labels" if call.get("text") is not None else "input_ids"
        columns.items[target] = Array(column=Column(labels, ragged=ragged, padded=padded), name=target)
    call.machine.record(Tokenized, call.site.callee, call.group, encoding=encoding)
    return EncodingValue(columns, encoding)


#: Tokenizers that number the texts of a pair unless they are told not to.
_WITH_SEGMENTS = ("Bert", "Electra", "Albert", "MobileBert", "ConvBert", "XLNet")


def _gives_segments(call: LibraryCall, tokenizer: Tokenizer) -> bool:
    """Whether a tokenizer call certainly makes token_type_ids."""
    assert isinstance(call.receiver, TokenizerValue)
    told = "return_token_type_ids" in call.given
    named = {"model_input_names", "**"} & tokenizer.keywords or "model_input_names" in call.receiver.state
    if call.open or told or named:
        return False
    if tokenizer.class_name != "AutoTokenizer":
        return tokenizer.class_name.removesuffix("Fast").removesuffix("Tokenizer") in _WITH_SEGMENTS
    name = tokenizer.checkpoint
    own = isinstance(name, str) and name.lower().removeprefix("google-bert/").startswith("bert-")
    return own and isinstance(name, str) and known_checkpoint(name).family == "bert"


def _row_holder(call: LibraryCall, returned: Any) -> Holder | None:
    """Without return_tensors the rows are lists; the function of a map() gives them on as it likes."""
    return Holder.LIST if returned is ABSENT and call.machine.mapping is Mapping.NONE else None


def _texts(call: LibraryCall) -> Texts:
    """What is known of the texts that a tokenizer reads."""
    value = call.get("text") or call.get("batch_text_or_text_pairs")
    if value is None or call.path == "encode_plus" or call.site.given("is_split_into_words") is not False:
        return Texts(many=False if call.path == "encode_plus" else None)
    if isinstance(value, Const):
        return Texts(False, (len(value.value.split()),) if isinstance(value.value, str) else None)
    if isinstance(value, ListValue):
        found = [v.value for v in value.values if isinstance(v, Const) and isinstance(v.value, str)]
        words = tuple(len(t.split()) for t in found) if value.exact and len(found) == len(value.items) else None
        inner = next((v for v in (value.values if value.exact else [value.element]) if isinstance(v, Array)), None)
        origin = _origin(call, inner) if inner is not None else Texts()
        return replace(origin, many=len(value.items) > 1 if value.exact else True, words=words, rows=value)
    if isinstance(value, Array):
        many = {Mapping.BATCH: True, Mapping.SINGLE: False}.get(call.machine.mapping) if value.dataset else None
        if value.holder is not None:
            many = True
        return replace(_origin(call, value), many=many, rows=value)
    return Texts()


def _origin(call: LibraryCall, value: Array) -> Texts:
    """Where texts come from: a data set, or a column that was taken out of a table, and how long they are."""
    longest = value.column.longest if value.column is not None else None
    # A part of a text is as long as the program wants it.
    shortened = value.cut is not None and (value.depth > 0 or call.machine.mapping is Mapping.SINGLE)
    column = value.taken.column if value.taken is not None else ""
    return Texts(dataset=value.dataset, column=column, longest=0 if shortened else longest)


def _pair(call: LibraryCall) -> bool | None:
    value = call.get("text_pair")
    if value is None:
        return None if call.open or call.path == "batch_encode_plus" else False
    if isinstance(value, Const):
        return value.value is not None
    return True if value.known else None


def _padding_text(call: LibraryCall) -> str:
    padding = literal(call.get("padding"))
    rows = call.get("text_target") or call.get("text")
    if padding != "max_length" and isinstance(rows, ListValue) and rows.exact and len(rows.items) < 2:
        # A single row is as long as the longest.
        return ""
    return f"padding={padding!r}".replace("'", '"')


def _words_of_rows(call: LibraryCall, text: Array) -> bool | None:
    """Whether a tokenizer gets rows of words, or may get them by the name of the column; None if not, or it is told."""
    told = call.open or bool({"is_split_into_words", "is_pretokenized"} & call.given.keys())
    if told or text.depth != 0 or call.machine.mapping is not Mapping.BATCH:
        return None
    if text.column is not None:
        return text.column.words or None
    unknown = text.dataset is not None and text.dataset.columns is None
    return False if unknown and text.name in {"words", "tokens"} else None


def _are_written_words(call: LibraryCall, text: ListValue) -> bool:
    """Whether rows of words are written in the program, and one of them cannot be meant as a pair of texts."""
    if call.site.given("is_split_into_words") is not False or call.open or call.get("text_pair") is not None:
        return False
    rows = text.values if text.exact and call.path in {"__call__", "batch_encode_plus"} else []
    written = [row for row in rows if isinstance(row, ListValue) and row.kind == "list" and row.exact]
    if not written or len(written) != len(rows):
        return False
    words = [word.value for row in written for word in row.values if isinstance(word, Const)]
    are_words = len(words) == sum(len(row.items) for row in written) and all(isinstance(word, str) for word in words)
    return are_words and any(len(row.items) != 2 for row in written)


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
    "convert_tokens_to_ids",
    "tokenize",
    "as_target_tokenizer",
    "prepare_seq2seq_batch",
)
def _other(call: LibraryCall) -> Value:
    call.machine.record(TokenizerAsked, call.site.callee, call.group, method=call.path)
    return UNKNOWN


@method(TokenizerValue, "decode", "batch_decode")
def _decode(call: LibraryCall) -> Value:
    """Labels with -100 among them are no token ids."""
    assert isinstance(call.receiver, TokenizerValue)
    value = call.rest[0] if call.rest else call.get("sequences") or call.get("token_ids")
    if isinstance(value, Array) and holds_ignored(value):
        place = next(iter(call.site.values.values()), call.site.callee)
        text = source_text(place.anchor) if isinstance(place.anchor, cst.CSTNode) else "the labels"
        frame = call.machine.frames[-1].node if call.machine.frames else None
        function = frame.name.value if isinstance(frame, cst.FunctionDef) else "the program"
        call.machine.record(
            TokensDecoded,
            place,
            call.group,
            tokenizer=call.receiver.tokenizer,
            text=text,
            function=function,
            decoder=_receiver_name(call.node),
            numpy=library_name(call.scope, "numpy"),
        )
    return UNKNOWN


def _receiver_name(node: cst.CSTNode) -> str:
    """How the object is written whose method is called, empty if it has no name of its own."""
    return dotted_name(node.func.value) if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) else ""


def holds_ignored(value: Array) -> bool:
    """Whether -100 stands in an array where a model's loss ignores a label, and nothing was written over it."""
    labels = value.labels or (value.column.labels if value.column is not None else None)
    marked = value.padded_with_ignored or (labels is not None and labels.ignored == -100)
    return marked and "written" not in value.state


@method(EncodingValue, "word_ids", "sequence_ids", "to", "convert_to_tensors", "char_to_token", "words")
def _encoding_method(_call: LibraryCall) -> Value:
    return UNKNOWN


def make_collator(call: LibraryCall, class_name: str) -> Value:
    """A data collator; its tensors are PyTorch's unless return_tensors says otherwise."""
    returned: str | Missing = literal(call.get("return_tensors"), facts.UNKNOWN if call.open else ABSENT)
    padding, masks = _label_padding(call, class_name), _masks(call, class_name)
    made = Fact(Collator(class_name, returned, call.site, padding, masks))
    tokenizer = call.get("tokenizer") or (call.rest[0] if call.rest else None)
    if tokenizer is not None:
        made.state["tokenizer"] = tokenizer
    return made


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


_PADDING_COLLATORS = frozenset(
    {"DataCollatorWithPadding", "DataCollatorForTokenClassification", "DataCollatorForSeq2Seq",
     "DataCollatorForLanguageModeling", "DataCollatorForWholeWordMask", "DataCollatorForMultipleChoice"}
)  # fmt: skip


def note_collator_padding(call: LibraryCall, collator: Value | None) -> None:
    """Record that the tokenizer of a collator has to pad the batches of a feed."""
    data = collator.data if isinstance(collator, Fact) else None
    if isinstance(collator, Fact) and isinstance(data, Collator) and data.class_name in _PADDING_COLLATORS:
        note_padding(call, collator.state.get("tokenizer"), data.site.callee)


def note_padding(call: LibraryCall, tokenizer: Value | None, place: Place) -> None:
    """Record that a tokenizer is asked to pad."""
    if isinstance(tokenizer, TokenizerValue):
        known = tokenizer.tokenizer
        set_later = {"pad_token", "pad_token_id", "escaped"} & tokenizer.state.keys()
        given = bool({"pad_token", "**"} & known.keywords or set_later)
        call.machine.record(PaddingAsked, place, call.group, tokenizer=known, token_set=given)


@hooks.escape
def _tokenizer_escapes(
    machine: Machine, _name: str, _receiver: Value | None, positional: Any, keywords: Any, *_rest: Any
) -> None:
    """Code that the reader does not know may give a tokenizer more tokens."""
    for value in [*positional, *keywords.values()]:
        if isinstance(value, TokenizerValue):
            machine.store.write(value.state, "escaped", Const(True))


#: What some vocabulary may have under this name already.
_USUAL_TOKENS = frozenset(
    {"[PAD]", "[CLS]", "[SEP]", "[MASK]", "[UNK]", "<pad>", "<s>", "</s>", "<unk>", "<mask>", "<|endoftext|>"}
)


@method(TokenizerValue, "add_tokens", "add_special_tokens")
def _add_tokens(call: LibraryCall) -> Value:
    tokenizer = call.receiver
    assert isinstance(tokenizer, TokenizerValue)
    given = call.rest[0] if call.rest else next(iter(call.given.values()), UNKNOWN)
    known = isinstance(given, DictValue) and not given.open and "pad_token" not in given.items
    if call.path == "add_special_tokens" and not known:
        call.machine.store.write(tokenizer.state, "pad_token", UNKNOWN)
    parts = list(given.items.values()) if isinstance(given, DictValue) else [given]
    texts = [text for part in parts for text in strings(part) or ()]
    new = tuple(text for text in texts if text[:1] in {"<", "["} and text not in _USUAL_TOKENS)
    if new:
        call.machine.record(TokensAdded, call.site.callee, call.group, tokenizer=tokenizer.tokenizer, tokens=new)
    return UNKNOWN


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
