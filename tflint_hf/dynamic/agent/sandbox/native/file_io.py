"""TensorFlow's own file functions: tf.io.gfile, records, readers of checkpoints."""

import functools
import os

from ..patches import is_path, on_argument, replace


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


HOOKS = {
    "tensorflow.python.lib.io._pywrap_file_io": _file_io,
    "tensorflow.python.lib.io._pywrap_record_io": _record_io,
    "tensorflow.python.lib.io.tf_record": _tf_record,
    "tensorflow.python.training.py_checkpoint_reader": _checkpoint_reader,
}
