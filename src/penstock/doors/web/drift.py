"""What a person was shown, and whether it is still what would be written.

A form carries digests. A proposal's own never change; what may have changed since the page was
made is which version stands in its place, the members of its set, and the file on the disk.
Always true: where anything differs, the difference comes along with the refusal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from penstock.core.digest import digest as digest_of
from penstock.core.errors import InputError, StaleError
from penstock.core.proposals.model import Proposal, State
from penstock.doors.web.reader import PageReader
from penstock.gate.views import ChangeKey

if TYPE_CHECKING:
    from penstock.gate import Gate, Item

ABSENT = "absent"  # stands for the digest of no file
MOST_VERSIONS = 1000


class Difference(Struct, frozen=True, kw_only=True):
    """One file as it was shown, and as it is now."""

    path: str
    shown: bytes | None
    now: bytes | None
    newer: str = ""  # the id of the version that took its place


class NewerError(StaleError):
    """What was shown is not what is there now."""

    def __init__(
        self,
        code: str,
        message: str,
        differences: Sequence[Difference],
        *,
        because: str = "",
        hint: str = "review the current version",
    ) -> None:
        super().__init__(code, message, because=because, hint=hint)
        self.differences = tuple(differences)


def shown(found: Sequence[Proposal]) -> str:
    """Return what a form carries: the content's digest, of a set the one of each member."""
    if len(found) == 1:
        return found[0].content or ABSENT
    return " ".join(f"{one.id}={one.content or ABSENT}" for one in found)


UndoPlan = Sequence[tuple["Item", bytes | None]]


def undo_keys(plan: UndoPlan) -> tuple[ChangeKey, ...]:
    """Return by what the views of each file of an undo are kept."""
    return tuple((item.path, _name(now), _name(item.content)) for item, now in plan)


def _name(content: bytes | None) -> str | None:
    return None if content is None else digest_of(content)


def shown_undo(plan: UndoPlan) -> str:
    """Return what the form of an undo carries: what each file would hold again."""
    held = [ABSENT if item.content is None else digest_of(item.content) for item, _ in plan]
    return " ".join(held)


def as_shown(gate: Gate, id_: str, digest: str) -> tuple[Proposal, ...]:
    """Return what an id stands for, if it is what the form says was shown."""
    found = gate.members(id_)
    if not found:
        raise InputError("not-found", f"there is no proposal `{id_}`")
    replaced = [one for one in found if one.state is State.SUPERSEDED]
    if replaced:
        differences = [_to_newest(gate, one) for one in replaced]
        said = f"a newer version of `{replaced[0].path}` replaced this one"
        raise NewerError("newer-version", said, differences)
    if digest != shown(found):
        raise NewerError(
            "not-as-shown",
            f"what would be written to `{found[0].path}` is not what was shown",
            _from_shown(gate, found, digest),
            because=f"it was {digest[:80] or 'nothing'}",
        )
    return found


def earlier(gate: Gate, one: Proposal) -> Iterator[Proposal]:
    """Yield the versions that a proposal came from, the latest of them first."""
    known = {one.id}
    while one.parent and one.parent not in known:
        known.add(one.parent)
        above = gate.get(one.parent)
        if above is None:
            return
        yield above
        one = above


def unticked(gate: Gate, reader: PageReader, one: Proposal) -> frozenset[int]:
    """Return the hunks that are not ticked: of this version, or of the last one that has any."""
    found = (reader.unticked(each.id) for each in (one, *earlier(gate, one)))
    return next(filter(None, found), frozenset())


def _to_newest(gate: Gate, one: Proposal) -> Difference:
    now = gate.latest(one)
    return Difference(
        path=one.path, shown=_kept(gate, one.content), now=_kept(gate, now.content), newer=now.id
    )


def _from_shown(gate: Gate, found: Sequence[Proposal], digest: str) -> list[Difference]:
    """Return how members differ from what the form says of them."""
    parts = (part.partition("=") for part in digest.split(" ")[: len(found) + 1])
    told = {id_: known for id_, _, known in parts} if "=" in digest else {found[0].id: digest}
    different = [one for one in found if told.get(one.id) != (one.content or ABSENT)]
    return [
        Difference(
            path=one.path,
            shown=_version(gate, one, told.get(one.id, "")),
            now=_kept(gate, one.content),
            newer=one.id,
        )
        for one in different
    ]


def _version(gate: Gate, one: Proposal, digest: str) -> bytes | None:
    """Return a version's bytes; of digests that no version of this file has, nothing."""
    known = {each.content for each in gate.find(path=one.path, limit=MOST_VERSIONS)}
    return _kept(gate, digest) if digest in known else None


def _kept(gate: Gate, digest: str | None) -> bytes | None:
    return None if digest is None else gate.content(digest)


def on_its_base(gate: Gate, found: Sequence[Proposal]) -> None:
    """Refuse early what `apply` would refuse, so that nothing is answered in vain."""
    moved = []
    for one in found:
        now = gate.current(one.path)
        if (None if now is None else digest_of(now)) != one.base:
            moved.append(Difference(path=one.path, shown=_kept(gate, one.base), now=now))
    if moved:
        raise NewerError(
            "base-changed",
            f"`{moved[0].path}` has changed since this proposal was created",
            moved,
            because="rebase the proposal on the current file, or reject it",
        )
