"""The merged view of the files: the user's as they are, and above them what the program wrote in this run.

What the program writes to /some/folder/x lies at WORK/files/some/folder/x. A path that it removed is *hidden*. A path
is looked up above first, then, unless it or a folder around it is hidden, among the user's files.

Other processes of the program (forks, children with the sandbox) share the view: the files through the disk, the hidden
paths through a journal, and a counter in shared memory tells when the journal has grown.
"""

import errno
import json
import mmap
import os
import stat
import threading

from . import real

WINDOWS = os.name == "nt"
ENDS_OF_FOLDERS = ("/", "/.", "/..")
MOST_LINKS = 40
NOTHING = b"\0" * 8
DEVICES = {"nul", "con", "conin$", "conout$"}
FREE_FOLDERS = () if WINDOWS else ("/dev", "/proc")
MAGIC = FREE_FOLDERS and ("/dev/", "/proc/")
"""Below these there are links to anything: /dev/fd, /proc/self/cwd."""


class View:
    """`work` is the folder of this run; what lies in it is written without any detour."""

    def __init__(self, work, say):
        self.work = os.path.realpath(work)
        self.store = os.path.join(self.work, "files")
        self.say = say
        self.parents_may_lack = False
        """Set once other programs were started: they could not make the folders they were asked to make."""
        self.trusted = threading.local()
        """`now` is true while a function of the sandbox changes something of which it knows that it may."""
        self._hidden = set()
        self._thinned = set()
        """The folders from which something was removed."""
        self._folders = {}
        self._clean = {}
        """For folders, as the program names them: whether nothing lies above them and nothing in them is hidden."""
        self._native = set()
        """Folders in which native code writes as it likes."""
        self._read_to = 0
        self.free = tuple(folder + os.sep for folder in (self.work,) + FREE_FOLDERS)
        self._journal = os.path.join(self.work, "sandbox.journal")
        real.make_folders(self.store)
        self.counter = self._shared_counter(os.path.join(self.work, "sandbox.counter"))
        self._seen = NOTHING

    def _shared_counter(self, path):
        with real.builtin_open(path, "ab") as file:
            if file.tell() < 8:
                file.write(NOTHING)
        with real.builtin_open(path, "r+b") as file:
            return mmap.mmap(file.fileno(), 8)

    # Paths.

    def is_free(self, path):
        """Whether the program may do what it likes here."""
        if WINDOWS and os.path.basename(path).lower() in DEVICES:
            return True
        return path.startswith(self.free) or path == self.work or path in FREE_FOLDERS

    def absolute(self, path, dir_fd=None):
        """A path of the program (str, bytes or PathLike), as text, from the root on."""
        path = os.fsdecode(path)
        if not os.path.isabs(path):
            path = os.path.join(self.folder_of_fd(dir_fd) if dir_fd is not None else self.cwd(), path)
        if WINDOWS:
            return self.users(os.path.normpath(path))
        return path

    def cwd(self):
        """The current folder as the program should see it."""
        return self.users(real.getcwd())

    def users(self, path):
        """The program's name for a physical path."""
        if not path.startswith(self.store + os.sep):
            return path
        rest = path[len(self.store) :]
        if WINDOWS:
            drive, _, rest = rest[1:].partition(os.sep)
            return drive + ":" + os.sep + rest if len(drive) == 1 else os.sep * 2 + drive + os.sep + rest
        return rest

    def above(self, key):
        """Where what the program writes to the canonical path `key` lies."""
        if WINDOWS:
            drive, rest = os.path.splitdrive(key)
            return os.path.join(self.store, drive.replace(":", "").strip("\\/"), rest.lstrip("\\/"))
        return self.store + key

    def folder_of_fd(self, descriptor):
        """The program's name of the folder behind a file descriptor."""
        if real.is_folder("/proc/self/fd"):
            return self.users(real.readlink("/proc/self/fd/%d" % descriptor))
        import fcntl

        return self.users(os.fsdecode(fcntl.fcntl(descriptor, 50, b"\0" * 1024).rstrip(b"\0")))  # F_GETPATH of macOS

    def key(self, path, follow=True, dir_fd=None):
        """The canonical path of something in the merged view; its last part is followed if it is a link."""
        path = self.absolute(path, dir_fd)
        if WINDOWS:
            return path
        if path.startswith(MAGIC):
            return self._walk(path, follow)
        head, tail = os.path.split(path.rstrip("/") or "/")
        if not tail or tail in (".", ".."):
            return self._walk(path, True)
        folder = self._folders.get(head)
        if folder is None:
            folder = self._walk(head, True)
            if len(self._folders) > 20000:
                self._folders.clear()
            self._folders[head] = folder
        found = folder + "/" + tail if folder != "/" else "/" + tail
        if follow:
            target = self._link(found)
            if target is not None:
                return self._walk(os.path.join(folder, target), True)
        return found

    def _walk(self, path, follow):
        parts = path.split("/")[::-1]
        found, links = "", 0
        while parts:
            part = parts.pop()
            if not part or part == ".":
                continue
            if part == "..":
                found = found.rpartition("/")[0]
                continue
            candidate = found + "/" + part
            target = self._link(candidate) if follow or parts else None
            if target is None:
                found = candidate
                continue
            links += 1
            if links > MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
            if target.startswith("/"):
                found = ""
            parts.extend(target.split("/")[::-1])
        return found or "/"

    def _link(self, key):
        """The text of the link at a canonical path, None if there is no link."""
        places = [key] if self.is_free(key) or not self.is_hidden(key) else []
        if not self.is_free(key):
            places.insert(0, self.above(key))
        for place in places:
            try:
                if not stat.S_ISLNK(real.lstat(place).st_mode):
                    return None
                target = self.users(real.readlink(place))
                # /proc/1/fd/2 -> pipe:[3] is no path.
                return target if not key.startswith("/proc/") or ":[" not in target else None
            except OSError:
                continue
        return None

    # What there is.

    def is_hidden(self, key):
        """Whether the user's file at `key` is out of sight."""
        self.catch_up()
        if not self._hidden:
            return False
        key = os.path.normcase(key)
        while True:
            if key in self._hidden:
                return True
            parent = os.path.dirname(key)
            if parent == key:
                return False
            key = parent

    def place(self, key):
        """The physical path at which `key` is to be read. If there is nothing, a path where there is nothing."""
        if self.is_free(key):
            return key
        above = self.above(key)
        try:
            mode = real.lstat(above).st_mode
        except OSError:
            return above if self.is_hidden(key) else key
        except ValueError:
            return key
        # A folder that is in both is the user's: native code finds the most there.
        if stat.S_ISDIR(mode) and not self.is_hidden(key) and real.is_folder(key):
            return key
        return above

    def mode(self, key):
        """The kind of what is at `key` without following a link, None if there is nothing."""
        try:
            return real.lstat(self.place(key)).st_mode
        except OSError:
            return None

    def is_folder(self, key):
        mode = self.mode(key)
        return mode is not None and stat.S_ISDIR(mode)

    def is_merged(self, key):
        """Whether a folder holds more or less than one physical folder does."""
        return not self.is_free(key) and (
            real.exists(self.above(key)) or os.path.normcase(key) in self._thinned or self.is_hidden(key)
        )

    def names(self, key):
        """What is in a folder: name -> physical path. The user's first, in the order of the disk."""
        found = {}
        if not self.is_hidden(key) and real.is_folder(key):
            for name in real.listdir(key):
                child = os.path.join(key, name)
                if os.path.normcase(child) not in self._hidden:
                    found[name] = child
        above = self.above(key)
        if real.is_folder(above):
            for name in real.listdir(above):
                found[name] = self.place(os.path.join(key, name))
        return found

    def read(self, path, follow=True, dir_fd=None):
        """The physical path at which the program's `path` is to be read."""
        if dir_fd is None:
            count = self.counter[:8]
            if count == NOTHING or self._is_plain(path, follow, count):
                return path
        key = self.key(path, follow, dir_fd)
        found = self.place(key)
        return os.fsencode(found) if isinstance(path, bytes) else found

    def _is_plain(self, path, follow, count):
        """Whether a path, found quickly, is one of the user's that nothing was done to."""
        if count != self._seen:
            self.catch_up()
        text = path if type(path) is str else os.fspath(path)
        if type(text) is not str or text[:1] != "/" or WINDOWS:
            return False
        head = text[: text.rfind("/")]
        clean = self._clean.get(head)
        if clean is None:
            clean = not text.startswith(MAGIC) and self._is_clean(head)
            if len(self._clean) > 20000:
                self._clean.clear()
            self._clean[head] = clean
        if not clean or text.endswith(ENDS_OF_FOLDERS):
            return False
        if not follow:
            return True
        try:
            return not stat.S_ISLNK(real.lstat(text).st_mode)
        except (OSError, ValueError):
            return True

    def _is_clean(self, head):
        folder = self._walk(head, True)
        if self.is_free(folder):
            return head == folder
        if real.exists(self.above(folder)) or folder in self._thinned or self.is_hidden(folder):
            return False
        return not self._native or not any(folder == one or folder.startswith(one + "/") for one in self._native)

    # What the processes of the program share.

    def _forget(self):
        self._folders.clear()
        self._clean.clear()

    def _hide(self, key):
        key = os.path.normcase(key)
        self._hidden.add(key)
        self._thinned.add(os.path.dirname(key))
        self._note(key)

    def _note(self, key):
        """Write a hidden path into the journal, or only that folders or links have changed."""
        with real.builtin_open(self._journal, "ab", buffering=0) as file:
            file.write(json.dumps(key).encode("ascii") + b"\n")

    def changed(self):
        """Let all processes know that the view is no longer the plain files, or that the journal has grown."""
        try:
            size = real.stat(self._journal).st_size
        except OSError:
            size = 0
        self._seen = (size + 1).to_bytes(8, "little")
        self.counter[:8] = self._seen

    def catch_up(self):
        """Read what other processes wrote into the journal since the last look."""
        count = self.counter[:8]
        if count == self._seen:
            return
        self._seen = count
        self._forget()
        try:
            with real.builtin_open(self._journal, "rb") as file:
                file.seek(self._read_to)
                lines = file.read()
        except OSError:
            return
        whole = lines.rpartition(b"\n")[0]
        self._read_to += len(whole) + 1 if whole else 0
        for line in whole.splitlines():
            key = json.loads(line.decode("ascii"))
            if key is not None:
                self._hidden.add(key)
                self._thinned.add(os.path.dirname(key))
