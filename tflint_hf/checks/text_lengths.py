"""How long the rows of a tokenizer are beside what the model that reads them can take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tflint_hf.checks.fault import Fault, check
from tflint_hf.checks.tokens import never_truncates, truncating
from tflint_hf.findings import Safety, Severity
from tflint_hf.fixes import PlannedFix
from tflint_hf.knowledge import checkpoint, positions_of
from tflint_hf.trace.events import EncodingUsed, FeedMade, Fitted, Tokenized
from tflint_hf.trace.objects import ABSENT, Column, Encoding, Feed, Missing, Model, ModelOrigin
from tflint_hf.trace.views import Trace, rests_on_environment


@dataclass(frozen=True, eq=False, slots=True)
class _Reading:
    """Rows of a tokenizer that a fit() gets. `sure`: seen on their way there, and not guessed from the checkpoint."""

    encoding: Encoding
    fit: Fitted
    sure: bool


def _readings(trace: Trace) -> Iterator[_Reading]:
    """What the models of a program are trained and validated on, as far as a tokenizer made it."""
    made = {id(event.feed.site): event.feed for event in trace.of(FeedMade)}
    used: dict[int, list[Encoding]] = {}
    for event in trace.of(EncodingUsed):
        used.setdefault(id(event.site), []).append(event.encoding)
    fits = [fit for fit in trace.of(Fitted) if not rests_on_environment(fit.guards)]
    seen: set[int] = set()
    for fit in fits:
        found = list(used.get(id(fit.site), ()))
        for feed in (fit.feed, fit.validation):
            if feed is not None:
                found += used.get(id(feed.site), ())
                found += _rows_of(made.get(id(feed.site), feed))
        for encoding in found:
            seen.add(id(encoding))
            yield _Reading(encoding, fit, sure=fit.variants == 1)
    for event in trace.of(Tokenized):
        encoding = event.encoding
        arrays = encoding.texts.dataset is None and encoding.return_tensors in ("np", "tf")
        if id(encoding) in seen or not arrays or rests_on_environment(event.guards):
            continue
        fit = next((one for one in fits if _shares_checkpoint(encoding, one)), None)
        if fit is not None:
            yield _Reading(encoding, fit, sure=False)


def _rows_of(feed: Feed) -> list[Encoding]:
    """The tokenizer call that gave the rows of a data set, if all of them are left, as long as they were."""
    ids: Column | None = (feed.source.columns or {}).get("input_ids") if feed.source is not None else None
    if ids is None or ids.encoding is None or (ids.ragged is None and not ids.padded_to_longest and not ids.padded):
        return []
    return [ids.encoding]


def _shares_checkpoint(encoding: Encoding, fit: Fitted) -> bool:
    """Whether a tokenizer is that of a model which is trained on inputs that cannot be followed."""
    name = encoding.tokenizer.checkpoint
    unfollowed = fit.feed is None and fit.tokenizer is None
    return unfollowed and isinstance(name, str) and any(model.checkpoint == name for model in _readers(fit.model))


def _readers(model: Model) -> tuple[Model, ...]:
    return (model,) if model.is_transformers else model.encoders


def _positions(model: Model) -> int | None:
    """How many tokens a model has positions for, None if that is not known or there is no such number."""
    readers = _readers(model)
    if len(readers) != 1 or readers[0].origin is not ModelOrigin.PRETRAINED:
        return None
    name = readers[0].checkpoint
    family = readers[0].head.family if readers[0].head is not None else None
    if isinstance(name, str):
        known = checkpoint(name)
        if family is None or (known.family or "").replace("-", "_") == family:
            return known.positions
    return positions_of(family)


@check("TFD002")
def tokens_without_truncation(trace: Trace) -> Iterator[Fault]:
    """Texts of any length for a model with a table of positions."""
    for reading in _readings(trace):
        encoding, fit = reading.encoding, reading.fit
        site, texts, limit = encoding.site, encoding.texts, _positions(fit.model)
        if limit is None or site.open or not never_truncates(site):
            continue
        if site.given("max_length") is not False or "pad_to_max_length" in site.arguments or texts.many is None:
            continue
        several = texts.many or encoding.single
        written_here = texts.words is not None or (
            texts.dataset is not None and texts.dataset.name == "Dataset.from_dict"
        )
        if not several or written_here or texts.longest == 0:
            continue
        known = texts.longest is not None
        if texts.longest is not None and texts.longest <= limit:
            continue
        yield Fault(
            site.callee,
            {"texts": _spelled(encoding), "limit": limit},
            related=((fit.site.callee, "the model is trained on them here"),),
            fix=PlannedFix(Safety.UNSAFE, "Cut longer texts", (truncating(site),)),
            severity=None if known and reading.sure else Severity.INFO,
        )


@check("TFD003")
def padding_to_model_maximum(trace: Trace) -> Iterator[Fault]:
    """Every row is filled up to the longest that the model can take."""
    for reading in _readings(trace):
        encoding, fit = reading.encoding, reading.fit
        site, texts, limit = encoding.site, encoding.texts, _positions(fit.model)
        if site.open or site.literals.get("padding") != "max_length" or site.given("max_length") is not False:
            continue
        if encoding.maximum_set or _wants_one_shape(fit) or not (texts.many or encoding.single):
            continue
        if texts.longest is not None and limit is not None and texts.longest > limit:
            continue
        yield Fault(
            site.values.get("padding", site.callee),
            {"texts": _spelled(encoding), "length": f"{limit} tokens" if limit else "the maximum of the model"},
            related=((fit.site.callee, "the model is trained on them here"),),
        )


def _spelled(encoding: Encoding) -> str:
    source = encoding.texts.source
    return f"the texts of {source}" if source else "the texts"


def _wants_one_shape(fit: Fitted) -> bool:
    """Whether the program may need rows of one length: a compiler, a TPU, an Input of fixed width."""
    strategies = [compiled.strategy for compiled in fit.compiled if compiled.strategy is not ABSENT]
    return (
        fit.model.origin is ModelOrigin.FUNCTIONAL
        or any(compiled.jit_compile not in (ABSENT, False) for compiled in fit.compiled)
        or any(isinstance(one, Missing) or "TPU" in one.class_name for one in strategies)
    )
