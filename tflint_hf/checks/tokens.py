"""Calls of tokenizers: padding, truncation, their arguments, and what takes their output."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, check
from tflint_hf.findings import Safety, Severity
from tflint_hf.fixes import (
    AddArgument,
    InsertAfter,
    InsertBefore,
    PlannedEdit,
    PlannedFix,
    RemoveArgument,
    RenameKeyword,
    Replace,
)
from tflint_hf.target import Target
from tflint_hf.trace.events import EncodingUsed, Imported, TargetsGiven, Tokenized, TokenizerAsked
from tflint_hf.trace.objects import ABSENT, Encoding, Holder, Keras, Model, ModelOrigin
from tflint_hf.trace.places import CallSite
from tflint_hf.trace.views import Trace, rests_on_environment

_TRAINING = frozenset({"fit", "evaluate", "predict", "predict_on_batch", "train_on_batch", "test_on_batch"})
_STACKING = frozenset({"from_tensor_slices", "np.array", "np.asarray", "tf.constant", "tf.convert_to_tensor"})
_NO_PADDING = (False, "do_not_pad")
_NO_TRUNCATION = (False, "do_not_truncate")


def _wraps_transformers(model: Model) -> bool:
    return model.is_transformers or bool(model.encoders)


def _is_unpadded(encoding: Encoding) -> bool:
    """Whether a tokenizer call certainly leaves each row as long as its text."""
    site = encoding.site
    if site.open or "pad_to_max_length" in site.arguments or encoding.method == "encode_plus":
        return False
    return site.given("padding") is False or site.literals.get("padding", "?") in _NO_PADDING


def _differ_in_length(encoding: Encoding) -> bool:
    words = encoding.texts.words
    return encoding.texts.many is True and (words is None or len(set(words)) > 1)


@check("TFD001")
def tokens_without_padding(trace: Trace) -> Iterator[Fault]:
    """Rows as long as their texts, where a tensor is made of them."""
    for event in trace.events:
        if not isinstance(event, Tokenized | EncodingUsed) or rests_on_environment(event.guards):
            continue
        encoding = event.encoding
        use = _tensor_use(event)
        if not use or encoding.single or not _is_unpadded(encoding) or not _differ_in_length(encoding):
            continue
        site = encoding.site
        given = site.values.get("padding")
        cuts = site.given("truncation") is not False or site.given("max_length") is not False
        added = AddArgument(site.place, "padding=True" if cuts else "padding=True, truncation=True")
        yield Fault(
            site.callee,
            {"use": use},
            related=((event.place, "this needs rows of one length"),) if isinstance(event, EncodingUsed) else (),
            fix=PlannedFix(Safety.SAFE, "Pad the rows", (added if given is None else Replace(given, "True"),)),
            severity=Severity.INFO if event.variants > 1 else None,
        )


def _tensor_use(event: Tokenized | EncodingUsed) -> str:
    """What makes one tensor of the rows; empty if nothing does."""
    returned = event.encoding.return_tensors
    if isinstance(event, Tokenized):
        # In the function of a map() these are rows for the data set again.
        inside = event.encoding.texts.dataset is not None
        return f'return_tensors="{returned}"' if returned in ("tf", "pt") and not inside else ""
    if returned is ABSENT:
        return event.use if event.use in _STACKING and event.lists else ""
    return event.use if returned == "np" else ""


@check("TFD005")
def token_lists_to_fit(used: EncodingUsed) -> Iterator[Fault]:
    """A model is given the Python lists that a tokenizer makes without return_tensors."""
    if used.model is None or not used.lists or used.encoding.return_tensors is not ABSENT:
        return
    if not _wraps_transformers(used.model):
        return
    site = used.encoding.site
    yield Fault(
        site.callee,
        {"method": used.use},
        related=((used.place, "they are given to the model here"),),
        fix=PlannedFix(Safety.SAFE, "Let the tokenizer make arrays", (AddArgument(site.place, 'return_tensors="np"'),)),
    )


@check("TFD006")
def batch_encoding_in_dataset(trace: Trace, target: Target) -> Iterator[Fault]:
    """A tokenizer's output object where a plain dictionary is needed."""
    kept = [use.made.site for use in trace.feed_uses if use.used and all(s.method != "map" for s in use.feed.steps)]
    for used in trace.of(EncodingUsed):
        if not used.whole or rests_on_environment(used.guards):
            continue
        old = {"transformers": "<4.38"}
        rests_on: dict[str, str] = {}
        if used.use == "from_tensor_slices":
            if not any(site is used.site for site in kept):
                continue
        elif used.model is None or used.use not in _TRAINING | {"validation_data"}:
            continue
        elif used.use == "validation_data":
            if not _wraps_transformers(used.model):
                continue
        elif used.model.is_transformers:
            if not target.satisfies(old):
                continue
            rests_on = old
        elif used.model.origin is not ModelOrigin.FUNCTIONAL or not used.model.encoders:
            continue
        fix = None
        if used.written:
            fix = PlannedFix(
                Safety.SAFE, "Make it a dict", (InsertBefore(used.place, "dict("), InsertAfter(used.place, ")"))
            )
        yield Fault(
            used.place,
            {"use": used.use},
            related=((used.encoding.site.callee, "the tokenizer is called here"),),
            fix=fix,
            severity=Severity.INFO if used.variants > 1 else None,
            rests_on=rests_on,
        )


@check("TFD007")
def label_list_to_fit(given: TargetsGiven) -> Iterator[Fault]:
    """Labels in a Python list beside inputs that are arrays."""
    model = given.model
    keras_3 = model.keras is not None and model.keras.keras is Keras.KERAS_3
    if given.holder is not Holder.LIST or not _wraps_transformers(model) or keras_3:
        return
    fix = None
    if given.array:
        edits = (InsertBefore(given.place, f"{given.array}("), InsertAfter(given.place, ")"))
        fix = PlannedFix(Safety.SAFE, "Make an array of the labels", edits)
    short = given.spelling if 0 < len(given.spelling) <= 40 else "y"
    yield Fault(given.place, {"labels": short}, fix=fix)


@check("TFD036")
def padding_without_truncation(trace: Trace) -> Iterator[Fault]:
    """max_length does not cut as soon as padding is given, in rows that somebody uses."""
    used = {id(event.encoding) for event in trace.of(EncodingUsed)}
    for made in trace.of(Tokenized):
        encoding, site = made.encoding, made.encoding.site
        stays_list = encoding.return_tensors is ABSENT and encoding.texts.dataset is None
        if (stays_list and id(encoding) not in used) or rests_on_environment(made.guards):
            continue
        if site.open or site.literals.get("padding") not in (True, "longest", "max_length"):
            continue
        if site.given("max_length") is not True or not never_truncates(site) or not _may_be_longer(encoding):
            continue
        length = site.literals.get("max_length")
        yield Fault(
            site.callee,
            {"length": length if isinstance(length, int) else "..."},
            fix=PlannedFix(Safety.UNSAFE, "Cut longer texts", (truncating(site),)),
            severity=Severity.INFO if made.variants > 1 else None,
        )


def _may_be_longer(encoding: Encoding) -> bool:
    """Whether these are several texts that are not all clearly shorter than max_length."""
    texts = encoding.texts
    if texts.dataset is not None:
        # Rows that are written in the program are not judged; those of a data set are many, if not at once.
        return texts.dataset.name != "Dataset.from_dict"
    length = encoding.site.literals.get("max_length")
    if texts.words is not None and not encoding.pair and isinstance(length, int):
        return texts.many is True and 2 * max(texts.words, default=0) + 2 > length
    return texts.many is True


def never_truncates(site: CallSite) -> bool:
    if "truncation_strategy" in site.arguments:
        return False
    return site.given("truncation") is False or site.literals.get("truncation", "?") in _NO_TRUNCATION


def truncating(site: CallSite) -> PlannedEdit:
    given = site.values.get("truncation")
    return AddArgument(site.place, "truncation=True") if given is None else Replace(given, "True")


_MISSPELT = {
    "return_attention_masks": "return_attention_mask",
    "return_token_type_id": "return_token_type_ids",
    "return_tensor": "return_tensors",
    "max_len": "max_length",
    "max_seq_length": "max_length",
    "is_pretokenized": "is_split_into_words",
}


@check("TFD035")
def unknown_tokenizer_argument(made: Tokenized, target: Target) -> Iterator[Fault]:
    """Arguments of tokenizers that are gone or never were."""
    site = made.encoding.site
    if "trust_remote_code" in made.encoding.tokenizer.site.arguments:
        return
    for name, right in _MISSPELT.items():
        if name in site.arguments:
            edit = RenameKeyword(site.arguments[name], right)
            fix = PlannedFix(Safety.SAFE, f"Call it {right}", (edit,)) if right not in site.arguments else None
            yield Fault(site.arguments[name], {"argument": name, "instead": right}, fix=fix)
    gone = {"transformers": ">=4.57"}
    if "truncation_strategy" in site.arguments and target.satisfies(gone):
        argument = site.arguments["truncation_strategy"]
        known = "truncation" in site.arguments
        change: PlannedEdit = RemoveArgument(site.place, argument) if known else RenameKeyword(argument, "truncation")
        fix = PlannedFix(Safety.SAFE, "Call it truncation", (change,))
        yield Fault(argument, {"argument": "truncation_strategy", "instead": "truncation"}, fix=fix, rests_on=gone)
    gone = {"transformers": ">=4.52"}
    if "pad_to_max_length" in site.arguments and target.satisfies(gone):
        yield Fault(
            site.arguments["pad_to_max_length"],
            {"argument": "pad_to_max_length", "instead": 'padding="max_length", truncation=True'},
            fix=padding_by_today(site),
            rests_on=gone,
        )


def padding_by_today(site: CallSite) -> PlannedFix | None:
    """The fix that writes pad_to_max_length as the arguments of today."""
    argument, asked = site.arguments["pad_to_max_length"], site.literals.get("pad_to_max_length")
    edits: list[PlannedEdit] = []
    if asked is True and "padding" not in site.arguments:
        edits += [RenameKeyword(argument, "padding"), Replace(site.values["pad_to_max_length"], '"max_length"')]
        if site.given("truncation") is False and "truncation" not in site.arguments:
            edits.append(AddArgument(site.place, "truncation=True"))
    elif asked is False or "padding" in site.arguments:
        edits.append(RemoveArgument(site.place, argument))
    else:
        return None
    return PlannedFix(Safety.SAFE, "Write padding and truncation", tuple(edits))


_OLD_METHODS = {
    "encode_plus": "tokenizer(...)",
    "batch_encode_plus": "tokenizer(...)",
    "as_target_tokenizer": "text_target= in the call of the tokenizer",
    "prepare_seq2seq_batch": "text_target= in the call of the tokenizer",
}
_OLD_FUNCTIONS = ("glue_convert_examples_to_features", "squad_convert_examples_to_features")


@check("TFV003")
def deprecated_text_helper(trace: Trace, target: Target) -> Iterator[Fault]:
    """Helpers that still work and are gone in the next major release."""
    applies = {"transformers": "<5"}
    if not target.satisfies(applies):
        return
    for event in trace.events:
        if isinstance(event, TokenizerAsked) and event.method in _OLD_METHODS:
            yield Fault(event.place, {"name": event.method, "instead": _OLD_METHODS[event.method]})
        elif isinstance(event, Imported) and event.module.startswith("transformers") and event.name in _OLD_FUNCTIONS:
            yield Fault(event.place, {"name": event.name, "instead": "Dataset.map with the tokenizer"})
        elif isinstance(event, Tokenized):
            yield from _old_call(event.encoding, target)


def _old_call(encoding: Encoding, target: Target) -> Iterator[Fault]:
    site = encoding.site
    if encoding.method in _OLD_METHODS:
        yield Fault(site.callee, {"name": encoding.method, "instead": _OLD_METHODS[encoding.method]})
    if "pad_to_max_length" in site.arguments:
        if target.satisfies({"transformers": "<4.52"}):
            instead = 'padding="max_length", truncation=True'
            place = site.arguments["pad_to_max_length"]
            yield Fault(place, {"name": "pad_to_max_length", "instead": instead}, fix=padding_by_today(site))
    elif site.given("max_length") is True and site.given("truncation") is False and site.given("padding") is False:
        fix = PlannedFix(Safety.SAFE, "Say that longer texts are cut", (AddArgument(site.place, "truncation=True"),))
        values = {"name": "max_length without truncation", "instead": "truncation=True beside it"}
        yield Fault(site.callee, values, fix=fix)
