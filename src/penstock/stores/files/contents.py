"""Read a file by its descriptor, and make sure that nobody is writing it meanwhile.

A digest tells what a file held while we read it. An editor that opened the file before we
took it away could still write into it afterwards, and that save would vanish with the file.
So before a file is dropped we ask the kernel for a read lease: it is refused while anyone has
the file open for writing, and it tells us when someone tries to.
Leases exist on Linux, for files of our own user (or with CAP_LEASE), on local file systems.
Elsewhere the digest alone decides, and a writer that holds the file open can be missed.
Always true: reading is bounded by the size that the file had when we began.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO

from penstock.core.digest import digest_of_pieces
from penstock.core.errors import StoreError

PIECE = 1 << 20
TRIES = 3
# A save in place takes well below a millisecond; whoever holds a file open for longer than
# all these waits together is told as "busy" rather than waited for.
WAITS = 60
WAIT_SECONDS = 0.005

READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
HAS_LEASES = hasattr(fcntl, "F_SETLEASE")


def pieces(descriptor: int, start: int, end: int) -> Iterator[bytes]:
    """Return the bytes from `start` to `end` in pieces; fewer when the file ends before."""
    while start < end:
        piece = os.pread(descriptor, min(PIECE, end - start), start)
        if not piece:
            return
        start += len(piece)
        yield piece


def _with_one_more(descriptor: int, size: int) -> Iterator[bytes]:
    """Return the pieces and one byte beyond, so that a file that grew has another digest."""
    yield from pieces(descriptor, 0, size)
    beyond = os.pread(descriptor, 1, size)
    if beyond:
        yield beyond


def digest_of(descriptor: int, status: os.stat_result) -> str:
    """Return the digest of everything in an open file whose status was just taken."""
    return digest_of_pieces(_with_one_more(descriptor, status.st_size))


def whole(descriptor: int) -> bytes:
    """Return everything in an open file, read again when it changed size meanwhile."""
    data = b""
    for _ in range(TRIES):
        made = BytesIO()  # which hands over what it holds, where `join` would hold it twice
        made.writelines(_with_one_more(descriptor, os.fstat(descriptor).st_size))
        data = made.getvalue()
        if len(data) == os.fstat(descriptor).st_size:
            break
    return data


def close(descriptor: int) -> None:
    """Close what was only read. An error here says nothing about any content."""
    try:  # once: the number is free even when EINTR is reported
        os.close(descriptor)
    except OSError:
        return


class LeasedFile:
    """An open regular file, with a read lease where the kernel grants one.

    `quiet` is true when no process has it open for writing (or when that cannot be known).
    """

    def __init__(self, folder: int, name: str) -> None:
        self.descriptor = os.open(name, READING, dir_fd=folder)
        self._leased = False
        try:
            self.quiet = self._wait_for_writers()
            self.status = os.fstat(self.descriptor)  # after the wait: the size is the last one
        except BaseException:
            close(self.descriptor)
            raise
        self.regular = stat.S_ISREG(self.status.st_mode)

    def __enter__(self) -> LeasedFile:
        return self

    def __exit__(self, *problem: object) -> None:
        if self._leased:
            # Closing would do, unless a child forked meanwhile still holds the descriptor.
            self._leased = False
            with suppress(OSError):
                fcntl.fcntl(self.descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        close(self.descriptor)

    def digest(self) -> str:
        """Return the digest of what it holds."""
        return digest_of(self.descriptor, self.status)

    def holds(self, digest: str) -> bool:
        """True when it holds this content and nobody is about to change it."""
        return self.regular and self.quiet and self.digest() == digest and self._still_quiet()

    def _wait_for_writers(self) -> bool:
        if not HAS_LEASES:
            return True
        # A broken lease sends SIGIO, which would end the process. SIGURG is ignored unless
        # somebody asked for it; we look at the lease instead of waiting for the signal.
        try:
            fcntl.fcntl(self.descriptor, fcntl.F_SETSIG, signal.SIGURG)
        except OSError:
            return True
        for _ in range(WAITS):
            try:
                fcntl.fcntl(self.descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            except OSError as problem:
                if problem.errno != errno.EAGAIN:
                    return True  # not our file, or a file system without leases
                time.sleep(WAIT_SECONDS)
            else:
                self._leased = True
                return True
        return False

    def _still_quiet(self) -> bool:
        if not self._leased:
            return True
        return fcntl.fcntl(self.descriptor, fcntl.F_GETLEASE) == fcntl.F_RDLCK


class FileSource:
    """A Source over an open file; closes itself when dropped or left."""

    def __init__(self, descriptor: int, shown: str) -> None:
        self._descriptor = descriptor
        self._shown = shown
        self._size = os.fstat(descriptor).st_size

    @property
    def size(self) -> int:
        """How many bytes there were when it was opened."""
        return self._size

    def read(self, offset: int, length: int) -> bytes:
        """Return up to `length` bytes from `offset`; fewer only at the end."""
        end = min(offset + length, self._size)
        try:
            return b"".join(pieces(self._descriptor, offset, end))
        except OSError as problem:
            raise StoreError(
                "read-failed", f"`{self._shown}` cannot be read", because=str(problem.strerror)
            ) from problem

    def close(self) -> None:
        """Close the file; reading afterwards is a StoreError."""
        if self._descriptor >= 0:
            close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> FileSource:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()
