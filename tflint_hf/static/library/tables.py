"""Tables of pandas, as far as columns are taken out of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tflint_hf.static.library import hooks
from tflint_hf.static.library.array_labels import labels_of
from tflint_hf.static.library.containers import first
from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.library.hub_data import column_of
from tflint_hf.static.library.rows import taken
from tflint_hf.static.library.same_rows import new_rows
from tflint_hf.static.values import UNKNOWN, Array, Const, DictValue, Fact, ListValue, Value, text_of
from tflint_hf.trace.objects import Dataset, Holder, Taken

if TYPE_CHECKING:
    from tflint_hf.static.calls import LibraryCall
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope


@dataclass(eq=False, slots=True)
class Table(Value):
    """A DataFrame. `columns` are those that the program wrote out, as far as it has not changed them.

    `retyped`: its texts may not have the type that pandas gives them by itself.
    """

    columns: dict[Any, Value] = field(default_factory=dict)
    complete: bool = False
    retyped: bool = False


_READERS = ("read_csv", "read_json", "read_parquet", "read_excel", "read_table", "read_feather")
#: Arguments with which a reader may give something else than one table.
_OTHER_RESULTS = frozenset({"chunksize", "iterator", "sheet_name", "squeeze", "typ"})


@path("pandas.*")
def _pandas(call: LibraryCall) -> Value:
    name = call.path.rpartition(".")[2]
    data = call.get("data") or (call.rest[0] if call.rest else None)
    if name == "DataFrame" and isinstance(data, DictValue) and not data.open and "columns" not in call.given:
        return Table({k: Array(labels=labels_of(v)) for k, v in data.items.items()}, True, _is_retyped(call))
    if name == "DataFrame" or (name in _READERS and not call.open and not _OTHER_RESULTS & call.given.keys()):
        return Table(retyped=_is_retyped(call))
    if name == "Series":
        return Array(labels=labels_of(first(call)), holder=Holder.SERIES)
    if name == "concat":
        parts = call.get("objs") or first(call)
        known = isinstance(parts, ListValue) and parts.exact and bool(parts.items) and "axis" not in call.given
        if known and isinstance(parts, ListValue) and all(isinstance(part, Table) for part in parts.values):
            return Table()
    return UNKNOWN


def _is_retyped(call: LibraryCall) -> bool:
    return call.open or bool({"dtype", "dtype_backend", "converters", "engine"} & call.given.keys())


@method(
    Table, "dropna", "fillna", "sample", "head", "tail", "reset_index", "rename", "drop", "query", "sort_values",
    "sort_index", "copy", "drop_duplicates", "astype", "assign", "replace", "filter", "nlargest", "nsmallest",
)  # fmt: skip
def _same_table(call: LibraryCall) -> Value:
    changed_itself = call.get("inplace")
    if changed_itself is not None:
        table = call.receiver
        if isinstance(table, Table):
            _forget(call.machine, table)
        return Const(None) if isinstance(changed_itself, Const) and changed_itself.value is True else UNKNOWN
    if call.path == "copy" and isinstance(call.receiver, Table):
        return Table(dict(call.receiver.columns), call.receiver.complete, call.receiver.retyped)
    retyped = call.path == "astype" or (isinstance(call.receiver, Table) and call.receiver.retyped)
    return Table(retyped=retyped)


def _forget(machine: Machine, table: Table) -> None:
    for name in list(table.columns):
        machine.store.write(table.columns, name, UNKNOWN)


@hooks.set_item_of(Table)
def _set_column(machine: Machine, receiver: Table, key: Value, value: Value) -> None:
    if isinstance(key, Const):
        machine.store.write(receiver.columns, key.value, value)
    else:
        _forget(machine, receiver)


@path("datasets.Dataset.from_pandas")
def _from_pandas(call: LibraryCall) -> Value:
    table = call.get("df") or first(call)
    columns = None
    if isinstance(table, Table) and table.complete:
        columns = {k: column_of(v) for k, v in table.columns.items() if isinstance(k, str)}
    name = "datasets.Dataset.from_pandas"
    plain = not (isinstance(table, Table) and table.retyped)
    made = Dataset(name, call.site, False, columns=columns, open=columns is None, shuffled=None, from_tables=plain)
    made = replace(made, rows=new_rows(call.machine))
    return Fact(made)


@method(Table, "*")
def _other_method(_call: LibraryCall) -> Value:
    return UNKNOWN


@hooks.item_of(Table)
def _item(_machine: Machine, receiver: Table, key: Value, node: Any, scope: Scope) -> Value:
    name = text_of(key)
    if name is not None:
        return _series(receiver, name, taken(node, scope, name))
    return Table() if isinstance(key, ListValue | Array) else UNKNOWN


@hooks.attribute_of(Table)
def _attribute(_machine: Machine, receiver: Table, name: str, node: Any, scope: Scope) -> Value | None:
    if name in _METHODS:
        return None
    if name in _PROPERTIES or name.startswith("_"):
        return UNKNOWN
    return _series(receiver, name, taken(node, scope, name))


def _series(table: Table, name: str, out: Taken | None) -> Value:
    found = table.columns.get(name)
    if isinstance(found, Array):
        return replace(found, name=name, holder=Holder.SERIES, taken=out)
    if found is not None and found.known:
        return found
    return Array(name=name, holder=Holder.SERIES, taken=out)


_PROPERTIES = frozenset(
    "T at attrs axes columns dtypes empty flags iat iloc index loc ndim plot shape size sparse style values".split()  # noqa: SIM905
)
_METHODS = frozenset(
    """abs add add_prefix add_suffix agg aggregate align all any append apply applymap asfreq asof assign astype
    at_time between_time bfill bool boxplot clip combine combine_first compare convert_dtypes copy corr corrwith count
    cov cummax cummin cumprod cumsum describe diff div divide dot drop drop_duplicates droplevel dropna duplicated eq
    equals eval ewm expanding explode ffill fillna filter first first_valid_index floordiv from_arrow from_dict
    from_records ge get groupby gt head hist idxmax idxmin infer_objects info insert interpolate isetitem isin isna
    isnull items iteritems iterrows itertuples join keys kurt kurtosis last last_valid_index le lookup lt mad map mask
    max mean median melt memory_usage merge min mod mode mul multiply ne nlargest notna notnull nsmallest nunique pad
    pct_change pipe pivot pivot_table pop pow prod product quantile query radd rank rdiv reindex reindex_like rename
    rename_axis reorder_levels replace resample reset_index rfloordiv rmod rmul rolling round rpow rsub rtruediv sample
    select select_dtypes sem set_axis set_flags set_index shift skew slice_shift sort_index sort_values squeeze stack
    std sub subtract sum swapaxes swaplevel tail take to_clipboard to_csv to_dict to_excel to_feather to_hdf to_html
    to_iceberg to_json to_latex to_markdown to_numpy to_orc to_parquet to_period to_pickle to_records to_sql to_stata
    to_string to_timestamp to_xarray to_xml transform transpose truediv truncate tshift tz_convert tz_localize unstack
    update value_counts var where xs""".split()  # noqa: SIM905
)
