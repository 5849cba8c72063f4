"""Two passes over the data: is validation in the same order each time, is training shuffled, do they share rows?"""

import hashlib

from ..batches import host, leaves, named, row_bytes
from ..facts import call_arguments
from .batch import label_array

BATCHES = 20


def probe(session):
    """Facts on the order of both data sets, and the rows that they share."""
    train = _rows(session, session.batches)
    facts = {"train": _order_facts(train, session, session.feed)}
    if session.validation is not None:
        batches = session.validation.batches(BATCHES)
        validation = _rows(session, batches)
        facts["validation"] = _order_facts(validation, session, session.validation)
        shared = {row for row, _ in validation} & {row for row, _ in train}
        facts["shared_rows"] = sum(1 for row, _ in validation if row in shared)
        facts["validation_rows"] = len(validation)
        facts["same_object"] = session.validation.x is session.feed.x
    return facts


def _rows(session, batches):
    """(hash of the inputs, label) of each row."""
    names = call_arguments(session.model)
    found = []
    for x, y, _ in batches:
        inputs = named(x, names)
        labels = label_array(inputs, y)
        arrays = [host(v) for k, v in inputs.items() if k in ("input_ids", "pixel_values")] or [
            host(leaf) for leaf in leaves(x)[:1]
        ]
        if not arrays or arrays[0] is None:
            continue
        pad = getattr(getattr(session.encoder, "config", None), "pad_token_id", None)
        for index, row in enumerate(arrays[0]):
            if pad is not None and row.ndim == 1 and row.dtype.kind in "iu":
                row = row[row != pad]  # the same text, padded to another length, is the same row
            key = hashlib.md5(row_bytes(row)).hexdigest()
            label = labels[index].tolist() if labels is not None and index < len(labels) else None
            found.append((key, label))
    return found


def _order_facts(rows, session, feed):
    again = rows
    if feed.kind == "tf.data":
        again = _rows(session, feed.batches(BATCHES))
    labels = [label for _, label in rows if isinstance(label, (int, float, bool))]
    changes = sum(1 for one, other in zip(labels, labels[1:]) if one != other)
    total = len(labels)
    expected = None
    if total > 1:
        shares = [labels.count(value) / total for value in set(labels)]
        expected = (total - 1) * (1 - sum(share * share for share in shares))
    first, second = [row for row, _ in rows], [row for row, _ in again]
    size = feed.batch_size if feed.kind == "arrays" else len(rows) // max(1, len(session.batches))
    return {
        "rows": len(rows),
        "same_order_twice": first == second,
        "same_batches_twice": _batches(first, size) == _batches(second, size),
        "label_changes": changes,
        "label_changes_expected": expected,
        "distinct_labels": len(set(labels)),
        "repeated_rows": len(rows) - len({row for row, _ in rows}),
    }


def _batches(rows, size):
    """The sets of rows that come together, whatever their order."""
    return {frozenset(rows[start : start + size]) for start in range(0, len(rows), max(size, 1))}


def row_hashes(batch):
    """Hashes of the rows of the first array in a batch."""
    arrays = [host(leaf) for leaf in leaves(batch[0])[:1]]
    return [hashlib.md5(row_bytes(row)).hexdigest() for array in arrays if array is not None for row in array]
