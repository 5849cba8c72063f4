"""The file functions as Python has them, kept before the sandbox puts others in their place."""

import contextlib
import io
import os
import stat as statistics

NAMES = [
    "access",
    "chdir",
    "chflags",
    "chmod",
    "chown",
    "fchdir",
    "getcwd",
    "getcwdb",
    "getxattr",
    "lchflags",
    "lchmod",
    "lchown",
    "link",
    "listdir",
    "listxattr",
    "lstat",
    "mkdir",
    "mkfifo",
    "mknod",
    "open",
    "pathconf",
    "readlink",
    "remove",
    "removexattr",
    "rename",
    "replace",
    "rmdir",
    "scandir",
    "setxattr",
    "stat",
    "statvfs",
    "symlink",
    "system",
    "truncate",
    "unlink",
    "utime",
]

builtin_open = io.open
for _name in NAMES:
    if hasattr(os, _name):
        globals()[_name] = getattr(os, _name)


def exists(path):
    """Whether there is anything at this physical path, a dangling link included."""
    try:
        lstat(path)  # noqa: F821
    except (OSError, ValueError):
        return False
    return True


def is_folder(path):
    """Whether there is a folder at this physical path, through links too."""
    try:
        return statistics.S_ISDIR(stat(path).st_mode)  # noqa: F821
    except (OSError, ValueError):
        return False


def make_folders(path):
    """Make a physical folder with its parents."""
    if path and not exists(path):
        make_folders(os.path.dirname(path))
        with contextlib.suppress(FileExistsError):
            mkdir(path)  # noqa: F821


def copy_file(source, target):
    """Copy bytes, mode and times of a physical file."""
    with builtin_open(source, "rb") as old, builtin_open(target, "wb") as new:
        while True:
            block = old.read(1 << 20)
            if not block:
                break
            new.write(block)
    facts = stat(source)  # noqa: F821
    try:
        chmod(target, facts.st_mode & 0o7777)  # noqa: F821
        utime(target, ns=(facts.st_atime_ns, facts.st_mtime_ns))  # noqa: F821
    except OSError:
        pass
