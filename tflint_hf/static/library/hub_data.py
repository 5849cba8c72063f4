"""The datasets library: loading, columns, map, splits, and the way to tf.data."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tflint_hf.knowledge import LabelKind
from tflint_hf.knowledge import dataset as known_dataset
from tflint_hf.static import calls
from tflint_hf.static.calls import Arguments, LibraryCall
from tflint_hf.static.library import hooks
from tflint_hf.static.library.arrays import labels_of
from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.values import (
    UNKNOWN,
    Array,
    Const,
    DictValue,
    EncodingValue,
    Fact,
    ListValue,
    Value,
    list_of,
    make_list,
    text_of,
)
from tflint_hf.trace import objects as facts
from tflint_hf.trace.objects import Column, Dataset, LabelEncoding, Labels

if TYPE_CHECKING:
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope

_LOCAL_FORMATS = frozenset({"csv", "json", "text", "parquet", "arrow", "imagefolder", "audiofolder", "pandas", "xml"})


def dataset_of(value: Value | None) -> Dataset | None:
    return value.data if isinstance(value, Fact) and isinstance(value.data, Dataset) else None


def strings(value: Value | None) -> tuple[str, ...] | None:
    """A string or a list of strings as a tuple, None if it cannot be read."""
    text = text_of(value or UNKNOWN)
    if text is not None:
        return (text,)
    if isinstance(value, ListValue) and value.exact:
        found = [text_of(v) for v in value.values]
        if all(t is not None for t in found):
            return tuple(t for t in found if t is not None)
    return None


# Loading


@path("datasets.load_dataset")
def _load_dataset(call: LibraryCall) -> Value:
    name = text_of(call.get("path") or UNKNOWN) or ""
    config = text_of(call.get("name") or UNKNOWN)
    split_value = call.get("split")
    dataset = Dataset(name, call.site, is_dict=split_value is None, shuffled=False)
    if "name" in call.given and config is None and name not in _LOCAL_FORMATS:
        columns, sorted_by_label = None, None
    else:
        columns, sorted_by_label = _known_columns(name, config)
    spelled = f"{name}/{config}" if config else name
    dataset = replace(
        dataset, name=spelled, columns=columns, open=columns is None, sorted_by_label=sorted_by_label
    )
    if call.open and split_value is None:
        dataset = replace(dataset, is_dict=None)
    if split_value is None:
        return Fact(dataset)
    if isinstance(split_value, ListValue) and split_value.exact:
        return make_list("list", (Fact(_of_split(dataset, v)) for v in split_value.values))
    return Fact(_of_split(dataset, split_value))


def _of_split(dataset: Dataset, split: Value) -> Dataset:
    text = text_of(split)
    if isinstance(split, Const) and split.value is None:
        return replace(dataset, is_dict=True)
    if text is None:
        return replace(dataset, is_dict=None if not isinstance(split, Const) else False, split=facts.UNKNOWN)
    name = re.split(r"[\[+]", text)[0]
    return replace(dataset, is_dict=False, split=facts.UNKNOWN if "+" in text else name)


def _known_columns(name: str, config: str | None) -> tuple[dict[str, Column] | None, bool | None]:
    info = known_dataset(name, config)
    if info is None or not info.columns:
        return None, None
    columns = {column: Column() for column in info.columns}
    if info.label_column is not None:
        encoding = {
            LabelKind.CLASS: LabelEncoding.INDEX,
            LabelKind.TOKEN_CLASSES: LabelEncoding.SEQUENCE,
            LabelKind.REGRESSION: LabelEncoding.SCORE,
        }.get(info.kind, LabelEncoding.UNKNOWN)
        spelled = f"{name}/{config}" if config else name
        columns[info.label_column] = Column(labels=Labels(encoding, info.classes, spelled))
    return columns, info.sorted_by_label


@path("datasets.load_from_disk")
def _load_from_disk(call: LibraryCall) -> Value:
    return Fact(Dataset("a saved data set", call.site))


@path("datasets.Dataset.from_dict", "datasets.Dataset.from_list")
def _from_dict(call: LibraryCall) -> Value:
    mapping = call.get("mapping")
    if isinstance(mapping, EncodingValue):
        mapping = mapping.columns
    columns = None
    if isinstance(mapping, DictValue) and not mapping.open:
        columns = {k: column_of(v) for k, v in mapping.items.items() if isinstance(k, str)}
    return Fact(Dataset("Dataset.from_dict", call.site, False, columns=columns, open=columns is None, shuffled=None))


@path("datasets.Dataset.*")
def _from_other(call: LibraryCall) -> Value:
    if call.path.rpartition(".")[2].startswith("from_"):
        return Fact(Dataset(call.path, call.site, False, shuffled=None))
    return UNKNOWN


@path("datasets.DatasetDict")
def _dataset_dict(call: LibraryCall) -> Value:
    splits = call.rest[0] if call.rest else DictValue(dict(call.given))
    return DatasetDictValue(splits) if isinstance(splits, DictValue) and not splits.open else UNKNOWN


@path("datasets.concatenate_datasets", "datasets.interleave_datasets")
def _concatenate(call: LibraryCall) -> Value:
    value = call.get("dsets") or call.get("datasets") or (call.rest[0] if call.rest else UNKNOWN)
    first = dataset_of(value.values[0]) if isinstance(value, ListValue) and value.exact and value.items else None
    if first is None:
        return UNKNOWN
    return Fact(replace(first, split=facts.UNKNOWN, shuffled=None))


@dataclass(eq=False, slots=True)
class DatasetDictValue(Value):
    """A DatasetDict whose splits are known one by one."""

    splits: DictValue


@hooks.item_of(DatasetDictValue)
def _dict_item(_machine: Machine, receiver: DatasetDictValue, key: Value, _node: Any, _scope: Scope) -> Value:
    name = text_of(key)
    found = receiver.splits.items.get(name) if name is not None else None
    return _renamed_split(found, name) if found is not None and name is not None else UNKNOWN


def _renamed_split(value: Value, name: str) -> Value:
    data = dataset_of(value)
    return Fact(replace(data, split=name)) if data is not None else value


@hooks.set_item_of(DatasetDictValue)
def _set_dict_item(machine: Machine, receiver: DatasetDictValue, key: Value, value: Value) -> None:
    name = text_of(key)
    if name is not None:
        machine.store.write(receiver.splits.items, name, value)


@method(DatasetDictValue, "*")
def _each_split(call: LibraryCall) -> Value:
    """A method of a DatasetDict works on each of its splits."""
    assert isinstance(call.receiver, DatasetDictValue)
    result = DictValue()
    for name, split in call.receiver.splits.items.items():
        one, signature = hooks.find_handler(call.path, split)
        if one is None:
            return UNKNOWN
        names = hooks.parameter_names(call.machine, signature)
        given = {**dict(zip(names, call.rest, strict=False)), **call.given}
        bound = replace(call, receiver=split, given=given, rest=call.rest[len(names) :])
        made = one(bound)
        result.items[name] = UNKNOWN if made is None else made
    return DatasetDictValue(result)


# Columns and rows


def column_of(value: Value) -> Column:
    """What is known of a column made from a value."""
    if isinstance(value, Array) and value.column is not None:
        return replace(value.column, labels=value.column.labels or value.labels)
    return Column(labels=labels_of(value))


@hooks.item_of(Dataset)
def _item(_machine: Machine, receiver: Fact, key: Value, _node: Any, _scope: Scope) -> Value:
    data = dataset_of(receiver)
    name = text_of(key)
    if data is None:
        return UNKNOWN
    if name is None:
        if isinstance(key, Const) or data.is_dict is False:
            return EncodingValue(_row(data), dataset=data)
        return Fact(replace(data, is_dict=None, split=facts.UNKNOWN))
    if data.is_dict or (data.is_dict is None and (data.columns is None or name not in data.columns)):
        return Fact(replace(data, is_dict=False, split=name))
    column = (data.columns or {}).get(name)
    return Array(column=column, dataset=data, name=name)


def _row(data: Dataset) -> DictValue:
    row = DictValue({k: Array(column=c, dataset=data, name=k) for k, c in (data.columns or {}).items()})
    if data.columns is None or data.open:
        row.facts["open"] = UNKNOWN
    return row


@hooks.iterated_as(Dataset)
def _rows(receiver: Fact) -> Value:
    data = dataset_of(receiver)
    return EncodingValue(_row(data), dataset=data) if data is not None and data.is_dict is False else UNKNOWN


@dataclass(eq=False, slots=True)
class Feature(Value):
    """`dataset.features`, or one of them: `column` is None for all."""

    dataset: Dataset
    column: str | None = None


@hooks.attribute_of(Dataset)
def _attribute(_machine: Machine, receiver: Fact, name: str, _node: Any, _scope: Scope) -> Value | None:
    data = dataset_of(receiver)
    if data is None:
        return None
    if name == "features":
        return Feature(data)
    if name == "column_names" and not data.is_dict:
        if data.columns is not None and not data.open:
            return make_list("list", map(Const, data.columns))
        return AllColumns(data)
    if name in {"num_rows", "shape", "info", "column_names"}:
        return UNKNOWN
    return None


@dataclass(eq=False, slots=True)
class AllColumns(Value):
    """`dataset.column_names` of a data set whose columns are not known."""

    dataset: Dataset


@hooks.item_of(Feature)
def _feature(_machine: Machine, receiver: Feature, key: Value, _node: Any, _scope: Scope) -> Value:
    name = text_of(key)
    return Feature(receiver.dataset, name) if name is not None else UNKNOWN


@hooks.attribute_of(Feature)
def _feature_attribute(_machine: Machine, receiver: Feature, name: str, _node: Any, _scope: Scope) -> Value | None:
    column = (receiver.dataset.columns or {}).get(receiver.column or "")
    classes = column.labels.classes if column is not None and column.labels is not None else None
    if name == "feature":
        return receiver
    if name == "names":
        # The names stand for themselves; only how many there are is known.
        return list_of("list", UNKNOWN) if classes is None else make_list("list", [UNKNOWN] * classes)
    if name == "num_classes":
        return UNKNOWN if classes is None else Const(classes)
    return None


# Methods


@method(Dataset, "map", signature="datasets.Dataset.map")
def _map(call: LibraryCall) -> Value:
    data = dataset_of(call.receiver)
    assert data is not None
    function = call.get("function")
    if function is None or call.get("input_columns") is not None:
        return Fact(replace(data, columns=None, open=True))
    row = _row(data)
    batch = EncodingValue(row, dataset=data)
    keywords = call.get("fn_kwargs")
    extra = {k: v for k, v in keywords.items.items() if isinstance(k, str)} if isinstance(keywords, DictValue) else {}
    more: list[Value] = [UNKNOWN] if call.get("with_indices") is not None else []
    loops, call.machine.open_loops = call.machine.open_loops, call.machine.open_loops + 1
    made = calls.call(call.machine, function, Arguments([batch, *more], extra), call.node, call.scope)
    call.machine.open_loops = loops
    return Fact(_padded_in_chunks(_with_columns(_without(data, call.get("remove_columns")), made), call))


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


def _with_columns(data: Dataset, made: Value) -> Dataset:
    """The data set after map(): what the function gave is added to the columns."""
    source = made.columns if isinstance(made, EncodingValue) else made
    if isinstance(source, Const) and source.value is None:
        return data
    if not isinstance(source, DictValue):
        # Any column may be new or changed.
        return replace(data, columns={k: Column() for k in data.columns} if data.columns is not None else None, open=True)
    columns = dict(data.columns or {})
    if source.open and "tokenizer" not in source.facts:
        columns = {k: Column() for k in columns}
    for name, value in source.items.items():
        if isinstance(name, str):
            columns[name] = column_of(value)
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
    asked = call.get("shuffle")
    shuffled = data.shuffled if isinstance(asked, Const) and asked.value is False else True
    return Fact(replace(data, is_dict=True, shuffled=shuffled, split=facts.UNKNOWN))


@method(Dataset, "filter", "select", "take", "skip", "with_format", "shard", "sort", "flatten_indices", "align_labels_with_mapping",
        "with_transform", "set_format", "set_transform", "reset_format", "copy", "repeat")  # fmt: skip
def _same_columns(call: LibraryCall) -> Value:
    data = dataset_of(call.receiver)
    assert data is not None
    if call.path in {"set_format", "set_transform", "reset_format"}:
        return Const(None)
    if call.path in {"filter", "sort", "align_labels_with_mapping"} or (call.path == "select" and not _is_range(call)):
        # Which rows are left, and in which order, is not known.
        columns = {k: replace(c, labels=None) for k, c in data.columns.items()} if data.columns is not None else None
        if call.path in {"sort", "select"}:
            return Fact(replace(data, shuffled=None))
        return Fact(replace(data, columns=columns))
    return Fact(data)


def _is_range(call: LibraryCall) -> bool:
    return bool(call.rest) and isinstance(call.rest[0], ListValue)


@method(Dataset, "unique", "to_pandas", "to_list", "to_dict", "push_to_hub", "save_to_disk", "to_csv", "items", "keys", "values", "iter")
def _elsewhere(call: LibraryCall) -> Value:
    if call.path in {"items", "values"}:
        data = dataset_of(call.receiver)
        assert data is not None
        split = Fact(replace(data, is_dict=False if data.is_dict else None, split=facts.UNKNOWN))
        return list_of("list", split if call.path == "values" else make_list("tuple", [UNKNOWN, split]))
    return UNKNOWN
