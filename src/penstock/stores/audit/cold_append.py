"""Append one line to the log from a process that has just started and ends at once.

What `jsonl` does, for the hook's fast path: it handles the one case that is nearly
always there, a sound log with room in it, and leaves every other (no log yet, an unfinished
line, a rotation, a busy lock, a clock that went back) to `jsonl`.
Always true: None means that nothing was written; nothing is imported but what the kernel's
calls and the line itself need.
"""

import fcntl
import posix
import time

from penstock.core.audit.chain import link, place, stated_hash

FLAGS = posix.O_RDWR | posix.O_APPEND | posix.O_CLOEXEC | posix.O_NOFOLLOW | posix.O_NONBLOCK
WINDOW = 8192
REGULAR = 0o100000
TRIES, PAUSE = 25, 0.002  # for a lock that others hold, as in a burst, for the time of one line
ROTATED = b',"op":"log_rotated",'


def append_cold(
    path: str, body: bytes, ts: str, *, rotate_at: int
) -> "tuple[int, str, str] | None":
    """Add one line that `compose` made; return its number, the hash before it and its own."""
    try:
        fd = posix.open(path, FLAGS)
    except (OSError, ValueError):
        return None
    try:
        if not _locked(fd):
            return None
        return _added(fd, path, body, ts, rotate_at)
    except OSError:
        return None
    finally:
        posix.close(fd)


def _locked(fd: int) -> bool:
    """Take the lock; whoever holds it for longer is `jsonl`'s to wait for."""
    for _ in range(TRIES):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(PAUSE)
        else:
            return True
    return False


def _added(
    fd: int, path: str, body: bytes, ts: str, rotate_at: int
) -> "tuple[int, str, str] | None":
    status, named = posix.fstat(fd), posix.lstat(path)
    size = status.st_size
    if (status.st_dev, status.st_ino) != (named.st_dev, named.st_ino):
        return None
    if status.st_mode != REGULAR | 0o600 or not 0 < size < rotate_at - len(body) - 400:
        return None
    end = posix.pread(fd, WINDOW, max(0, size - WINDOW))
    if end[-1:] != b"\n":
        return None
    line = end[end.rfind(b"\n", 0, -1) + 1 : -1]
    prev = stated_hash(line)
    last_ts, last = place(line)
    if not prev or last < 0 or ts < last_ts or ROTATED in line:
        return None
    data, own = link(ts, last + 1, body, prev)
    written = posix.write(fd, data)
    if written != len(data):
        posix.ftruncate(fd, size)
        return None
    return last + 1, prev, own
