"""System calls that Python does not offer: `openat2`, and `rename` with a condition.

Each raises OSError as `os` would, `UnsupportedCall` where this machine has no such call. What to do
instead is decided in `beneath` and `rename`. ctypes is loaded on the first call, so that a
process which only reads never pays for it.
Linux: `openat2` (5.6 and later) and `renameat2`. macOS: `renameatx_np`, no `openat2`.
Always true: an open that a signal or a passing rename interrupted is tried again, bounded; a
rename never is, because a second exchange would undo a first one that did happen.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ctypes

TRIES = 64
INTERRUPTED = frozenset({errno.EINTR, errno.EAGAIN})

# openat2: its number is the same on every architecture that has it.
SYS_OPENAT2 = 437
HOW_BYTES = 24
NO_MAGICLINKS, NO_SYMLINKS, BENEATH = 0x02, 0x04, 0x08

# renameat2 where the C library has no function of that name (musl, old glibc).
SYS_RENAMEAT2 = {"x86_64": 316, "aarch64": 276, "riscv64": 276, "loongarch64": 276}
LINUX_FLAGS = {"move": 1, "exchange": 2}
MACOS_FLAGS = {"move": 4, "exchange": 2}


class UnsupportedCall(OSError):  # noqa: N818 - says what it is; callers fall back, nobody reports it
    """What was called does not exist on this machine or this file system."""

    def __init__(self, call: str) -> None:
        super().__init__(errno.ENOSYS, f"{call} is not offered here")


# A file system without the flag answers EINVAL; an old kernel or a sandbox one of the others.
NOT_OFFERED = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP})


@cache
def _library() -> ctypes.CDLL:
    import ctypes

    return ctypes.CDLL(None, use_errno=True)


def _numbered(number: int, *arguments: object) -> int:
    """Make a system call by its number; integers are passed as machine words."""
    import ctypes

    words = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    return int(_library().syscall(ctypes.c_long(number), *words))


def _answer(call: Callable[[], int], path: str, *, tries: int) -> int:
    """Return what a call answers, trying again while it says that it was interrupted."""
    import ctypes

    problem = errno.EAGAIN
    for _ in range(tries):
        answer = call()
        if answer >= 0:
            return answer
        problem = ctypes.get_errno()
        if problem not in INTERRUPTED:
            break
    raise OSError(problem, os.strerror(problem), path)


def openat2(folder: int, path: str, flags: int, resolve: int) -> int:
    """Open without following what `resolve` forbids, all of the path in one call."""
    if not sys.platform.startswith("linux"):
        raise UnsupportedCall("openat2")
    name, how = os.fsencode(path), _how(flags | os.O_CLOEXEC, resolve)
    return _answer(lambda: _numbered(SYS_OPENAT2, folder, name, how, HOW_BYTES), path, tries=TRIES)


@cache
def _how(flags: int, resolve: int) -> object:
    """Return the structure that openat2 reads: flags, mode, resolve."""
    import ctypes

    return (ctypes.c_uint64 * 3)(flags, 0, resolve)


def openat2_offered() -> bool:
    """Probe: open the root of the file system with it. Nothing is left behind."""
    try:
        os.close(openat2(-1, "/", os.O_RDONLY | os.O_DIRECTORY, NO_SYMLINKS))
    except OSError:  # ENOSYS from old kernels, EPERM from sandboxes
        return False
    return True


@cache
def _rename() -> tuple[Callable[..., int], dict[str, int]]:
    """Return the conditional rename of this machine and the values of its flags."""
    if sys.platform == "darwin":
        return _library().renameatx_np, MACOS_FLAGS
    named = getattr(_library(), "renameat2", None)
    if named is not None:
        return named, LINUX_FLAGS
    number = SYS_RENAMEAT2.get(os.uname().machine) if sys.maxsize > 2**32 else None
    if number is None:
        raise UnsupportedCall("renameat2")
    return lambda *arguments: _numbered(number, *arguments), LINUX_FLAGS


def _renamed(folder: int, old: str, new: str, way: str) -> None:
    try:
        call, flags = _rename()
    except AttributeError as problem:
        raise UnsupportedCall("rename with a condition") from problem
    names = os.fsencode(old), os.fsencode(new)
    try:
        _answer(lambda: call(folder, names[0], folder, names[1], flags[way]), new, tries=1)
    except OSError as problem:
        if problem.errno in NOT_OFFERED:
            raise UnsupportedCall("rename with a condition") from problem
        raise


def exchange(folder: int, one: str, other: str) -> None:
    """Swap two names of one directory in a single step; both must exist."""
    _renamed(folder, one, other, "exchange")


def move(folder: int, old: str, new: str) -> None:
    """Rename within one directory unless `new` exists (FileExistsError)."""
    _renamed(folder, old, new, "move")


def renames_offered() -> bool:
    """Probe the call on names that cannot exist, so that nothing is left behind.

    This tells about the kernel. A file system that lacks the flags says so at the first use,
    and `rename.Renames` falls back then: mounts below one root may differ.
    """
    try:
        exchange(-1, "", "")
    except UnsupportedCall:
        return False
    except OSError:
        return True
    return False
