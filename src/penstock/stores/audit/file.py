"""Hold the file of the log: its lock, its end, and writing to it in one piece.

Nothing here knows about chains. `jsonl` decides what is written; this module makes sure that
it lands at the end of the file that the log's name leads to, whole or not at all.
Always true: between `lock` and `unlock` no other process that keeps to the lock writes, and
after a failed write the file is as long as before or `end` no longer says so.
"""

from __future__ import annotations

import os
import time
from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock

from penstock.core.errors import AuditError
from penstock.stores.audit.segments import Tail, read_tail, require_plain
from penstock.stores.system.os_errors import busy, is_there, shut, telling, wrong_permissions

OPEN = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
MOST_TRIES = 1000
MOST_TORN = 100_000
ALONE = LOCK_EX | LOCK_NB


class LogFile:
    """The open log. Made for one thread at a time."""

    def __init__(self, path: str, *, wait: float) -> None:
        self.fd = -1  # first, as it is what is given back at the end
        self.path = path
        self.named = True
        """False while the file's name may not have reached the disk."""
        self._identity = (-1, -1)
        self._wait = wait

    def __del__(self) -> None:
        """Give the descriptor back: a server opens many logs in its life."""
        self.drop()

    def lock(self) -> None:
        """Take the lock, opening or making the file where need be."""
        if self.fd < 0:
            self._open()
        take_lock(self.fd, self.path, wait=self._wait)

    def unlock(self) -> None:
        """Give the lock back, if we have it."""
        if self.fd >= 0:
            try:
                flock(self.fd, LOCK_UN)
            except OSError:
                self.drop()  # closing gives it back, too

    def _open(self) -> None:
        with telling(self.path):
            fd = os.open(self.path, OPEN, 0o600)
            try:
                status = require_plain(fd, self.path)
                if status.st_mode & 0o022 or status.st_uid not in (os.geteuid(), 0):
                    raise wrong_permissions(self.path, status.st_mode)
                if status.st_mode & 0o077:  # a copy or a checkout made it readable
                    os.fchmod(fd, 0o600)
            except BaseException:
                shut(fd)
                raise
        self.fd, self._identity = fd, (status.st_dev, status.st_ino)
        self.named = self.named and status.st_size > 0

    def drop(self) -> None:
        """Close the file, and with it give up the lock."""
        if self.fd >= 0:
            shut(self.fd)
        self.fd = -1

    def is_current(self) -> bool:
        """Say whether the log's name still leads to the file that we have open."""
        try:
            status = os.stat(self.path, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return (status.st_dev, status.st_ino) == self._identity

    def require_current(self) -> None:
        """Make sure that we hold the lock of the file that the name leads to."""
        for _ in range(MOST_TRIES):
            if self.is_current():
                return
            self.drop()
            self.lock()
        raise busy(self.path, self._wait)

    def tail(self) -> Tail:
        """Return the last whole line and what is torn after it."""
        return read_tail(self.fd, os.fstat(self.fd).st_size)

    def put(self, data: bytes, at: int) -> None:
        """Write all of the data at the end, which is `at`, or take back what was written."""
        done = 0
        try:
            while done < len(data):
                done += os.write(self.fd, data[done:])
        except OSError:
            os.ftruncate(self.fd, at)
            raise

    def cut(self, end: int) -> None:
        """Take off what stands after `end`."""
        os.ftruncate(self.fd, end)

    def rename_out(self, name: str) -> bool:
        """Give the file another name and let go of it; False when that cannot be done."""
        os.fdatasync(self.fd)
        if is_there(name):
            return False
        try:
            os.rename(self.path, name)
        except OSError:
            return False
        self.named = False
        self.drop()
        return True


def take_lock(fd: int, path: str, *, wait: float) -> None:
    """Take the lock of an open file, waiting for it with growing pauses.

    A holder that was stopped cannot stop us for ever: AuditError `audit-busy` after `wait`.
    """
    deadline = 0.0
    pause = 0.00005
    while True:
        try:
            with telling(path):
                flock(fd, ALONE)
        except AuditError as error:
            if not isinstance(error.__cause__, BlockingIOError):
                raise
        else:
            return
        deadline = deadline or time.monotonic() + wait
        if time.monotonic() > deadline:
            raise busy(path, wait)
        time.sleep(pause)
        pause = min(pause * 1.5, 0.005)


def keep_aside(path: str, data: bytes) -> str:
    """Write what is set aside from a log into a file of its own; return that file's name."""
    for number in range(1, MOST_TORN):
        name = f"{path}.torn-{number}"
        try:
            fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            continue
        try:
            with open(fd, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(fd)
        except OSError:
            os.unlink(name)
            raise
        return os.path.basename(name)
    raise busy(path, 0)


def sync_directory(path: str) -> None:
    """Wait until the names in a file's directory have reached the disk."""
    fd = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        shut(fd)
