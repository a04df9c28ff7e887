"""Bring what git wrote to the disk, names included.

Git flushes the content of its objects and references, and leaves the directories that name them
to the system: a power cut can then take a commit away that was already told.
Always true: nothing is changed; a directory that is not there is passed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress

from penstock.stores.contents import close
from penstock.stores.staging import flush_folder

LONGEST_HEAD = 4096


def flush_refs(folder: str, common: str, oids: Iterable[str]) -> None:
    """Flush the directories that name some objects, HEAD and the branch that it stands for."""
    objects = os.path.join(common, "objects")
    named = {os.path.join(objects, oid[:2]) for oid in oids}
    for place in (*sorted(named), objects, *_of_head(folder, common)):
        with suppress(OSError):
            _flush(place)


def _of_head(folder: str, common: str) -> Iterator[str]:
    branch = _branch(folder)
    while branch:
        branch = os.path.dirname(branch)
        yield os.path.join(common, branch)
        yield os.path.join(common, "logs", branch)
    yield folder
    yield os.path.join(folder, "logs")
    yield os.path.join(common, "reftable")


def _branch(folder: str) -> str:
    """Return the branch's name below the repository, "" for a commit that stands alone."""
    try:
        with open(os.path.join(folder, "HEAD"), "rb") as file:
            head = file.read(LONGEST_HEAD)
    except OSError:
        return ""
    name = os.fsdecode(head.strip().removeprefix(b"ref: ")) if head.startswith(b"ref: ") else ""
    return name if name.startswith("refs/") and ".." not in name else ""


def _flush(place: str) -> None:
    descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        flush_folder(descriptor)
    finally:
        close(descriptor)
