"""What the record's stores say when they cannot: one table from the kernel's errors to ours.

Always true: an OSError never leaves a store of the record as itself, and its code is stable.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from penstock.core.errors import AuditError

FAULTS: Mapping[int, tuple[str, str, str]] = {
    errno.ENOENT: (
        "audit-no-directory",
        "the directory of `{path}` does not exist",
        "create its directory",
    ),
    errno.ENOTDIR: (
        "audit-no-directory",
        "the directory of `{path}` does not exist",
        "name a directory",
    ),
    errno.ELOOP: (
        "audit-symlink",
        "`{path}` is a symbolic link; the audit log never follows links",
        "remove the link and find out who created it",
    ),
    errno.EACCES: ("audit-read-only", "`{path}` is not writable", "fix its permissions"),
    errno.EPERM: ("audit-read-only", "`{path}` is not writable", "look for an immutable flag"),
    errno.EROFS: ("audit-read-only", "`{path}` is not writable", "mount it writable"),
    errno.ENOSPC: ("audit-disk-full", "the disk that holds `{path}` is full", "free some space"),
    errno.EDQUOT: ("audit-disk-full", "the quota for `{path}` is used up", "free some space"),
    errno.EFBIG: ("audit-disk-full", "`{path}` can't grow further", "raise the limit"),
    errno.EISDIR: ("audit-not-a-file", "`{path}` is not a regular file", "move it away"),
    errno.ENXIO: ("audit-not-a-file", "`{path}` is not a regular file", "move it away"),
}
OTHERWISE = ("audit-io", "can't write the audit log `{path}`", "check the disk")


def told(error: OSError, path: str) -> AuditError:
    """Return the error that people see in place of the kernel's."""
    code, message, hint = FAULTS.get(error.errno or 0, OTHERWISE)
    reason = os.strerror(error.errno).lower() if error.errno else str(error)
    return AuditError(code, message.format(path=path), because=reason, hint=hint)


@contextmanager
def telling(path: str) -> Iterator[None]:
    """Turn the kernel's errors into ours for as long as the block runs."""
    try:
        yield
    except OSError as error:
        raise told(error, path) from error
    except ValueError as error:  # a NUL or a lone surrogate in the name
        because = "the name cannot be a path"
        raise AuditError("audit-io", f"can't open `{path}`", because=because) from error


def is_there(path: str) -> bool:
    """Say whether a name leads to anything, a link included. Raises OSError where that is unsure.

    `os.path.lexists` says no to every error: a disk that fails for a moment would make a record
    that is there look gone, and begin anew.
    """
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def shut(fd: int) -> None:
    """Close a descriptor. It is closed even when that fails, and what mattered was synced."""
    with suppress(OSError):
        os.close(fd)


def not_a_file(path: str) -> AuditError:
    """Return the error for a pipe, a device or a directory in the record's place."""
    return AuditError("audit-not-a-file", f"`{path}` is not a regular file", hint="move it away")


def wrong_permissions(path: str, mode: int) -> AuditError:
    """Return the error for a log that others may write."""
    return AuditError(
        "audit-permissions",
        f"`{path}` is writable by other users",
        because=f"its mode is {mode & 0o7777:04o}, or another user owns it",
        hint=f"verify it, then `chmod 600 {path}`",
    )


def busy(path: str, seconds: float) -> AuditError:
    """Return the error for a lock that nobody gives back."""
    return AuditError(
        "audit-busy",
        f"`{path}` is locked by another process",
        because=f"it was held for more than {seconds:g} seconds",
        hint=f"see who holds it with `lslocks`, or `fuser {path}`",
    )
