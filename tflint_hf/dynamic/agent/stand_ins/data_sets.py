"""Stand-in data sets: `load_dataset` of a known data set that is not on this machine gives one of the same schema."""

import json
import os
import re

from . import presence
from .patching import around_function
from .rows import Rows, features

_FORMATS = [
    "arrow",
    "audiofolder",
    "cache",
    "csv",
    "folder_based_builder",
    "generator",
    "imagefolder",
    "json",
    "pandas",
    "parquet",
    "spark",
    "sql",
    "text",
    "videofolder",
    "webdataset",
    "xml",
]
_MARK = "stand-in of tflint-hf for "
_FEW_PERCENT = 30
_SORTED_ROWS = {"stanfordnlp/sentiment140": 1600000, "fancyzhx/dbpedia_14": 560000, "stanfordnlp/imdb": 25000}


def install(context, knowledge):
    """Patch the library once it is imported."""
    maker = DataSets(context, knowledge)

    def patch(module):
        owners = [module, module.load]
        around_function(owners, "load_dataset", maker.load)
        around_method(module.Dataset, "select", maker.select)

    context.after_import.call("datasets", patch)


def around_method(owner, name, wrapper):
    """Have `wrapper(original, self, *args, **kwargs)` called for a method."""
    around_function([owner], name, wrapper)


class DataSets:
    """Makes stand-ins of data sets, each split once."""

    def __init__(self, context, knowledge):
        self._context = context
        self._knowledge = knowledge
        self._made = {}
        self._records = {}

    def load(self, original, *args, **kwargs):
        """In the place of `datasets.load_dataset`."""
        path = str(args[0] if args else kwargs.get("path"))
        config = args[1] if len(args) > 1 else kwargs.get("name")
        if self._is_real(path, args, kwargs):
            return original(*args, **kwargs)
        if self._context.job["stand_ins"] == "auto" and presence.dataset_is_cached(path, kwargs.get("cache_dir")):
            try:
                return original(*args, **kwargs)
            except Exception as error:
                self._context.channel.trouble("the cache of data set " + path, error)
        record = self._knowledge.dataset(path, config)
        options = _options(record, config, kwargs)
        if record is None or not record.get("columns") or options is None:
            self._say("missing", path, config)
            return original(*args, **kwargs)
        made = self._give(record, options, kwargs.get("split", args[4] if len(args) > 4 else None))
        self._say("stand_in", path, config)
        return _streamed(made) if kwargs.get("streaming") else made

    def select(self, original, data, indices, *args, **kwargs):
        """In the place of `Dataset.select`: a stand-in has fewer rows than the program may ask for."""
        description = getattr(getattr(data, "info", None), "description", None) or ""
        if _MARK in description and hasattr(indices, "__len__") and len(indices) and max(indices) >= len(data):
            record = self._records.get(description.partition(_MARK)[2].split("\n")[0])
            indices = fewer(indices, len(data), record)
        return original(data, indices, *args, **kwargs)

    def _is_real(self, path, args, kwargs):
        files = kwargs.get("data_files", args[3] if len(args) > 3 else None)
        folder = kwargs.get("data_dir", args[2] if len(args) > 2 else None)
        if path in _FORMATS or os.path.exists(path):
            missing = next((each for each in _names(files) if each.startswith(("http:", "https:", "hf:"))), None)
            if missing is not None:
                self._say("missing", missing, None)
            return True
        return files is not None or (folder is not None and os.path.exists(str(folder)))

    def _say(self, kind, path, config):
        name = path if config is None else "%s, %s" % (path, config)
        self._context.channel.send(kind, what="data set", name=name, at=self._context.places.of_stack())
        fact = {"what": "data set", "name": name}
        if kind == "stand_in" and fact not in self._context.stand_ins:
            self._context.stand_ins.append(fact)

    def _give(self, record, options, split):
        import datasets

        known = record.get("splits") or ["train", "validation", "test"]
        if split is None:
            made = {name: self._whole(record, options, name) for name in known}
            return datasets.DatasetDict(made)
        if isinstance(split, (list, tuple)):
            return [self._give(record, options, each) for each in split]
        if isinstance(split, dict):
            return datasets.DatasetDict({key: self._give(record, options, each) for key, each in split.items()})
        text = split.to_spec() if hasattr(split, "to_spec") else str(split)
        if text == "all":
            text = "+".join(known)
        parts = [self._part(record, options, known, part.strip()) for part in text.split("+")]
        return parts[0] if len(parts) == 1 else datasets.concatenate_datasets(parts)

    def _part(self, record, options, known, text):
        found = re.match(r"([\w.-]+)(?:\[(-?\d*)(%?):(-?\d*)(%?)\])?(?:\(\w+\))?$", text)
        if found is None or found.group(1) not in known:
            raise ValueError('Unknown split "%s". Should be one of %s.' % (text.split("[")[0], list(known)))
        whole = self._whole(record, options, found.group(1))
        if "[" not in text:
            return whole
        size = len(whole)
        first, last = found.group(2), found.group(4)
        if "%" in (found.group(3), found.group(5)):
            start = _share(first, found.group(3), size, 0)
            return whole.select(range(start, max(start + 1, _share(last, found.group(5), size, size))))
        start = int(first or 0)
        start = start + size if start < 0 else start
        end = int(last) if last else size if start < size else start + size
        end = end + size if end < 0 else end
        return whole.select(range(start, max(end, start + 1)))

    def _whole(self, record, options, split):
        import datasets

        name = "%s/%s/%s" % (record["id"], record["config"], split)
        key = (name, json.dumps(options))
        if key not in self._made:
            rows = self._context.job["rows"] if split.startswith("train") else max(self._context.job["rows"] // 2, 1)
            classes = record.get("classes") or len(record.get("names", ()))
            if record["kind"] in ("class", "multi_label"):
                rows = max(rows, min(classes, 1000))
            types = features(record, datasets, options)
            self._records[name] = record
            self._made[key] = datasets.Dataset.from_dict(
                Rows(record, split, rows, options).columns(),
                features=types,
                info=datasets.DatasetInfo(description=_MARK + name, features=types),
                split=datasets.NamedSplit(split),
            )
        return self._made[key]


def fewer(indices, size, record=None):
    """Rows of a stand-in of `size` rows in the place of rows of the real thing, which has many more.

    Ranges that do not overlap give rows that do not, a range at the beginning of a data set sorted by label gives rows
    of its first label.
    """
    if record is not None and record.get("sorted"):
        classes = record.get("classes") or len(record.get("names", ())) or len(record.get("values", ()))
        block = max(1, _SORTED_ROWS.get(record["id"], 10000) // classes)
        rows = max(1, size // classes)

        def place(index):
            number = min(index // block, classes - 1)
            return number * rows + _nearer(index - number * block, rows)

    else:

        def place(index):
            return _nearer(index, size)

    chosen = [place(int(index)) for index in indices if index == 0 or place(int(index) - 1) != place(int(index))]
    return list(dict.fromkeys(chosen)) or [place(int(indices[0]))]


def _nearer(index, size):
    """The first half of the rows stays where it is; the rest gets nearer the further it is."""
    half = size // 2
    if index < half:
        return index
    beyond = index - half
    return min(size - 1, half + int((size - half) * beyond / (beyond + 4.0 * size)))


def _share(text, percent, size, otherwise):
    if not text:
        return otherwise
    number = int(text)
    if not percent:
        return max(0, min(size, number + size if number < 0 else number))
    number = number + 100 if number < 0 else number
    if 0 < number < _FEW_PERCENT:
        # One percent of the real thing is still enough for many batches.
        number = _FEW_PERCENT * (number / _FEW_PERCENT) ** 0.3
    return max(0, min(size, round(size * number / 100)))


def _options(record, config, kwargs):
    """What a program says of a data set beside its name, None where too little is said to know its columns."""
    if record is None or "translation" not in record.get("columns", ()):
        return {}
    pair = [kwargs.get("lang1"), kwargs.get("lang2")]
    if None in pair:
        found = re.match(r"([a-z]{2,3})[-_]([a-z]{2,3})$", str(config))
        if found is None:
            return None
        pair = list(found.groups())
    return {"languages": [str(each) for each in pair]}


def _names(files):
    if isinstance(files, dict):
        files = list(files.values())
    if isinstance(files, (list, tuple)):
        return [name for each in files for name in _names(each)]
    return [] if files is None else [str(files)]


def _streamed(made):
    import datasets

    if isinstance(made, list):
        return [_streamed(each) for each in made]
    if isinstance(made, dict):
        return datasets.IterableDatasetDict({key: each.to_iterable_dataset() for key, each in made.items()})
    return made.to_iterable_dataset()
