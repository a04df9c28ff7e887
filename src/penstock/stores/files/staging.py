"""Write a temporary file beside its target, complete and flushed, with the target's attributes.

Bytes go out as they came in: no encoding, no byte order mark, no line end is touched.
A file that replaces another takes its mode (without setuid, setgid and sticky), its owner where
this user may give files away, and its extended attributes, which is where access lists and
labels live. Capabilities and integrity marks belong to the old content and are not taken along.
Always true: what this leaves under the temporary name is what will stand under the real one.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.file_mode import FileMode, permissions
from penstock.stores.files.contents import close
from penstock.stores.files.rename import write_whole

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
HAS_XATTRS = hasattr(os, "listxattr")
KEPT_MODE = 0o777
ABOUT_OLD_CONTENT = frozenset({"security.capability", "security.ima", "security.evm"})
# What file systems without modes or attributes answer; anything else is a real failure.
NOT_KEPT = frozenset({errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS})


class Attributes(Struct, frozen=True, kw_only=True):
    """What a new file takes over from the one that it replaces."""

    mode: int
    owner: int
    group: int
    extra: tuple[tuple[str, bytes], ...] = ()


def attributes_of(descriptor: int, status: os.stat_result) -> Attributes:
    """Return an open file's attributes, as many as this user may see."""
    return Attributes(
        mode=status.st_mode & KEPT_MODE,
        owner=status.st_uid,
        group=status.st_gid,
        extra=tuple(_extra(descriptor)) if HAS_XATTRS else (),
    )


def _extra(descriptor: int) -> Iterator[tuple[str, bytes]]:
    try:
        names = os.listxattr(descriptor)
    except OSError:
        return
    for name in names:
        if name not in ABOUT_OLD_CONTENT:
            with suppress(OSError):
                yield name, os.getxattr(descriptor, name)


class StagedFile(Struct, frozen=True, kw_only=True):
    """A temporary file as it lies there, and what of the old one could not be kept."""

    status: os.stat_result
    notes: tuple[str, ...] = ()


def write_link(folder: int, temp: str, target: bytes) -> StagedFile:
    """Make a symbolic link under a temporary name; its directory's flush brings it to the disk."""
    os.symlink(target, os.fsencode(temp), dir_fd=folder)
    return StagedFile(status=os.stat(temp, dir_fd=folder, follow_symlinks=False))


def write_temp(
    folder: int,
    temp: str,
    new: bytes,
    like: Attributes | None,
    *,
    mode: FileMode | None = None,
    flush: bool,
) -> StagedFile:
    """Write `new` under a temporary name. `like` is None for a file that is created."""
    # A created file gets its mode from the kernel, which knows the umask and the directory's
    # access list. One that replaces another stays private until it has the other's mode.
    fresh = 0o777 if mode is FileMode.EXECUTABLE else 0o666
    descriptor = os.open(temp, NEW_FILE, fresh if like is None else 0o600, dir_fd=folder)
    try:
        write_whole(descriptor, new)
        notes = () if like is None else tuple(_dress(descriptor, _as_mode(like, mode)))
        if flush:
            flush_file(descriptor)
        status = os.fstat(descriptor)
    except BaseException:
        close(descriptor)
        raise
    _close_written(descriptor)
    return StagedFile(status=status, notes=notes)


def _as_mode(like: Attributes, mode: FileMode | None) -> Attributes:
    return like if mode is None else replace(like, mode=permissions(like.mode, mode))


def _close_written(descriptor: int) -> None:
    """Close after writing: here an error can mean that bytes were lost (NFS, quotas)."""
    with suppress(InterruptedError):
        os.close(descriptor)


def _dress(descriptor: int, like: Attributes) -> Iterator[str]:
    """Give a file another's attributes; the mode comes last, because chown clears bits of it."""
    status = os.fstat(descriptor)
    if (status.st_uid, status.st_gid) != (like.owner, like.group):
        yield from _give(descriptor, like)
    for name, value in like.extra:
        with _best_effort() as failed:
            os.setxattr(descriptor, name, value)
        if failed:
            yield f"the attribute `{name}` could not be kept"
    with _best_effort() as failed:
        os.fchmod(descriptor, like.mode)
    if failed:
        yield f"the mode {like.mode:04o} could not be kept"


def _give(descriptor: int, like: Attributes) -> Iterator[str]:
    with _best_effort() as failed:
        os.fchown(descriptor, like.owner, like.group)
    if not failed:
        return
    yield f"the owner {like.owner}:{like.group} could not be kept"
    with suppress(OSError):  # one's own groups can be given without privilege
        os.fchown(descriptor, -1, like.group)


@contextmanager
def _best_effort() -> Iterator[list[OSError]]:
    """Collect, rather than raise, the errors of a system that cannot keep an attribute."""
    failed: list[OSError] = []
    try:
        yield failed
    except OSError as problem:
        if problem.errno not in NOT_KEPT:
            raise
        failed.append(problem)


def flush_file(descriptor: int) -> None:
    """Bring a file's content to the disk itself, past the disk's own cache where that is apart."""
    full = getattr(fcntl, "F_FULLFSYNC", None)  # macOS: its fsync stops at the disk's cache
    if full is not None:
        with suppress(OSError):  # a network volume knows fsync only
            fcntl.fcntl(descriptor, full)
            return
    os.fsync(descriptor)


def flush_folder(descriptor: int) -> None:
    """Bring a directory's names to the disk; some file systems have nothing to flush there."""
    try:
        flush_file(descriptor)
    except OSError as problem:
        if problem.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP):
            raise
