"""The datasets library: loading, columns, map, splits, and the way to tf.data."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import libcst as cst

from tflint_hf.knowledge import LabelKind
from tflint_hf.knowledge import dataset as known_dataset
from tflint_hf.static.items import SliceValue
from tflint_hf.static.library import hooks
from tflint_hf.static.library.array_labels import labels_of
from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.library.rows import taken
from tflint_hf.static.library.same_rows import new_rows
from tflint_hf.static.syntax import source_text
from tflint_hf.static.values import (
    UNKNOWN,
    Array,
    Const,
    DictValue,
    EncodingValue,
    Fact,
    Length,
    ListValue,
    Value,
    list_of,
    make_list,
    text_of,
)
from tflint_hf.trace import objects as facts
from tflint_hf.trace.events import SplitNeeded
from tflint_hf.trace.objects import Column, Dataset, LabelEncoding, Labels
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope

_LOCAL_FORMATS = frozenset({"csv", "json", "text", "parquet", "arrow", "imagefolder", "audiofolder", "pandas", "xml"})


def dataset_of(value: Value | None) -> Dataset | None:
    """The data set that a value is. Where the program replaced single splits, only what they agree on is known."""
    if not isinstance(value, Fact) or not isinstance(value.data, Dataset):
        return None
    data = value.data
    for assigned in value.state.values():
        split = dataset_of(assigned)
        if split is None or split.columns != data.columns:
            data = replace(data, columns=None, open=True, shuffled=None)
        elif split.shuffled is not data.shuffled:
            data = replace(data, shuffled=None)
    return data


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
    dataset = Dataset(name, call.site, is_dict=split_value is None, shuffled=False, splits=_local_splits(name, call))
    dataset = replace(dataset, rows=new_rows(call.machine))
    if "name" in call.given and config is None and name not in _LOCAL_FORMATS:
        columns, sorted_by_label = None, None
    else:
        columns, sorted_by_label = _known_columns(name, config)
    spelled = f"{name}/{config}" if config else name
    dataset = replace(
        dataset,
        from_tables=name in {"csv", "pandas"},
        name=spelled,
        columns=columns,
        open=columns is None,
        sorted_by_label=sorted_by_label,
    )
    if call.open and split_value is None:
        dataset = replace(dataset, is_dict=None)
    if split_value is None:
        return Fact(dataset)
    if isinstance(split_value, ListValue) and split_value.exact:
        parts = (replace(dataset, rows=new_rows(call.machine)) for _ in split_value.values)
        return make_list("list", (Fact(_of_split(p, v)) for p, v in zip(parts, split_value.values, strict=True)))
    return Fact(_of_split(dataset, split_value))


def _local_splits(name: str, call: LibraryCall) -> tuple[str, ...] | None:
    """The splits that local files make: those named in data_files, or "train"."""
    files = call.get("data_files")
    if name not in _LOCAL_FORMATS or call.open or files is None:
        return None
    if isinstance(files, DictValue):
        return None if files.open else tuple(str(key) for key in files.items)
    return ("train",) if text_of(files) is not None or isinstance(files, ListValue) else None


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
    columns = {column: Column(longest=info.longest_text(column)) for column in info.columns}
    if info.label_column is not None:
        encoding = {
            LabelKind.CLASS: LabelEncoding.INDEX,
            LabelKind.TOKEN_CLASSES: LabelEncoding.SEQUENCE,
            LabelKind.REGRESSION: LabelEncoding.SCORE,
        }.get(info.kind, LabelEncoding.UNKNOWN)
        spelled = f"{name}/{config}" if config else name
        columns[info.label_column] = Column(
            labels=Labels(
                encoding,
                info.classes,
                spelled,
                lowest=-1 if info.missing_labels else None,
                missing_in=info.unlabelled_splits,
            )
        )
    if info.kind is LabelKind.TOKEN_CLASSES:
        tags = {info.label_column, *(name for name, _ in info.other_labels)}
        columns = {k: replace(c, words=k in info.text_columns, word_tags=k in tags) for k, c in columns.items()}
    return columns, info.sorted_by_label


@path("datasets.load_from_disk")
def _load_from_disk(call: LibraryCall) -> Value:
    return Fact(Dataset("a saved data set", call.site, rows=new_rows(call.machine)))


@path("datasets.Dataset.from_dict", "datasets.Dataset.from_list")
def _from_dict(call: LibraryCall) -> Value:
    mapping = call.get("mapping")
    if isinstance(mapping, EncodingValue):
        mapping = mapping.columns
    columns = None
    if isinstance(mapping, DictValue) and not mapping.open:
        columns = {k: column_of(v) for k, v in mapping.items.items() if isinstance(k, str)}
        if not any(column.words for column in columns.values()):
            columns = {k: replace(column, word_tags=False) for k, column in columns.items()}
    return Fact(
        Dataset(
            "Dataset.from_dict",
            call.site,
            False,
            columns=columns,
            open=columns is None,
            shuffled=None,
            rows=new_rows(call.machine),
        )
    )


@path("datasets.Dataset.*")
def _from_other(call: LibraryCall) -> Value:
    maker = call.path.rpartition(".")[2]
    if maker.startswith("from_"):
        return Fact(
            Dataset(
                call.path, call.site, False, shuffled=None, from_tables=maker == "from_csv", rows=new_rows(call.machine)
            )
        )
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
    return Fact(replace(first, split=facts.UNKNOWN, shuffled=None, rows=new_rows(call.machine)))


#: Methods that a Dataset has and a DatasetDict has not.
ONLY_OF_ONE_SPLIT = frozenset({"to_tf_dataset", "select", "train_test_split", "to_pandas"})


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
    if data is None:
        return value
    return Fact(replace(data, split=name, renamed=data.renamed or data.split != name))


@hooks.set_item_of(DatasetDictValue)
def _set_dict_item(machine: Machine, receiver: DatasetDictValue, key: Value, value: Value) -> None:
    name = text_of(key)
    if name is not None:
        machine.store.write(receiver.splits.items, name, value)


@method(DatasetDictValue, "items", "values", "keys", "copy")
def _splits(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, DatasetDictValue)
    named = {k: _renamed_split(v, str(k)) for k, v in call.receiver.splits.items.items()}
    if call.path == "items":
        return make_list("list", (make_list("tuple", [Const(k), v]) for k, v in named.items()))
    if call.path == "copy":
        return DatasetDictValue(DictValue(dict(call.receiver.splits.items)))
    return make_list("list", named.values() if call.path == "values" else map(Const, named))


@method(DatasetDictValue, "*")
def _each_split(call: LibraryCall) -> Value:
    """A method of a DatasetDict works on each of its splits."""
    assert isinstance(call.receiver, DatasetDictValue)
    if call.path in ONLY_OF_ONE_SPLIT:
        note_split_needed(call.machine, call.path, call.site.callee, call.group, receiver_node(call))
        return UNKNOWN
    result = DictValue()
    for name, split in call.receiver.splits.items.items():
        one, signature = hooks.find_handler(call.path, split)
        if one is None:
            return UNKNOWN
        names = hooks.parameter_names(call.machine, signature)
        given = {**dict(zip(names, call.rest, strict=False)), **call.given}
        bound = replace(call, receiver=split, given=given, rest=call.rest[len(names) :])
        made = one(bound)
        call.for_effect = call.for_effect or bound.for_effect
        result.items[name] = UNKNOWN if made is None else made
    return DatasetDictValue(result)


# Columns and rows


def column_of(value: Value) -> Column:
    """What is known of a column made from a value."""
    if isinstance(value, Array) and value.column is not None:
        whole = value.depth == 0
        return replace(
            value.column,
            labels=value.column.labels or value.labels,
            words=value.column.words and whole,
            word_tags=value.column.word_tags and whole,
            taken=value.taken,
            longest=value.column.longest if value.cut is None else 0,
        )
    row = value.element if isinstance(value, ListValue) and not value.exact else None
    if isinstance(row, Array) and row.depth == 1 and row.column is not None and row.column.word_tags:
        return Column(labels=labels_of(value), word_tags=True, taken=row.taken)
    cut = isinstance(row, Array) and row.cut is not None
    longest = 0 if cut else None
    lists = isinstance(row, ListValue) and not row.exact
    words, tags = _rows_of(value, str), _rows_of(value, int)
    return Column(labels=labels_of(value), words=words, word_tags=tags, longest=longest, lists=lists)


def _rows_of(value: Value, kind: type) -> bool:
    """Whether a value is written out as rows that are lists of such literals."""
    rows = value.values if isinstance(value, ListValue) and value.exact else []
    return bool(rows) and all(
        isinstance(row, ListValue)
        and row.exact
        and all(isinstance(v, Const) and type(v.value) is kind for v in row.values)
        for row in rows
    )


@hooks.item_of(Dataset)
def _item(machine: Machine, receiver: Fact, key: Value, node: Any, scope: Scope) -> Value:
    data = dataset_of(receiver)
    name = text_of(key)
    if data is None:
        return UNKNOWN
    assigned = receiver.state.get(name) or receiver.state.get(None)
    if assigned is not None:
        split = dataset_of(assigned)
        if split is None:
            return assigned
        named = name or facts.UNKNOWN
        return Fact(replace(split, split=named, renamed=split.renamed or split.split != named))
    asked_as_rows = _asks_for_rows(data, key)
    if asked_as_rows and isinstance(node, cst.Subscript):
        note_split_needed(machine, asked_as_rows, Place(scope.unit, node), machine.new_group(), node.value)
    if name is None:
        if isinstance(key, Const) or data.is_dict is False:
            return EncodingValue(row_of(data), dataset=data)
        return Fact(replace(data, is_dict=None, split=facts.UNKNOWN))
    if data.is_dict or (data.is_dict is None and (data.columns is None or name not in data.columns)):
        return Fact(replace(data, is_dict=False, split=name))
    column = (data.columns or {}).get(name)
    holder = facts.Holder.COLUMN if data.is_dict is False else None
    return Array(column=column, dataset=data, name=name, holder=holder, taken=taken(node, scope, name))


_SPLIT_NAMES = ("train", "test", "val", "dev", "eval", "unsup", "pred", "held")


def _asks_for_rows(data: Dataset, key: Value) -> str:
    """What a subscript of a dictionary of splits asks for, where that is rows or a column; else nothing."""
    if data.is_dict is not True:
        return ""
    name = text_of(key)
    if name is None:
        row = isinstance(key, Const) and isinstance(key.value, int) and not isinstance(key.value, bool)
        return "a row" if row else "a slice of rows" if isinstance(key, SliceValue) else ""
    known = splits_of(data)
    if not known or name in known or (isinstance(key, Const) and key.soft):
        return ""
    if data.columns is not None:
        column = name in data.columns
    else:
        column = data.splits is not None and not name.startswith(_SPLIT_NAMES)
    return f'the column "{name}"' if column else ""


def note_split_needed(machine: Machine, use: str, place: Place, group: int, whole: cst.CSTNode | None) -> None:
    """Record that a dictionary of splits, written as `whole`, is used like one split."""
    spelling = source_text(whole) if whole is not None else ""
    machine.record(SplitNeeded, place, group, use=use, spelling=spelling or "the data set")


def receiver_node(call: LibraryCall) -> cst.CSTNode | None:
    """What stands before the dot of a method call."""
    node = call.node
    return node.func.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) else None


@hooks.set_item_of(Dataset)
def _set_split(machine: Machine, receiver: Fact, key: Value, value: Value) -> None:
    """`splits["train"] = ...`; an unknown key may be any split."""
    machine.store.write(receiver.state, text_of(key), value)


def splits_of(data: Dataset) -> tuple[str, ...]:
    """The names of the splits of a dictionary of splits, empty if they are not known."""
    if not data.is_dict:
        return ()
    if data.splits is not None:
        return data.splits
    info = known_dataset(*data.name.split("/", 1)) if "/" in data.name else None
    info = info or known_dataset(data.name)
    return info.splits if info is not None else ()


def row_of(data: Dataset) -> DictValue:
    row = DictValue({k: Array(column=c, dataset=data, name=k) for k, c in (data.columns or {}).items()})
    if data.columns is None or data.open:
        row.facts["open"] = UNKNOWN
    return row


@hooks.iterated_as(Dataset)
def _rows(receiver: Fact) -> Value:
    data = dataset_of(receiver)
    return EncodingValue(row_of(data), dataset=data) if data is not None and data.is_dict is False else UNKNOWN


@dataclass(eq=False, slots=True)
class Feature(Value):
    """`dataset.features`, or one of them: `column` is None for all."""

    dataset: Dataset
    column: str | None = None


@hooks.attribute_of(Dataset)
def _attribute(machine: Machine, receiver: Fact, name: str, node: Any, scope: Scope) -> Value | None:
    data = dataset_of(receiver)
    if data is None:
        return None
    if name == "features":
        if data.is_dict and isinstance(node, cst.Attribute):
            note_split_needed(machine, name, Place(scope.unit, node.attr), machine.new_group(), node.value)
        return Feature(data)
    if name == "column_names" and not data.is_dict:
        if data.columns is not None and not data.open:
            return make_list("list", map(Const, data.columns))
        return AllColumns(data)
    if name == "num_rows" and data.is_dict is False:
        return Length(receiver)
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
