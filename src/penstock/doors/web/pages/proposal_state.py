"""Where a proposal stands: what can be done with it, what approving asks for, what is beside it.

Always true: nothing here changes anything; what cannot be read is told by whoever has to do it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request

from penstock.core.errors import PenstockError
from penstock.core.proposals.model import OPEN, Proposal, State
from penstock.core.review.interdiff import ProposedVersion, interdiff
from penstock.core.review.set_summary import renamed_words
from penstock.core.text.display import in_line, spoken
from penstock.doors.web.diff.content_type import Presentation, is_wide, look_of
from penstock.doors.web.diff.file import SHELF, FileView, digest_of, of_bytes
from penstock.doors.web.pages import queue_values
from penstock.doors.web.pages.inbox import INBOX
from penstock.doors.web.render import unlocked_until
from penstock.doors.web.request import world_of
from penstock.doors.web.textarea import editable
from penstock.gate.lookup import rejected_before

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.gate import Gate


class Key(Struct, frozen=True, kw_only=True):
    """What approving asks for.

    `passkeys` says that a touch would do, `unlocks` that a proof may unlock the session, `unlocked`
    that it is and that this is enough here; `fresh` is why it is not; `typed` that a passphrase
    is taken at this address.
    """

    exists: bool
    totp: bool
    agent: str
    passkeys: bool = False
    unlocks: bool = False
    unlocked: bool = False
    fresh: tuple[str, ...] = ()
    typed: bool = True


Changes = Callable[[], Sequence[Proposal]]


def key_of(request: Request, here: Workspace, changes: Changes = tuple) -> Key:
    """Say what proves a person here, and what stands against approving; `changes` are which."""
    agent, world = here.inside_agent() or "", world_of(request)
    if not here.keys.exists():
        return Key(exists=False, totp=False, agent=agent, typed=world.prover.typed)
    try:
        totp, own = here.keys.current().totp, here.keys.own_passkeys()
    except PenstockError:
        # Its faults are reported when it is used.
        return Key(exists=True, totp=False, agent=agent, typed=world.prover.typed)
    coded = here.policy().approval.totp  # then the passphrase is typed each time
    open_until = 0.0 if coded else unlocked_until(request.state.session)
    fresh = _dangers(here.gate, changes) if open_until else ()
    return Key(
        exists=True,
        totp=totp,
        agent=agent,
        passkeys=not coded and any(one.origin == world.origin for one in own),
        unlocks=not coded,
        unlocked=bool(open_until) and not fresh,
        fresh=fresh,
        typed=world.prover.typed,
    )


def _dangers(gate: Gate, changes: Changes) -> tuple[str, ...]:
    try:
        return tuple(flag for one in changes() for flag in gate.dangers(one))
    except PenstockError:
        return ()  # told by whoever approves it


class Possible(Struct, frozen=True, kw_only=True):
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
    return [group.id for group in INBOX.pending(gate.open())]


def files_beside(gate: Gate, one: Proposal) -> tuple[queue_values.QueueFile, ...]:
    """Return the files of its set; none where it stands alone."""
    group = gate.members(one.set_id)
    return tuple(queue_values.file_of(each) for each in group) if len(group) > 1 else ()


class EarlierVersion(Struct, frozen=True, kw_only=True):
    """A version that was rejected, why, and what the next one does otherwise.

    `shown` is None where the content of the rejected one is no longer stored.
    """

    id: str
    reason: str
    shown: FileView | None = None
    same: bool = False
    note: str = ""


def rejected_version(gate: Gate, one: Proposal) -> EarlierVersion | None:
    """Return the rejected version that a proposal follows, with the difference between the two."""
    old = rejected_before(gate, one)
    if old is None:
        return None
    known = EarlierVersion(id=old.id, reason=in_line(old.answer.said) if old.answer else "")
    try:
        sides = (gate.contents(each) for each in (old, one))
        older, newer = (ProposedVersion(base=side[0], content=side[1]) for side in sides)
    except PenstockError:
        return known
    between = interdiff(older, newer)
    shown = of_bytes(one.path, between.before, between.after)
    return replace(known, shown=shown, same=between.same, note=between.words)


def renamed(gate: Gate, found: Sequence[Proposal]) -> dict[str, str]:
    """Say of each file of a set that only gets another name which one, by its path."""
    pairs = gate.renames([one for one in found if one.state is not State.SUPERSEDED])
    return {path: spoken(words) for path, words in renamed_words(pairs).items()}


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


def owners(gate: Gate, found: Sequence[Proposal]) -> Mapping[str, str]:
    """Return how many owners have approved what is open, by id, where the bundle asks for any."""
    open_ones = [one for one in found if one.state in OPEN]
    return {known: in_line(now.said) for known, now in gate.approvals_of(open_ones).items()}
