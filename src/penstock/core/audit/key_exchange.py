"""Notice that the approver's key, or the memory of it, was exchanged.

Compared are the sealed key that is there, the keys that are remembered and what the audit log
names: whoever replaces the first two together leaves the third. Reading all of them is elsewhere,
and so is what an approval needs.
Always true: a key that its predecessor signed for, and the first one, are nobody's exchange; each
other difference is one finding, in a plain sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from penstock.core.audit.approval.approvals import KEY_MADE, Approvals, Event
from penstock.core.proposals.signature import check, key_id, succession

Numbered = Sequence[tuple[int, Event]]


class KnownKey(Struct, frozen=True, kw_only=True):
    """A key that was made here, and when, as the audit log writes times.

    `replaces` is the id of the key before it, and `signature` that key's word for this one; both
    are empty for the first key, and for one that was made after its predecessor was lost.
    """

    public: bytes
    since: str
    replaces: str = ""
    signature: str = ""

    @property
    def id(self) -> str:
        """Its short name."""
        return key_id(self.public)


class Exchange(StrEnum):
    """What was exchanged."""

    DAMAGED = "damaged"  # the key or the memory cannot be read
    KEY_GONE = "key-gone"
    KEY_REPLACED = "key-replaced"  # by one that is not remembered
    KEY_OLDER = "key-older"  # by one that has a successor
    KEY_UNSIGNED = "key-unsigned"  # remembered, and no earlier key signed for it
    MEMORY_GONE = "memory-gone"
    MEMORY_CUT = "memory-cut"  # it holds a successor and not the key before it
    MEMORY_EDITED = "memory-edited"
    LOG_DISAGREES = "log-disagrees"  # the audit log names another key


class KeyExchange(Struct, frozen=True, kw_only=True):
    """One thing that was exchanged, in a sentence."""

    kind: Exchange
    what: str


def exchanges(
    sealed: bytes | None, known: Sequence[KnownKey], events: Numbered
) -> tuple[KeyExchange, ...]:
    """Return what does not fit: `sealed` is the public half of the key that is there."""
    found = [*_sealed(sealed, known), *_remembered(known, events), *_edited(known, events)]
    # Without a memory the key that is there stands for it, as it does for the gate.
    alone = () if known or sealed is None else (KnownKey(public=sealed, since=""),)
    return tuple(dict.fromkeys([*found, *_named(known or alone, events)]))


def _sealed(sealed: bytes | None, known: Sequence[KnownKey]) -> Iterator[KeyExchange]:
    if sealed is None:
        if known:
            what = f"the approver key `{known[-1].id}` is missing, but still listed"
            yield KeyExchange(kind=Exchange.KEY_GONE, what=what)
        return
    mine = key_id(sealed)
    if not known:
        what = f"the list of approver keys is missing; the key `{mine}` may be anybody's"
        yield KeyExchange(kind=Exchange.MEMORY_GONE, what=what)
    elif all(one.public != sealed for one in known):
        what = f"the stored key is `{mine}`, but the approver's is `{known[-1].id}`"
        yield KeyExchange(kind=Exchange.KEY_REPLACED, what=what)
    elif known[-1].public != sealed:
        what = f"the stored key is `{mine}`, which `{known[-1].id}` had replaced"
        yield KeyExchange(kind=Exchange.KEY_OLDER, what=what)


def _remembered(known: Sequence[KnownKey], events: Numbered) -> Iterator[KeyExchange]:
    """Yield remembered keys that stand there without the word of an earlier one."""
    keys = {one.id: one.public for one in known}
    for number, one in enumerate(known):
        if one.replaces and one.replaces not in keys:
            what = f"the key `{one.replaces}`, which `{one.id}` replaced, is no longer listed"
            yield KeyExchange(kind=Exchange.MEMORY_CUT, what=what)
        elif number and not _handed_on(one, known[:number], events):
            what = (
                f"the key `{one.id}` took the place of `{known[number - 1].id}` without its "
                f"signature ({one.since})"
            )
            yield KeyExchange(kind=Exchange.KEY_UNSIGNED, what=what)


def _handed_on(one: KnownKey, before: Sequence[KnownKey], events: Numbered) -> bool:
    """Say whether an earlier key signed for this one, by the memory or by the log."""
    said = [(one.replaces, one.signature)]
    said += [
        (str(event.get("replaces")), str(event.get("signature")))
        for _, event in events
        if event.get("op") == KEY_MADE and event.get("key_id") == one.id
    ]
    return any(
        old.id == replaced and check(old.public, succession(old.public, one.public), signature)
        for replaced, signature in said
        for old in before
    )


def _edited(known: Sequence[KnownKey], events: Numbered) -> Iterator[KeyExchange]:
    """Yield keys that are remembered as younger than the log's entry of their making.

    A later date would excuse approvals that nobody signed.
    """
    since = {one.id: one.since for one in known}
    for _, event in events:
        named = str(event.get("key_id"))
        if event.get("op") == KEY_MADE and since.get(named, "") > str(event.get("ts", "")):
            what = (
                f"the key `{named}` is listed since {since[named]}, but the audit log has it "
                f"since {event.get('ts')}"
            )
            yield KeyExchange(kind=Exchange.MEMORY_EDITED, what=what)


def _named(known: Sequence[KnownKey], events: Numbered) -> Iterator[KeyExchange]:
    """Yield what the log says of keys that are not the remembered ones."""
    approvals = Approvals()
    for one in known:
        approvals.know(one.public, one.since)
    approvals.feed(events)
    for problem in approvals.problems:
        yield KeyExchange(kind=Exchange.LOG_DISAGREES, what=f"the audit log: {problem.message}")
