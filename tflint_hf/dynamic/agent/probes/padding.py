"""Does padding change what the model puts out? Eight more pads with a mask of zeros must not."""

from ..batches import host, is_mapping, named
from ..facts import call_arguments
from ..step import logits_of, tensors

EXTRA = 8


def probe(session):
    """The largest change of the outputs of the first rows when they are padded further, in the units of the logits."""
    import numpy
    import tensorflow

    model, encoder = session.model, session.encoder
    inputs = named(session.batches[0][0], call_arguments(model))
    ids = host(inputs["input_ids"]) if "input_ids" in inputs else None
    config = getattr(encoder, "config", None)
    pad = getattr(config, "pad_token_id", None)
    if encoder is None or ids is None or ids.ndim != 2 or pad is None or getattr(config, "is_encoder_decoder", False):
        return None
    limit = getattr(config, "max_position_embeddings", None)
    if limit and ids.shape[1] + EXTRA > limit:
        return None
    if encoder is not model:
        return None
    rows = min(4, len(ids))
    short = {name: host(value)[:rows] for name, value in inputs.items() if name in _TOKEN_INPUTS}
    fillers = {"input_ids": pad, "attention_mask": 0, "token_type_ids": 0}
    longer = {
        name: numpy.concatenate([value, numpy.full((rows, EXTRA), fillers[name], value.dtype)], 1)
        for name, value in short.items()
    }
    before, after = (
        logits_of(model({name: tensorflow.convert_to_tensor(v) for name, v in data.items()}, training=False))
        for data in (short, longer)
    )
    if before is None or after is None or before.dtype.kind != "f":
        return None
    if before.ndim == 3:
        after = after[:, : before.shape[1]]
    if before.shape != after.shape:
        return None
    return {
        "change": float(abs(after - before).max()),
        "spread": float(before.std()),
        "mask_given": "attention_mask" in short,
        "rows": rows,
        "added": EXTRA,
    }


def probe_mask(session):
    """The largest change of the outputs when half of the tokens are masked out. None at all: nobody reads the mask."""
    import tensorflow

    x = session.batches[0][0]
    inputs = named(x, call_arguments(session.model))
    name = next((key for key in inputs if "mask" in str(key).lower()), None)
    if name is None or not is_mapping(x):
        return None
    mask = host(inputs[name])
    if mask is None or mask.ndim != 2 or mask.shape[1] < 2:
        return None
    half = mask.copy()
    half[:, mask.shape[1] // 2 :] = 0
    before, after = (
        logits_of(session.model(tensors(dict(x, **{name: tensorflow.convert_to_tensor(one)})), training=False))
        for one in (mask, half)
    )
    if before is None or after is None or before.dtype.kind != "f":
        return None
    return {"input": str(name), "change": float(abs(after - before).max()), "spread": float(before.std())}


_TOKEN_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
