"""The batch as it enters the model: keys, shapes, types, ids and masks; a few rows in words; the labels."""

import contextlib

from ..batches import host, named, rows_of
from ..facts import call_arguments

LABEL_KEYS = ("labels", "label", "label_ids", "start_positions", "end_positions", "next_sentence_label")
IDS = ("input_ids", "decoder_input_ids")
ROWS_SHOWN = 3
CHARACTERS_SHOWN = 240
VALUES_SHOWN = 60
LENGTHS_SAID = 400


def probe(session):
    """Facts about the first batch, and about the ids, masks and lengths of all batches that were taken."""
    x, y, weights = session.batches[0]
    names = call_arguments(session.encoder if _is_encoder(session) else session.model)
    inputs = named(x, names)
    encoder_takes = call_arguments(session.encoder) if session.encoder is not None else None
    return {
        "inputs": {str(key): array_facts(value) for key, value in inputs.items()},
        "labels": {str(key): array_facts(value) for key, value in named(y).items()},
        "rows_of_batch": rows_of(x),
        "weights": weights is not None,
        "structure": type(x).__name__,
        "takes": names,
        "encoder_takes": encoder_takes,
        "label_keys": [key for key in inputs if key in LABEL_KEYS],
        "tokens": _token_facts(session, names),
        "rows": _rows_in_words(session, inputs, y),
    }


def _is_encoder(session):
    return session.encoder is session.model


def array_facts(value):
    """Shape, type and range of one array."""
    facts = {"type": type(value).__name__, "shape": _sides(value)}
    array = host(value)
    if array is None:
        return facts
    facts.update(dtype=str(array.dtype), shape=list(array.shape))
    if array.size and array.dtype.kind in "iuf":
        finite = array[_is_finite(array)] if array.dtype.kind == "f" else array
        facts["not_finite"] = int(array.size - finite.size)
        if finite.size:
            facts.update(min=float(finite.min()), max=float(finite.max()), mean=float(finite.mean()))
    return facts


def _sides(value):
    """The shape as far as it is known: a ragged tensor has rows of several lengths."""
    try:
        return [None if side is None else int(side) for side in getattr(value, "shape", None) or ()]
    except (TypeError, ValueError):
        return []


def _is_finite(array):
    import numpy

    return numpy.isfinite(array)


def _token_facts(session, names):
    """Ids against the vocabulary, positions, masks against pads, over all batches that were taken."""
    config = getattr(session.encoder, "config", None)
    pad = getattr(config, "pad_token_id", None)
    tokenizer_pads = [t.pad_token_id for t in session.tokenizers if t.pad_token_id is not None]
    if pad is None and tokenizer_pads:
        pad = tokenizer_pads[-1]
    found = {"pad_id": pad, "pads": 0, "tokens": 0, "masked_out": 0, "mask": None, "longest": 0, "highest": None}
    found["segments"] = None
    with contextlib.suppress(Exception):
        found["tokenizer_size"] = len(session.tokenizers[-1])
    attended_pads = hidden_tokens = 0
    shapes, lengths = set(), []
    for x, _, _ in session.batches:
        inputs = named(x, names)
        ids = host(inputs.get("input_ids")) if "input_ids" in inputs else None
        if ids is None or ids.ndim < 2 or ids.dtype.kind not in "iuf" or not ids.size:
            continue
        shapes.add(tuple(ids.shape[1:]))
        found["tokens"] += int(ids.size)
        found["longest"] = max(found["longest"], int(ids.shape[-1]))
        highest = int(ids.max())
        found["highest"] = highest if found["highest"] is None else max(found["highest"], highest)
        is_pad = (ids == pad) if pad is not None else None
        mask = host(inputs["attention_mask"]) if "attention_mask" in inputs else None
        found["mask"] = mask is not None
        if is_pad is not None:
            found["pads"] += int(is_pad.sum())
            lengths.extend(int(length) for length in (~is_pad).reshape(-1, ids.shape[-1]).sum(-1))
            if mask is not None and mask.shape == ids.shape:
                trailing = is_pad & (_run_at_an_end(is_pad))
                attended_pads += int((trailing & (mask != 0)).sum())
                hidden_tokens += int((~is_pad & (mask == 0)).sum())
        segments = host(inputs["token_type_ids"]) if "token_type_ids" in inputs else None
        if segments is not None and segments.size:
            found["segments"] = max(found["segments"] or 0, int(segments.max()))
    found.update(attended_pads=attended_pads, hidden_tokens=hidden_tokens, shapes=len(shapes))
    found["lengths"] = lengths[:LENGTHS_SAID]
    return found if found["tokens"] else None


def _run_at_an_end(is_pad):
    """Pads in a run that reaches the right or the left end of the row: the tokenizer's padding, no word of the text."""
    import numpy

    right = numpy.flip(numpy.cumprod(numpy.flip(is_pad, -1), -1), -1).astype(bool)
    left = numpy.cumprod(is_pad, -1).astype(bool)
    return right | left


def _rows_in_words(session, inputs, y):
    """The first rows as text with their labels."""
    ids = host(inputs["input_ids"]) if "input_ids" in inputs else None
    if ids is None or ids.ndim != 2 or not session.tokenizers:
        return []
    labels = label_array(inputs, y)
    rows = []
    for index in range(min(ROWS_SHOWN, len(ids))):
        try:
            text = session.tokenizers[-1].decode([int(i) for i in ids[index]], skip_special_tokens=False)
        except Exception:
            text = " ".join(str(int(i)) for i in ids[index][:40])
        shown = None if labels is None else str(labels[index].tolist())[:120]
        rows.append({"text": text[:CHARACTERS_SHOWN], "label": shown})
    return rows


def label_array(inputs, y):
    """The labels of a batch on the host: those beside the inputs, or those among them; None if there are none."""
    if y is not None:
        values = list(named(y).values())
        return host(values[0]) if values else None
    for key in LABEL_KEYS:
        if key in inputs:
            return host(inputs[key])
    return None


def probe_labels(session):
    """Counts of the labels over all batches that were taken, and what a guesser would lose."""
    import numpy

    names = call_arguments(session.model)
    arrays = []
    for x, y, _ in session.batches:
        array = label_array(named(x, names), y)
        if array is None:
            return {"missing": True}
        arrays.append(array)
    if any(array.dtype.kind not in "iufb" for array in arrays):
        return {"dtype": str(arrays[0].dtype), "examples": [_text(value) for value in arrays[0].reshape(-1)[:5]]}
    flat = numpy.concatenate([array.reshape(-1).astype("float64") for array in arrays])
    facts = {"dtype": str(arrays[0].dtype), "shape": list(arrays[0].shape), "count": int(flat.size)}
    if not flat.size:
        return facts
    kept = flat[flat != -100]
    facts["ignored"] = int(flat.size - kept.size)
    facts["not_finite"] = int((~numpy.isfinite(flat)).sum())
    kept = kept[numpy.isfinite(kept)]
    if kept.size:
        values, counts = numpy.unique(kept, return_counts=True)
        facts.update(min=float(values[0]), max=float(values[-1]), distinct=int(values.size))
        facts["whole"] = bool((kept == numpy.round(kept)).all())
        facts["mean"], facts["variance"] = float(kept.mean()), float(kept.var())
        if values.size <= VALUES_SHOWN:
            facts["counts"] = {_label(value): int(count) for value, count in zip(values, counts)}
            shares = counts / counts.sum()
            facts["majority"] = float(shares.max())
            facts["guess_loss"] = float(-(shares * numpy.log(shares)).sum())
    last = arrays[0]
    if last.ndim > 1 and last.shape[-1] > 1:
        rows = last.reshape(-1, last.shape[-1])
        facts["row_sums"] = [float(value) for value in numpy.unique(rows.sum(-1))[:5]]
        facts["one_hot"] = bool(((rows == 0) | (rows == 1)).all() and (rows.sum(-1) == 1).all())
        facts["multi_hot"] = bool(((rows == 0) | (rows == 1)).all())
    config = getattr(session.encoder, "config", None)
    pad = getattr(config, "pad_token_id", None)
    if pad is not None and facts["dtype"].startswith(("int", "uint")):
        facts["equal_to_pad"] = int((flat == pad).sum())
    facts.update(_against_ids(session, names))
    return facts


def _against_ids(session, names):
    """How the labels of the first batch stand to its token ids: the same, or those one place later."""
    x, y, _ = session.batches[0]
    inputs = named(x, names)
    ids = host(inputs["input_ids"]) if "input_ids" in inputs else None
    labels = label_array(inputs, y)
    if ids is None or labels is None or labels.shape != ids.shape or ids.ndim != 2 or ids.shape[1] < 3:
        return {}
    same = labels == ids
    later = labels[:, :-1] == ids[:, 1:]
    counted, counted_later = labels != -100, labels[:, :-1] != -100
    return {
        "same_as_ids": float(same[counted].mean()) if counted.any() else None,
        "next_ids": float(later[counted_later].mean()) if counted_later.any() else None,
    }


def _text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _label(value):
    return str(int(value)) if value == int(value) else str(round(float(value), 4))
