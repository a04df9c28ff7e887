"""Finish what a crash left in the middle of an apply.

The numbered checks and the write are `apply`'s; putting files back or finishing them is the
writer's own.
Always true: the disk says how far a write came and the audit log whether it was approved; of
several processes that start at once one ends each claim; a write keeps one line `applied`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from penstock.core.errors import PenstockError

if TYPE_CHECKING:
    from penstock.core.audit.approval.standing_approval import LoggedApproval
    from penstock.core.proposals.model import Proposal, Receipt
    from penstock.gate.apply import Applier
    from penstock.gate.parts import Parts


class CrashRecovery:
    """The steps from claims that nobody holds any more to receipts, or to proposals given back.

    Every gate that is opened looks for them, and hardly ever is there one: so `applying` is
    called where there is.
    """

    def __init__(self, parts: Parts, applying: Callable[[], Applier]) -> None:
        self.parts = parts
        self._applying = applying

    @cached_property
    def applying(self) -> Applier:
        """The steps that end a write."""
        return self._applying()

    def recover(self) -> tuple[Receipt, ...]:
        """Finish what a crash left in the middle; the disk says how far it came."""
        rules = self.parts.rules
        for ended in (*self.parts.files.recover(), *(rules.files.recover() if rules else ())):
            self.parts.record(
                "recovered",
                path=", ".join(ended.paths),
                status=ended.ending,
                kept=ended.kept,
                notes=ended.notes,
            )
        groups: dict[str, list[Proposal]] = {}
        for token, one in self.parts.proposals.abandoned():
            groups.setdefault(token, []).append(one)
        receipts: list[Receipt] = []
        for token, members in groups.items():
            # Several processes may start at once after a crash: one of them ends each claim.
            mine = self.parts.clock.token()
            if self.parts.proposals.take_over(token, new=mine):
                receipts += self._end(members, mine)
        return tuple(receipts)

    def _end(self, members: Sequence[Proposal], token: str) -> tuple[Receipt, ...]:
        """End what a crash left of one claim, as the disk and the audit log say it."""
        from penstock.gate.apply import Claimed
        from penstock.gate.versions import EDIT

        for one in members:
            self._sweep(one)
        approvals = {one.id: self._approval_before_crash(one) for one in members}
        known = {name: found for name, found in approvals.items() if found}
        if len(known) < len(members):
            self._disown(members, token)
            return ()
        if all(self.applying.holds(one, one.content, one.mode) for one in members):
            claimed = Claimed(members=members, token=token, approvals=known)
            return self.applying.written(claimed, how="found written after a crash")
        self.parts.proposals.release(token)
        for one in members:
            self.parts.record_of("abandoned", one, status="error", code="interrupted")
            if EDIT in one.extra:  # nobody waits for it any more
                self.applying.outdate(one)
        return ()

    def _approval_before_crash(self, one: Proposal) -> LoggedApproval | None:
        """Return what a write that was begun relied on; its own line `applied` may be there."""
        from penstock.core.audit.approval.standing_approval import (
            LoggedApproval,
            approval_in,
            written_hash,
        )

        newest = self.applying.newest_entry(one)
        written = LoggedApproval(kind="", event_hash="") if written_hash(newest) else None
        return written or approval_in(newest, one)

    def _disown(self, members: Sequence[Proposal], token: str) -> None:
        """Close a claim on what nobody approved: no write of ours can have begun with it."""
        self.parts.proposals.release(token)
        for one in members:
            self.parts.record_of("refused", one, status="denied", code="not-in-log")
            self.applying.outdate(one)

    def _sweep(self, one: Proposal) -> None:
        """Remove what a power cut left beside a file, where even the writer's note was lost."""
        with suppress(PenstockError):  # it is only in the way; the write is what matters
            known = [data for data in self.applying.proposing.contents(one) if data is not None]
            files, path = self.parts.place(one.path)
            swept = files.sweep(path, known)
            if swept:
                self.parts.record("recovered", path=one.path, status="swept", notes=swept)
