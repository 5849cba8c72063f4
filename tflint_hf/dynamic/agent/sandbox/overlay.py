"""What the program changes in the merged view of the files, as the functions of `os` do it."""

import errno
import os
import stat

from . import real
from .view import NOTHING, WINDOWS, View

MOST_BYTES_COPIED = 2 << 30


class Overlay(View):
    """A view in which what is written comes to lie above the user's files."""

    def __init__(self, work, say):
        super().__init__(work, say)
        self._copied = 0

    def write(self, path, copy=False, parents=False, follow=True, dir_fd=None):
        """The physical path at which the program's `path` is to be written.

        With `copy` the user's file is copied there first.
        """
        key = self.key(path, follow, dir_fd)
        if self.is_free(key):
            return self._like(path, key)
        self.catch_up()
        mode = self.mode(key)
        if mode is not None and stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if mode is not None and not stat.S_ISREG(mode) and not stat.S_ISLNK(mode):
            return self._like(path, key)  # a pipe, a socket, a device
        self._prepare(os.path.dirname(key), path, parents)
        above = self.above(key)
        if copy and not real.exists(above) and mode is not None:
            self._copy(key, above)
        if self.counter[:8] == NOTHING:
            self.changed()
        self.say(key, path)
        return self._like(path, above)

    def write_folder(self, path, quiet=False):
        """The physical path of a folder, made with its parents, into which native code is going to write."""
        key = self.key(path)
        if self.is_free(key):
            real.make_folders(key)
            return self._like(path, key)
        self.make_folders(key)
        self._native.add(key)
        self._clean.clear()
        if not quiet:
            self.say(key, path)
        return self._like(path, self.above(key))

    def make_folders(self, key):
        """Make the folder `key` with its parents above the user's files."""
        mode = self.mode(key)
        if mode is not None and not stat.S_ISDIR(mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), key)
        if mode is None and os.path.dirname(key) != key:
            self.make_folders(os.path.dirname(key))
        if mode is None or not real.exists(self.above(key)):
            real.make_folders(self.above(key))
            self._clean.clear()
            self._note(None)
            self.changed()

    def _prepare(self, folder, path, parents):
        mode = self.mode(folder)
        if mode is None and not parents and not self.parents_may_lack:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        if mode is not None and not stat.S_ISDIR(mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        self.make_folders(folder)

    def _copy(self, key, above):
        self._copied += real.stat(key).st_size
        if self._copied > MOST_BYTES_COPIED:
            text = "tflint-hf leaves the file as it is, and copies no more than 2 GiB of files that a program changes"
            raise OSError(errno.ENOSPC, text, key)
        real.copy_file(key, above)

    @staticmethod
    def _like(path, found):
        return os.fsencode(found) if isinstance(path, bytes) else found

    def make_folder(self, path, mode=0o777, dir_fd=None):
        """What os.mkdir does."""
        key = self.key(path, False, dir_fd)
        if self.is_free(key):
            return real.mkdir(key, mode)
        if self.mode(key) is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        self._prepare(os.path.dirname(key), path, False)
        real.mkdir(self.above(key), mode)
        self._forget()
        self._note(None)
        return self.changed()

    def remove(self, path, dir_fd=None):
        """What os.remove does."""
        key = self.key(path, False, dir_fd)
        if self.is_free(key):
            return real.unlink(key)
        mode = self.mode(key)
        if mode is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        return self._drop(key)

    def remove_folder(self, path, dir_fd=None):
        """What os.rmdir does."""
        key = self.key(path, False, dir_fd)
        if self.is_free(key):
            return real.rmdir(key)
        mode = self.mode(key)
        if mode is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        if not stat.S_ISDIR(mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        if self.names(key):
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), path)
        return self._drop(key)

    def _drop(self, key):
        above = self.above(key)
        self._unmake(above)
        if not self.is_hidden(key) and real.exists(key):
            self._hide(key)
        self._forget()
        self.changed()

    def _unmake(self, place):
        """Remove a physical file or folder of the store."""
        if not real.exists(place):
            return
        if stat.S_ISDIR(real.lstat(place).st_mode):
            for name in real.listdir(place):
                self._unmake(os.path.join(place, name))
            real.rmdir(place)
        else:
            real.unlink(place)

    def rename(self, source, target, replace, source_fd=None, target_fd=None):
        """What os.rename and os.replace do."""
        old, new = self.key(source, False, source_fd), self.key(target, False, target_fd)
        if self.is_free(old) and self.is_free(new):
            return real.replace(old, new) if replace else real.rename(old, new)
        old_mode, new_mode = self.mode(old), self.mode(new)
        if old_mode is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), source, None, target)
        if old == new:
            return None
        if new_mode is not None:
            self._may_replace(old_mode, new, new_mode, replace, target)
        if not self.is_free(new):
            self._prepare(os.path.dirname(new), target, False)
        place = new if self.is_free(new) else self.above(new)
        if new_mode is not None and stat.S_ISDIR(old_mode):
            self.remove_folder(target, target_fd)
        here = old if self.is_free(old) else self.above(old)
        # What the program made is moved; the user's files are copied, and folders that hold both.
        of_program = here == old or self.is_hidden(old) or not real.exists(old) or stat.S_ISREG(old_mode)
        if of_program and real.exists(here):
            real.replace(here, place)
        else:
            self._copy_tree(old, place)
        if not self.is_free(old):
            self._drop(old)
        self._forget()
        self._note(None)
        self.changed()
        if not self.is_free(new):
            self.say(new, target)
        return None

    def _may_replace(self, old_mode, new, new_mode, replace, target):
        if stat.S_ISDIR(old_mode) != stat.S_ISDIR(new_mode):
            number = errno.ENOTDIR if stat.S_ISDIR(old_mode) else errno.EISDIR
            raise OSError(number, os.strerror(number), target)
        if WINDOWS and not replace:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)
        if stat.S_ISDIR(new_mode) and self.names(new):
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), target)

    def _copy_tree(self, key, place):
        """Copy what the merged view has at `key` to a physical path."""
        source = self.place(key)
        mode = real.lstat(source).st_mode
        if stat.S_ISDIR(mode):
            real.make_folders(place)
            names = real.listdir(key) if self.is_free(key) else self.names(key)
            for name in names:
                self._copy_tree(os.path.join(key, name), os.path.join(place, name))
        elif stat.S_ISLNK(mode):
            real.symlink(real.readlink(source), place)
        else:
            self._unmake(place)
            self._copy(source, place)

    def copy(self, source, target, source_fd=None, target_fd=None):
        """What os.link does, with a copy in the place of a second name for the same file."""
        old = self.key(source, False, source_fd)
        place = self.new(target, target_fd)
        self._copy_tree(old, place)

    def new(self, path, dir_fd=None):
        """The physical path for something that must not be there yet."""
        key = self.key(path, False, dir_fd)
        if self.is_free(key):
            return key
        if self.mode(key) is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        self._prepare(os.path.dirname(key), path, False)
        self._forget()
        self._note(None)
        self.changed()
        self.say(key, path)
        return self.above(key)
