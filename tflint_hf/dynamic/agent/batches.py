"""The data that a program gives to fit, evaluate and predict: looked at, and cut to a few batches."""

import itertools
from collections.abc import Iterator, Mapping

TF_DATA, ARRAYS, SEQUENCE, GENERATOR, UNKNOWN = "tf.data", "arrays", "sequence", "generator", "unknown"


def kind_of(data):
    """What kind of data this is, as one of the words above."""
    if data is None:
        return UNKNOWN
    if hasattr(data, "element_spec") and hasattr(data, "take"):
        return TF_DATA
    if isinstance(data, Iterator):
        return GENERATOR
    if leaves(data):
        return ARRAYS
    if hasattr(data, "__getitem__") and hasattr(data, "__len__"):
        return SEQUENCE
    return UNKNOWN


def is_mapping(data):
    """Whether this is a dictionary of arrays, or alike: the output of a tokenizer is, a table of pandas is not."""
    return isinstance(data, Mapping) or (hasattr(data, "keys") and hasattr(data, "items") and not hasattr(data, "iloc"))


def row_bytes(row):
    """The content of a row of an array, as bytes: of text not the addresses that an array holds."""
    if getattr(row, "dtype", None) is not None and row.dtype != object:
        return row.tobytes()
    return repr(row.tolist() if hasattr(row, "tolist") else row).encode("utf-8", "surrogatepass")


def leaves(data):
    """The arrays in a structure of dictionaries, lists and tuples. A list of plain values is an array itself."""
    if data is None:
        return []
    if is_mapping(data):
        return [leaf for value in data.values() for leaf in leaves(value)]
    if hasattr(data, "shape") and hasattr(data, "dtype"):
        return [data]
    if isinstance(data, (list, tuple)):
        if data and all(hasattr(item, "shape") and hasattr(item, "dtype") for item in data):
            return list(data)
        if data and isinstance(data[0], (list, int, float, str, bool)):
            return [data]
        return [leaf for item in data for leaf in leaves(item)]
    if hasattr(data, "iloc"):  # a pandas Series or DataFrame
        return [data]
    return []


def rows_of(data):
    """The number of rows in arrays, None if there are none."""
    for leaf in leaves(data):
        try:
            return len(leaf)
        except TypeError:  # a ragged or sparse tensor
            side = next(iter(getattr(leaf, "shape", None) or ()), None)
            if side is not None:
                return int(side)
    return None


def head(data, start, stop):
    """The rows from `start` to `stop` of arrays, in the same structure."""
    if data is None:
        return None
    if is_mapping(data):
        parts = {key: head(value, start, stop) for key, value in data.items()}
        try:
            return type(data)(parts)
        except Exception:
            return parts
    if hasattr(data, "iloc"):
        return data.iloc[start:stop]
    if hasattr(data, "shape"):
        return data[start:stop]
    if isinstance(data, (list, tuple)):
        if data and isinstance(data[0], (int, float, str, bool, list)) and not hasattr(data[0], "shape"):
            return data[start:stop]
        parts = [head(item, start, stop) for item in data]
        return tuple(parts) if isinstance(data, tuple) else parts
    return data


class Feed:
    """Data for training or evaluation: `x` with `y` and weights beside it, or all in one."""

    def __init__(self, x, y=None, weights=None, batch_size=None, steps=None):
        self.x, self.y, self.weights = x, y, weights
        self.kind = kind_of(x)
        self.batch_size = batch_size or 32
        self.steps = steps
        self._taken = []

    def batches(self, count):
        """Up to `count` batches as (inputs, labels or None, weights or None)."""
        return list(itertools.islice(self._batches(count), count))

    def _batches(self, count):
        if self.kind == TF_DATA:
            for element in self.x.take(count):
                yield unpacked(element)
        elif self.kind == ARRAYS:
            total = rows_of(self.x) or 0
            for start in range(0, total, self.batch_size):
                stop = min(start + self.batch_size, total)
                yield tuple(head(part, start, stop) for part in (self.x, self.y, self.weights))
        elif self.kind == SEQUENCE:
            for index in range(min(count, len(self.x))):
                yield unpacked(self.x[index])
        elif self.kind == GENERATOR:
            # What is taken out of a generator is gone: keep it, and put it back in front.
            while len(self._taken) < count:
                try:
                    self._taken.append(next(self.x))
                except StopIteration:
                    break
            for element in self._taken[:count]:
                yield unpacked(element)

    def size(self):
        """How much there is: rows and batches as far as they are known without reading everything."""
        if self.kind == ARRAYS:
            rows = rows_of(self.x)
            return {"rows": rows, "batches": -(-rows // self.batch_size) if rows is not None else None}
        if self.kind == TF_DATA:
            try:
                count = int(self.x.cardinality())
            except Exception:
                count = -2
            return {"rows": None, "batches": count if count >= 0 else None, "infinite": count == -1}
        if self.kind == SEQUENCE:
            return {"rows": None, "batches": len(self.x)}
        return {"rows": None, "batches": None}

    def cut(self, steps, set_apart=0.0):
        """The same data with at most `steps` batches, as (x, y, weights); of arrays as many more rows as Keras sets
        apart for validation."""
        if self.kind == TF_DATA:
            return self.x.take(steps), self.y, self.weights
        if self.kind == ARRAYS:
            rows = max(-int(-steps * self.batch_size // (1.0 - set_apart)), 2)
            if (rows_of(self.x) or 0) <= rows:
                return self.x, self.y, self.weights  # as they are: what Keras makes of a class of its own shows
            return tuple(head(part, 0, rows) for part in (self.x, self.y, self.weights))
        if self.kind == GENERATOR:
            return _again(self._taken, self.x), self.y, self.weights
        return self.x, self.y, self.weights


def _again(taken, rest):
    """What was taken out of a generator and what is left in it. Keras 3 takes nothing but a true generator."""
    yield from taken
    yield from rest


def unpacked(element):
    """An element of a data set as (inputs, labels or None, weights or None), as Keras takes it apart."""
    if isinstance(element, (tuple, list)) and not hasattr(element, "_fields"):
        parts = list(element) + [None] * (3 - len(element))
        return parts[0], parts[1], parts[2]
    return element, None, None


def host(value):
    """A tensor or anything like an array, as a numpy array on the host; None if it is none."""
    import numpy

    if hasattr(value, "numpy"):
        try:
            return numpy.asarray(value.numpy())
        except Exception:
            return None
    try:
        array = numpy.asarray(value)
    except Exception:
        return None
    return None if array.dtype == object and array.size and not isinstance(array.flat[0], (str, bytes)) else array


def named(data, names=()):
    """The arrays of inputs or labels by name: keys of a dictionary, else the names of the model's arguments."""
    if data is None:
        return {}
    if is_mapping(data):
        return dict(data.items())
    if isinstance(data, (list, tuple)) and data and not isinstance(data[0], (int, float, str, bool)):
        return {names[i] if i < len(names) else str(i): item for i, item in enumerate(data)}
    return {names[0] if names else "": data}
