"""What a run does so that one fault of a program does not hide all that come after it.

Each repair is said together with the exception that it stands for; the program's own objects stay as they are.
"""

import copy
import types

from ..errors import say_error
from ..keeping import same_random_numbers

OTHER_NAME = {"labels": "label", "label": "labels"}


def feed_or_repaired(context, function, args, kwargs):
    """Make a feed and draw its first batch. Where that fails, say so and make it with the least change that helps:
    the other name of the label column, a collator that pads, or both."""
    at = context.places.of_stack()
    if not at:
        return function(*args, **kwargs)
    first = None
    said = set()
    for went_on, changed in _attempts(context, kwargs):
        try:
            feed = function(*args, **changed)
            with same_random_numbers():
                for _ in feed.take(1):
                    pass
        except Exception as error:
            first = first or error
            if str(error) not in said:  # each of several faults has an exception of its own
                said.add(str(error))
                say_error(context, error, at, went_on="with a changed call")
            continue
        if went_on:
            context.channel.send("repaired", at=at, how=went_on)
        return feed
    raise first


def _attempts(context, kwargs):
    """Keyword arguments to try in turn, each with words for what was changed; first those of the program."""
    yield "", kwargs
    renamed = {name: _renamed(kwargs[name]) for name in ("columns", "label_cols") if kwargs.get(name)}
    renamed = {name: value for name, value in renamed.items() if value != kwargs[name]}
    if renamed:
        yield "with the other name of the label column", dict(kwargs, **renamed)
    given = kwargs.get("collate_fn")
    if getattr(given, "return_tensors", None) == "pt":
        collator = copy.copy(given)
        collator.return_tensors = "np"
        yield "with the same collator, told to return NumPy arrays", dict(kwargs, collate_fn=collator)
    if given is None and context.tokenizers:
        collator = _padding_collator(context)
        if collator is not None:
            yield "with a collator that pads", dict(kwargs, collate_fn=collator)
            if renamed:
                words = "with the other name of the label column and a collator that pads"
                yield words, dict(kwargs, collate_fn=collator, **renamed)


def _renamed(columns):
    if isinstance(columns, str):
        return OTHER_NAME.get(columns, columns)
    return [OTHER_NAME.get(column, column) for column in columns]


def _padding_collator(context):
    import sys

    transformers = sys.modules.get("transformers")
    if transformers is None:
        return None
    return transformers.DataCollatorWithPadding(context.tokenizers[-1], return_tensors="np")


def compile_anyway(context, error, original, model, arguments, at):
    """Compile although an argument is refused: with Adam of the model's own Keras, then without metrics too."""
    import sys

    root = next((b.__module__.split(".")[0] for b in type(model).__mro__ if "keras" in b.__module__.split(".")[0]), "")
    keras = sys.modules.get(root)
    if keras is None:
        raise error
    safe = dict(arguments, optimizer=keras.optimizers.Adam(5e-5))
    bare = {name: value for name, value in safe.items() if name not in ("metrics", "weighted_metrics")}
    for words, changed in (("with another optimizer", safe), ("with another optimizer and no metrics", bare)):
        try:
            result = original(model, **changed)
        except Exception:
            continue
        say_error(context, error, at, went_on=words)
        return result
    raise error


class HistoryOfNothing(dict):
    """Knows every name that a metric or a callback would have given: each is NaN."""

    epochs = 1

    def __missing__(self, name):
        return [float("nan")] * self.epochs


def history_of_nothing(error, context, model, arguments, at):
    """What fit() gives back where it failed, so that the rest of the program is seen: a History of NaN."""
    say_error(context, error, at, went_on="without training this model")
    epochs = max(int(arguments.get("epochs") or 1), 1)
    names = ["loss"] + [getattr(metric, "name", "metric") for metric in getattr(model, "metrics", ())]
    if arguments.get("validation_data") is not None or arguments.get("validation_split"):
        names += ["val_" + name for name in names]
    history = HistoryOfNothing({name: [float("nan")] * epochs for name in dict.fromkeys(names)})
    history.epochs = epochs
    return types.SimpleNamespace(history=history, epoch=list(range(epochs)), params={}, model=model)
