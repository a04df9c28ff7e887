"""Bring what git wrote to the disk, names included.

Some of git's commands do not look at the setting that asks them to flush what they write, and
none flushes the directories that name it: a power cut could then take a commit away that was
already told, or leave a branch that points to nothing.
Always true: nothing is changed; what is not there (packed, or never made) is passed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress

from penstock.stores.contents import close
from penstock.stores.staging import flush_folder

LONGEST_HEAD = 4096


def flush_objects(common: str, oids: Iterable[str]) -> None:
    """Flush some objects and the directories that name them; to be done before a branch moves."""
    objects, known = os.path.join(common, "objects"), set(oids)
    files = [os.path.join(objects, oid[:2], oid[2:]) for oid in sorted(known)]
    _flush_all([*files, *sorted({os.path.dirname(file) for file in files}), objects])


def flush_refs(folder: str, common: str) -> None:
    """Flush HEAD, the branch that it stands for, and the index."""
    _flush_all(_of_head(folder, common))


def _flush_all(places: Iterable[str]) -> None:
    for place in places:
        with suppress(OSError):
            _flush(place)


def _of_head(folder: str, common: str) -> Iterator[str]:
    branch = _branch(folder)
    yield from (os.path.join(common, branch), os.path.join(common, "logs", branch))
    while branch:
        branch = os.path.dirname(branch)
        yield os.path.join(common, branch)
        yield os.path.join(common, "logs", branch)
    yield from (os.path.join(folder, name) for name in ("HEAD", "index"))
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
    descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        flush_folder(descriptor)
    finally:
        close(descriptor)
