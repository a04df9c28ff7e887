"""Leases: the kernel's word that nobody uses a file, for as long as we hold one.

A read lease is refused while somebody has the file open for writing; a write lease while
somebody has it open at all. Whoever opens it against a lease is kept waiting until it is given
up, so a lease is held for a moment only.
Always true: nothing is written; where a file system has no leases every file counts as in use.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def lease(descriptor: int, *, alone: bool = False) -> Iterator[None]:
    """Hold a lease on an open file while a block runs. OSError with EBUSY where it is in use.

    With `alone` nobody else may have it open, not even for reading.
    """
    # The signal of a broken lease would end this process; this one is ignored unless asked for.
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK if alone else fcntl.F_RDLCK)
    except OSError as problem:
        raise OSError(errno.EBUSY, "it is in use") from problem
    try:
        yield
    finally:
        with suppress(OSError):  # a child that was forked meanwhile may hold the descriptor, too
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)


def is_free(path: str) -> bool | None:
    """Open a file for reading: False where a lease forbids it, None where it is not there.

    Every failure but a missing name counts as one of a lease: the caller keeps the file then.
    """
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC))
    except FileNotFoundError:
        return None
    except OSError:
        return False
    return True
