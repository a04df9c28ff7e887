"""Undo: put back what was there, as one more proposal through the same gate.

Always true: an undo writes only over the content that the receipt names; a file that changed
since is never overwritten. An undo has a receipt itself, so it can be undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from penstock.core.errors import InputError, StaleError
from penstock.core.model import Actor, Verdict
from penstock.core.proposal import Proposal, Receipt, State
from penstock.gate.applying import UNDO
from penstock.gate.parts import Item, Parts
from penstock.gate.proposing import Proposing


class Undoing:
    """The steps from a receipt to the proposal that takes it back."""

    def __init__(self, parts: Parts, proposing: Proposing) -> None:
        self.parts = parts
        self.proposing = proposing

    def find(self, *, receipt: str = "", last: int = 0, path: str = "") -> tuple[Receipt, ...]:
        """Return the receipts to take back, newest first: one, a set, the last N, or a path's."""
        if receipt:
            return self._named(receipt)
        wanted = self.parts.path(path).text if path else ""
        done = [r for r in self.parts.proposals.receipts(path=wanted) if not self._taken_back(r)]
        return tuple(done[: last or 1])

    def _named(self, receipt: str) -> tuple[Receipt, ...]:
        of_set = self.parts.proposals.receipts(set_id=receipt)
        one = self.parts.proposals.receipt(receipt)
        found = of_set or ((one,) if one else ())
        if not found:
            raise InputError(
                "not-found",
                f"there is no receipt `{receipt}`",
                hint="list them with `penstock undo --dry-run --last 10`",
            )
        return found

    def _taken_back(self, receipt: Receipt) -> bool:
        """An undo that stands hides what it undid, and is not itself the next to undo."""
        receipts = self.parts.proposals.receipts(path=receipt.path)
        undone = {r.undoes for r in receipts if r.undoes}
        return receipt.id in undone or bool(receipt.undoes)

    def propose(self, receipts: Sequence[Receipt], *, by: Actor) -> tuple[Proposal, ...]:
        """Propose the inverse of some receipts; waiting, because a person decides."""
        items = [item for item, _ in self.preview(receipts)]
        ids = [r.id for r in receipts]
        group = self.parts.clock.token() if len(items) > 1 else ""
        made = [self._one(item, by, ids, f"set-{group}" if group else "") for item in items]
        return self.proposing.store(made)

    def preview(self, receipts: Sequence[Receipt]) -> tuple[tuple[Item, bytes | None], ...]:
        """Return what each file would hold again and what it holds now, if nobody touched it."""
        plan = self._net(receipts)
        for path, (_, now) in plan.items():
            self._unchanged(path, now)
        return tuple(
            (Item(path=path, content=self._image(then)), self._image(now))
            for path, (then, now) in plan.items()
        )

    def _one(self, item: Item, by: Actor, ids: Sequence[str], group: str) -> Proposal:
        one = self.proposing.make(item, actor=by, origin=UNDO)
        decision = replace(one.decision, verdict=Verdict.ASK)
        return replace(
            one,
            decision=decision,
            state=State.WAITING,
            set_id=group,
            extra={**one.extra, "undoes": ids[0]},
        )

    def _net(self, receipts: Sequence[Receipt]) -> dict[str, tuple[str | None, str | None]]:
        """Return for each path (what was there first, what must be there now).

        Several receipts of one path, newest first, are one step back over all of them.
        """
        net: dict[str, tuple[str | None, str | None]] = {}
        for receipt in receipts:
            now = net[receipt.path][1] if receipt.path in net else receipt.after
            net[receipt.path] = (receipt.before, now)
        return net

    def _unchanged(self, path: str, expected: str | None) -> None:
        state = self.parts.files.state(self.parts.path(path))
        now = None if state is None else state.digest
        if now != expected:
            raise StaleError(
                "changed-since",
                f"`{path}` changed after Penstock wrote it",
                because=f"it was {expected or 'absent'} and is {now or 'absent'} now",
                hint="look at it with `penstock undo --dry-run`, or put it back by hand",
            )

    def _image(self, known: str | None) -> bytes | None:
        return self.proposing.blob(known)
