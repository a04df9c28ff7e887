"""What agents have written by themselves, waiting to become receipts.

`before_images` leaves it in the state directory as a hook that starts cold can; here it is read for
the gate, oldest first, and dropped once the gate has it.
Always true: a write whose images are not what their digests say is dropped and never offered
for undo; what a call left unfinished goes after a day.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress

from msgspec import Struct

from penstock.stores.queue import before_images

DONE, AFTER = ".done", ".after"
UNFINISHED_SECONDS = 24 * 3600.0
SLIPPED = "p"  # how the names of protected files' images begin


class ObservedWrite(Struct, frozen=True, kw_only=True):
    """One write: what was there, what is there, the event that told it."""

    name: str
    path: str
    before: bytes | None
    after: bytes | None
    event_hash: str
    at: float
    slipped: bool
    with_call: str = ""

    @property
    def call(self) -> str:
        """The call that made it: what one call wrote is undone together."""
        return self.with_call or self.name.rpartition(".")[0]


def observed(state: str) -> Iterator[ObservedWrite]:
    """Yield what is waiting, oldest first."""
    folder = os.path.join(state, before_images.FOLDER)
    for name in _by_time(folder, DONE):
        found = _one(folder, name)
        if found is None:
            drop(state, name)
        else:
            yield found


def drop(state: str, name: str) -> None:
    """Forget one; the gate has it."""
    folder = os.path.join(state, before_images.FOLDER)
    for ending in (DONE, AFTER):
        with suppress(OSError):
            os.unlink(os.path.join(folder, name + ending))


def tidy(state: str) -> None:
    """Remove what calls left that never came to an end."""
    folder = os.path.join(state, before_images.FOLDER)
    oldest = time.time() - UNFINISHED_SECONDS
    for name in _names(folder):
        path = os.path.join(folder, name)
        with suppress(OSError):
            if not name.startswith(SLIPPED) and os.stat(path).st_mtime < oldest:
                os.unlink(path)


def _one(folder: str, name: str) -> ObservedWrite | None:
    path = os.path.join(folder, name)
    was, now = before_images.load(path + DONE), before_images.load(path + AFTER)
    if was is None or now is None:
        return None
    before = None if was.digest == before_images.NOTHING else was.data
    after = None if now.digest == before_images.NOTHING else now.data
    if (
        before_images.digest_of(before) != was.digest
        or before_images.digest_of(after) != now.digest
    ):
        return None
    event_hash, _, with_call = now.path.partition(" ")
    return ObservedWrite(
        name=name,
        path=was.path,
        before=before,
        after=after,
        event_hash=event_hash,
        at=os.stat(path + AFTER).st_mtime,
        slipped=name.startswith(SLIPPED),
        with_call=with_call,
    )


def _by_time(folder: str, ending: str) -> list[str]:
    found = []
    for name in _names(folder):
        if name.endswith(ending):
            with suppress(OSError):
                changed = os.stat(os.path.join(folder, name)).st_mtime_ns
                found.append((changed, name.removesuffix(ending)))
    return [name for _, name in sorted(found)]


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
