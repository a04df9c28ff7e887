"""One editor of a rules file at a time: a lock in `<file>.lock`, beside the file.

The file itself is replaced at every edit, so a lock on it would be a lock on the past. Both
kinds of lock that programs use are taken, and who holds them stands in the lock file.
Always true: whoever has the lock, has the file that `<file>.lock` names now; a crash frees it;
waiting ends.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

from penstock.core.errors import StoreError
from penstock.stores.alive import stat_fields
from penstock.stores.contents import close

FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
SECONDS = 10.0
PAUSE = 0.02
BUSY = frozenset({errno.EACCES, errno.EAGAIN})
MOST_SAID = 1000


@contextmanager
def locked(paths: Sequence[str], *, by: str, seconds: float = SECONDS) -> Iterator[None]:
    """Hold the locks of some files, taken in one order by everybody, for the time of the block."""
    end = time.monotonic() + seconds
    with ExitStack() as stack:
        for path in sorted(set(paths)):
            stack.enter_context(_locked(path, by, end))
        yield


@contextmanager
def _locked(path: str, by: str, end: float) -> Iterator[None]:
    name = f"{path}.lock"
    try:
        descriptor = _taken(name, path, end)
    except OSError as fault:
        raise StoreError(
            "lock-failed",
            f"the lock `{name}` could not be made",
            because=(fault.strerror or str(fault)).lower(),
            hint="give this user the right to write in that directory",
        ) from fault
    try:
        ours = _sign(descriptor, by)
        try:
            yield
        finally:
            if ours:  # a lock file that somebody else made stays theirs
                with suppress(OSError):
                    os.unlink(name)
    finally:
        close(descriptor)


def _taken(name: str, path: str, end: float) -> int:
    """Open and lock the file that has the name now; one that was removed meanwhile is left."""
    while True:
        descriptor = os.open(name, FLAGS, 0o600)
        try:
            while not _try(descriptor):
                if time.monotonic() >= end:
                    raise _held(path, descriptor)
                time.sleep(PAUSE)
            if _is_named(descriptor, name):
                return descriptor
        except BaseException:
            close(descriptor)
            raise
        close(descriptor)


def _try(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as fault:
        if fault.errno not in BUSY:
            raise
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        return False
    return True


def _is_named(descriptor: int, name: str) -> bool:
    try:
        there = os.lstat(name)
    except FileNotFoundError:
        return False
    mine = os.fstat(descriptor)
    return (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino)


def _sign(descriptor: int, by: str) -> bool:
    """Say in the lock file who holds it. False when its content is somebody else's."""
    said = _read(descriptor)
    if os.fstat(descriptor).st_size and "pid" not in said:
        return False
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    text = json.dumps({"pid": os.getpid(), "by": by[:100], "since": now}) + "\n"
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, text.encode("ascii"), 0)
    return True


def _read(descriptor: int) -> dict[str, object]:
    try:
        found = json.loads(os.pread(descriptor, MOST_SAID, 0))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _held(path: str, descriptor: int) -> StoreError:
    return StoreError(
        "config-locked",
        f"Config locked: `{path}` is being changed by somebody else",
        because=_holder(_read(descriptor)),
        hint="try again when that is done",
    )


def _holder(said: dict[str, object]) -> str:
    """Say who holds a lock, as far as the lock file tells."""
    pid = said.get("pid")
    if not isinstance(pid, int) or not 0 < pid < 1 << 31:
        return "another process holds the lock"
    lives = "which runs" if stat_fields(pid) else "which is not seen from here"
    by, since = str(said.get("by"))[:100], str(said.get("since"))[:40]
    return f"process {pid} of {by!r} holds the lock since {since}, {lives}"
