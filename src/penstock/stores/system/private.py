"""Directories and files that only their owner can read: 0700 and 0600.

The queue, the images, the keys and the tokens are kept this way. Nothing here follows a symbolic
link in the last place, so a name prepared by someone else leads nowhere. What a token admits to
is its door's to say.
Always true: a file is whole or absent under its name, also after a power cut. Several processes
that need a token at once get the same one; a token file that others could have read, or that
holds anything else, is an error and is never used.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from penstock.core.errors import StoreError
from penstock.stores.system.os_errors import is_there
from penstock.stores.system.places import RUN_SOCKET, exists

OWN_FILE, OWN_DIR = 0o600, 0o700
OTHERS, OTHERS_WRITE = 0o077, 0o022
TOKEN_BYTES, ID_BYTES = 32, 8
TEMP_PREFIX = ".penstock-new-"

FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# NONBLOCK: a pipe under the name of a file would otherwise keep us waiting for its writer.
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK

WHY: Mapping[int, tuple[str, str]] = {
    errno.ENOSPC: ("disk-full", "free some space on that disk, then try again"),
    errno.EDQUOT: ("disk-full", "free some space or raise the quota, then try again"),
    errno.EFBIG: ("disk-full", "raise the limit on file sizes, then try again"),
    errno.EROFS: ("read-only", "mount the file system writable, or move the state elsewhere"),
    errno.EACCES: ("no-access", "fix the permissions"),
    errno.EPERM: ("no-access", "fix the permissions"),
    errno.ELOOP: ("is-symlink", "remove the link; state is never stored behind links"),
    errno.ENOTDIR: ("state-blocked", "move the file away; a directory is expected there"),
    errno.EIO: ("disk-broken", "check the disk"),
}


def failed(problem: OSError, doing: str, path: str) -> StoreError:
    """Return our error for one of the kernel's."""
    code, hint = WHY.get(problem.errno or 0, ("disk-failed", "check the disk"))
    if problem.errno == errno.EROFS and exists(RUN_SOCKET):
        hint = "this is an isolated run, which can't use Penstock's state: use your own terminal"
    because = os.strerror(problem.errno).lower() if problem.errno else str(problem)
    return StoreError(code, f"could not {doing} `{path}`", because=because, hint=hint)


@contextmanager
def told(doing: str, path: str) -> Iterator[None]:
    """Turn whatever the kernel says inside the block into our own error."""
    try:
        yield
    except OSError as problem:
        raise failed(problem, doing, path) from problem
    except ValueError as problem:  # a NUL, or text that no file name can hold
        raise StoreError("bad-path", f"`{path}` is not a path", because=str(problem)) from None


def private_dir(path: str) -> str:
    """Make a directory for the owner alone, or check that it is one; return it absolute."""
    path = os.path.abspath(path)
    with told("make the directory", path):
        with suppress(FileExistsError):
            _make(path)
        _check_dir(path, os.lstat(path))
    return path


def _make(path: str) -> None:
    """Make a directory and what is missing above it, each for the owner alone."""
    parent = os.path.dirname(path)
    if parent != path and not os.path.isdir(parent):
        with suppress(FileExistsError):
            _make(parent)
    os.mkdir(path, OWN_DIR)
    sync_dir(parent)


def _check_dir(path: str, status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, "a symbolic link", path)
    if not stat.S_ISDIR(status.st_mode):
        raise OSError(errno.ENOTDIR, "not a directory", path)
    if os.geteuid() not in (0, status.st_uid):
        raise _exposed(path, "it belongs to another user")
    if status.st_mode & OTHERS_WRITE:
        raise _exposed(path, "others can write to it")
    if stat.S_IMODE(status.st_mode) & OTHERS:
        os.chmod(path, OWN_DIR)


def _exposed(path: str, because: str) -> StoreError:
    hint = f"use a directory that you own, or run `chmod 700 {path}`"
    return StoreError("state-exposed", f"`{path}` is not private", because=because, hint=hint)


def sync_dir(path: str) -> None:
    """Make what was created or renamed in a directory survive a power cut."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        sync(folder)
    finally:
        os.close(folder)


def sync(descriptor: int) -> None:
    """Wait until what was written is on the disk itself."""
    if hasattr(fcntl, "F_FULLFSYNC"):  # macOS: fsync alone stops at the drive's cache
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)


@contextmanager
def locked(folder: str, *, shared: bool = False) -> Iterator[None]:
    """Hold the lock of a directory; other processes that ask for it wait meanwhile."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)  # the lock goes with it


def open_plain(path: str) -> int:
    """Open a regular file for reading, through no link. OSError for anything else."""
    descriptor = os.open(path, READ)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return descriptor


def read_file(path: str, *, limit: int) -> bytes | None:
    """Return a small file's content, or None. Of a larger one, one byte more than `limit`."""
    try:
        descriptor = open_plain(path)
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as file:
        return file.read(limit + 1)


def write_file(folder: str, name: str, data: bytes, *, replace: bool) -> bool:
    """Put a file in place, whole and on the disk; False when it exists and may not be replaced."""
    with locked(folder):
        if not replace and is_there(os.path.join(folder, name)):
            return False
        put_file(folder, name, data)
    return True


def put_file(folder: str, name: str, data: bytes) -> None:
    """Put a file in place; whoever asks holds the lock of the directory."""
    fresh = fresh_name(folder)
    try:
        write_fresh(fresh, data)
        os.rename(fresh, os.path.join(folder, name))
    except BaseException:
        with suppress(OSError):
            os.unlink(fresh)
        raise
    sync_dir(folder)


def fresh_name(folder: str) -> str:
    """Return a name to build a file under; whoever asks holds the lock of the directory.

    So whatever has such a name already was left by a crash, and is removed.
    """
    for name in os.listdir(folder):
        if name.startswith(TEMP_PREFIX):
            with suppress(OSError):
                os.unlink(os.path.join(folder, name))
    return os.path.join(folder, TEMP_PREFIX + os.urandom(8).hex())


def write_fresh(path: str, data: bytes) -> None:
    """Write a file that does not exist yet, for the owner alone, onto the disk."""
    with open(os.open(path, FRESH, OWN_FILE), "wb") as file:
        file.write(data)
        file.flush()
        sync(file.fileno())


def kept_token(folder: str, name: str) -> str:
    """Return the token of this name, 64 hexadecimal digits."""
    folder = private_dir(folder)
    path = os.path.join(folder, name)
    with told("keep the token", path):
        if not os.path.lexists(path):
            write_file(folder, name, os.urandom(TOKEN_BYTES).hex().encode() + b"\n", replace=False)
        return _read_token(path)


def kept_id(folder: str, name: str, *, make: bool) -> str:
    """Return a random id that is no secret, 16 digits; "" where there is none and `make` is no."""
    path = os.path.join(folder, name)
    with told("keep the id", path):
        if make and not os.path.lexists(path):
            fresh = os.urandom(ID_BYTES).hex().encode() + b"\n"
            write_file(private_dir(folder), name, fresh, replace=False)
        found = read_file(path, limit=2 * ID_BYTES) or b""
    return found[: 2 * ID_BYTES].decode("ascii", "replace")


def _read_token(path: str) -> str:
    length = 2 * TOKEN_BYTES
    with open(open_plain(path), "rb") as file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        text = file.read(length + 2).decode("ascii", "replace").rstrip("\n")
    if mode & OTHERS:
        raise _bad_token(path, f"its mode is {mode:04o}, so others may have read it")
    if len(text) != length or text.strip("0123456789abcdef"):
        raise _bad_token(path, "it does not hold a token")
    return text


def _bad_token(path: str, because: str) -> StoreError:
    hint = f"delete {path}, then register the hook again"
    return StoreError("bad-token-file", f"`{path}` can't be used", because=because, hint=hint)
