"""Keep a random token in a file that only its owner reads; made at the first need.

What a token admits to is its door's to say.
Always true: several processes that need it at once get the same one; a file that others could
have read, or that holds anything else, is an error and is never used.
"""

from __future__ import annotations

import os
import secrets
import stat

from penstock.core.errors import StoreError
from penstock.stores.private import open_plain, private_dir, told, write_file

BYTES = 32
LENGTH = 2 * BYTES
OTHERS = 0o077


def kept_token(folder: str, name: str) -> str:
    """Return the token of this name, 64 hexadecimal digits."""
    folder = private_dir(folder)
    path = os.path.join(folder, name)
    with told("keep the token", path):
        if not os.path.lexists(path):
            write_file(folder, name, secrets.token_hex(BYTES).encode() + b"\n", replace=False)
        return _read(path)


def _read(path: str) -> str:
    with open(open_plain(path), "rb") as file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        text = file.read(LENGTH + 2).decode("ascii", "replace").rstrip("\n")
    if mode & OTHERS:
        raise _useless(path, f"its mode is {mode:04o}, so others may have read it")
    if len(text) != LENGTH or text.strip("0123456789abcdef"):
        raise _useless(path, "it does not hold a token")
    return text


def _useless(path: str, because: str) -> StoreError:
    hint = f"rm {path}, then register the hook again"
    return StoreError("bad-token-file", f"`{path}` cannot be used", because=because, hint=hint)
