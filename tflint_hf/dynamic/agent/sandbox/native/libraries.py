"""Other libraries: HDF5, safetensors, tokenizers, Arrow, SQLite and their like."""

import ctypes
import gc
import os
import sys

from ..patches import is_path, on_argument, replace


def _h5py(module, paths):
    original = module.File.__init__

    def __init__(self, name, mode=None, *rest, **named):  # noqa: N807
        if is_path(name) and named.get("driver") != "core":
            how = mode if mode is not None else ("r" if _h5_default_reads() else "a")
            if (
                how == "r"
                or (how == "r+" and not os.path.lexists(name))
                or (how in ("w-", "x") and os.path.lexists(name))
            ):
                name = paths.read(name)
            else:
                name = paths.overlay.write(name, copy=how in ("a", "r+"))
        return original(self, name, mode, *rest, **named)

    module.File.__init__ = __init__
    replace(module, "is_hdf5", on_argument(0, "fname", paths.read))


def _h5_default_reads():

    version = getattr(sys.modules.get("h5py"), "__version__", "3")
    return not version.startswith(("1.", "2."))


def _safetensors(module, paths):
    replace(module, "serialize_file", on_argument(1, "filename", paths.write))
    for name in ("safe_open", "_safe_open_handle"):
        replace(module, name, on_argument(0, "filename", paths.read))


def _tokenizers(module, paths):
    """Classes of Rust cannot be changed by assignment; their dictionaries can."""
    save, from_file = module.Tokenizer.save, module.Tokenizer.from_file
    _into_type(module.Tokenizer, "save", on_argument(1, "path", paths.write)(save))
    _into_type(module.Tokenizer, "from_file", staticmethod(on_argument(0, "path", paths.read)(from_file)))
    models = module.models
    for name in ("Model", "BPE", "WordPiece", "WordLevel", "Unigram"):
        owner = getattr(models, name, None)
        if owner is not None and "save" in owner.__dict__:
            _into_type(owner, "save", on_argument(1, "folder", paths.folder)(owner.save))
    for name, arguments in (("BPE", 2), ("WordPiece", 1), ("WordLevel", 1)):
        owner = getattr(models, name)
        for method in ("from_file", "read_file"):
            if method in owner.__dict__:
                _into_type(owner, method, staticmethod(_reads_all(getattr(owner, method), arguments, paths)))
    _into_type(module.Tokenizer, "train", on_argument(1, "files", paths.read)(module.Tokenizer.train))


def _reads_all(original, count, paths):
    def wrapper(*args, **named):
        return original(*[paths.read(part) for part in args[:count]], *args[count:], **named)

    return wrapper


def _into_type(owner, name, value):
    gc.get_referents(owner.__dict__)[0][name] = value
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(owner))


def _sentencepiece(module, paths):
    processor = module.SentencePieceProcessor
    for name in ("LoadFromFile", "load_from_file"):
        replace(processor, name, on_argument(1, "filename", paths.read))


def _pyarrow(module, paths):
    replace(module, "memory_map", lambda original: _arrow_file(original, paths))
    replace(module, "OSFile", lambda original: _arrow_file(original, paths))
    replace(module, "input_stream", on_argument(0, "source", paths.read))
    replace(module, "output_stream", on_argument(0, "source", paths.write))
    replace(module, "create_memory_map", on_argument(0, "path", paths.write))


def _arrow_file(original, paths):
    def wrapper(path, mode="r", *rest, **named):
        translate = paths.read if mode in ("r", "rb") else paths.write if mode in ("w", "wb") else paths.change
        return original(translate(path), mode, *rest, **named)

    return wrapper


def _parquet(module, paths):
    for name in ("read_table", "read_schema", "read_metadata"):
        replace(module, name, on_argument(0, "source" if name == "read_table" else "where", paths.read))
    replace(module, "write_table", on_argument(1, "where", paths.write))
    replace(module.ParquetFile, "__init__", on_argument(1, "source", paths.read))
    replace(module.ParquetWriter, "__init__", on_argument(1, "where", paths.write))


def _sqlite(module, paths):
    original = module.connect

    def connect(database, *rest, **named):
        if is_path(database) and os.fsdecode(database) not in ("", ":memory:"):
            database = _database(os.fsdecode(database), named.get("uri"), paths)
        return original(database, *rest, **named)

    module.connect = connect


def _database(text, uri, paths):
    if not (uri and text.startswith("file:")):
        return paths.change(text)
    from urllib.parse import quote, unquote

    path, mark, query = text[5:].partition("?")
    if "mode=memory" in query or path in ("", ":memory:"):
        return text
    reads = "mode=ro" in query or "immutable=1" in query
    found = (paths.read if reads else paths.change)(unquote(path))
    return "file:" + quote(os.fspath(found)) + mark + query


def _tables(module, paths):
    original = module.open_file

    def open_file(filename, mode="r", *rest, **named):
        translate = paths.read if mode == "r" else paths.write if mode == "w" else paths.change
        return original(translate(filename), mode, *rest, **named)

    module.open_file = open_file


def _dbm(module, paths):
    original = module.open

    def open(file, flag="r", *rest):
        if is_path(file) and flag != "r":
            for ending in ("", ".db", ".dat", ".dir", ".bak", ".pag"):
                if os.path.lexists(os.fsdecode(file) + ending):
                    paths.change(os.fsdecode(file) + ending)
            return original(paths.prefix_to_write(os.fsdecode(file)), flag, *rest)
        return original(file if not is_path(file) else _dbm_read(os.fsdecode(file), paths), flag, *rest)

    module.open = open


def _dbm_read(text, paths):
    for ending in (".db", ".dir", ".pag", ""):
        if os.path.lexists(text + ending):
            found = paths.read(text + ending)
            return found[: len(found) - len(ending)] if ending else found
    return text


HOOKS = {
    "h5py._hl.files": _h5py,
    "h5py": lambda module, paths: replace(module, "is_hdf5", on_argument(0, "fname", paths.read)),
    "safetensors._safetensors_rust": _safetensors,
    "safetensors": _safetensors,
    "tokenizers": _tokenizers,
    "sentencepiece": _sentencepiece,
    "pyarrow": _pyarrow,
    "pyarrow.parquet.core": _parquet,
    "sqlite3.dbapi2": _sqlite,
    "sqlite3": _sqlite,
    "tables.file": _tables,
    "dbm": _dbm,
}
