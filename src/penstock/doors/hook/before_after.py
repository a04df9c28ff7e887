"""What agents write by themselves: kept before, compared after, so that it can be undone.

Kept is what a call names; what it reaches without a name is `protected_files`'s.
Always true: watching stops nobody; what cannot be kept is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from msgspec import Struct

from penstock.app import Workspace
from penstock.app import before_images as watched
from penstock.core.model import Action
from penstock.doors.hook.fast_path import observed
from penstock.doors.hook.messages import HookCall
from penstock.gate import Judgement

WRITES = frozenset({Action.WRITE, Action.CREATE, Action.DELETE})


class ChangedFile(Struct, frozen=True):
    """One file that changed: the event that tells it, and what follows once it is recorded."""

    facts: dict[str, object]
    settle: Callable[[str], None]


def keep(here: Workspace, call: HookCall, judged: Judgement) -> None:
    """Keep what each file holds that a call is about to write. OSError where one cannot be."""
    key = watched.call_key(call.session, call.call_id)
    paths = [
        one.path.text
        for one in judged.prepared
        if one.path is not None and one.request.action in WRITES
    ]
    paths = list(dict.fromkeys((*paths, *judged.kept)))[: watched.MOST]
    for number, path in enumerate(paths if key else ()):
        image = judged.kept.get(path)
        found = watched.read(f"{here.root}/{path}") if image is None else (image, 0o444)
        if not watched.keep(here.state, key, number, path, found):
            raise OSError(f"`{path}` could not be copied to {here.state}")


def settled(here: Workspace, call: HookCall) -> list[ChangedFile]:
    """Return what a call has changed among the files that were kept for it."""
    key = watched.call_key(call.session, call.call_id)
    return list(changed(here, call, key)) if key else []


def changed(
    here: Workspace, call: HookCall, key: str, *, with_call: str = ""
) -> Iterator[ChangedFile]:
    """Yield what has changed among the files that were kept under a key.

    `with_call` is the call that such a file is undone with, where the key is not a call's.
    """
    for number, one in watched.kept(here.state, key):
        now = watched.read(f"{here.root}/{one.path}")
        after = now[0] if now else None
        digest = watched.digest_of(after)
        if digest == one.digest:
            watched.forget(here.state, key, number)
        else:
            settle = partial(_settle, here.state, key, number, after, with_call)
            yield ChangedFile(observed(call, one, digest), settle)


def _settle(
    state: str, key: str, number: int, after: bytes | None, with_call: str, event_hash: str
) -> None:
    with suppress(OSError):
        watched.settle(state, key, number, after, event_hash, with_call)
