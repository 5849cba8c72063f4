"""What transformers and datasets make: models, tokenizers, data sets, feeds."""

import contextlib
import functools
import weakref

from ..batches import Feed, host, is_mapping
from ..probes.order import two_passes
from . import repairs


def install(context):
    context.tokenizers = []
    context.load_again = weakref.WeakKeyDictionary()
    context.said_at = {}
    after = context.after_import.call
    after("transformers.tokenization_utils_base", functools.partial(_tokenizers, context))
    after("transformers.modeling_tf_utils", functools.partial(_models, context))
    after("transformers.data.data_collator", functools.partial(_collators, context))
    after("datasets.arrow_dataset", functools.partial(_data_sets, context))
    after("tensorflow.python.data.ops.dataset_ops", functools.partial(_tf_data, context))


def _observed(context, owner, name, observe, call=None):
    """Wrap a method or classmethod so that `observe(result, args, kwargs)` sees each call from outside.

    `call(function, args, kwargs)` makes the call in another way, so that the run may go on after an exception.
    """
    owner = next((base for base in owner.__mro__ if name in base.__dict__), None)
    if owner is None:
        return
    original = owner.__dict__[name]
    kind = type(original) if isinstance(original, (classmethod, staticmethod)) else None
    function = original.__func__ if kind else original

    @functools.wraps(function)
    def method(*args, **kwargs):
        result = function(*args, **kwargs) if call is None else call(function, args, kwargs)
        try:
            observe(result, args, kwargs)
        except context.enough:
            raise
        except Exception as error:  # a failure of the agent must not become one of the program
            context.channel.trouble("after " + name, error)
        return result

    setattr(owner, name, kind(method) if kind else method)


SAID_PER_SITE = 3
"""A call in a map or a loop happens a thousand times at one place: it is said this often."""


def _say(context, kind, **facts):
    """Say that something happened at a place of the program. Returns that place."""
    at = context.places.of_stack()
    if at:
        key = (kind, at[0]["path"], at[0]["cell"], at[0]["line"])
        context.said_at[key] = context.said_at.get(key, 0) + 1
        if context.said_at[key] <= SAID_PER_SITE:
            context.channel.send(kind, at=at, **facts)
    return at


def _tokenizers(context, module):
    def made(result, args, kwargs):
        context.tokenizers.append(result)
        checkpoint = context.name_of_checkpoint(args[1]) if len(args) > 1 else None
        _say(context, "tokenizer_made", name=type(result).__name__, checkpoint=checkpoint)

    def called(result, args, kwargs):
        keys = list(result.keys()) if is_mapping(result) else []
        given = {name: value for name, value in kwargs.items() if isinstance(value, (bool, int, str))}
        _say(context, "tokenized", name=type(args[0]).__name__, keys=keys, arguments=given)

    _observed(context, module.PreTrainedTokenizerBase, "from_pretrained", made)
    _observed(context, module.PreTrainedTokenizerBase, "__call__", called)


def _collators(context, module):
    def made(result, args, kwargs):
        name, returned = type(args[0]).__name__, getattr(args[0], "return_tensors", None)
        _say(context, "collator_made", collator=name, return_tensors=returned)

    for name, value in vars(module).items():
        if isinstance(value, type) and "Collator" in name and "__init__" in value.__dict__:
            _observed(context, value, "__init__", made)


def _models(context, module):
    def made(result, args, kwargs):
        from ..facts import model_facts

        model = result[0] if isinstance(result, tuple) else result
        checkpoint = context.name_of_checkpoint(args[1] if len(args) > 1 else "")
        _say(context, "model_made", model=model_facts(model, context.stand_ins), checkpoint=checkpoint)

    def load(function, args, kwargs):
        result = function(*args, **kwargs)
        model = result[0] if isinstance(result, tuple) else result
        with contextlib.suppress(TypeError):  # a model that cannot be referred to
            context.load_again[model] = functools.partial(function, *args, **kwargs)
        return result

    _observed(context, module.TFPreTrainedModel, "from_pretrained", made, load)

    def prepared(result, args, kwargs):
        at = _say(
            context,
            "feed_made",
            method="prepare_tf_dataset",
            shuffle=kwargs.get("shuffle", True),
            same_order_twice=_same_order_twice(result),
            order_of_source=_order_of_source(result, args[1] if len(args) > 1 else kwargs.get("dataset")),
        )
        mark_origin(result, at)

    call = functools.partial(repairs.feed_or_repaired, context)
    _observed(context, module.TFPreTrainedModel, "prepare_tf_dataset", prepared, call)


def _data_sets(context, module):
    def made(result, args, kwargs):
        plain = {name: value for name, value in kwargs.items() if isinstance(value, (bool, int, str, list))}
        collator = kwargs.get("collate_fn")
        at = _say(
            context,
            "feed_made",
            method="to_tf_dataset",
            arguments=plain,
            rows=len(args[0]),
            collator=type(collator).__name__ if collator is not None else None,
            return_tensors=getattr(collator, "return_tensors", None),
            same_order_twice=_same_order_twice(result),
            order_of_source=_order_of_source(result, args[0]),
        )
        mark_origin(result, at)

    _observed(context, module.Dataset, "to_tf_dataset", made, functools.partial(repairs.feed_or_repaired, context))


def _tf_data(context, module):
    """The datasets that begin a chain, and the shuffles and batches on its way, remember where they were made."""

    def made(result, args, kwargs):
        at = context.places.of_stack()
        if at:
            mark_origin(result, at)

    for name in ("from_tensor_slices", "from_generator", "shuffle", "batch", "padded_batch", "repeat"):
        _observed(context, module.DatasetV2, name, made)


PASS_BATCHES = 3


def _order_of_source(feed, data_set):
    """Whether the first batch holds the first rows of the data set; None where this cannot be told."""
    try:
        inputs = next(iter(feed.take(1)))
        ids = host((inputs[0] if isinstance(inputs, tuple) else inputs)["input_ids"]).tolist()
        rows = data_set[: len(ids)]["input_ids"]
    except Exception:
        return None
    rows = [list(row) for row in rows]
    nested = any(isinstance(value, list) for row in rows for value in row[:1])
    if nested or len(rows) != len(ids) or all(row == rows[0] for row in rows):
        return None
    return all(row[: len(given)] == given[: len(row)] for row, given in zip(ids, rows))


def _same_order_twice(feed):
    """Whether two passes over the first batches of a feed give the same rows in the same order.

    None where there is no batch, or where one cannot be made: the program meets that itself, where it draws it.
    """
    try:
        first, second = two_passes(Feed(feed), PASS_BATCHES)
    except Exception:
        return None
    return first == second if first else None


def mark_origin(feed, at):
    """Remember on a tf.data dataset where the program made it."""
    if at:
        with contextlib.suppress(AttributeError):
            feed._tflint_hf_at = at


def origins(feed):
    """Where the program made a tf.data dataset and those that it was made of, the last first."""
    found, waiting = [], [feed]
    while waiting and len(found) < 30:
        one = waiting.pop(0)
        if hasattr(one, "_tflint_hf_at"):
            found.append(one._tflint_hf_at)
        with contextlib.suppress(Exception):
            waiting.extend(one._inputs())
    return found
