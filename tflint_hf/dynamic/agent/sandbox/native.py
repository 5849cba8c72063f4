"""Libraries that read and write files in C++, C or Rust: they are given physical paths of the merged view."""

import ctypes
import functools
import gc
import os

from .patches import as_path, is_path, on_argument, replace


def install(context, overlay):
    paths = Paths(overlay)
    for module, function in HOOKS.items():
        context.after_import.call(module, lambda found, function=function: function(found, paths))


class Paths:
    """Translates what libraries take as paths. What is no path stays as it is."""

    def __init__(self, overlay):
        self.overlay = overlay

    def read(self, value):
        if isinstance(value, (list, tuple)):
            return type(value)([self.read(part) for part in value]) if type(value) in (list, tuple) else value
        path = as_path(value)
        if path is None:
            return value
        found = self.overlay.read(path)
        return value if found is path else found

    def write(self, value):
        path = as_path(value)
        return value if path is None else self.overlay.write(path, parents=True)

    def change(self, value):
        path = as_path(value)
        return value if path is None else self.overlay.write(path, copy=True, parents=True)

    def folder(self, value):
        path = as_path(value)
        return value if path is None else self.overlay.write_folder(path)

    def prefix_to_write(self, value):
        """A path to which the library itself adds endings."""
        path = as_path(value)
        if path is None:
            return value
        head, tail = os.path.split(os.fspath(path))
        return os.path.join(self.folder(head or type(head)(_dot(head))), tail)

    def prefix_to_read(self, value):
        path = as_path(value)
        if path is None:
            return value
        path = os.fspath(path)
        ending = b".index" if isinstance(path, bytes) else ".index"
        found = self.overlay.read(path + ending)
        return found[: -len(ending)] if os.path.lexists(found) else self.overlay.read(path)


def _dot(path):
    return b"." if isinstance(path, bytes) else "."


# TensorFlow's own file functions.


def _file_io(module, paths):
    """The border to C++: all of tf.io.gfile and file_io goes through it."""
    overlay = paths.overlay
    for name in ("FileExists", "ReadFileToString", "BufferedInputStream", "IsDirectory", "Stat"):
        replace(module, name, on_argument(0, "filename", paths.read))
    replace(module, "WritableFile", _writable_file(overlay))
    replace(module, "WriteStringToFile", on_argument(0, "filename", paths.write))
    replace(
        module, "GetMatchingFiles", lambda original: lambda pattern, *rest: _matching(original, overlay, pattern, rest)
    )
    replace(module, "GetChildren", lambda original: lambda path, *rest: _children(original, overlay, path, rest))
    replace(module, "CreateDir", lambda original: _on_path(original, lambda path: _create(overlay, path)))
    make = functools.partial(overlay.write_folder, quiet=True)
    replace(module, "RecursivelyCreateDir", lambda original: _on_path(original, make))
    replace(module, "DeleteFile", lambda original: _on_path(original, os.remove, overlay))
    replace(module, "DeleteRecursively", lambda original: _on_path(original, _remove_tree, overlay))
    replace(module, "CopyFile", lambda original: _from_to(original, paths.read, paths.write))
    replace(module, "RenameFile", lambda original: _rename(original, overlay))


def _writable_file(overlay):
    def make(original):
        def writable_file(filename, mode, *rest, **named):
            if is_path(filename):
                text = os.fsdecode(mode) if isinstance(mode, bytes) else str(mode)
                filename = overlay.write(filename, copy="a" in text)
            return original(filename, mode, *rest, **named)

        return writable_file

    return make


def _on_path(original, act, overlay=None):
    """`act` on a path of this machine that exists; let C++ say what is wrong with others."""

    def wrapper(path, *rest, **named):
        if not is_path(path):
            return original(path, *rest, **named)
        if overlay is not None and overlay.mode(overlay.key(path)) is None:
            return original(overlay.read(path), *rest, **named)
        return act(path) and None

    return wrapper


def _create(overlay, path):
    if not os.path.isdir(path):
        os.mkdir(path)


def _remove_tree(path):
    import shutil

    shutil.rmtree(path)


def _from_to(original, read, write):
    def wrapper(source, target, overwrite=False, *rest, **named):
        if is_path(target) and not overwrite and os.path.lexists(target):
            return original(read(source), read(target), overwrite, *rest, **named)  # C++ says that it exists
        return original(read(source), write(target), True, *rest, **named)

    return wrapper


def _rename(original, overlay):
    def wrapper(source, target, overwrite=False, *rest, **named):
        if not is_path(source) or not is_path(target):
            return original(source, target, overwrite, *rest, **named)
        if not os.path.lexists(source) or (os.path.lexists(target) and not overwrite):
            return original(overlay.read(source), overlay.read(target), overwrite, *rest, **named)
        os.replace(source, target)
        return None

    return wrapper


def _children(original, overlay, path, rest):
    if not is_path(path) or overlay.counter[:8] == b"\0" * 8:
        return original(path, *rest)
    key = overlay.key(path)
    if overlay.is_merged(key) and overlay.is_folder(key):
        return list(overlay.names(key))
    return original(overlay.read(path), *rest)


def _matching(original, overlay, pattern, rest):
    if not is_path(pattern) or overlay.counter[:8] == b"\0" * 8:
        return original(pattern, *rest)
    # Physical names would do for native code, but programs take them apart and compare them.
    import glob

    return [os.fspath(name) for name in sorted(glob.glob(os.fsdecode(pattern)))]


def _record_io(module, paths):
    for name in ("RecordIterator", "RandomRecordReader"):
        replace(module, name, on_argument(0, "path", paths.read))


def _tf_record(module, paths):
    replace(module.TFRecordWriter, "__init__", on_argument(1, "path", paths.write))


def _checkpoint_reader(module, paths):
    replace(module, "NewCheckpointReader", on_argument(0, "filepattern", paths.prefix_to_read))


# Checkpoints and SavedModel.


def _checkpoint(module, paths):
    saver = getattr(module, "TrackableSaver", None)
    if saver is None:
        return
    save = saver.save

    def saved(self, file_prefix, checkpoint_number=None, *rest, **named):
        if as_path(file_prefix) is None:
            return save(self, file_prefix, checkpoint_number, *rest, **named)
        given = os.fsdecode(as_path(file_prefix))
        physical = os.fsdecode(paths.prefix_to_write(given))
        result = save(self, physical, checkpoint_number, *rest, **named)
        if not hasattr(result, "numpy"):
            return result
        # The program goes on with the name that it gave.
        written = os.fsdecode(result.numpy())
        return given + written[len(physical) :] if written.startswith(physical) else written

    saver.save = saved
    replace(saver, "restore", on_argument(1, "save_path", paths.prefix_to_read))


def _saver(module, paths):
    """Saver of TF 1: its file names are fed to the graph."""
    saver = getattr(module, "Saver", None)
    if saver is None:
        return
    save = saver.save

    def saved(self, sess, save_path, *rest, **named):
        if not is_path(save_path):
            return save(self, sess, save_path, *rest, **named)
        given, physical = os.fsdecode(save_path), os.fsdecode(paths.prefix_to_write(save_path))
        written = save(self, sess, physical, *rest, **named)
        return given + written[len(physical) :] if str(written).startswith(physical) else written

    saver.save = saved
    replace(saver, "restore", on_argument(2, "save_path", paths.prefix_to_read))


def _saved_model_save(module, paths):
    name = "save_and_return_nodes" if hasattr(module, "save_and_return_nodes") else "save"
    replace(module, name, on_argument(1, "export_dir", paths.folder))


def _saved_model_load(module, paths):
    for name in ("load_partial", "load_internal"):
        replace(module, name, on_argument(0, "export_dir", paths.read))


def _summary(module, paths):
    for name in ("create_file_writer_v2", "create_file_writer"):
        replace(module, name, on_argument(0, "logdir", paths.folder))


def _event_file_writer(module, paths):
    replace(module.EventFileWriter, "__init__", on_argument(1, "logdir", paths.folder))


def _profiler(module, paths):
    replace(module, "start", on_argument(0, "logdir", paths.folder))


def _dumping(module, paths):
    replace(module, "enable_dump_debug_info", on_argument(0, "dump_root", paths.folder))


# tf.data and single operations.


def _io_ops(module, paths):
    replace(module, "read_file", on_argument(0, "filename", paths.read))
    replace(module, "write_file", on_argument(0, "filename", paths.write))
    for name in ("save_v2", "save", "save_slices"):
        replace(module, name, on_argument(0, "prefix" if name == "save_v2" else "filename", paths.prefix_to_write))
    replace(module, "restore_v2", on_argument(0, "prefix", paths.prefix_to_read))
    replace(module, "matching_files", on_argument(0, "pattern", lambda pattern: _found(paths, pattern)))


def _found(paths, pattern):
    """The names that match in the merged view, in the place of the pattern."""
    path = as_path(pattern)
    if path is None or paths.overlay.counter[:8] == b"\0" * 8:
        return pattern
    import glob

    return [paths.read(name) for name in sorted(glob.glob(os.fsdecode(path)))] or pattern


def _readers(module, paths):
    for name, place in (
        ("TFRecordDatasetV2", 1),
        ("TFRecordDatasetV1", 1),
        ("TextLineDatasetV2", 1),
        ("TextLineDatasetV1", 1),
    ):
        if hasattr(module, name):
            replace(getattr(module, name), "__init__", on_argument(place, "filenames", paths.read))
    if hasattr(module, "FixedLengthRecordDatasetV2"):
        replace(module.FixedLengthRecordDatasetV2, "__init__", on_argument(1, "filenames", paths.read))


def _dataset_ops(module, paths):
    dataset = module.DatasetV2

    def cached(original):
        def cache(self, filename="", *rest, **named):
            return original(self, paths.prefix_to_write(filename) if filename else filename, *rest, **named)

        return cache

    replace(dataset, "cache", cached)
    for name in ("save", "snapshot"):
        replace(dataset, name, on_argument(1, "path", paths.folder))
    replace(dataset, "load", on_argument(0, "path", paths.read))


def _data_io(module, paths):
    replace(module, "save", on_argument(1, "path", paths.folder))
    replace(module, "load", on_argument(0, "path", paths.read))


# Other native libraries.


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
    import sys

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
    "tensorflow.python.lib.io._pywrap_file_io": _file_io,
    "tensorflow.python.lib.io._pywrap_record_io": _record_io,
    "tensorflow.python.lib.io.tf_record": _tf_record,
    "tensorflow.python.training.py_checkpoint_reader": _checkpoint_reader,
    "tensorflow.python.checkpoint.checkpoint": _checkpoint,
    "tensorflow.python.training.tracking.util": _checkpoint,
    "tensorflow.python.training.saver": _saver,
    "tensorflow.python.saved_model.save": _saved_model_save,
    "tensorflow.python.saved_model.load": _saved_model_load,
    "tensorflow.python.ops.summary_ops_v2": _summary,
    "tensorflow.python.summary.writer.event_file_writer": _event_file_writer,
    "tensorflow.python.profiler.profiler_v2": _profiler,
    "tensorflow.python.debug.lib.dumping_callback": _dumping,
    "tensorflow.python.ops.gen_io_ops": _io_ops,
    "tensorflow.python.data.ops.readers": _readers,
    "tensorflow.python.data.ops.dataset_ops": _dataset_ops,
    "tensorflow.python.data.experimental.ops.io": _data_io,
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
