"""Two passes over the data: is validation in the same order each time, is training shuffled, do they share rows?"""

import functools
import hashlib
from collections import Counter

from ..batches import TF_DATA, host, leaves, named, row_bytes
from ..facts import call_arguments
from ..keeping import same_random_numbers
from .batch import label_array

BATCHES = 20


def probe(session):
    """Facts on the order of both data sets, and the rows that they share."""
    train = _passes(session, session.feed, session.batches)
    facts = {"train": _order_facts(*train)}
    if session.validation is not None:
        validation = _passes(session, session.validation)
        facts["validation"] = _order_facts(*validation)
        rows, trained = [row for row, _ in _flat(validation[0])], {row for row, _ in _flat(train[0])}
        facts["shared_rows"] = sum(row in trained for row in rows)
        facts["validation_rows"] = len(rows)
        facts["same_object"] = session.validation.x is session.feed.x
    return facts


def row_hashes(batch):
    """Hashes of the rows of the first array in a batch."""
    arrays = [host(leaf) for leaf in leaves(batch[0])[:1]]
    return [hashlib.md5(row_bytes(row)).hexdigest() for array in arrays if array is not None for row in array]


def two_passes(feed, count, read=row_hashes, drawn=None):
    """What `read` makes of the first batches, in a first and a second pass; `drawn` are those of the first.

    What is not of tf.data stays as it is from pass to pass. The program draws its random numbers as if none had been.
    """
    with same_random_numbers():
        first = [read(batch) for batch in (feed.batches(count) if drawn is None else drawn)]
        return first, [read(batch) for batch in feed.batches(count)] if feed.kind == TF_DATA else first


def _passes(session, feed, drawn=None):
    """Keys and labels of the rows in two passes; batches that cannot be read do not count."""
    passes = two_passes(feed, BATCHES, functools.partial(_keys_and_labels, session), drawn)
    return [[rows for rows in batches if rows] for batches in passes]


def _flat(batches):
    return [row for batch in batches for row in batch]


def _keys_and_labels(session, batch):
    """(hash of the inputs, label) of each row in a batch."""
    x, y, _ = batch
    inputs = named(x, call_arguments(session.model))
    labels = label_array(inputs, y)
    arrays = [host(v) for k, v in inputs.items() if k in ("input_ids", "pixel_values")] or [
        host(leaf) for leaf in leaves(x)[:1]
    ]
    if not arrays or arrays[0] is None:
        return []
    rows = []
    pad = getattr(getattr(session.encoder, "config", None), "pad_token_id", None)
    for index, row in enumerate(arrays[0]):
        if pad is not None and row.ndim == 1 and row.dtype.kind in "iu":
            row = row[row != pad]  # the same text, padded to another length, is the same row
        key = hashlib.md5(row_bytes(row)).hexdigest()
        label = labels[index].tolist() if labels is not None and index < len(labels) else None
        rows.append((key, label))
    return rows


def _order_facts(one, two):
    """`whole`: all batches were looked at. `common_batches` of the second pass hold the rows of one of the first."""
    rows, again = _flat(one), _flat(two)
    labels = [label for _, label in rows if isinstance(label, (int, float, bool))]
    changes = sum(1 for label, other in zip(labels, labels[1:]) if label != other)
    total = len(labels)
    expected = None
    if total > 1:
        shares = [labels.count(value) / total for value in set(labels)]
        expected = (total - 1) * (1 - sum(share * share for share in shares))
    first, second = [row for row, _ in rows], [row for row, _ in again]
    known = {_contents(batch) for batch in one}
    return {
        "rows": len(rows),
        "batches": len(one),
        "whole": len(one) < BATCHES,
        "same_order_twice": first == second if first else None,
        "same_rows_twice": sorted(first) == sorted(second),
        "other_rows": len(second) - sum((Counter(first) & Counter(second)).values()),
        "common_batches": sum(_contents(batch) in known for batch in two),
        "label_changes": changes,
        "label_changes_expected": expected,
        "distinct_labels": len(set(labels)),
        "repeated_rows": len(rows) - len(set(first)),
    }


def _contents(batch):
    return tuple(sorted(row for row, _ in batch))
