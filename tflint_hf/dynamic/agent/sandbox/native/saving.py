"""What TensorFlow saves, logs and reads beside its file functions: checkpoints, SavedModel, summaries, tf.data."""

import os

from ..patches import as_path, is_path, on_argument, replace


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


HOOKS = {
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
}
