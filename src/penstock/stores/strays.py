"""Remove temporary files that a power cut left beside a file, and of which no note is left.

The note of a single write is not flushed (`journal`), so after a power cut a temporary file can
be there that nobody lists. Whoever began the write still knows what it was about: only a file
that has the form of our names and holds just that is taken for ours.
Always true: nothing is removed whose bytes are not known elsewhere, and nothing while another
Penstock may be writing in the same directory.
"""

from __future__ import annotations

import os
from collections.abc import Collection

from penstock.ports import FileKind
from penstock.stores.beneath import Beneath, Folder, Parts, look
from penstock.stores.contents import READING, close, whole
from penstock.stores.refusals import kind_of
from penstock.stores.staging import flush_folder
from penstock.stores.swap import is_temp_name
from penstock.stores.writer import lock_folder

MOST_NAMES = 100_000


def sweep(beneath: Beneath, parts: Parts, contents: Collection[bytes]) -> tuple[str, ...]:
    """Remove what an interrupted write of these contents left beside a file; return the names."""
    try:
        folder = beneath.folder(parts[:-1])
    except (FileNotFoundError, NotADirectoryError):
        return ()
    try:
        if not lock_folder(folder.descriptor):
            return ()
        names = os.listdir(folder.descriptor)[:MOST_NAMES]
        ours = [n for n in names if is_temp_name(n) and _holds_one_of(folder, n, contents)]
        for name in ours:
            os.unlink(name, dir_fd=folder.descriptor)
        if ours:
            flush_folder(folder.descriptor)
        return tuple(sorted(ours))
    finally:
        folder.close()


def _holds_one_of(folder: Folder, name: str, contents: Collection[bytes]) -> bool:
    """True for a plain file with one of these contents, or with the beginning of one."""
    status = look(folder.descriptor, name)
    if status is None or kind_of(status) is not FileKind.FILE or status.st_nlink > 1:
        return False
    if status.st_size > max(map(len, contents), default=-1):
        return False
    descriptor = os.open(name, READING, dir_fd=folder.descriptor)
    try:
        held = whole(descriptor)
    finally:
        close(descriptor)
    return any(content.startswith(held) for content in contents)
