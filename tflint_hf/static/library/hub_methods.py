"""Methods of a Dataset or DatasetDict: map, columns, shuffling, selection."""

from __future__ import annotations

from dataclasses import replace

from tflint_hf.knowledge import dataset as known_dataset
from tflint_hf.static import calls, uses
from tflint_hf.static.arguments import Arguments
from tflint_hf.static.calls import LibraryCall
from tflint_hf.static.library import hooks
from tflint_hf.static.library.array_labels import paired
from tflint_hf.static.library.hooks import method
from tflint_hf.static.library.hub_data import (
    ONLY_OF_ONE_SPLIT,
    AllColumns,
    DatasetDictValue,
    column_of,
    dataset_of,
    note_split_needed,
    receiver_node,
    row_of,
    splits_of,
    strings,
)
from tflint_hf.static.library.same_rows import new_rows
from tflint_hf.static.library.seeds import note_split
from tflint_hf.static.library.tables import Table
from tflint_hf.static.machine import Mapping
from tflint_hf.static.values import (
    UNKNOWN,
    ClassId,
    Const,
    DictValue,
    EncodingValue,
    Fact,
    ListValue,
    Union,
    Value,
    list_of,
    make_list,
    text_of,
)
from tflint_hf.trace import objects as facts
from tflint_hf.trace.events import FolderFilled
from tflint_hf.trace.objects import Column, Dataset, LabelEncoding


@method(Dataset, "map", signature="datasets.Dataset.map")
def _map(call: LibraryCall) -> Value:
    data = dataset_of(call.receiver)
    assert data is not None
    function = call.get("function")
    if function is None or call.get("input_columns") is not None:
        return Fact(replace(data, columns=None, open=True))
    row = row_of(data)
    batch = EncodingValue(row, dataset=data)
    keywords = call.get("fn_kwargs")
    extra = {k: v for k, v in keywords.items.items() if isinstance(k, str)} if isinstance(keywords, DictValue) else {}
    more: list[Value] = [UNKNOWN] if call.get("with_indices") is not None else []
    loops, call.machine.open_loops = call.machine.open_loops, call.machine.open_loops + 1
    mapping, call.machine.mapping = call.machine.mapping, _mapping(call)
    read, call.machine.read_as_texts = call.machine.read_as_texts, set()
    made = calls.call(call.machine, function, Arguments([batch, *more], extra), call.node, call.scope)
    texts, call.machine.read_as_texts = call.machine.read_as_texts, read
    call.for_effect = not made.known or (isinstance(made, Const) and made.value is None)
    call.machine.open_loops, call.machine.mapping = loops, mapping
    changed = _padded_in_chunks(_with_columns(_without(data, call.get("remove_columns")), made, row), call)
    if data.from_tables and call.get("features") is None and not call.open:
        changed = _texts_again(changed, made, texts | _texts_in(data), call)
    return Fact(changed)


def _texts_in(data: Dataset) -> set[str]:
    """The columns that are known to hold texts."""
    named = (data.columns or {}).items()
    return {name for name, c in named if c.labels is not None and c.labels.encoding is LabelEncoding.TEXT}


def _texts_again(data: Dataset, made: Value, texts: set[str], call: LibraryCall) -> Dataset:
    """map() tries the old type of a column first, and the texts of pandas take numbers for texts too."""
    source = made.columns if isinstance(made, EncodingValue) else made
    columns = dict(data.columns or {})
    if isinstance(source, DictValue):
        for name in texts & source.items.keys() & columns.keys():
            if _are_numbers(source.items[name]):
                columns[name] = Column(kept_texts=source.places.get(name) or call.site.callee)
    return replace(data, columns=columns if data.columns is not None else None)


def _are_numbers(value: Value) -> bool:
    """Whether these are surely numbers, or a list of numbers."""
    if isinstance(value, Union):
        return all(_are_numbers(one) for _, one in value.alternatives)
    if isinstance(value, ListValue):
        return _are_numbers(value.element)
    return isinstance(value, ClassId) or (isinstance(value, Const) and isinstance(value.value, int | float))


def _mapping(call: LibraryCall) -> Mapping:
    batched = call.get("batched")
    if batched is None:
        return Mapping.UNKNOWN if call.open else Mapping.SINGLE
    if not isinstance(batched, Const):
        return Mapping.UNKNOWN
    return Mapping.BATCH if batched.value else Mapping.SINGLE


def _padded_in_chunks(data: Dataset, call: LibraryCall) -> Dataset:
    """padding=True inside map() pads to the longest row of a chunk of 1000, or does nothing where rows come singly."""
    chunk = call.get("batch_size")
    whole = isinstance(chunk, Const) and chunk.value in (None, -1)
    if data.columns is None or whole or call.open:
        return data
    singly = call.get("batched") is None
    large = known_dataset(*data.name.split("/", 1)) is not None if "/" in data.name else known_dataset(data.name)
    columns = {
        name: replace(c, ragged=True) if c.padded_to_longest and (singly or (large and chunk is None)) else c
        for name, c in data.columns.items()
    }
    return replace(data, columns=columns)


def _without(data: Dataset, removed: Value | None) -> Dataset:
    """The data set without the columns that map() removes."""
    if removed is None or (isinstance(removed, Const) and removed.value is None):
        return data
    names = strings(removed)
    if isinstance(removed, AllColumns):
        return replace(data, columns={}, open=False)
    if names is None:
        return replace(data, columns={} if data.columns is not None else None, open=True)
    left = {k: c for k, c in (data.columns or {}).items() if k not in names}
    return replace(data, columns=left if data.columns is not None else None)


def _with_columns(data: Dataset, made: Value, row: DictValue) -> Dataset:
    """The data set after map(): what the function gave is added to the columns."""
    source = made.columns if isinstance(made, EncodingValue) else made
    if isinstance(source, Const) and source.value is None:
        return data
    if not isinstance(source, DictValue):
        # Any column may be new or changed.
        return replace(
            data, columns={k: Column() for k in data.columns} if data.columns is not None else None, open=True
        )
    columns = dict(data.columns or {})
    if source.open and "tokenizer" not in source.facts:
        columns = {k: Column() for k in columns}
    for name, value in source.items.items():
        if isinstance(name, str):
            columns[name] = column_of(value)
            if name == "labels":
                labels = paired(source, value, row=row)
                if labels is not None:
                    labels = replace(labels, place=labels.place or source.places.get(name))
                columns[name] = replace(columns[name], labels=labels)
    known = data.columns is not None or (not data.open)
    if not known:
        # The old columns are not known, the new ones are.
        return replace(data, columns=columns, open=True)
    return replace(data, columns=columns, open=data.open or (source.open and "tokenizer" not in source.facts))


@method(Dataset, "rename_column", signature="datasets.Dataset.rename_column")
def _rename(call: LibraryCall) -> Value:
    data = dataset_of(call.receiver)
    assert data is not None
    old, new = text_of(call.get("original_column_name") or UNKNOWN), text_of(call.get("new_column_name") or UNKNOWN)
    if old is None or new is None:
        return Fact(replace(data, columns=None, open=True))
    return Fact(_renamed(data, {old: new}))


@method(Dataset, "rename_columns", signature="datasets.Dataset.rename_columns")
def _rename_all(call: LibraryCall) -> Value:
    data = dataset_of(call.receiver)
    assert data is not None
    mapping = call.get("column_mapping")
    if not isinstance(mapping, DictValue) or mapping.open:
        return Fact(replace(data, columns=None, open=True))
    names = {str(k): text_of(v) or "" for k, v in mapping.items.items()}
    return Fact(_renamed(data, names))


def _renamed(data: Dataset, names: dict[str, str]) -> Dataset:
    if data.columns is None:
        return replace(data, columns={new: Column() for new in names.values()}, open=True)
    columns = {names.get(k, k): c for k, c in data.columns.items()}
    for old, new in names.items():
        if old not in data.columns:
            columns[new] = Column()
    return replace(data, columns=columns)


@method(Dataset, "remove_columns", signature="datasets.Dataset.remove_columns")
def _remove(call: LibraryCall) -> Value:
    data = dataset_of(call.receiver)
    assert data is not None
    return Fact(_without(data, call.get("column_names")))


@method(Dataset, "select_columns", signature="datasets.Dataset.select_columns")
def _select_columns(call: LibraryCall) -> Value:
    data = dataset_of(call.receiver)
    assert data is not None
    names = strings(call.get("column_names"))
    if names is None:
        return Fact(replace(data, columns=None, open=True))
    return Fact(replace(data, columns={n: (data.columns or {}).get(n, Column()) for n in names}, open=False))


@method(Dataset, "add_column", signature="datasets.Dataset.add_column")
def _add_column(call: LibraryCall) -> Value:
    data = dataset_of(call.receiver)
    assert data is not None
    name = text_of(call.get("name") or UNKNOWN)
    if name is None:
        return Fact(replace(data, open=True))
    return Fact(replace(data, columns={**(data.columns or {}), name: Column()}))


@method(Dataset, "class_encode_column", "cast_column", "cast", "flatten")
def _recast(call: LibraryCall) -> Value:
    data = dataset_of(call.receiver)
    assert data is not None
    return Fact(replace(data, columns={k: Column() for k in data.columns} if data.columns is not None else None))


@method(Dataset, "shuffle", "train_test_split", signature="datasets.Dataset.train_test_split")
def _shuffle(call: LibraryCall) -> Value:
    data = dataset_of(call.receiver)
    assert data is not None
    if call.path == "shuffle":
        return Fact(replace(data, shuffled=True))
    _needs_one_split(call, data)
    note_split(call, "seed")
    asked = call.get("shuffle")
    shuffled = data.shuffled if isinstance(asked, Const) and asked.value is False else True
    return Fact(
        replace(
            data,
            is_dict=True,
            shuffled=shuffled,
            split=facts.UNKNOWN,
            splits=("train", "test"),
            rows=new_rows(call.machine),
        )
    )


def _needs_one_split(call: LibraryCall, data: Dataset) -> None:
    if data.is_dict is True and call.path in ONLY_OF_ONE_SPLIT:
        note_split_needed(call.machine, call.path, call.site.callee, call.group, receiver_node(call))


#: Methods that leave some rows out.
_CHOOSING = frozenset({"filter", "select", "take", "skip", "shard"})


@method(
    Dataset,
    "filter",
    "select",
    "take",
    "skip",
    "with_format",
    "shard",
    "sort",
    "flatten_indices",
    "align_labels_with_mapping",
    "with_transform",
    "set_format",
    "set_transform",
    "reset_format",
    "copy",
    "repeat",
)
def _same_columns(call: LibraryCall) -> Value:
    data = dataset_of(call.receiver)
    assert data is not None
    _needs_one_split(call, data)
    if call.path in _CHOOSING:
        data = replace(data, rows=new_rows(call.machine))
    if call.path == "select" and data.is_dict:
        data = replace(data, is_dict=None)
    if call.path in {"set_format", "set_transform", "reset_format"}:
        return Const(None)
    if call.path in {"filter", "sort", "align_labels_with_mapping"} or (call.path == "select" and not _is_range(call)):
        # Which rows are left, and in which order, is not known.
        every = data.columns or {}
        left = {k: _of_some_rows(c) for k, c in every.items()}
        columns = left if data.columns is not None else None
        if call.path == "select":
            # Some rows of a split are not that split any more.
            return Fact(replace(data, shuffled=None, split=facts.UNKNOWN))
        if call.path == "sort":
            return Fact(replace(data, shuffled=None))
        return Fact(replace(data, columns=columns))
    return Fact(data)


def _of_some_rows(column: Column) -> Column:
    padded = column.padded if column.ragged is False else None
    return replace(column, labels=None, ragged=None, padded=padded, padded_to_longest=False, longest=None)


def _is_range(call: LibraryCall) -> bool:
    return bool(call.rest) and isinstance(call.rest[0], ListValue)


@method(
    Dataset,
    "unique",
    "to_pandas",
    "to_list",
    "to_dict",
    "push_to_hub",
    "save_to_disk",
    "to_csv",
    "items",
    "keys",
    "values",
    "iter",
)
def _elsewhere(call: LibraryCall) -> Value:
    if call.path in {"items", "values"}:
        data = dataset_of(call.receiver)
        assert data is not None
        names = splits_of(data)
        if names:
            named = [(n, Fact(replace(data, is_dict=False, split=n))) for n in names]
            pairs = (make_list("tuple", [Const(n), part]) for n, part in named)
            return make_list("list", pairs if call.path == "items" else (part for _, part in named))
        split = Fact(replace(data, is_dict=False if data.is_dict else None, split=facts.UNKNOWN, rows=None))
        return list_of("list", split if call.path == "values" else make_list("tuple", [UNKNOWN, split]))
    if call.path == "save_to_disk":
        folder = text_of(call.get("dataset_dict_path") or call.get("dataset_path") or (call.rest or [UNKNOWN])[0])
        if folder is not None:
            call.machine.record(FolderFilled, call.site.callee, call.group, folder=folder, what="the data set")
    if call.path == "to_pandas":
        data = dataset_of(call.receiver)
        assert data is not None
        _needs_one_split(call, data)
        return UNKNOWN if call.given else Table()
    return UNKNOWN


@hooks.discarded_from(Dataset, DatasetDictValue)
def _dataset_discarded(call: LibraryCall, result: Value) -> None:
    """What gives a data set leaves the old one as it was; a function may be mapped for what else it does."""
    parts = result.splits.items.values() if isinstance(result, DatasetDictValue) else [result]
    new = all(dataset_of(part) is not None for part in parts)
    if new and not call.for_effect:
        uses.result_discarded(call)
