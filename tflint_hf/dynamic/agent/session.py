"""One training of the program under observation: its model and data, and the probes that measure them."""

import contextlib
from time import monotonic

from . import probes
from .batches import Feed, host, is_mapping, named
from .facts import call_arguments, encoder_of, variables_of
from .keeping import Kept
from .probes.batch import label_array
from .step import in_replica, tensors

BATCHES_LOOKED_AT = 20
STEPS = frozenset({"forward", "padding", "gradients"})
"""Measurements that call the model as a step of its training does."""


class Session:
    """What probes look at. `batches` are a few first ones, as (inputs, labels, weights)."""

    def __init__(self, context, number, model, feed, validation, fit_arguments, total_steps):
        self.context = context
        self.number = number
        self.model = model
        self.encoder = encoder_of(model)
        self.feed = feed
        self.validation = validation
        self.fit_arguments = fit_arguments
        self.total_steps = total_steps
        self.tokenizers = context.tokenizers
        self.batches = []
        self.memory = {}
        """What one probe found out and later ones need."""

    def measure(self, seconds):
        """Run the probes in order as long as there is time; each says its facts by itself."""
        deadline = monotonic() + min(seconds, max(1.0, self.context.seconds_left() - 5))
        try:
            self.batches = self.feed.batches(BATCHES_LOOKED_AT)
        except Exception as error:
            text = "{}: {}".format(type(error).__name__, str(error)[:1500])
            self.context.channel.send("measured", training=self.number, probe="batch", failed=text)
            return
        if not self.batches:
            self.context.channel.send("measured", training=self.number, probe="batch", facts={"empty": True})
            return
        self._make_weights()
        kept = Kept(self.model)
        try:
            self._run_probes(kept, deadline)
        finally:
            kept.put_back()

    def _make_weights(self):
        """A model without a known input shape makes its weights at its first call; what it lacks cannot be put back."""
        made = getattr(self.model, "built", True) and variables_of(self.model)
        if made:
            return
        with contextlib.suppress(Exception):  # the forward probe and the program's own fit say what is wrong
            in_replica(self.model, lambda: self.model(tensors(self.batches[0][0]), training=False))

    def _in_step(self, probe):
        return in_replica(self.model, lambda: probe(self))

    def _run_probes(self, kept, deadline):
        wanted = self.context.job["measurements"]
        for name, probe in probes.PROBES:
            if wanted is not None and name not in wanted:
                continue
            if monotonic() > deadline:
                self.context.channel.send("skipped", training=self.number, probe=name, why="time")
                continue
            start = monotonic()
            try:
                facts = self._in_step(probe) if name in STEPS else probe(self)
            except self.context.enough:
                raise
            except Exception as error:
                text = f"{type(error).__name__}: {str(error)[:1500]}"
                self.context.channel.send("measured", training=self.number, probe=name, failed=text)
                continue
            finally:
                if name in probes.CHANGES_WEIGHTS:
                    kept.put_weights_back()
            if facts is not None:
                if name == "labels":
                    self.batches[0] = _rows_with_valid_labels(self, facts)
                took = round(monotonic() - start, 3)
                self.context.channel.send("measured", training=self.number, probe=name, facts=facts, took=took)


def _rows_with_valid_labels(session, facts):
    """The first batch without the rows whose label is no class of the head: one such row hides all other measures."""
    import numpy

    batch = session.batches[0]
    classes = getattr(getattr(session.model, "config", None), "num_labels", None)
    labels = label_array(named(batch[0], call_arguments(session.model)), batch[1])
    out_of_range = classes and classes > 1 and ((facts.get("max") or 0) >= classes or (facts.get("min") or 0) < 0)
    if not out_of_range or labels is None or labels.ndim != 1:
        return batch
    kept = numpy.flatnonzero((labels >= 0) & (labels < classes))
    if not len(kept):
        return batch
    facts["rows_left_out"] = int(len(labels) - len(kept))
    return tuple(_taken(part, kept) for part in batch)


def _taken(data, rows):
    if data is None:
        return None
    if is_mapping(data):
        return {key: _taken(value, rows) for key, value in data.items()}
    if isinstance(data, (list, tuple)) and data and hasattr(data[0], "shape"):
        return type(data)(_taken(item, rows) for item in data)
    array = host(data)
    return array[rows] if array is not None else data


def feed_of(arguments):
    """The training data that the arguments of fit() describe."""
    return Feed(arguments.get("x"), arguments.get("y"), arguments.get("sample_weight"), arguments.get("batch_size"))


def validation_of(arguments):
    """The validation data that the arguments of fit() describe, None if there are none."""
    given = arguments.get("validation_data")
    if given is None:
        return None
    batch_size = arguments.get("validation_batch_size") or arguments.get("batch_size")
    if isinstance(given, (tuple, list)):
        parts = list(given) + [None] * (3 - len(given))
        return Feed(parts[0], parts[1], parts[2], batch_size)
    return Feed(given, batch_size=batch_size)
