"""System calls of an isolated run that Python does not offer, each raising OSError as `os` would.

Namespaces, mounts, capabilities, the session keyring and the birth time of an inode. Which are
made, and in which order, is `room`'s and `confine`'s to say.
Always true: nothing here is tried again or passed over; a call that fails raises.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from functools import cache

NEWNS, NEWIPC, NEWUSER, NEWPID = 0x20000, 0x8000000, 0x10000000, 0x20000000
NEWNET = 0x40000000
SET_FLAGS, UP, RUNNING = 0x8914, 1, 0x40  # of a network interface

RDONLY, NOSUID, NODEV, NOEXEC = 1, 2, 4, 8
BIND, REC, PRIVATE = 4096, 16384, 1 << 18
DETACH = 2

PDEATHSIG, DUMPABLE, SECCOMP, CAPBSET_DROP, NO_NEW_PRIVS, CAP_AMBIENT = 1, 4, 22, 24, 38, 47
AMBIENT_CLEAR_ALL, SECCOMP_FILTER = 4, 2
LAST_CAPABILITY = 63

AT_FDCWD, AT_RECURSIVE, AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH = -100, 0x8000, 0x100, 0x1000
SYS_MOUNT_SETATTR = 442  # the same on every architecture, as all that are this young
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV = 1, 2, 4
SYS_FSCONFIG, SYS_FSPICK = 431, 433
PICK_CLOEXEC, PICK_NOFOLLOW, PICK_NO_AUTOMOUNT, RECONFIGURE = 1, 2, 4, 7

SYS_KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219, "loongarch64": 219}
JOIN_SESSION_KEYRING = 1

STATX_BTIME, STATX_BYTES, BTIME_MASK_AT, BTIME_AT = 0x800, 256, 0, 80
CAPABILITY_VERSION_3 = 0x20080522


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _check(answer: int, what: str) -> int:
    if answer < 0:
        problem = ctypes.get_errno()
        raise OSError(problem, os.strerror(problem), what)
    return answer


def numbered(number: int, *arguments: int | bytes, what: str) -> int:
    """Make a system call by its number; integers are passed as machine words."""
    words = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    return _check(int(_library().syscall(ctypes.c_long(number), *words)), what)


def _named(name: str, *arguments: object, what: str = "") -> int:
    call = getattr(_library(), name, None)
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), name)
    return _check(int(call(*arguments)), what or name)


def unshare(flags: int) -> None:
    """Leave namespaces for new ones."""
    _named("unshare", ctypes.c_int(flags))


def setns(descriptor: int) -> None:
    """Enter the namespace of a descriptor."""
    _named("setns", ctypes.c_int(descriptor), ctypes.c_int(0))


def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    """Mount something; empty texts stand for nothing."""
    texts = [os.fsencode(one) if one else None for one in (source, target, kind, data)]
    words = (texts[0], texts[1], texts[2], ctypes.c_ulong(flags), texts[3])
    _named("mount", *words, what=f"mount {kind or 'bind'} at {target}")


def read_only(target: str, *, recursive: bool) -> None:
    """Make a mount, and those below it, read-only, without devices and set-user-id programs."""
    wanted = struct.pack("QQQQ", ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV, 0, 0, 0)
    how = AT_RECURSIVE if recursive else 0
    name = os.fsencode(target)
    what = f"read-only {target}"
    numbered(SYS_MOUNT_SETATTR, AT_FDCWD, name, how, wanted, len(wanted), what=what)


def forget_names(target: str) -> None:
    """Have a mounted file system forget the names that it remembers, and change nothing of it.

    A remount would do it too, and set flags: of whatever the name leads to by then.
    """
    how = PICK_CLOEXEC | PICK_NOFOLLOW | PICK_NO_AUTOMOUNT
    what = f"refresh {target}"
    picked = numbered(SYS_FSPICK, AT_FDCWD, os.fsencode(target), how, what=what)
    try:
        numbered(SYS_FSCONFIG, picked, RECONFIGURE, 0, 0, 0, what=what)
    finally:
        os.close(picked)


def pivot_root(folder: str) -> None:
    """Make a mounted directory the root, and let go of the old one."""
    os.chdir(folder)
    _named("pivot_root", b".", b".")
    _named("umount2", b".", ctypes.c_int(DETACH), what="leave the old root")
    os.chdir("/")


def flush(folder: str) -> None:
    """Wait until everything on the file system of a directory is on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _named("syncfs", ctypes.c_int(descriptor))
    finally:
        os.close(descriptor)


def prctl(option: int, *arguments: int, what: str) -> int:
    """Set an attribute of this process."""
    words = [ctypes.c_ulong(one) for one in (*arguments, 0, 0, 0, 0)[:4]]
    return _named("prctl", ctypes.c_int(option), *words, what=what)


def die_with_parent(parent: int) -> None:
    """Have the kernel end this process when its parent ends; `parent` is 0 in a new namespace."""
    prctl(PDEATHSIG, 9, what="end with the parent")
    if os.getppid() != parent:  # it ended before we asked
        os._exit(1)


def loopback_up() -> None:
    """Switch on the loopback of a new network namespace, which has nothing else."""
    import fcntl
    import socket

    request = struct.pack("16sH14x", b"lo", UP | RUNNING)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        fcntl.ioctl(made, SET_FLAGS, request)


def no_capabilities(*, bounding: bool = True) -> None:
    """Give up every capability, for this process and all that it will start.

    The bounding set takes a capability to give up. Without `bounding` it may stay where there is
    none; with "no new privileges" nothing can be gained from it.
    """
    tolerated = {errno.EINVAL} if bounding else {errno.EINVAL, errno.EPERM}
    for one in range(LAST_CAPABILITY + 1):
        try:
            prctl(CAPBSET_DROP, one, what=f"drop capability {one}")
        except OSError as problem:
            if problem.errno not in tolerated:  # EINVAL: this kernel has fewer
                raise
    prctl(CAP_AMBIENT, AMBIENT_CLEAR_ALL, what="clear ambient capabilities")
    header = struct.pack("Ii", CAPABILITY_VERSION_3, 0)
    _named("capset", header, bytes(24), what="drop capabilities")


def own_keyring() -> None:
    """Leave the user's session keyring for an empty one."""
    number = SYS_KEYCTL.get(os.uname().machine)
    if number is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), "session keyring")
    try:
        numbered(number, JOIN_SESSION_KEYRING, 0, what="session keyring")
    except OSError as problem:
        if problem.errno != errno.ENOSYS:  # ENOSYS: a kernel without keyrings has none to share
            raise


def born(folder: int, name: str) -> int | None:
    """Return when the inode of a name was made, in nanoseconds; None where nobody knows.

    No name stands for the directory itself.
    """
    buffer = ctypes.create_string_buffer(STATX_BYTES)
    flags = ctypes.c_int(AT_SYMLINK_NOFOLLOW if name else AT_EMPTY_PATH)
    mask = ctypes.c_uint(STATX_BTIME)
    _named("statx", ctypes.c_int(folder), os.fsencode(name), flags, mask, buffer, what=name)
    (known,) = struct.unpack_from("I", buffer, BTIME_MASK_AT)
    if not known & STATX_BTIME:
        return None
    seconds, nanoseconds = struct.unpack_from("qI", buffer, BTIME_AT)
    return int(seconds) * 10**9 + int(nanoseconds)
