"""Keep the key that signs checkpoints in a file that only its owner reads.

Always true: an existing key is never written over, and one that others could have read is
never used.
"""

from __future__ import annotations

import os
from contextlib import suppress

from penstock.core.checkpoint import CheckpointKey, make_key, read_key
from penstock.core.errors import AuditError
from penstock.stores.log_errors import telling


def create_key(path: str, name: str) -> CheckpointKey:
    """Make a signing key in a file that only its owner reads; never over an existing one."""
    with telling(path):
        key = make_key(name, os.urandom(32))
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    # Written whole under another name first: two processes may start at once, and the second
    # must never read half a key.
    made = f"{path}.{os.getpid()}.{os.urandom(4).hex()}"
    try:
        with telling(path), open(os.open(made, flags, 0o600), "w", encoding="utf-8") as file:
            file.write(key.written() + "\n")
            file.flush()
            os.fsync(file.fileno())
        with telling(path):
            os.link(made, path)
    except AuditError as error:
        if isinstance(error.__cause__, FileExistsError):
            raise AuditError("key-exists", f"there is a key at `{path}` already") from error
        raise
    finally:
        with suppress(OSError):
            os.unlink(made)
    return key


def kept_key(path: str, name: str) -> CheckpointKey:
    """Read the key of a log; where there is none yet, make it, or take what another just made."""
    try:
        return load_key(path) if os.path.lexists(path) else create_key(path, name)
    except AuditError as error:
        if error.code != "key-exists":
            raise
    return load_key(path)


def load_key(path: str) -> CheckpointKey:
    """Read a signing key; refuses one that others could have read."""
    with telling(path):
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        with open(fd, "rb") as file:
            mode = os.fstat(fd).st_mode
            text = file.read(4096).decode("utf-8", "replace")
    if mode & 0o077:
        raise AuditError(
            "key-permissions",
            f"the key `{path}` may be read by others",
            because=f"its mode is {mode & 0o7777:04o}",
            hint="make a new key; this one may be known",
        )
    return read_key(text)
