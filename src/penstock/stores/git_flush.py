"""Bring what git wrote to the disk, names included.

Git flushes references and the index before it gives them their names. Not all of its commands
look at the setting that asks for the same with objects, and none flushes the directories that
name things: a power cut could then take a commit away that was already told, or leave a branch
that points to nothing.
Always true: nothing is changed; what is not there (packed, or never made) is passed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

from penstock.stores.contents import close
from penstock.stores.staging import flush_folder

LONGEST_HEAD = 4096


def flush_objects(common: str, oids: Iterable[str]) -> None:
    """Flush some objects and the directories that name them; to be done before a branch moves."""
    objects, known = os.path.join(common, "objects"), set(oids)
    files = [os.path.join(objects, oid[:2], oid[2:]) for oid in sorted(known)]
    _flush_all([*files, *sorted({os.path.dirname(file) for file in files}), objects])


def flush_refs(folder: str, common: str, *, first: bool) -> None:
    """Flush the names of the branch that HEAD stands for, and of what lies beside HEAD.

    Their content was flushed by git before it got its name. With the `first` commit, directories
    may be new all the way up.
    """
    branch = os.path.dirname(_branch(folder))
    above = [branch]
    while first and os.path.dirname(above[-1]):
        above.append(os.path.dirname(above[-1]))
    named = [os.path.join(common, name) for name in above if name]
    _flush_all([*named, folder, os.path.join(common, "reftable")])


def _flush_all(places: Iterable[str]) -> None:
    """Flush several files and directories at once: a disk takes many in one go."""
    from threading import Thread

    waiting = [Thread(target=_flush, args=(place,)) for place in places]
    for one in waiting:
        one.start()
    for one in waiting:
        one.join()


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
    with suppress(OSError):
        descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            flush_folder(descriptor)
        finally:
            close(descriptor)
