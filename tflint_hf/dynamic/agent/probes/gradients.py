"""One backward pass: gradients that are missing, zero or exploding, and how far one step moves the weights."""

from ..batches import host, is_mapping
from ..facts import rate_of, unscaled
from ..step import see_step
from .forward import loss_of

LAYERS_SHOWN = 60


def probe(session):
    """Gradients on the first batch, in training mode, and the ratio of the first update to each weight."""
    seen = see_step(session.model, session.batches[0], training=True)
    session.memory["gradients"] = seen
    facts = gradient_facts(seen.gradients, seen.variables)
    facts["loss"] = _number(seen.loss)
    facts["output_gradient_zero_share"] = _zero_share_at_output(session)
    facts.update(_update(session.model, seen))
    return facts


def _number(value):
    array = host(value)
    return None if array is None or not array.size else float(array.mean())


def gradient_facts(gradients, variables):
    """Norms by weight; `missing` have no gradient at all, `zero` one that is 0 everywhere."""
    import numpy

    missing, zero, bad, norms = [], [], [], {}
    total = 0.0
    for gradient, variable in zip(gradients, variables):
        name = getattr(variable, "path", None) or variable.name
        if gradient is None:
            missing.append(name)
            continue
        value = host(gradient.values if hasattr(gradient, "indices") and hasattr(gradient, "values") else gradient)
        if value is None:
            continue
        norm = float(numpy.sqrt((value.astype("float64") ** 2).sum()))
        if not numpy.isfinite(norm):
            bad.append(name)
            continue
        norms[name] = norm
        total += norm * norm
        if norm == 0.0:
            zero.append(name)
    return {
        "count": len(variables),
        "missing": missing[:LAYERS_SHOWN],
        "missing_count": len(missing),
        "zero": zero[:LAYERS_SHOWN],
        "zero_count": len(zero),
        "not_finite": bad[:LAYERS_SHOWN],
        "norm": total**0.5,
        "norms": dict(list(norms.items())[:LAYERS_SHOWN]),
    }


def _zero_share_at_output(session):
    """The share of rows whose loss does not depend on any of the model's outputs."""
    import numpy
    import tensorflow

    seen, model = session.memory.get("forward"), session.model
    if seen is None or seen.outputs is None or is_mapping(seen.outputs) or isinstance(seen.outputs, (list, tuple)):
        return None
    if getattr(model, "_using_dummy_loss", False):
        return None
    outputs = tensorflow.convert_to_tensor(host(seen.outputs))
    with tensorflow.GradientTape() as tape:
        tape.watch(outputs)
        loss = loss_of(model, seen.labels, outputs)
    gradient = host(tape.gradient(loss, outputs))
    if gradient is None:
        return None
    flat = gradient.reshape(-1, gradient.shape[-1]) if gradient.ndim > 1 else gradient.reshape(-1, 1)
    return float((numpy.abs(flat).max(-1) == 0.0).mean())


def _update(model, seen):
    """Apply one step of a fresh copy of the program's own optimizer, and compare with the weights before."""
    import numpy

    optimizer = fresh(model.optimizer)
    if optimizer is None:
        return {}
    pairs = [(g, v) for g, v in zip(seen.gradients, seen.variables) if g is not None]
    before = [v.numpy() for _, v in pairs]
    optimizer.apply_gradients(pairs)
    ratios, moved = {}, 0
    for (_, variable), old in zip(pairs, before):
        change = float(numpy.linalg.norm((variable.numpy() - old).reshape(-1)))
        moved += change > 0
        size = float(numpy.linalg.norm(old.reshape(-1)))
        if old.ndim >= 2 and size > 0:
            ratios[getattr(variable, "path", None) or variable.name] = change / size
    values = sorted(ratios.values())
    return {
        "update_ratio": values[len(values) // 2] if values else None,
        "update_ratios": dict(list(ratios.items())[:LAYERS_SHOWN]),
        "weights_moved": moved,
        "weights_with_gradient": len(pairs),
    }


def fresh(optimizer):
    """A new optimizer with the same arguments; None if it cannot be copied.

    Of one that scales the loss, the one inside it: the gradients that probes have are not scaled.
    """
    optimizer = unscaled(optimizer)
    try:
        config = optimizer.get_config()
        rate = rate_of(optimizer)
        if callable(rate) and not hasattr(rate, "numpy"):
            config["learning_rate"] = rate  # not every schedule comes back from its configuration
        return type(optimizer).from_config(config)
    except Exception:
        return None
