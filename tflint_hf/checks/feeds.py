"""tf.data feeds: the steps of their chains, and what fit() gets beside them."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.callbacks import may_need_validation
from tflint_hf.checks.fault import Fault, check
from tflint_hf.findings import Safety, Severity
from tflint_hf.fixes import AddArgument, InsertBefore, PlannedFix, RemoveArgument, RemoveStep, Replace, SwapSteps
from tflint_hf.trace.events import Evaluated, Event, Fitted, Predicted, ResultDiscarded
from tflint_hf.trace.guards import compatible
from tflint_hf.trace.objects import Feed, FeedMaker, FeedStep, Model
from tflint_hf.trace.places import CallSite, Place
from tflint_hf.trace.views import Trace, rests_on_environment

_BATCHING = frozenset({"batch", "padded_batch", "ragged_batch"})


@check("TFD009")
def batched_twice(trace: Trace) -> Iterator[Fault]:
    """Batches of batches, given to a model of transformers."""
    for model, feed, event in _fed(trace):
        again = _second_batch(feed)
        if again is None or not (model.is_transformers or model.encoders):
            continue
        first, step = again
        unsure = event.variants > 1 or bool(step.site.open)
        yield Fault(
            step.site.callee,
            {"first": first},
            related=((feed.site.callee, "the dataset begins here"),),
            fix=PlannedFix(Safety.SAFE, "Keep the batches that there are", (RemoveStep(step.site.place),)),
            severity=Severity.INFO if unsure else None,
        )


def _fed(trace: Trace) -> Iterator[tuple[Model, Feed, Event]]:
    """The feeds that fit(), evaluate() and predict() get."""
    for event in trace.events:
        if rests_on_environment(event.guards):
            continue
        if isinstance(event, Fitted):
            for feed in (event.feed, event.validation):
                if feed is not None:
                    yield event.model, feed, event
        elif isinstance(event, Evaluated) and event.feed is not None:
            yield event.model, event.feed, event
        elif isinstance(event, Predicted) and event.prediction.feed is not None:
            yield event.prediction.model, event.prediction.feed, event


def _second_batch(feed: Feed) -> tuple[str, FeedStep] | None:
    """What makes batches first, and the step that makes batches of them; None if nothing does for certain."""
    if not feed.steps or feed.steps[0].batched is None:
        return None
    first = feed.maker.value if feed.steps[0].batched else ""
    for step in feed.steps:
        if step.method == "unbatch":
            first = ""
        elif step.method not in _BATCHING | _KEEPING:
            return None
        elif step.method in _BATCHING:
            if first:
                return first, step
            first = step.method
    return None


#: Steps that leave each element as it is, or are known to make one element of one.
_KEEPING = frozenset(
    {"shuffle", "repeat", "take", "skip", "prefetch", "cache", "with_options", "shard", "snapshot", "filter"}
)


@check("TFD019")
def batch_before_shuffle(fit: Fitted) -> Iterator[Fault]:
    """Training data is batched first, and then only the order of the batches changes."""
    feed = fit.feed
    if feed is None:
        return
    every = [step for step in feed.steps if step.method == "shuffle"]
    shuffles = [step for step in every if not _serves_a_cut(step, feed)]
    if not shuffles or any(step.batched is not True for step in shuffles):
        return
    if shuffles[0] is every[0] and _rows_mixed(shuffles[0], feed):
        return
    if any(later.method in _BATCHING for later in feed.steps_after(shuffles[0])):
        # The first batches are pieces of a text, which are shuffled and batched as rows.
        return
    before = feed.steps[: feed.steps.index(shuffles[0])]
    batching = [step.method for step in before if step.method in _BATCHING] or [feed.maker.value]
    yield Fault(shuffles[0].site.callee, {"batch": batching[-1]}, fix=_shuffled_first(shuffles[0], before))


def _shuffled_first(shuffle: FeedStep, before: tuple[FeedStep, ...]) -> PlannedFix | None:
    """The two steps in the other order. The buffer counts rows then, and not batches."""
    if not before or before[-1].method not in _BATCHING:
        return None
    swap = SwapSteps(before[-1].site.place, shuffle.site.place)
    return PlannedFix(Safety.UNSAFE, "Shuffle the rows, then batch them", (swap,))


def _serves_a_cut(step: FeedStep, feed: Feed) -> bool:
    """Whether rows are shuffled to be cut into parts."""
    return step.batched is not True and any(later.method in {"take", "skip"} for later in feed.steps_after(step))


def _rows_mixed(step: FeedStep, feed: Feed) -> bool:
    """Whether the rows may have been shuffled before this step. Arrays come in the order of their source."""
    of_arrays = feed.maker is FeedMaker.FROM_TENSOR_SLICES and feed.source is None
    return step.shuffled is not False and not (step.shuffled is None and of_arrays)


@check("TFD020")
def discarded_dataset_result(discarded: ResultDiscarded) -> Iterator[Fault]:
    """A method that works on a copy is called for nothing."""
    fix = None
    if discarded.assignable:
        insert = InsertBefore(discarded.site.place, f"{discarded.receiver} = ")
        fix = PlannedFix(Safety.UNSAFE, "Keep the new dataset", (insert,))
    yield Fault(discarded.site.callee, {"method": discarded.method, "dataset": discarded.receiver}, fix=fix)


@check("TFD034")
def split_of_reshuffled_data(trace: Trace) -> Iterator[Fault]:
    """Validation and training data are cut from one feed that is shuffled anew in every epoch."""
    for fit in trace.of(Fitted):
        if fit.feed is None:
            continue
        for held, feed, event in _held_out(trace, fit):
            step = _shared_shuffle(fit.feed, feed)
            if step is None or rests_on_environment(fit.guards | event.guards):
                continue
            given = step.site.values.get("reshuffle_each_iteration")
            edit = (
                AddArgument(step.site.place, "reshuffle_each_iteration=False")
                if given is None
                else Replace(given, "False")
            )
            yield Fault(
                step.site.callee,
                {"held": held},
                fix=PlannedFix(Safety.UNSAFE, "Keep one order for all epochs", (edit,)),
                severity=Severity.INFO if fit.variants > 1 or event.variants > 1 else None,
            )


def _held_out(trace: Trace, fit: Fitted) -> Iterator[tuple[str, Feed, Event]]:
    if fit.validation is not None:
        yield "the validation data", fit.validation, fit
    for event in trace.events:
        if event.order < fit.order or not compatible(event.guards, fit.guards):
            continue
        if isinstance(event, Evaluated) and event.feed is not None and event.model.site is fit.model.site:
            yield "the evaluated data", event.feed, event
        elif isinstance(event, Predicted) and event.prediction.model.site is fit.model.site:
            feed = event.prediction.feed
            if feed is not None:
                yield "the predicted data", feed, event


def _shared_shuffle(train: Feed, held: Feed) -> FeedStep | None:
    """A shuffle that draws a new order for each pass, behind which both feeds are cut, each in its own way."""
    for step in train.steps:
        if step.method != "shuffle" or step not in held.steps or not _reshuffles(step.site):
            continue
        cuts = [_first_cut(feed.steps_after(step)) for feed in (train, held)]
        if None not in cuts and {cut.method for cut in cuts if cut is not None} == {"take", "skip"}:
            return step
    return None


def _reshuffles(site: CallSite) -> bool:
    given = site.literals.get("reshuffle_each_iteration")
    return site.given("reshuffle_each_iteration") is False or given is True


def _first_cut(steps: tuple[FeedStep, ...]) -> FeedStep | None:
    """The take or skip that cuts what the shuffle gave; None if the order is kept, or is another one, by then."""
    for step in steps:
        if step.method in {"take", "skip"}:
            return step
        if step.method not in _BATCHING | {"unbatch", "prefetch", "map", "with_options"}:
            return None
    return None


@check("TFD022")
def array_arguments_with_dataset(trace: Trace) -> Iterator[Fault]:
    """Arguments for arrays beside a feed: some stop the program, some are ignored."""
    for event in trace.events:
        if isinstance(event, Fitted) and event.feed is not None:
            needed = frozenset({"validation_split"}) if may_need_validation(event) else frozenset()
            yield from _array_arguments(event, event.site, "fit", event.validation is not None, needed)
        elif isinstance(event, Evaluated) and event.feed is not None:
            yield from _array_arguments(event, event.site, "evaluate")
        elif isinstance(event, Predicted) and event.prediction.feed is not None:
            yield from _array_arguments(event, event.prediction.site, "predict")


def _array_arguments(
    event: Event, site: CallSite, method: str, validates: bool = False, needed: frozenset[str] = frozenset()
) -> Iterator[Fault]:
    if rests_on_environment(event.guards):
        return
    ignored = ["batch_size", *(["validation_batch_size"] if validates else [])]
    for name in ("y", "validation_split", "sample_weight", "shuffle", *ignored):
        if name not in site.arguments or not _says_something(name, site):
            continue
        harmless = name in {"shuffle", *ignored}
        severity = Severity.WARNING if harmless else None
        yield Fault(
            site.values[name],
            {"argument": name, "method": method, "effect": "is ignored" if harmless else "raises an error"},
            fix=None if name in needed else PlannedFix(Safety.SAFE, f"Drop {name}", (_removed(site, name),)),
            severity=Severity.INFO if event.variants > 1 else severity,
        )


def _says_something(name: str, site: CallSite) -> bool:
    """Whether the argument is given for certain, and asks for more than its default."""
    if name not in site.known:
        return False
    value = site.literals.get(name, name)
    if name == "shuffle":
        return value is True
    return value is not None and not (name == "validation_split" and not value)


def _removed(site: CallSite, name: str) -> RemoveArgument:
    argument: Place = site.arguments[name]
    return RemoveArgument(site.place, argument)


@check("TFD021")
def steps_do_not_fit_dataset(trace: Trace) -> Iterator[Fault]:
    """A feed without an end and no number of steps, or as many steps as there are rows where batches are counted."""
    for event in trace.events:
        if rests_on_environment(event.guards):
            continue
        severity = Severity.INFO if event.variants > 1 else None
        for feed, method, steps, site in _fed_with_steps(event):
            endless = _endless(feed)
            if endless is not None and site.given(steps) is False:
                problem = f"the dataset repeats without end and there is no {steps}"
                yield Fault(
                    endless.site.callee,
                    {"problem": problem, "method": method},
                    related=((site.callee, "it is used here"),),
                    fix=_once_through(trace, endless),
                    severity=severity,
                )
        if isinstance(event, Fitted) and event.feed is not None and event.steps_count_rows and _has_batches(event.feed):
            problem = "steps_per_epoch counts rows and not batches"
            yield Fault(
                event.site.values["steps_per_epoch"],
                {"problem": problem, "method": "fit"},
                fix=_all_batches(event.site),
                severity=severity,
            )


def _once_through(trace: Trace, endless: FeedStep) -> PlannedFix | None:
    """The feed without its repeat(), unless it is used with a number of steps elsewhere."""
    for event in trace.events:
        for feed, _, steps, site in _fed_with_steps(event):
            again = _endless(feed)
            if again is not None and again.site.place == endless.site.place and site.given(steps) is not False:
                return None
    return PlannedFix(Safety.UNSAFE, "Go through the data once an epoch", (RemoveStep(endless.site.place),))


def _all_batches(site: CallSite) -> PlannedFix | None:
    argument = site.arguments.get("steps_per_epoch")
    if argument is None:
        return None
    return PlannedFix(Safety.UNSAFE, "Take all batches", (RemoveArgument(site.place, argument),))


def _fed_with_steps(event: Event) -> Iterator[tuple[Feed, str, str, CallSite]]:
    """The feeds of an event, each with the argument that would limit its steps."""
    if isinstance(event, Fitted):
        if event.feed is not None:
            yield event.feed, "fit", "steps_per_epoch", event.site
        if event.validation is not None:
            yield event.validation, "fit", "validation_steps", event.site
    elif isinstance(event, Evaluated) and event.feed is not None:
        yield event.feed, "evaluate", "steps", event.site
    elif isinstance(event, Predicted) and event.prediction.feed is not None:
        yield event.prediction.feed, "predict", "steps", event.prediction.site


def _endless(feed: Feed) -> FeedStep | None:
    """The repeat() that gives the feed no end."""
    for step in reversed(feed.steps):
        if step.method == "repeat":
            forever = step.site.given("count") is False or step.site.literals.get("count") == -1
            return step if forever else None
        if step.method not in _BATCHING | _ENDLESS_STILL:
            return None
    return None


_ENDLESS_STILL = frozenset({"unbatch", "shuffle", "prefetch", "cache", "with_options", "map", "skip", "shard"})


def _has_batches(feed: Feed) -> bool:
    """Whether the feed has fewer batches than rows, once through the data."""
    known = all(
        step.method in _BATCHING | {"shuffle", "prefetch", "cache", "with_options", "map"} for step in feed.steps
    )
    sizes = [step.site.literals.get("batch_size") for step in feed.steps if step.method in _BATCHING]
    return known and feed.batched is True and feed.batch_size != 1 and 1 not in sizes
