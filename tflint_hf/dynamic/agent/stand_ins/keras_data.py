"""Stand-ins for the data sets that Keras downloads: files of the same form, which its own loaders read.

They have as many rows as the real ones, for programs cut them at fixed places.
"""

import atexit
import gzip
import json
import os
import shutil
import struct
import tempfile
from itertools import islice

from .patching import around_function
from .vocabularies import filled
from .words import common_words, made_up_words

_PACKAGES = ("keras.src", "tf_keras.src", "keras", "tensorflow.python.keras")
_TEXTS = {"imdb": (25000, 25000, 2, 88584, 80), "reuters": (11228, 0, 46, 30979, 60)}
"""Rows for training and for testing, classes, words, and how many of these a text has about."""
_IMAGES = {"mnist": (28, 28), "fashion_mnist": (28, 28), "cifar10": (3, 32, 32), "cifar100": (3, 32, 32)}
_TABLES = {"boston_housing": (506, 13, "float64"), "california_housing": (20640, 8, "float32")}
_OWN_WORDS = 20
"""That many words are said more often in the texts of a class."""


def install(context):
    """Patch each loader once it is imported, whichever Keras it belongs to."""
    maker = KerasData(context)
    for package in _PACKAGES:
        for name in (*_TEXTS, *_IMAGES, *_TABLES):
            context.after_import.call("%s.datasets.%s" % (package, name), maker.patch)


class KerasData:
    """Makes the files of a data set when its loader asks for one that is not on this machine."""

    def __init__(self, context):
        self._context = context
        self._root = None
        self._paths = {}

    def patch(self, module):
        """Give the loader in `module` stand-in files."""
        name = module.__name__.rpartition(".")[2]

        def get_file(original, *args, **kwargs):
            wanted = str(args[0] if args else kwargs.get("fname"))
            if self._context.job["stand_ins"] == "auto" and _is_cached(wanted, kwargs):
                return original(*args, **kwargs)
            return self._file(name, os.path.basename(wanted))

        def load_batch(original, path, *args, **kwargs):
            if self._root is None or not path.startswith(self._root):
                return original(path, *args, **kwargs)
            return _batch_of_images(name, os.path.basename(path), *args, **kwargs)

        around_function([module], "get_file", get_file)
        around_function([module], "load_batch", load_batch)

    def _file(self, name, wanted):
        if self._root is None:
            self._root = tempfile.mkdtemp(prefix="tflint-hf-")
            atexit.register(shutil.rmtree, self._root, ignore_errors=True)
        if (name, wanted) not in self._paths:
            path = os.path.join(self._root, name + "-" + wanted)
            _write(name, wanted, path)
            self._paths[name, wanted] = path
        fact = {"what": "data set", "name": "keras.datasets." + name}
        if fact not in self._context.stand_ins:
            self._context.stand_ins.append(fact)
            self._context.channel.send("stand_in", at=self._context.places.of_stack(), **fact)
        return self._paths[name, wanted]


def _is_cached(wanted, kwargs):
    home = kwargs.get("cache_dir") or os.environ.get("KERAS_HOME") or os.path.join(os.path.expanduser("~"), ".keras")
    return os.path.exists(os.path.join(str(home), kwargs.get("cache_subdir", "datasets"), wanted))


def _write(name, wanted, path):
    import numpy

    chance = numpy.random.RandomState(len(name))
    if wanted.endswith(".json"):
        words = filled([], [*common_words(), *islice(made_up_words(), _TEXTS[name][3])], _TEXTS[name][3])
        with open(path, "w", encoding="utf-8") as file:
            json.dump({word: place + 1 for place, word in enumerate(words)}, file)
    elif name in _TEXTS:
        rows, more, *rest = _TEXTS[name]
        (x, y), (x_more, y_more) = _texts(chance, rows, *rest), _texts(chance, more, *rest)
        parts = {"x_train": x, "y_train": y, "x_test": x_more, "y_test": y_more} if more else {"x": x, "y": y}
        _write_arrays(path, parts)
    elif name in _TABLES:
        rows, columns, kind = _TABLES[name]
        x = chance.standard_normal((rows, columns))
        y = (20 + 5 * x[:, :3].sum(1) + chance.standard_normal(rows)).clip(5, 50)
        y *= 1 if name == "boston_housing" else 10000
        _write_arrays(path, {"x": x.astype(kind), "y": y.astype(kind)})
    elif name == "mnist":
        (x, y), (x_more, y_more) = _images(name, 60000, 10), _images(name, 10000, 10)
        _write_arrays(path, {"x_train": x, "y_train": y, "x_test": x_more, "y_test": y_more})
    elif name == "fashion_mnist":
        x, y = _images(name, 60000 if wanted.startswith("train") else 10000, 10)
        head, body = (2049, y) if "labels" in wanted else (2051, x)
        with gzip.open(path, "wb", compresslevel=0) as file:
            file.write(struct.pack(">%di" % (1 + body.ndim), head, *body.shape) + body.tobytes())


def _write_arrays(path, parts):
    import numpy

    with open(path, "wb") as file:
        numpy.savez(file, **parts)


def _labels(chance, rows, classes):
    """Each class about as often as the others, in a mixed order."""
    import numpy

    labels = numpy.arange(rows) % classes
    chance.shuffle(labels)
    return labels


def _texts(chance, rows, classes, words, length):
    """Lists of ranks of words, and labels. Each class has words of its own that are frequent in it."""
    import numpy

    labels = _labels(chance, rows, classes)
    lengths = numpy.clip(chance.lognormal(numpy.log(length), 0.5, rows), 5, 1000).astype(int)
    ranks = numpy.exp(chance.random_sample(int(lengths.sum())) * numpy.log(words)).astype("int64") + 1
    of_class = numpy.repeat(labels, lengths) * _OWN_WORDS + chance.randint(20, 20 + _OWN_WORDS, len(ranks))
    ranks = numpy.where(chance.random_sample(len(ranks)) < 0.2, of_class, ranks.clip(1, words))
    if rows:
        ranks[0] = words
    texts = numpy.empty(rows, dtype=object)
    ends = numpy.cumsum(lengths)
    every = ranks.tolist()
    for place in range(rows):
        texts[place] = every[ends[place] - lengths[place] : ends[place]]
    return texts, labels.astype("int64")


def _images(name, rows, classes, seed=0):
    """Pictures of noise over one pattern a class, and labels: the same whenever they are asked for."""
    import numpy

    patterns = numpy.random.RandomState(len(name)).randint(0, 128, (classes, *_IMAGES[name])).astype("uint8")
    chance = numpy.random.RandomState(rows + seed)
    labels = _labels(chance, rows, classes)
    noise = numpy.frombuffer(chance.bytes(rows * patterns[0].size), "uint8").reshape(rows, *_IMAGES[name])
    return patterns[labels] + noise // 2, labels.astype("uint8")


def _batch_of_images(name, part, label_key="labels"):
    """What a file of CIFAR holds: images with the colours first, and a list of labels."""
    classes = {"labels": 10, "fine_labels": 100, "coarse_labels": 20}[label_key]
    rows = 50000 if part == "train" else 10000
    images, labels = _images(name, rows, classes, seed=int(part[-1]) if part[-1].isdigit() else 9)
    return images, labels.astype(int).tolist()
