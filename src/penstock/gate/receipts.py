"""Receipts: those that an undo would take back, and those of writes past the gate.

Always true: what was written as one set is found as one; a write has one receipt, however often it
is told of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from penstock.core.errors import InputError
from penstock.core.proposals.model import Receipt
from penstock.gate.parts import Parts

RUN_ID = re.compile(r"r-[0-9a-f]{6}")  # a set that is named like a run is the first of several
MOST = 10_000  # receipts that a short id is looked for among


class Receipts:
    """The receipts of a workspace."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    def find(self, *, receipt: str = "", last: int = 0, path: str = "") -> tuple[Receipt, ...]:
        """Return the receipts to take back, newest first: one, a set, the last N, or a path's.

        `receipt` may name several, with commas between them: what was answered together.
        What was written as one set is counted on until it is whole, so that none is split.
        """
        if receipt:
            return self._together(receipt.split(","))
        wanted = self.parts.name(path) if path else ""
        done = self.parts.proposals.receipts(path=wanted)
        stands = standing(done)
        left = [r for r in done if r.id in stands and not r.undoes]
        most = max(last, 1)
        return tuple(left[: most + (0 if path else _rest_of_set(left, most))])

    def adopt(
        self,
        path: str,
        *,
        before: bytes | None,
        after: bytes | None,
        event_hash: str,
        at: float,
        note: str = "",
        set_id: str = "",
    ) -> Receipt:
        """Make a receipt of a write that did not go through the gate; the same one only once."""
        blobs, proposals = self.parts.blobs, self.parts.proposals
        receipt = Receipt(
            id=f"seen-{event_hash.removeprefix('sha256:')[:32]}",
            proposal="",
            path=path,
            before=None if before is None else blobs.put(before),
            after=None if after is None else blobs.put(after),
            event_hash=event_hash,
            at=at,
            note=note,
            set_id=set_id,
        )
        if proposals.receipt(receipt.id) is None:
            proposals.add_receipt(receipt)
        return receipt

    def _together(self, names: Sequence[str]) -> tuple[Receipt, ...]:
        if len(names) == 1:
            return self._named(names[0])
        found = {one.id: one for name in dict.fromkeys(names) for one in self._named(name)}
        left = {id_: one for id_, one in found.items() if self._stands(one)} or found
        # Of two at the same moment, the one that is named later was written later.
        return tuple(sorted(left.values(), key=lambda one: one.at)[::-1])

    def _named(self, receipt: str) -> tuple[Receipt, ...]:
        found = self._exactly(receipt) or self._exactly(self._by_beginning(receipt))
        return tuple(r for r in found if self._stands(r)) or found

    def _exactly(self, receipt: str) -> tuple[Receipt, ...]:
        of_set = self.parts.proposals.receipts(set_id=receipt)
        if of_set and RUN_ID.fullmatch(receipt):
            return self._of_run(receipt)
        one = self.parts.proposals.receipt(receipt)
        return of_set or ((one,) if one else ())

    def _of_run(self, run: str) -> tuple[Receipt, ...]:
        """Return what all syncs of an isolated run wrote, newest first: `RUN`, `RUN.2` and on.

        Of a file that somebody else changed in between, only what came after that.
        """
        later = re.compile(rf"{re.escape(run)}(\.[0-9]+)?")
        found: list[Receipt] = []
        before: dict[str, str | None] = {}
        for one in self.parts.proposals.receipts(limit=MOST):
            if later.fullmatch(one.set_id) and before.get(one.path, one.after) == one.after:
                found.append(one)
                before[one.path] = one.before
        return tuple(found)

    def _by_beginning(self, text: str) -> str:
        """Return the id that begins so; its kind (`r-`, `set-`) need not be typed."""
        known = self.parts.proposals.receipts(limit=MOST)
        ids = {each for one in known for each in (one.id, one.set_id) if each}
        begins = [
            one for one in ids if one.startswith(text) or one.partition("-")[2].startswith(text)
        ]
        if len(begins) == 1:
            return begins[0]
        raise InputError(
            "ambiguous-id" if begins else "not-found",
            f"`{text}` is the beginning of {len(begins)} ids"
            if begins
            else f"there is no receipt `{text}`",
            hint="type more of it" if begins else "list applied changes with `penstock log`",
        )

    def _stands(self, one: Receipt) -> bool:
        return one.id in standing(self.parts.proposals.receipts(path=one.path))


def standing(receipts: Sequence[Receipt]) -> frozenset[str]:
    """Return the ids of the receipts, newest first, that no undo has taken back.

    An undo that was itself undone takes nothing back any more.
    """
    gone: set[str] = set()
    for receipt in receipts:
        if receipt.id not in gone:
            gone.update(receipt.undoes.split())
    return frozenset(receipt.id for receipt in receipts) - gone


def _rest_of_set(receipts: Sequence[Receipt], at: int) -> int:
    """Return how many more receipts belong to the set that a cut here would split."""
    group = receipts[at - 1].set_id if 0 < at <= len(receipts) else ""
    return len(list(takewhile(lambda one: bool(group) and one.set_id == group, receipts[at:])))
