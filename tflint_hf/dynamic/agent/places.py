"""Where in the user's program something happens."""

import itertools
import os
import re
import sys

CELL_MARK = "#cell-"
"""A cell of a notebook is compiled under the name PATH#cell-N."""

GENERATED_MARK = "__autograph_generated_file"
IN_USER_CODE = r'File "([^"\n]+)", line (\d+), in (\w+) +\*'


class Places:
    """Knows the program's own files: those below its folder that are not installed libraries."""

    def __init__(self, root):
        self._root = os.path.realpath(root) + os.sep
        self._own = os.path.dirname(os.path.abspath(__file__)) + os.sep
        self._known = {}

    def is_users(self, filename):
        if filename not in self._known:
            path = os.path.realpath(filename.split(CELL_MARK)[0])
            libraries = ("site-packages", "dist-packages")
            self._known[filename] = (
                path.startswith(self._root)
                and not path.startswith(self._own)
                and not any(os.sep + name + os.sep in path for name in libraries)
                and not path.startswith(os.path.realpath(sys.prefix) + os.sep + "lib")
                and os.path.exists(path)  # compiled modules name sources that are elsewhere
            )
        return self._known[filename]

    def of_stack(self, limit=8):
        """The frames of the user's program that are being executed, the innermost first."""
        found = []
        frame = sys._getframe(1)
        while frame is not None and len(found) < limit:
            if GENERATED_MARK in frame.f_code.co_filename:
                return self._of_translated_stack()[:limit]
            if self.is_users(frame.f_code.co_filename):
                found.append(_described(frame.f_code, frame.f_lasti, frame.f_lineno))
            frame = frame.f_back
        return found

    def _of_translated_stack(self):
        """The same where a tf.function runs, whose code autograph has written anew: by TensorFlow's own way back."""
        from tensorflow.python.util import tf_stack

        frames = [frame for frame in tf_stack.extract_stack() if self.is_users(frame.filename)]
        return [_by_line(frame.filename, frame.lineno, frame.name) for frame in reversed(frames)]

    def of_message(self, text):
        """The frames of the user's program that TensorFlow wrote into a message from a graph, the innermost first."""
        named = [match.groups() for match in re.finditer(IN_USER_CODE, text)]
        return [_by_line(path, int(line), name) for path, line, name in reversed(named) if self.is_users(path)]

    def of_traceback(self, traceback, limit=8):
        """The frames of the user's program that an exception went through, the innermost first."""
        found = []
        while traceback is not None:
            code = traceback.tb_frame.f_code
            if self.is_users(code.co_filename):
                found.append(_described(code, traceback.tb_lasti, traceback.tb_lineno))
            traceback = traceback.tb_next
        return found[::-1][:limit]


def _by_line(filename, line, name):
    path, mark, cell = filename.partition(CELL_MARK)
    return {"path": os.path.realpath(path), "cell": int(cell) if mark else None, "line": line, "name": name}


def _described(code, last_instruction, line):
    path, mark, cell = code.co_filename.partition(CELL_MARK)
    place = {"path": os.path.realpath(path), "cell": int(cell) if mark else None, "line": line, "name": code.co_name}
    if hasattr(code, "co_positions"):  # Python 3.11 and newer know the range of each instruction
        position = next(itertools.islice(code.co_positions(), last_instruction // 2, None), None)
        if position is not None and None not in position:
            first, last, start, end = position
            place.update(line=first, end_line=last, column=start + 1, end_column=end + 1)
    return place
