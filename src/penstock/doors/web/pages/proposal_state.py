"""Where a proposal stands: what can be done with it, what approving asks for, what is beside it.

Always true: nothing here changes anything; what cannot be read is told by whoever has to do it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.core.errors import PenstockError
from penstock.core.proposals.model import Proposal, State
from penstock.doors.web.diff.content_type import Presentation, is_wide, look_of
from penstock.doors.web.diff.file import SHELF, FileView, digest_of, of_bytes
from penstock.doors.web.pages import queue_values
from penstock.doors.web.textarea import editable

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.gate import Gate

MOST_WAITING = 2000


@dataclass(frozen=True, kw_only=True, slots=True)
class Key:
    """What approving asks for."""

    exists: bool
    totp: bool
    agent: str


def key_of(here: Workspace) -> Key:
    """Say whether there is a key, whether it wants codes, and what stands against approving."""
    exists = here.keys.exists()
    totp = False
    if exists:
        try:
            totp = bool(here.keys.current().totp)
        except PenstockError:
            totp = False  # told when it is used
    return Key(exists=exists, totp=totp, agent=here.inside_agent() or "")


@dataclass(frozen=True, kw_only=True, slots=True)
class Possible:
    """What can be done with a proposal as it stands."""

    answer: bool
    reject: bool
    edit: bool
    merge: bool
    choose: bool
    restore: bool


def possible(one: Proposal, before: bytes | None, after: bytes | None, shown: FileView) -> Possible:
    """Say what can be done with a proposal."""
    waiting = one.state is State.WAITING
    text = shown.look is Presentation.TEXT and after is not None
    both = text and before is not None and not is_wide(before) and not is_wide(after)
    return Possible(
        answer=waiting,
        reject=one.state in (State.WAITING, State.APPROVED),
        edit=waiting and text and editable(after),
        merge=waiting and both and not one.origin.startswith("strategy:"),
        choose=waiting and hunks_to_choose(before, after, one) > 0,
        restore=waiting and bool(one.parent) and one.origin != "rebase",
    )


def hunks_to_choose(before: bytes | None, after: bytes | None, one: Proposal) -> int:
    """Return how many hunks can be ticked; 0 where there is nothing to choose."""
    text = look_of(before, after) is Presentation.TEXT
    if not text or before is None or after is None or is_wide(before) or is_wide(after):
        return 0
    count = len(SHELF.compared((one.base, one.content), before, after).hunks)
    return count if count > 1 else 0


def newer(gate: Gate, one: Proposal) -> str:
    """Return the id of the version that took this one's place; empty where none did."""
    return gate.latest(one).id if one.state is State.SUPERSEDED else ""


def neighbours(gate: Gate, one: Proposal) -> tuple[str, str]:
    """Return the ids of what waits before and after this in the queue."""
    ids = waiting_ids(gate)
    own = one.set_id if one.set_id in ids else one.id
    if own not in ids:
        return "", ids[0] if ids else ""
    at = ids.index(own)
    return ids[at - 1] if at else "", ids[at + 1] if at + 1 < len(ids) else ""


def waiting_ids(gate: Gate) -> list[str]:
    """Return what waits, by id, in the queue's order; a set stands once."""
    found = gate.find(states=[State.WAITING], limit=MOST_WAITING)
    return [item.id for item in queue_values.items(found, gate.now())]


def files_beside(gate: Gate, one: Proposal) -> tuple[queue_values.QueueFile, ...]:
    """Return the files of its set; none where it stands alone."""
    group = gate.members(one.set_id)
    return tuple(queue_values.file_of(each) for each in group) if len(group) > 1 else ()


def moved(gate: Gate, one: Proposal) -> FileView | None:
    """Return how the file differs from what the proposal was made on; None where it does not."""
    try:
        now = gate.current(one.path)
        if digest_of(now) == one.base:
            return None
        before, _ = gate.contents(one)
    except PenstockError:
        return None  # told by whoever tries to write it
    return of_bytes(one.path, before, now)
