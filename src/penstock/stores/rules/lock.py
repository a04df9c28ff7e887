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
from penstock.stores.files.contents import close
from penstock.stores.system.process import stat_fields

FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
SECONDS = 10.0
PAUSE = 0.02
BUSY = frozenset({errno.EACCES, errno.EAGAIN})
MOST_SAID = 1000
LOCKS = "/proc/locks"
MOST_LOCKS = 1 << 20


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
            f"the lock `{name}` could not be created",
            because=(fault.strerror or str(fault)).lower(),
            hint="fix the permissions of that directory",
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
        f"Config locked: `{path}` is being changed by another process",
        because=_holder(_read(descriptor), os.fstat(descriptor)),
        hint="try again when that is done",
    )


def _holder(said: dict[str, object], status: os.stat_result) -> str:
    """Say who holds a lock: what the lock file tells, else the process that the kernel knows."""
    pid = said.get("pid")
    told = isinstance(pid, int) and 0 < pid < 1 << 31
    lives = told and isinstance(pid, int) and bool(stat_fields(pid))
    known = 0 if lives else _known_to_kernel(status)
    if known or not told:  # it may be the lock file of one who died
        return f"process {known} holds the lock" if known else "another process holds the lock"
    by, since = str(said.get("by"))[:100], str(said.get("since"))[:40]
    seen = "it is running" if lives else "it is not visible from here"
    return f"process {pid} of `{by}` has held the lock since {since}; {seen}"


def _known_to_kernel(status: os.stat_result) -> int:
    """Return the process that has a lock on a file; 0 where that cannot be found out."""
    try:
        with open(LOCKS, "rb") as file:
            lines = file.read(MOST_LOCKS).decode("ascii", "replace").splitlines()
    except OSError:
        return 0
    inode = str(status.st_ino)
    for line in lines:
        # `1: FLOCK  ADVISORY  WRITE 4711 fd:01:1311 0 EOF`; who waits has `->` as its second word.
        words = line.split()
        if len(words) > 5 and words[5].rpartition(":")[2] == inode and words[4].isdigit():
            return int(words[4])
    return 0
