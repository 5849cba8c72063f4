"""Training under a distribution strategy."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, check
from tflint_hf.trace.events import Compiled, Fitted
from tflint_hf.trace.objects import ABSENT, FeedMaker, Strategy


@check("TFD033")
def model_outside_strategy_scope(compiled: Compiled) -> Iterator[Fault]:
    """A model is made before the scope in which it is compiled."""
    strategy = compiled.strategy
    # Programs that run with or without a strategy choose the place of a model by the same test again and again.
    if not isinstance(strategy, Strategy) or compiled.guards:
        return
    own = (compiled.model,) if compiled.model.is_transformers else compiled.model.encoders
    for model in own:
        if model.strategy is ABSENT:
            yield Fault(
                model.site.callee,
                {"model": model.class_name, "strategy": strategy.spelling},
                related=((compiled.place, "it is compiled here, in the scope of the strategy"),),
            )


@check("TFD032")
def python_generator_on_tpu(fitted: Fitted) -> Iterator[Fault]:
    """Batches that Python makes are to reach a TPU on another machine."""
    feed, strategy = fitted.feed, fitted.model.strategy
    made_by_python = feed is not None and feed.maker in {FeedMaker.TO_TF_DATASET, FeedMaker.PREPARE_TF_DATASET}
    if feed is not None and made_by_python and isinstance(strategy, Strategy) and strategy.remote is True:
        yield Fault(feed.site.callee, {"method": feed.maker.value})
