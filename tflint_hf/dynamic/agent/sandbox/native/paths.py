"""What libraries take as paths, and the physical paths of the merged view in their place."""

import os

from ..patches import as_path


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
