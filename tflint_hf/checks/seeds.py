"""Random numbers without a seed."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, Once, check
from tflint_hf.findings import Safety
from tflint_hf.fixes import AddArgument, PlannedFix, Replace
from tflint_hf.target import Target
from tflint_hf.trace.events import Fitted, RandomSplit, SeedSet
from tflint_hf.trace.objects import Model
from tflint_hf.trace.views import Trace

#: tf-keras, which draws the seeds of its layers with Python's own generator.
_TF_KERAS = {"tensorflow": ">=2.16"}


@check("TFE012", once_per_project=Once.INFOS)
def no_random_seed(trace: Trace, target: Target) -> Iterator[Fault]:
    """A split that each run draws anew, or a seed that does not reach the model. Said once.

    A program that sets no seed and splits nothing is left alone: who wrote it knows that its results vary.
    """
    trained = [fit for fit in trace.of(Fitted) if fit.run == 0 and _has_transformer(fit.model)]
    if not trained:
        return
    seeds = list(trace.of(SeedSet))
    seeded = frozenset().union(*(seed.generators for seed in seeds))
    split = next((e for e in trace.of(RandomSplit) if e.run == 0 and not e.guards), None)
    if split is not None and "numpy" not in seeded:
        argument = f"{split.argument}=42"
        add = AddArgument(split.site.place, argument)
        yield Fault(
            split.place,
            {
                "problem": "the split of the rows has no seed",
                "instead": f"write {argument} in the split, or call transformers.set_seed(42) before it",
            },
            fix=None if split.given else PlannedFix(Safety.UNSAFE, "Give the split a seed", (add,)),
        )
    elif seeds and "python" not in seeded and target.satisfies(_TF_KERAS):
        seed = seeds[0]
        keras = next((c.names.get("keras") for fit in trained for c in fit.compiled), None)
        fix = None
        if keras is not None and seed.call == "tensorflow.random.set_seed":
            edit = Replace(seed.function, f"{keras}.utils.set_random_seed")
            fix = PlannedFix(Safety.UNSAFE, "Set all seeds", (edit,))
        name = seed.call.replace("tensorflow.", "tf.").replace("numpy.", "np.")
        yield Fault(
            seed.place,
            {
                "problem": f"{name} does not reach the head and the dropout of the model",
                "instead": "call tf.keras.utils.set_random_seed or transformers.set_seed in its place, which set all",
            },
            fix=fix,
            rests_on=_TF_KERAS,
        )


def _has_transformer(model: Model) -> bool:
    return model.is_transformers or any(part.is_transformers for part in model.encoders)
