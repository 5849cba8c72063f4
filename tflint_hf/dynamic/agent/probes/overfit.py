"""Can one batch be learnt by heart? Tried with the program's optimizer and with a safe one, judged on predictions."""

from time import monotonic

from ..batches import host, rows_of
from ..facts import variables_of
from ..graph_step import first_rows, gradient_step
from ..step import first_labels, is_distributed, logits_of, see_step
from .gradients import fresh

STEPS_OWN, STEPS_SAFE = 20, 60
SECONDS_EACH = 8.0
SAFE_RATE_PRETRAINED, SAFE_RATE_SMALL = 5e-5, 1e-3


def probe(session):
    """The losses of both tries, and the share of labels predicted right before and after each."""
    model = session.model
    if is_distributed(model):
        return None
    batch = first_rows(session)
    weights = [(one, one.numpy()) for one in variables_of(model)]
    step = gradient_step(session)
    facts = {"rows": rows_of(batch[0]), "start": _judged(model, batch)}
    # On the random weights of a stand-in the program's own rate shows nothing of what it does to the real ones.
    own = None if session.context.stand_ins else fresh(model.optimizer)
    tries = (("own", own, STEPS_OWN), ("safe", _safe(session), STEPS_SAFE))
    for name, optimizer, steps in tries:
        if optimizer is None:
            continue
        for weight, value in weights:
            weight.assign(value)
        losses, took = _train(step, batch, optimizer, steps)
        facts[name] = dict(_judged(model, batch), losses=losses, seconds=round(took, 2))
    return facts


def _train(step, batch, optimizer, steps):
    start = None
    losses = []
    for _ in range(steps):
        loss, gradients, variables = step(batch)
        losses.append(loss)
        optimizer.apply_gradients(list(zip(gradients, variables)))
        if start is None:
            start = monotonic()  # the first step builds graph and optimizer, which may take longer than all others
        if monotonic() - start > SECONDS_EACH or loss != loss:
            break
    return losses, monotonic() - start


def _safe(session):
    """Adam at a rate that suits the model."""
    small = session.encoder is None or bool(session.context.stand_ins)
    return SafeAdam(SAFE_RATE_SMALL if small else SAFE_RATE_PRETRAINED)


class SafeAdam:
    """Adam by TensorFlow's own kernel: without the bookkeeping of Keras an eager step takes a tenth of the time."""

    BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-7

    def __init__(self, rate):
        self._rate = rate
        self._steps = 0
        self._slots = {}

    def apply_gradients(self, grads_and_vars):
        """One step for (gradient, variable) pairs; the gradients are dense."""
        import tensorflow

        self._steps += 1
        powers = self.BETA_1**self._steps, self.BETA_2**self._steps
        given = powers + (self._rate, self.BETA_1, self.BETA_2, self.EPSILON)
        names = ("beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon")
        numbers = {}
        for gradient, variable in grads_and_vars:
            kind = gradient.dtype
            if kind not in numbers:
                numbers[kind] = {name: tensorflow.constant(one, kind) for name, one in zip(names, given)}
            if id(variable) not in self._slots:
                zeros = tensorflow.zeros_like(gradient)
                self._slots[id(variable)] = tensorflow.Variable(zeros), tensorflow.Variable(zeros)
            first, second = self._slots[id(variable)]
            tensorflow.raw_ops.ResourceApplyAdam(
                var=variable.handle, m=first.handle, v=second.handle, grad=gradient, **numbers[kind]
            )


def _judged(model, batch):
    """Loss and the share of labels that are predicted right; -100 does not count."""
    import numpy

    seen = see_step(model, batch, training=False)
    outputs, loss = logits_of(seen.outputs), host(seen.loss)
    labels = first_labels(seen.labels)
    facts = {"loss": None if loss is None else float(loss.mean())}
    if outputs is None or labels is None or labels.dtype.kind not in "iufb":
        return facts
    if outputs.ndim > 1 and outputs.shape[-1] > 1:
        guess = outputs.argmax(-1)
        facts["distinct_predictions"] = len(numpy.unique(guess))
        if labels.shape == outputs.shape:
            labels = labels.argmax(-1)
        labels = labels.reshape(guess.shape) if labels.size == guess.size else None
        if labels is not None:
            kept = labels >= 0
            facts["right"] = float((guess == labels)[kept].mean()) if kept.any() else None
            facts["distinct_labels"] = len(numpy.unique(labels[kept]))
    else:
        facts["deviation"] = float(outputs.std())
    return facts
