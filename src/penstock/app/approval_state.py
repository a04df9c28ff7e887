"""Which proof an approval has now, and whether somebody exchanged the key or the memory of it.

What does not fit is decided in `core.audit.key_exchange`; what approves is the gate's. `status`
looks at the end of one audit log and stays quick; `doctor` looks at all of it, and at the ends of
the logs of other projects: the key is one for all of them.
Always true: looking changes nothing, and a key or a memory that cannot be read is a finding.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.audit.approval.approvals import APPROVED, KEY_MADE
from penstock.core.audit.key_exchange import Exchange, KeyExchange, KnownKey, exchanges
from penstock.core.errors import PenstockError
from penstock.stores.system.known_roots import known_roots
from penstock.stores.system.places import state_of

if TYPE_CHECKING:
    from penstock.app.workspace import Workspace
    from penstock.core.audit.key_exchange import Numbered
    from penstock.stores.approver.keys import ApproverPublicKey

NAMING = frozenset({APPROVED, KEY_MADE})
END = 4 << 20  # so much of a log is searched in some milliseconds
MAKE_KEY = "penstock approver init"
WEAK = "without an approver key, any program that opens a terminal can approve"


class ProofNeeded(StrEnum):
    """What an approval has to show now."""

    KEY = "key"
    KEY_AND_CODE = "key-and-code"
    TERMINAL = "terminal"
    NONE = "none"  # nothing that is here approves


class ApprovalState(Struct, frozen=True, kw_only=True):
    """The proof that approvals have now, in a sentence, and what was exchanged."""

    proof: ProofNeeded
    says: str
    hint: str = ""
    key_id: str = ""
    since: str = ""
    exchanged: tuple[KeyExchange, ...] = ()

    @property
    def weak(self) -> bool:
        """True where a program can be taken for a person."""
        return self.proof is ProofNeeded.TERMINAL


def approval_state(here: Workspace) -> ApprovalState:
    """Look at the key, the memory of it and the end of the audit log."""
    return _state(here, here.record.end(ops=NAMING, size=END))


def approval_state_by(here: Workspace, events: Numbered) -> ApprovalState:
    """Look at the key and the memory with the events of the whole log, and at other projects."""
    found = _state(here, events)
    return replace(found, exchanged=(*found.exchanged, *_elsewhere(here)))


def _state(here: Workspace, events: Numbered) -> ApprovalState:
    try:
        sealed, known = here.keys.public(), here.keys.remembered()
    except PenstockError as fault:
        damage = KeyExchange(kind=Exchange.DAMAGED, what=fault.message)
        return _nothing("the approver key can't be used", fault.hint, damage)
    found = exchanges(sealed.public if sealed else None, known, events)
    return replace(_proof(here, sealed, known), exchanged=found)


def _proof(
    here: Workspace, sealed: ApproverPublicKey | None, known: tuple[KnownKey, ...]
) -> ApprovalState:
    settings = here.policy().approval
    if sealed is None:
        if known:
            hint = "restore a backup of the key, or create a new one: " + MAKE_KEY
            return _nothing("the approver key is missing", hint)
        if settings.key_wanted:
            return _nothing("the rules require an approver key, but none is set up", MAKE_KEY)
        return ApprovalState(proof=ProofNeeded.TERMINAL, says=WEAK, hint=MAKE_KEY)
    mine = next((one for one in known if one.public == sealed.public), None)
    if known and mine is None:
        hint = f"put a backup of the key `{known[-1].id}` in its place"
        return _nothing("the stored key is not the approver's key", hint)
    if settings.totp and not sealed.totp:
        says = "the rules require one-time codes, but none are set up"
        return _nothing(says, "penstock approver totp")
    since = mine.since if mine else ""
    says = f"approver key `{sealed.id}`" + (f" (since {since})" if since else "")
    return ApprovalState(
        proof=ProofNeeded.KEY_AND_CODE if sealed.totp else ProofNeeded.KEY,
        says=f"{says} and a one-time code" if sealed.totp else says,
        key_id=sealed.id,
        since=since,
    )


def _nothing(why: str, hint: str, *exchanged: KeyExchange) -> ApprovalState:
    says = f"nothing can be approved: {why}"
    return ApprovalState(proof=ProofNeeded.NONE, says=says, hint=hint, exchanged=exchanged)


def _elsewhere(here: Workspace) -> Iterator[KeyExchange]:
    """Yield what the logs of other projects say of other keys; a damaged log is their matter."""
    from penstock.app.workspace import Workspace

    try:
        known = here.keys.known()
    except PenstockError:
        return  # told already
    for root in known_roots(os.path.dirname(here.state)):
        other = Workspace(root, state_of(root))
        if root == here.root:
            continue
        try:
            events = other.record.end(ops=NAMING, size=END)
        except (PenstockError, OSError):
            continue
        sealed = known[-1].public if known else None
        for one in exchanges(sealed, known, events):
            if one.kind in (Exchange.LOG_DISAGREES, Exchange.MEMORY_EDITED):
                yield replace(one, what=f"in `{root}`: {one.what}")
