"""Tokenizers beside the models that they feed: padding tokens, vocabularies, collators for labels of tokens."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, check
from tflint_hf.checks.imports import imported_from_transformers
from tflint_hf.findings import Safety
from tflint_hf.fixes import AddArgument, InsertBehind, PlannedEdit, PlannedFix, Replace
from tflint_hf.knowledge import CheckpointInfo, Task, checkpoint
from tflint_hf.trace.events import Fitted, PaddingAsked, TokensAdded
from tflint_hf.trace.objects import ABSENT, Collator, Feed, FeedMaker, Model, ModelOrigin, Tokenizer
from tflint_hf.trace.views import FeedUse, ModelUse, Trace

_COLLATOR_OF_TASK = {
    Task.TOKEN_CLASSIFICATION: "DataCollatorForTokenClassification",
    Task.SEQ2SEQ_LM: "DataCollatorForSeq2Seq",
}


@check("TFD029")
def padding_collator_for_token_labels(use: FeedUse, trace: Trace) -> Iterator[Fault]:
    """Labels as long as the tokens of a row, and a collator that pads the tokens alone."""
    feed = use.made
    columns = (feed.source.columns or {}) if feed.source is not None else {}
    ids, labels = columns.get("input_ids"), columns.get("labels")
    tasks = {model.head.task for model in use.readers if model.head is not None}
    task = tasks.pop() if len(tasks) == 1 else None
    if ids is None or labels is None or ids.ragged is not True or task not in _COLLATOR_OF_TASK or use.feed.mapped:
        return
    if task is Task.SEQ2SEQ_LM and labels.ragged is not True:
        return
    asked = [*_names(feed.columns), *_names(feed.label_columns)]
    if feed.maker is FeedMaker.TO_TF_DATASET and not {"labels", "label"} & set(asked):
        return
    if isinstance(feed.collator, Collator) and feed.collator.class_name == "DataCollatorWithPadding":
        place, collator = feed.collator.site.callee, feed.collator.class_name
    elif feed.collator is ABSENT and isinstance(feed.tokenizer, Tokenizer):
        place, collator = feed.site.values.get("tokenizer", feed.site.callee), "tokenizer="
    else:
        return
    right = _COLLATOR_OF_TASK[task]
    yield Fault(place, {"collator": collator, "right": right}, fix=_right_collator(feed, right, trace))


def _right_collator(feed: Feed, right: str, trace: Trace) -> PlannedFix | None:
    """The collator for these labels, where the arguments of the wrong one mean the same to it."""
    edit: PlannedEdit
    if isinstance(feed.collator, Collator):
        site = feed.collator.site
        if site.open or not set(site.arguments) <= {"tokenizer", "return_tensors"}:
            return None
        edit = Replace(site.callee, right)
    elif feed.tokenizer_name:
        site = feed.site
        edit = AddArgument(site.place, f'collate_fn={right}({feed.tokenizer_name}, return_tensors="np")')
    else:
        return None
    imports = imported_from_transformers(trace, right, site.place)
    return None if imports is None else PlannedFix(Safety.SAFE, f"Use {right}", (*imports, edit))


def _names(names: object) -> tuple[str, ...]:
    return names if isinstance(names, tuple) else ()


@check("TFD030")
def no_pad_token(trace: Trace) -> Iterator[Fault]:
    """A tokenizer without padding token has to pad, or a classifier without its id has to find the last token."""
    seen: set[int] = set()
    for asked in trace.of(PaddingAsked):
        tokenizer: Tokenizer = asked.tokenizer
        if _lacks_padding(tokenizer.checkpoint) and id(tokenizer.site) not in seen and asked.variants == 1:
            seen.add(id(tokenizer.site))
            if not asked.token_set:
                values = {"object": "the tokenizer", "checkpoint": tokenizer.checkpoint}
                yield Fault(asked.place, values, fix=_pad_with_end(tokenizer))
    for use in trace.of(ModelUse):
        if _classifies_without_padding(use):
            yield Fault(use.model.site.callee, {"object": "the model", "checkpoint": use.model.checkpoint})


def _pad_with_end(tokenizer: Tokenizer) -> PlannedFix | None:
    """The usual way for GPT-2 and its kin. OpenAI GPT and CTRL have no token for the end, either."""
    family = checkpoint(tokenizer.checkpoint).family if isinstance(tokenizer.checkpoint, str) else None
    if family not in {"gpt2", "gptj"}:
        return None
    line = InsertBehind(tokenizer.site.place, "{name}.pad_token = {name}.eos_token")
    return PlannedFix(Safety.UNSAFE, "Pad with the token for the end", (line,))


def _lacks_padding(name: object) -> bool:
    return isinstance(name, str) and checkpoint(name).has_pad_token is False


def _classifies_without_padding(use: ModelUse) -> bool:
    model = use.model
    known = model.head is not None and model.head.task is Task.SEQUENCE_CLASSIFICATION and not model.has_config
    if not known or not _lacks_padding(model.checkpoint) or {"pad_token_id", "**"} & model.keywords or not use.fits:
        return False
    return all(_internal_loss_on_batches(fit) and fit.state.pad_token is False for fit in use.fits)


def _internal_loss_on_batches(fit: Fitted) -> bool:
    """Whether a fit() computes the loss of the model itself, on several rows at once."""
    internal = bool(fit.compiled) and not any(compiled.loss_given for compiled in fit.compiled)
    if fit.feed is not None:
        return internal and fit.feed.batch_size is not None and fit.feed.batch_size > 1
    return internal and (fit.batch_size is ABSENT or (isinstance(fit.batch_size, int) and fit.batch_size > 1))


#: Families whose checkpoints share their vocabularies.
_VOCABULARIES = {
    "bert": "BERT", "distilbert": "BERT", "electra": "BERT", "mobilebert": "BERT", "roberta": "RoBERTa",
    "bart": "RoBERTa", "longformer": "RoBERTa", "gpt2": "GPT-2", "albert": "ALBERT", "xlnet": "XLNet", "t5": "T5",
    "mt5": "mT5", "xlm-roberta": "XLM-RoBERTa", "camembert": "CamemBERT", "deberta-v2": "DeBERTa v2",
}  # fmt: skip
_ORGANISATIONS = frozenset(
    {"", "google", "google-bert", "facebook", "facebookai", "openai-community", "distilbert", "albert", "xlnet"}
)
_LANGUAGES = frozenset(
    {"multilingual", "chinese", "german", "japanese", "finnish", "dutch", "french", "spanish", "italian", "turkish",
     "arabic", "russian", "swedish", "portuguese", "indonesian", "korean", "hindi", "polish"}
)  # fmt: skip


@check("TFD031")
def tokenizer_model_mismatch(trace: Trace) -> Iterator[Fault]:
    """A model reads the numbers of another vocabulary than its own."""
    added: dict[int, TokensAdded] = {}
    for event in trace.events:
        if isinstance(event, TokensAdded):
            added.setdefault(id(event.tokenizer.site), event)
        elif isinstance(event, Fitted) and event.tokenizer is not None and event.variants == 1:
            yield from _mismatch(event, event.tokenizer)
            tokens = added.get(id(event.tokenizer.site))
            if tokens is not None and tokens.variants == 1 and not tokens.guards:
                yield from _not_resized(event, tokens)


def _read_by(fit: Fitted) -> Model | None:
    """The pretrained model that reads the token ids of a fit()."""
    model = fit.model
    if model.is_transformers:
        return model if model.origin is ModelOrigin.PRETRAINED and not model.local_checkpoint else None
    return model.encoders[0] if len(model.encoders) == 1 and not model.encoders[0].local_checkpoint else None


def _mismatch(fit: Fitted, tokenizer: Tokenizer) -> Iterator[Fault]:
    model = _read_by(fit)
    if model is None or not isinstance(model.checkpoint, str) or not isinstance(tokenizer.checkpoint, str):
        return
    if fit.state.resized is not False:
        return
    problem, casing = _problem(checkpoint(tokenizer.checkpoint), checkpoint(model.checkpoint))
    if not problem:
        return
    fix = None
    name = tokenizer.site.values.get("pretrained_model_name_or_path") or tokenizer.site.values.get("#0")
    if casing and name is not None:
        edit = Replace(name, f'"{model.checkpoint}"', for_all_uses=True)
        fix = PlannedFix(Safety.UNSAFE, "Load the tokenizer of the model", (edit,))
    yield Fault(
        model.site.callee,
        {"tokenizer": tokenizer.checkpoint, "model": model.checkpoint, "problem": problem},
        related=((tokenizer.site.callee, "the tokenizer is loaded here"),),
        fix=fix,
    )


def _problem(tokenizer: CheckpointInfo, model: CheckpointInfo) -> tuple[str, bool]:
    """Why two checkpoints have different vocabularies, as far as their ids tell, and whether it is casing alone."""
    organisations = {info.name.rpartition("/")[0].lower() for info in (tokenizer, model)}
    families = [_VOCABULARIES.get(info.family or "", "") for info in (tokenizer, model)]
    if not organisations <= _ORGANISATIONS or not all(families) or tokenizer.name == model.name:
        return "", False
    if families[0] != families[1]:
        return f"one has the vocabulary of {families[0]}, the other that of {families[1]}", False
    if families[0] != "BERT":
        return "", False
    first, second = _languages(tokenizer.name), _languages(model.name)
    if first != second:
        return f"their languages differ ({', '.join(sorted(first ^ second))} or not)", False
    if tokenizer.cased is not None and model.cased is not None and tokenizer.cased is not model.cased:
        return "one is cased, the other is not", True
    return "", False


def _languages(name: str) -> frozenset[str]:
    return _LANGUAGES & frozenset(name.lower().rpartition("/")[2].split("-"))


def _not_resized(fit: Fitted, added: TokensAdded) -> Iterator[Fault]:
    model = fit.model
    if not model.is_transformers or model.has_config or model.origin is not ModelOrigin.PRETRAINED:
        return
    if fit.state.resized is not False or {"vocab_size", "**"} & model.keywords or model.local_checkpoint:
        return
    yield Fault(
        added.place,
        {
            "tokenizer": _spelled(added.tokenizer.checkpoint),
            "model": _spelled(model.checkpoint),
            "problem": "tokens are added to the one, and the embeddings of the other are not resized",
        },
        related=((model.site.callee, "the model is made here"),),
    )


def _spelled(name: object) -> str:
    return name if isinstance(name, str) else "?"
