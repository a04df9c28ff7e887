"""Swap or move two names of one directory, with the kernel's condition or a stand-in for it.

With `renameat2` (Linux) or `renameatx_np` (macOS) a swap is one step: whatever had the name at
that moment is in our hands afterwards, and can be looked at and given back.
Where a file system has no such call, the stand-in gives the old file a second name, renames
the new one over the first, and hands out the second. Every Penstock holds the directory's lock
meanwhile and looks at the content right before; a program that ignores the lock and saves by
rename between that look and the rename is overwritten. That gap, some microseconds wide, is
what the exchange closes and what remains without it.
Always true: at every moment the name stands for the old file or for the new one.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress

from msgspec import Struct

from penstock.stores.files import syscalls
from penstock.stores.files.beneath import ident_at, look
from penstock.stores.files.contents import READING, close, pieces

SPARE = ".old"  # after a temporary name: the second name of the file that the stand-in replaces
NO_LINKS_HERE = frozenset(
    {errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}
)

Check = Callable[[], None]


class Renames(Struct, frozen=True, kw_only=True):
    """The way to swap and move names. `atomic` asks for the kernel's condition first.

    `recheck` is called before a stand-in acts; it raises when the base is not there any more.
    """

    atomic: bool

    def exchange(self, folder: int, temp: str, name: str, *, recheck: Check) -> None:
        """Swap two names that exist."""
        if self.atomic:
            with suppress(syscalls.UnsupportedCall):
                return syscalls.exchange(folder, temp, name)
        recheck()
        return _swap_by_steps(folder, temp, name)

    def move(self, folder: int, old: str, new: str, *, recheck: Check) -> None:
        """Rename unless `new` exists (FileExistsError)."""
        if self.atomic:
            with suppress(syscalls.UnsupportedCall):
                return syscalls.move(folder, old, new)
        recheck()
        return _move_by_steps(folder, old, new)


def _swap_by_steps(folder: int, temp: str, name: str) -> None:
    spare = temp + SPARE
    _second_name(folder, name, spare)
    try:
        os.rename(temp, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with suppress(OSError):
            os.unlink(spare, dir_fd=folder)
        raise
    os.rename(spare, temp, src_dir_fd=folder, dst_dir_fd=folder)


def _move_by_steps(folder: int, old: str, new: str) -> None:
    try:
        os.link(old, new, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as problem:
        if problem.errno not in NO_LINKS_HERE:
            raise
        if look(folder, new) is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new) from None
        os.rename(old, new, src_dir_fd=folder, dst_dir_fd=folder)
    else:
        os.unlink(old, dir_fd=folder)


def _second_name(folder: int, name: str, spare: str) -> None:
    """Link the file, or copy it where there are no links (FAT and its like)."""
    try:
        os.link(name, spare, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as problem:
        if problem.errno not in NO_LINKS_HERE:
            raise
        _copy(folder, name, spare)


def _copy(folder: int, name: str, spare: str) -> None:
    source = os.open(name, READING, dir_fd=folder)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        target = os.open(spare, flags, 0o600, dir_fd=folder)
        try:
            status = os.fstat(source)
            for piece in pieces(source, 0, status.st_size):
                write_whole(target, piece)
            os.fchmod(target, status.st_mode & 0o777)
            os.fsync(target)
        finally:
            close(target)
    finally:
        close(source)


def write_whole(descriptor: int, data: bytes) -> None:
    """Write every byte; a short write is continued."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def tidy(folder: int, temp: str, name: str) -> None:
    """End a stand-in that was interrupted, so that it either happened or did not.

    A spare without its temporary file: the rename happened, and the spare is what came out.
    One file under both names: a move that only linked; the temporary name goes.
    """
    spare = temp + SPARE
    if look(folder, spare) is not None:
        if look(folder, temp) is None:
            os.rename(spare, temp, src_dir_fd=folder, dst_dir_fd=folder)
        else:
            os.unlink(spare, dir_fd=folder)
    held = ident_at(folder, temp)
    if held is not None and held == ident_at(folder, name):
        os.unlink(temp, dir_fd=folder)
