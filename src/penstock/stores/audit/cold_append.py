"""Append one line to the log from a process that has just started and ends at once.

What `jsonl` does, for the hook's fast path: it handles the one case that is nearly
always there, a sound log with room in it that ends where it is remembered to end, and leaves
every other (no log yet, an unfinished line, a rotation, a busy lock, a clock that went back, a
log that was cut or rewritten, a checkpoint that is due) to `jsonl`.
Always true: None means that nothing was written; the head that is remembered moves with the
line; nothing is imported but what the kernel's calls and the line itself need.
"""

import fcntl
import posix
import time

from penstock.core.audit.chain import link, place, stated_hash
from penstock.core.audit.head_slots import (
    BOOT,
    END,
    LATEST,
    SIGNED,
    is_due,
    latest_slot,
    read_signed,
)

FLAGS = posix.O_RDWR | posix.O_APPEND | posix.O_CLOEXEC | posix.O_NOFOLLOW | posix.O_NONBLOCK
KEPT = posix.O_RDWR | posix.O_CLOEXEC | posix.O_NOFOLLOW | posix.O_NONBLOCK
BOOT_ID = "/proc/sys/kernel/random/boot_id"
WINDOW = 8192
REGULAR = 0o100000
TRIES, PAUSE = 25, 0.002  # for a lock that others hold, as in a burst, for the time of one line
ROTATED = b',"op":"log_rotated",'


class ColdLog:
    """Where a log lies, where its head is remembered, and when it rotates and is signed."""

    __slots__ = ("events", "memory", "path", "rotate_at", "seconds")

    def __init__(self, path: str, memory: str, rotate_at: int, events: int, seconds: float) -> None:
        self.path = path
        self.memory = memory
        self.rotate_at = rotate_at
        self.events = events
        self.seconds = seconds


def append_cold(log: ColdLog, body: bytes, ts: str, now: float) -> "tuple[int, str, str] | None":
    """Add one line that `compose` made; return its number, the hash before it and its own."""
    try:
        fd = posix.open(log.path, FLAGS)
    except (OSError, ValueError):
        return None
    head = -1
    try:
        if not _locked(fd):
            return None
        head = posix.open(log.memory, KEPT)
        return _added(fd, head, log, body, ts, now)
    except OSError:
        return None
    finally:
        posix.close(fd)
        if head >= 0:
            posix.close(head)


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
    fd: int, head: int, log: ColdLog, body: bytes, ts: str, now: float
) -> "tuple[int, str, str] | None":
    status, named = posix.fstat(fd), posix.lstat(log.path)
    size = status.st_size
    if (status.st_dev, status.st_ino) != (named.st_dev, named.st_ino):
        return None
    if status.st_mode != REGULAR | 0o600 or not 0 < size < log.rotate_at - len(body) - 400:
        return None
    end = posix.pread(fd, WINDOW, max(0, size - WINDOW))
    if end[-1:] != b"\n":
        return None
    line = end[end.rfind(b"\n", 0, -1) + 1 : -1]
    prev = stated_hash(line)
    last_ts, last = place(line)
    if not prev or last < 0 or ts < last_ts or ROTATED in line:
        return None
    boot = _this_boot()
    if not _goes_on(posix.pread(head, END, 0), log, last, prev, boot, now):
        return None
    data, own = link(ts, last + 1, body, prev)
    written = posix.write(fd, data)
    if written != len(data):
        posix.ftruncate(fd, size)
        return None
    posix.pwrite(head, latest_slot(last + 1, own, boot), LATEST)
    return last + 1, prev, own


def _goes_on(known: bytes, log: ColdLog, last: int, prev: str, boot: bytes, now: float) -> bool:
    """Say whether the log ends where it is remembered to end, and need not be signed now."""
    signed = read_signed(known)
    if signed is None or known[LATEST:SIGNED] != latest_slot(last, prev, boot):
        return False
    entries, seconds = last + 2 - signed[0], now - signed[1]
    return not is_due(entries, seconds, log.events, log.seconds)


def _this_boot() -> bytes:
    try:
        fd = posix.open(BOOT_ID, posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return posix.read(fd, BOOT)
    finally:
        posix.close(fd)
