"""Follow passkeys and unlocks through an audit log: added, used, removed, locked again.

What one entry shows by itself is `approval_proof`'s; here is what only their order shows.
Always true: a passkey that was removed and an unlock that was locked count for nothing that
follows; a passkey that counts its touches never counts back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from penstock.core.audit.approval.approval_proof import (
    PASSKEY,
    Event,
    Keys,
    passkey_fault,
    passkey_of,
    touch_of,
    unlock_fault,
)
from penstock.core.proposals.passkey import PasskeyTouch, removal
from penstock.core.proposals.signature import check

ADDED, REMOVED, UNLOCKED, LOCKED = "passkey_added", "passkey_removed", "unlocked", "locked"
NEVER = "~"  # is later than every time
ENTRIES = frozenset({ADDED, REMOVED, UNLOCKED, LOCKED})


class PasskeyUse(Struct):
    """Goes over entries in their order; each method yields what is wrong with one."""

    removed: dict[str, str] = field(default_factory=dict)
    """Since when passkeys no longer count, by their ids, as the approver's store has it."""
    _gone: set[str] = field(default_factory=set)
    _locked: set[str] = field(default_factory=set)
    _last: dict[str, PasskeyTouch] = field(default_factory=dict)

    def note(self, event: Event, keys: Keys) -> Iterator[str]:
        """Take in an entry that is no approval, and yield what is wrong with it."""
        op, id_ = event.get("op"), _id(event, "passkey")
        if op == ADDED:
            passkey = passkey_of(event)
            why = passkey_fault(passkey, keys) if passkey else "it can't be read"
            if why:
                yield f"the passkey `{id_}` is not the approver's: {why}"
        elif op == REMOVED:
            if _is_signed_removal(event, keys):
                self._gone.add(id_)
            else:
                yield f"the removal of the passkey `{id_}` is not signed by the approver's key"
        elif op == UNLOCKED:
            why = unlock_fault(event, keys)
            if why:
                yield f"an unlock that the approver did not give: {why}"
            yield from self._used(event)
        elif op == LOCKED:
            self._locked.add(_id(event, "unlock"))

    def approve(self, event: Event) -> Iterator[str]:
        """Take in an approval that is good by itself, and yield what speaks against it."""
        if event.get("proof") == PASSKEY:
            yield from self._used(event)
        elif _id(event, "unlock") in self._locked:
            yield "its unlock had been locked before"
        id_ = _id(event, "passkey")
        # Times are whole seconds: within the one of its removal, only the order tells.
        if id_ in self._gone or str(event.get("ts", "")) > self.removed.get(id_, NEVER):
            yield f"its passkey `{id_}` had been removed before"

    def _used(self, event: Event) -> Iterator[str]:
        """Compare a touch with the last of its passkey; several entries may show the same one."""
        touch, id_ = touch_of(event), _id(event, "passkey")
        if touch is None:
            return
        before = self._last.get(id_)
        if before is not None and touch != before and counts_back(before.count, touch.count):
            yield f"its passkey `{id_}` counted back, so there may be a copy of it"
        self._last[id_] = touch


def counts_back(before: int, now: int) -> bool:
    """Say whether a counter did not go on; one that stays 0 does not count at all."""
    return max(before, now) > 0 and now <= before


def _is_signed_removal(event: Event, keys: Keys) -> bool:
    approver = keys.get(str(event.get("key_id")))
    held, at = event.get("passkey"), event.get("signed_at")
    if approver is None or not isinstance(held, Mapping) or not isinstance(at, int | float):
        return False
    try:
        said = removal(bytes.fromhex(str(held.get("public"))), at)
    except (ValueError, OverflowError):
        return False
    return check(approver, said, str(event.get("signature")))


def _id(event: Event, name: str) -> str:
    held = event.get(name)
    return str(held.get("id")) if isinstance(held, Mapping) else ""
