"""One forward pass: what the model puts out, the loss, and which formula that loss is."""

import math

from ..batches import head, host, rows_of
from ..facts import weights_of
from ..step import first_labels, logits_of, see_step

CLIP = 1e-7
ROWS_ONE_BY_ONE = 32
TRIAL_DEVIATION = 2.0
NAMES_SAID = 10


def probe(session):
    """Outputs and loss on the first batch, without dropout. Losses are compared with formulas on the same numbers."""
    import numpy

    batch = session.batches[0]
    seen = see_step(session.model, batch, training=False)
    session.memory["forward"] = seen
    outputs = logits_of(seen.outputs)
    loss = host(seen.loss)
    facts = {"loss": None if loss is None else float(numpy.mean(loss)), "loss_shape": list(getattr(loss, "shape", ()))}
    if outputs is not None:
        facts["outputs"] = _output_facts(outputs)
        labels = first_labels(seen.labels)
        if labels is not None and labels.dtype.kind in "iufb":
            facts["formulas"] = formulas(outputs, labels)
            facts["trial"] = _trial(session.model, seen, outputs, labels)
        facts["mean_of_outputs"] = float(outputs.mean())
    if loss is not None and not numpy.isfinite(loss).all():
        facts["rows_not_finite"] = _rows_not_finite(session, batch)
        facts["weights_not_finite"] = _weights_not_finite(session.model)
        facts["weights_as_saved"] = _weights_as_saved(session)
    return facts


def _trial(model, seen, outputs, labels):
    """The loss of Keras on made-up outputs of the same shape, where the formulas that fit the real ones differ.

    A fresh model may put out numbers so close to zero that several meanings give the same loss.
    """
    import numpy
    import tensorflow

    if getattr(model, "_using_dummy_loss", False) or not hasattr(seen.outputs, "shape"):
        return None
    made_up = numpy.random.default_rng(0).normal(0.0, TRIAL_DEVIATION, outputs.shape).astype("float32")
    loss = loss_of(model, seen.labels, tensorflow.constant(made_up))
    return {"loss": float(numpy.mean(host(loss))), "formulas": formulas(made_up, labels)}


def loss_of(model, labels, outputs):
    """What the loss given to compile() makes of these outputs."""
    compiled = model.__dict__.get("compiled_loss")
    if compiled is not None and callable(compiled):
        return compiled(labels, outputs)
    return model.compute_loss(y=labels, y_pred=outputs)


def _output_facts(outputs):
    import numpy

    finite = numpy.isfinite(outputs)
    facts = {"shape": list(outputs.shape), "dtype": str(outputs.dtype), "not_finite": int((~finite).sum())}
    if finite.any():
        kept = outputs[finite]
        facts.update(min=float(kept.min()), max=float(kept.max()), deviation=float(kept.std()))
        facts["negative_share"] = float((kept < 0).mean())
    if outputs.ndim >= 2 and outputs.shape[-1] > 1 and finite.all():
        sums = outputs.sum(-1)
        facts["sums_to_one"] = bool(numpy.allclose(sums, 1.0, atol=1e-3) and (outputs >= 0).all())
        facts["row_deviation"] = float(outputs.reshape(-1, outputs.shape[-1]).std(0).max())
    elif outputs.ndim >= 1:
        facts["row_deviation"] = float(outputs.std())
    return facts


def formulas(outputs, labels):
    """The losses that these outputs and labels give, by the meaning that a loss may take the outputs in.

    Keys name the meaning; a label that a formula cannot take leaves its key out.
    """
    import numpy

    found = {}
    outputs = outputs.astype("float64")
    classes = outputs.shape[-1] if outputs.ndim > 1 else 1
    if classes > 1 and labels.shape in (outputs.shape[:-1], outputs.shape[:-1] + (1,)):
        ids = labels.reshape(outputs.shape[:-1])
        flat, rows = outputs.reshape(-1, classes), ids.reshape(-1)
        kept = (rows >= 0) & (rows < classes)
        found["rows_outside"] = int((~kept).sum())
        if kept.any():
            flat, rows = flat[kept], rows[kept].astype(int)
            index = numpy.arange(len(rows))
            logits = -_log_softmax(flat)[index, rows]
            found["as_logits"] = float(logits.mean())
            clipped = numpy.clip(flat, CLIP, 1 - CLIP)
            # The two generations of Keras take probabilities apart in different ways.
            found["as_probabilities"] = float((-_log_softmax(numpy.log(clipped))[index, rows]).mean())
            scaled = numpy.clip(flat / flat.sum(-1, keepdims=True), CLIP, 1 - CLIP)
            found["as_probabilities_scaled"] = float((-numpy.log(scaled[index, rows])).mean())
            found["flat_share"] = float(((flat <= CLIP) | (flat >= 1 - CLIP)).mean())
        if outputs.ndim == 3 and outputs.shape[1] > 1:
            found.update(_shifted(outputs, ids))
    elif labels.shape == outputs.shape or labels.reshape(-1).shape == outputs.reshape(-1).shape:
        targets = labels.reshape(outputs.shape).astype("float64")
        if ((targets >= 0) & (targets <= 1)).all():
            found["binary_as_logits"] = float(
                (numpy.maximum(outputs, 0) - outputs * targets + numpy.log1p(numpy.exp(-abs(outputs)))).mean()
            )
            clipped = numpy.clip(outputs, CLIP, 1 - CLIP)
            found["binary_as_probabilities"] = float(
                -(targets * numpy.log(clipped) + (1 - targets) * numpy.log(1 - clipped)).mean()
            )
            found["flat_share"] = float(((outputs <= CLIP) | (outputs >= 1 - CLIP)).mean())
        if classes > 1:
            found["categorical_as_logits"] = float(-(targets * _log_softmax(outputs)).sum(-1).mean())
            scaled = numpy.clip(outputs / outputs.sum(-1, keepdims=True), CLIP, 1 - CLIP)
            found["categorical_as_probabilities"] = float(-(targets * numpy.log(scaled)).sum(-1).mean())
        found["squared_error"] = float(((outputs - targets) ** 2).mean())
    if classes > 1:
        found["ln_classes"] = math.log(classes)
    return {name: value for name, value in found.items() if not isinstance(value, float) or math.isfinite(value)}


def _log_softmax(values):
    import numpy

    shifted = values - values.max(-1, keepdims=True)
    return shifted - numpy.log(numpy.exp(shifted).sum(-1, keepdims=True))


def _shifted(outputs, ids):
    """The loss of a language model whose labels are compared with the output one place before."""
    import numpy

    classes = outputs.shape[-1]
    flat, rows = outputs[:, :-1].reshape(-1, classes), ids[:, 1:].reshape(-1)
    kept = (rows >= 0) & (rows < classes)
    if not kept.any():
        return {}
    flat, rows = flat[kept], rows[kept].astype(int)
    return {"as_shifted_logits": float((-_log_softmax(flat)[numpy.arange(len(rows)), rows]).mean())}


def _rows_not_finite(session, batch):
    """Which rows of the batch have a loss that is not finite when they are alone."""
    import numpy

    count = min(rows_of(batch[0]) or 0, ROWS_ONE_BY_ONE)
    found = []
    for row in range(count):
        one = tuple(head(part, row, row + 1) for part in batch)
        loss = host(see_step(session.model, one, training=False).loss)
        if loss is not None and not numpy.isfinite(loss).all():
            found.append(row)
    return {"rows": found, "of": count, "labels": _labels_of(session, batch, found)}


def _labels_of(session, batch, rows):
    from ..batches import named
    from ..facts import call_arguments
    from .batch import label_array

    labels = label_array(named(batch[0], call_arguments(session.model)), batch[1])
    return None if labels is None else [str(labels[row].tolist())[:80] for row in rows]


def _weights_not_finite(model):
    return [weight.name for weight in weights_of(model) if not _is_finite(weight)][:NAMES_SAID]


def _is_finite(weight):
    import numpy

    return bool(numpy.isfinite(weight.numpy()).all())


def _weights_as_saved(session):
    """Whether the weights that are not finite are so where they were loaded from: the same load, made once more.

    None where they were not loaded, or are no part of what was.
    """
    encoder = session.encoder
    load = session.context.load_again.get(encoder) if encoder is not None else None
    bad = [place for place, weight in enumerate(weights_of(encoder)) if not _is_finite(weight)] if load else []
    if not bad:
        return None
    source = getattr(encoder, "name_or_path", "") or ""
    facts = {"source": str(source), "stand_in": source in session.context.stand_in_names.values(), "count": len(bad)}
    try:
        loaded = load()
        saved = weights_of(loaded[0] if isinstance(loaded, tuple) else loaded)
        broken = [saved[place].name for place in bad if not _is_finite(saved[place])]
    except session.context.enough:
        raise
    except Exception as error:
        return dict(facts, trouble="{}: {}".format(type(error).__name__, str(error)[:300]))
    return dict(facts, broken=len(broken), names=broken[:NAMES_SAID])
