"""The net below Python: the kernel itself refuses writes outside the folder of the run (Linux with Landlock).

It holds for native code and for every program that is started from here. There is no way back for this process.
"""

import ctypes
import os
import struct
import sys

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION = 1
RULE_PATH_BENEATH = 1
NO_NEW_PRIVS = 38
WRITE_FILE, REFER, TRUNCATE = 1 << 1, 1 << 13, 1 << 14
MAKE_AND_REMOVE = sum(1 << bit for bit in range(4, 13))
CONNECT_TCP = 1 << 1
LEAST = 2
"""The first version (Linux 5.19) that can allow moves between folders, without which TensorFlow saves no checkpoint."""


def restrict(folders, connect):
    """Refuse writes outside `folders`, and all connections by TCP if not `connect`. Returns None, or why it cannot."""
    if not sys.platform.startswith("linux"):
        return "only Linux has Landlock"
    if struct.calcsize("P") != 8:
        return "not a 64 bit process"
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(CREATE_RULESET, None, 0, VERSION)
    if version < 0:
        return "this kernel has no Landlock, or it is switched off: " + os.strerror(ctypes.get_errno())
    if version < LEAST:
        return "the Landlock of this kernel is older than Linux 5.19"
    files = WRITE_FILE | MAKE_AND_REMOVE | REFER | (TRUNCATE if version >= 3 else 0)
    # Whether a host is this machine is not for the kernel to know: it sees ports. Local servers are rare in trainings.
    network = CONNECT_TCP if version >= 4 and not connect else 0
    attributes = struct.pack("=QQ", files, network) if version >= 4 else struct.pack("=Q", files)
    ruleset = libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if ruleset < 0:
        return "the rules of Landlock cannot be made: " + os.strerror(ctypes.get_errno())
    try:
        for folder in folders:
            _allow(libc, ruleset, folder, files)
        if libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0) or libc.syscall(RESTRICT_SELF, ruleset, 0):
            return "Landlock cannot be switched on: " + os.strerror(ctypes.get_errno())
    finally:
        os.close(ruleset)
    return None


def _allow(libc, ruleset, folder, rights):
    try:
        descriptor = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rule = struct.pack("=Qi", rights, descriptor)
        if libc.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, 0):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), folder)
    finally:
        os.close(descriptor)
