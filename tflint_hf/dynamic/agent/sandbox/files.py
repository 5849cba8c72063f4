"""Python's file functions, made to work on the merged view (`overlay.py`).

All that is written in Python comes through these: pathlib, shutil, tempfile, json, pickle, numpy, pandas, zipfile.
As long as the program has changed nothing, functions that read cost one look at a counter more than they did.
"""

import builtins
import errno
import functools
import io
import os
import shutil
import stat
import sys

from . import real
from .overlay import NOTHING, WINDOWS
from .rebind import rebind

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def install(overlay):
    """Put the functions of the merged view in the place of Python's."""
    functions = _readers(overlay)
    functions.update(_writers(overlay))
    replaced = {}
    for name, function in functions.items():
        if hasattr(os, name):
            original = getattr(os, name)
            new = _inert(function, original, "os")
            replaced[original] = new
            setattr(os, name, new)
            for names in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks, os.supports_effective_ids):
                if original in names:
                    names.add(new)
    opened = _inert(_open(overlay), real.builtin_open, "io")
    builtins.open = io.open = opened
    replaced[real.builtin_open] = opened
    _install_path_tests(replaced)
    shutil._use_fd_functions = False  # rmtree by paths, for a folder of the merged view has no one descriptor
    rebind(replaced)


def _inert(function, original, module):
    """A callable that, as builtin functions do, stays as it is when it is an attribute of a class."""
    name = original.__name__
    facts = {
        "__call__": staticmethod(function),
        "__reduce__": lambda self: name,
        "__repr__": lambda self: "<built-in function {}>".format(name),
    }
    new = type(name, (), facts)()
    for fact in ("__name__", "__qualname__", "__doc__", "__text_signature__"):
        setattr(new, fact, getattr(original, fact, None))
    new.__module__ = module
    return new


def _named_as_given(function):
    """Let errors name the path that the program gave, not where it was looked for."""

    @functools.wraps(function)
    def wrapper(original, physical, given, *args, **named):
        try:
            return original(physical, *args, **named)
        except OSError as error:
            if error.filename == physical:
                error.filename = given
            raise

    return wrapper


@_named_as_given
def _call(original, physical, given, *args, **named):
    return original(physical, *args, **named)


def _readers(overlay):
    counter = overlay.counter

    def reader(name, follow=True):
        original = getattr(os, name, None)

        def function(path, *args, **named):
            if counter[:8] == NOTHING or isinstance(path, int):
                return original(path, *args, **named)
            follows = named.get("follow_symlinks", follow)
            physical = overlay.read(path, follows, named.pop("dir_fd", None))
            return _call(original, physical, path, *args, **named)

        return function

    def readlink(path, *args, dir_fd=None):
        if counter[:8] == NOTHING:
            return real.readlink(path, *args, **({} if dir_fd is None else {"dir_fd": dir_fd}))
        found = _call(real.readlink, overlay.read(path, False, dir_fd), path, *args)
        return os.fsencode(overlay.users(os.fsdecode(found))) if isinstance(found, bytes) else overlay.users(found)

    def getcwd():
        return overlay.users(real.getcwd())

    def getcwdb():
        return os.fsencode(getcwd())

    def listdir(path="."):
        if counter[:8] == NOTHING or (path is None and not _moved(overlay)):
            return real.listdir(path)
        given = "." if path is None else path
        key = overlay.folder_of_fd(given) if isinstance(given, int) else overlay.key(given)
        if not overlay.is_merged(key) or not overlay.is_folder(key):
            return _call(real.listdir, given if isinstance(given, int) else overlay.read(given), given)
        names = list(overlay.names(key))
        return [os.fsencode(name) for name in names] if isinstance(given, bytes) else names

    def scandir(path="."):
        if counter[:8] == NOTHING:
            return real.scandir(path)
        given = "." if path is None else path
        key = overlay.folder_of_fd(given) if isinstance(given, int) else overlay.key(given)
        if not overlay.is_merged(key) or not overlay.is_folder(key):
            return _call(real.scandir, given if isinstance(given, int) else overlay.read(given), given)
        return Entries(overlay.names(key), given)

    names = ("stat", "access", "statvfs", "pathconf", "getxattr", "listxattr", "chdir")
    found = {name: reader(name) for name in names}
    found.update(lstat=reader("lstat", False), readlink=readlink, getcwd=getcwd, getcwdb=getcwdb)
    found.update(listdir=listdir, scandir=scandir)
    return found


def _moved(overlay):
    return real.getcwd().startswith(overlay.store)


class Entries:
    """What os.scandir gives, for a merged folder."""

    def __init__(self, names, given):
        self._names = iter(list(names.items()))
        self._given = given

    def __iter__(self):
        return self

    def __next__(self):
        name, physical = next(self._names)
        if isinstance(self._given, bytes):
            name = os.fsencode(name)
        if isinstance(self._given, int):
            return Entry(name, name, physical)
        return Entry(name, os.path.join(os.fspath(self._given), name), physical)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._names = iter(())


class Entry(os.PathLike):
    """What os.scandir gives for one name in a merged folder."""

    def __init__(self, name, path, physical):
        self.name = name
        self.path = path
        self._physical = physical

    def __fspath__(self):
        return self.path

    def __repr__(self):
        return "<DirEntry {!r}>".format(self.name)

    def stat(self, *, follow_symlinks=True):
        # A link is followed in the merged view, and its target may have changed there.
        if follow_symlinks and self.is_symlink():
            return os.stat(self.path)
        return real.lstat(self._physical)

    def inode(self):
        return real.lstat(self._physical).st_ino

    def _is(self, test, follow_symlinks):
        try:
            return test(self.stat(follow_symlinks=follow_symlinks).st_mode)
        except OSError:
            return False

    def is_dir(self, *, follow_symlinks=True):
        return self._is(stat.S_ISDIR, follow_symlinks)

    def is_file(self, *, follow_symlinks=True):
        return self._is(stat.S_ISREG, follow_symlinks)

    def is_symlink(self):
        return stat.S_ISLNK(real.lstat(self._physical).st_mode)

    def is_junction(self):
        return False


def _writers(overlay):
    def open_(path, flags, mode=0o777, *, dir_fd=None):
        if not flags & WRITING and overlay.counter[:8] == NOTHING:
            return real.open(path, flags, mode, **({} if dir_fd is None else {"dir_fd": dir_fd}))
        if not flags & WRITING:
            return _call(real.open, overlay.read(path, not flags & _NOFOLLOW, dir_fd), path, flags, mode)
        if _TMPFILE and flags & _TMPFILE == _TMPFILE:
            return _call(real.open, overlay.write_folder(path), path, flags, mode)
        physical = _prepared(overlay, path, flags, dir_fd)
        return _call(real.open, physical, path, flags, mode)

    def mkdir(path, mode=0o777, *, dir_fd=None):
        return overlay.make_folder(path, mode, dir_fd)

    def remove(path, *, dir_fd=None):
        return overlay.remove(path, dir_fd)

    def unlink(path, *, dir_fd=None):
        return overlay.remove(path, dir_fd)

    def rmdir(path, *, dir_fd=None):
        return overlay.remove_folder(path, dir_fd)

    def rename(src, dst, *, src_dir_fd=None, dst_dir_fd=None):
        return overlay.rename(src, dst, False, src_dir_fd, dst_dir_fd)

    def replace(src, dst, *, src_dir_fd=None, dst_dir_fd=None):
        return overlay.rename(src, dst, True, src_dir_fd, dst_dir_fd)

    def link(src, dst, *, src_dir_fd=None, dst_dir_fd=None, follow_symlinks=True):
        return overlay.copy(src, dst, src_dir_fd, dst_dir_fd)

    def symlink(src, dst, target_is_directory=False, *, dir_fd=None):
        physical = overlay.new(dst, dir_fd)
        return real.symlink(os.fsdecode(src), physical, target_is_directory)

    def truncate(path, length):
        return real.truncate(path if isinstance(path, int) else overlay.write(path, copy=True), length)

    def changer(name):
        original = getattr(os, name, None)

        def function(path, *args, **named):
            """Change what the program made; leave the user's as it is."""
            if isinstance(path, int):
                return original(path, *args, **named)
            key = overlay.key(path, named.get("follow_symlinks", True), named.pop("dir_fd", None))
            place = key if overlay.is_free(key) else overlay.above(key)
            if place == key or real.exists(place):
                overlay.trusted.now = True
                try:
                    return _call(original, place, path, *args, **named)
                finally:
                    overlay.trusted.now = False
            os.stat(path, follow_symlinks=named.get("follow_symlinks", True))
            return None

        return function

    def mkfifo(path, mode=0o666, *, dir_fd=None):
        return real.mkfifo(overlay.new(path, dir_fd), mode)

    def mknod(path, mode=0o600, device=0, *, dir_fd=None):
        return real.mknod(overlay.new(path, dir_fd), mode, device)

    found = {name: changer(name) for name in ("chmod", "lchmod", "chown", "lchown", "utime", "chflags", "lchflags")}
    found.update({name: changer(name) for name in ("setxattr", "removexattr")})
    found.update(open=open_, mkdir=mkdir, remove=remove, unlink=unlink, rmdir=rmdir, rename=rename, replace=replace)
    found.update(link=link, symlink=symlink, truncate=truncate, mkfifo=mkfifo, mknod=mknod)
    return found


_TMPFILE = getattr(os, "O_TMPFILE", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)


def _prepared(overlay, path, flags, dir_fd=None):
    """The physical path for os.open with flags that write."""
    key = overlay.key(path, not flags & _NOFOLLOW, dir_fd)
    if overlay.is_free(key):
        return key
    there = overlay.mode(key) is not None
    if there and flags & os.O_CREAT and flags & os.O_EXCL:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
    if not there and not flags & os.O_CREAT:
        return overlay.above(key)  # where there is nothing either, and the guard looks on
    # Without O_CREAT there must be a file to cut.
    copies = not flags & os.O_TRUNC or not flags & os.O_CREAT
    return overlay.write(path, copy=copies, follow=not flags & _NOFOLLOW, dir_fd=dir_fd)


def _open(overlay):
    original = real.builtin_open
    counter = overlay.counter

    def open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
        if isinstance(file, int):
            return original(file, mode, buffering, encoding, errors, newline, closefd, opener)
        if opener is not None:
            # It opens by itself, with os.open; the guard is only told of a place where writing is allowed.
            def open_given(_, flags):
                return opener(file, flags)

            place = overlay.above(overlay.key(file))
            opened = _call(original, place, file, mode, buffering, encoding, errors, newline, closefd, open_given)
            _rename(opened, file)
            return opened
        if not isinstance(mode, str) or not _is_writing(mode):
            if counter[:8] == NOTHING:
                return original(file, mode, buffering, encoding, errors, newline, closefd)
            physical = overlay.read(file)
        elif "x" in mode and overlay.mode(overlay.key(file)) is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), file)
        elif "r" in mode and overlay.mode(overlay.key(file)) is None:
            physical = overlay.above(overlay.key(file))
        else:
            physical = overlay.write(file, copy="a" in mode or "r" in mode)
        opened = _call(original, physical, file, mode, buffering, encoding, errors, newline, closefd)
        if physical is not file:
            _rename(opened, file)
        return opened

    return open


def _is_writing(mode):
    return "w" in mode or "a" in mode or "+" in mode or "x" in mode


def _rename(opened, name):
    """Have a file object tell the name that it was opened by."""
    raw = getattr(opened, "buffer", opened)
    raw = getattr(raw, "raw", raw)
    try:
        raw.name = name
    except (AttributeError, TypeError):
        return


def _install_path_tests(replaced):
    """Where tests of paths are builtin functions (Windows, Python 3.12 and newer) have them go through os.stat."""
    import genericpath

    def exists(path):
        return _tested(path, os.stat, lambda mode: True)

    def lexists(path):
        return _tested(path, os.lstat, lambda mode: True)

    def isfile(path):
        return _tested(path, os.stat, stat.S_ISREG)

    def isdir(path):
        return _tested(path, os.stat, stat.S_ISDIR)

    def islink(path):
        return _tested(path, os.lstat, stat.S_ISLNK)

    for function in (exists, lexists, isfile, isdir, islink):
        for module in (genericpath, os.path):
            original = getattr(module, function.__name__, None)
            if original is not None and not hasattr(original, "__code__"):
                new = replaced.get(original) or _inert(function, original, module.__name__)
                replaced[original] = new
                setattr(module, function.__name__, new)
    if WINDOWS:
        _install_windows(replaced)


def _tested(path, look, test):
    try:
        return test(look(path).st_mode)
    except (OSError, ValueError):
        return False


def _install_windows(replaced):
    winapi = sys.modules.get("_winapi")
    copy = getattr(winapi, "CopyFile2", None)
    if copy is not None:
        del winapi.CopyFile2  # shutil then copies with open()
