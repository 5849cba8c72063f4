"""Says, once for each place in the program, what was kept from the user's files or from the network."""

import contextlib
import os
import re
import sys

MOST = 200
PASSING = re.compile(r"\.(lock|pyc|incomplete|part)$|\.?tmp[-_.]?[0-9a-z_]{6,}$|_temp$", re.IGNORECASE)
"""Files that do not stay under these names: they are not worth a word."""
SAVES = {
    "save_pretrained": ("save_directory",),
    "save_weights": ("filepath", "path"),
    "save_model": ("filepath", "model_path"),
    "save": ("filepath", "file_prefix", "path", "file"),
    "export": ("filepath",),
    "write": ("file_prefix",),
    "save_to_disk": ("dataset_path", "dataset_dict_path"),
    "to_csv": ("path_or_buf", "path_or_buffer"),
    "to_json": ("path_or_buf", "path_or_buffer"),
    "to_parquet": ("path", "path_or_buffer"),
    "savefig": ("fname",),
    "savez": ("file",),
    "savez_compressed": ("file",),
    "savetxt": ("fname",),
    "create_file_writer": ("logdir",),
    "create_file_writer_v2": ("logdir",),
}
"""Functions of libraries that save: name -> the argument that names the place."""


class Report:
    def __init__(self, context):
        self._context = context
        self._said = set()
        self._folders = {}
        """What was said of each place in the program."""
        self._quiet = tuple(_quiet_folders())
        self._count = 0

    def file(self, key, given):
        """The program wrote to the canonical path `key`, which it named `given`."""
        if key in self._said or key.startswith(self._quiet) or PASSING.search(key):
            return
        self._said.add(key)
        if self._count >= MOST:
            return
        what, path = _save_on_stack(self._context.places)
        if path is None:
            path = os.fsdecode(given)
        self.kept(what, os.path.join(os.getcwd(), path))

    def kept(self, what, path):
        """`what` was not done for real with `path` (a file, a folder, a repository, an address)."""
        at = self._context.places.of_stack()
        place = (at[0]["path"], at[0]["line"]) if at else None
        folders = self._folders.setdefault(place, set())
        if (what, path, place) in self._said or self._count >= MOST or any(_is_below(path, one) for one in folders):
            return
        self._said.add((what, path, place))
        folders.add(path)
        self._count += 1
        try:
            self._context.channel.send("kept_back", what=what, path=path, at=at)
        except (OSError, ValueError):
            return  # the program closed the agent's file


def _is_below(path, folder):
    return path.startswith(folder + os.sep)


def _save_on_stack(places):
    """The outermost known function of a library that saves, below the program's own code, and the path it was given."""
    what, path = "file", None
    frame = sys._getframe(2)
    while frame is not None and not places.is_users(frame.f_code.co_filename):
        name = frame.f_code.co_name
        if name in SAVES and frame.f_globals.get("__name__", "").partition(".")[0] not in (
            "_tflint_hf_agent",
            "zipfile",
        ):
            given = next((frame.f_locals[key] for key in SAVES[name] if key in frame.f_locals), None)
            with contextlib.suppress(TypeError):
                what, path = name, os.fsdecode(given)
        frame = frame.f_back
    return (what[:-3] if what.endswith("_v2") else what), path


def _quiet_folders():
    home = os.path.realpath(os.path.expanduser("~"))
    names = [".cache", ".keras", ".config", ".nv", ".matplotlib", ".local", "Library", "AppData"]
    found = [os.path.join(home, name) for name in names]
    for variable in (
        "XDG_CACHE_HOME",
        "HF_HOME",
        "HF_DATASETS_CACHE",
        "HF_HUB_CACHE",
        "TRANSFORMERS_CACHE",
        "KERAS_HOME",
    ):
        if os.environ.get(variable):
            found.append(os.path.realpath(os.environ[variable]))
    return [folder + os.sep for folder in found] + [os.path.realpath(sys.prefix) + os.sep]
