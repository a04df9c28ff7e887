"""Keep the key that signs checkpoints in a file that only its owner reads.

Always true: an existing key is never written over, and one that others could have read is
never used.
"""

from __future__ import annotations

import os

from penstock.core.checkpoint import CheckpointKey, make_key, read_key
from penstock.core.errors import AuditError
from penstock.stores.log_errors import telling


def create_key(path: str, name: str) -> CheckpointKey:
    """Make a signing key in a file that only its owner reads; never over an existing one."""
    with telling(path):
        key = make_key(name, os.urandom(32))
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        with telling(path), open(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
            file.write(key.written() + "\n")
            file.flush()
            os.fsync(file.fileno())
    except AuditError as error:
        if isinstance(error.__cause__, FileExistsError):
            raise AuditError("key-exists", f"there is a key at `{path}` already") from error
        raise
    return key


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
