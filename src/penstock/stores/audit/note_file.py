"""Read and replace the small files beside a log: notes, and what is remembered of them.

What they say is checked by whoever reads them.
Always true: a file is replaced whole, also after a power cut; a link in its place is not followed.
"""

from __future__ import annotations

import os

from penstock.stores.audit.file import sync_directory
from penstock.stores.audit.segments import open_to_read
from penstock.stores.system.os_errors import is_there, telling


def replace_text(path: str, text: str) -> None:
    """Put a small file in the place of one, whole also after a power cut."""
    new = path + ".new"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    with telling(path):
        os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
        with open(os.open(new, flags, 0o600), "wb") as file:
            file.write(text.encode("utf-8", "surrogateescape"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
        sync_directory(path)


def read_text(path: str, most: int, *, from_end: bool = False) -> str:
    """Read a file of notes, or no more than its end; "" where there is none."""
    with telling(path):
        if not is_there(path):
            return ""
        fd = open_to_read(path)
        with open(fd, "rb") as file:
            if from_end:
                file.seek(max(0, os.fstat(fd).st_size - most))
            return file.read(most).decode("utf-8", "replace")
