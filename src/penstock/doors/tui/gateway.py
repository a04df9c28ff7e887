"""What a person does at the screen, as calls to the gate; runs beside the screen, in a thread.

Always true: an answer names the very proposals that were looked at, with the digests they had
then; anything newer is refused and said so.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from penstock.core.errors import InputError, PenstockError, StaleError
from penstock.core.merge.strategies import MergeResult, Strategy, combine
from penstock.core.proposals.model import OPEN, Proposal, State
from penstock.doors.tui.captions import facts
from penstock.doors.tui.diff_rows import Sheet, sheet
from penstock.doors.tui.proof import Keys
from penstock.gate import Gate
from penstock.gate.lookup import closed

# What could not be written stays in sight: it can be tried again, or rebased.
UNWRITTEN = (State.STALE, State.APPROVED)


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownProposal:
    """A proposal with the bytes that are on the screen."""

    one: Proposal
    before: bytes | None
    after: bytes | None
    moved: bool = False

    def sheet(self, *, sides: bool = False) -> Sheet:
        """Return what is shown of it."""
        known = tuple(facts(self.one, moved=self.moved))
        return sheet(known, self.before, self.after, sides=sides)


@dataclass
class ReviewDesk:
    """One person's review of one workspace. `kept` are proposals that could not be written."""

    gate: Gate
    keys: Keys
    kept: set[str] = field(default_factory=set)
    applied: list[str] = field(default_factory=list)

    # -- looking ---------------------------------------------------------------------------

    def queue(self) -> tuple[Proposal, ...]:
        """Return what waits, with the rest of its sets and what went out of date here."""
        self.gate.expire()
        waiting = self.gate.find(states=(State.WAITING,))
        sets = {one.set_id for one in waiting if one.set_id}
        found = {one.id: one for one in waiting}
        for group in sets:
            beside = self.gate.of_set(group)
            found |= {one.id: one for one in beside if one.state is State.APPROVED}
        over = [self.gate.get(known) for known in self.kept]
        found |= {one.id: one for one in over if one and one.state in UNWRITTEN}
        return tuple(sorted(found.values(), key=_order))

    def look(self, one: Proposal) -> ShownProposal:
        """Return the bytes of a proposal, and whether its file has changed meanwhile."""
        before, after = self.gate.contents(one)
        return ShownProposal(one=one, before=before, after=after, moved=self._moved(one))

    def _moved(self, one: Proposal) -> bool:
        try:
            return self.gate.digest(one.path) != one.base
        except PenstockError:  # no plain file any more
            return True

    def group(self, one: Proposal) -> tuple[Proposal, ...]:
        """Return what is answered together with it: the open files of its set."""
        found = self.gate.of_set(one.set_id)
        return tuple(each for each in found if each.state in OPEN) or (one,)

    # -- answers ---------------------------------------------------------------------------

    def approve(self, shown: Sequence[Proposal]) -> str:
        """Approve what was shown, and write it once nothing of its set waits any more."""
        now = [self._unchanged(one) for one in shown]
        wait = [one.id for one in now if one.state is State.WAITING]
        self.gate.answer_all(wait, approve=True, proof=self.keys.proof())
        first = now[0]
        group = self.gate.of_set(first.set_id)
        left = sum(one.state is State.WAITING for one in group)
        if left:
            return f"approved; the set is written once all of it is, {left} file(s) wait"
        try:
            receipts = self.gate.apply(first.set_id or first.id)
        except PenstockError:
            self.kept |= {one.id for one in now}
            raise
        self.applied = [receipt.id for receipt in receipts]
        notes = "".join(f"; {receipt.note}" for receipt in receipts if receipt.note)
        return f"written: {', '.join(receipt.path for receipt in receipts)}{notes}"

    def _unchanged(self, shown: Proposal) -> Proposal:
        """Return a proposal as it is stored, if it is still the one that was shown."""
        now = self.gate.get(shown.id)
        if now is None:
            raise InputError("not-found", f"there is no proposal `{shown.id}` any more")
        if (now.base, now.content, now.path) != (shown.base, shown.content, shown.path):
            raise StaleError(
                "not-what-was-shown",
                f"the proposal for `{shown.path}` is not the one on the screen",
                because=f"{shown.content or 'nothing'} was shown, it is {now.content} now",
                hint="look at it again",
            )
        if now.state not in OPEN:
            raise closed(now)
        return now

    def reject(self, shown: Sequence[Proposal], reason: str) -> str:
        """Send it back with a reason that the agent gets to read."""
        now = [self._unchanged(one) for one in shown]
        said = reason.strip() or "rejected without a reason"
        self.gate.answer_all(
            [one.id for one in now], approve=False, proof=self.keys.name(), reason=said
        )
        return f"rejected: {', '.join(one.path for one in now)}"

    def choose_files(self, found: Sequence[Proposal], paths: Collection[str]) -> Proposal:
        """Keep some files of a set as a set of their own; return the first, to be looked at."""
        return self.gate.choose_files(found, paths, proof=self.keys.name())[0]

    # -- other content -----------------------------------------------------------------------

    def merged(self, seen: ShownProposal, strategy: Strategy, at: int | None) -> MergeResult:
        """Return what a strategy would make of it, without making it."""
        if seen.before is None or seen.after is None:
            raise InputError("nothing-to-combine", f"`{seen.one.path}` is created or removed whole")
        return combine(seen.before, seen.after, strategy, at=at, path=seen.one.path)

    def with_strategy(self, one: Proposal, strategy: Strategy, at: int | None) -> Proposal:
        """Combine it with what is there; the result waits in its place."""
        return self.gate.with_strategy(self._unchanged(one).id, strategy, at=at)

    def with_hunks(self, one: Proposal, chosen: Collection[int]) -> Proposal:
        """Keep some hunks only."""
        if not chosen:
            raise InputError("no-hunks", "no hunk is ticked", hint="space ticks one, r rejects all")
        return self.gate.with_hunks(self._unchanged(one).id, chosen)

    def edited(self, seen: ShownProposal, content: bytes) -> Proposal:
        """Put the person's own content in its place."""
        if content == seen.after:
            raise InputError("nothing-changed", "nothing was changed")
        return self.gate.revise(self._unchanged(seen.one).id, content)

    def rebase(self, one: Proposal) -> Proposal:
        """Carry it over to what the file holds now."""
        made = self.gate.rebase(one.id)
        self.kept.discard(one.id)
        return made

    def renew(self, one: Proposal) -> Proposal:
        """Give it its whole time again."""
        return self.gate.renew(one.id)

    def undo(self) -> Proposal:
        """Propose to put back what was written last; it is shown and approved like any other."""
        receipts = self.gate.undoable(last=1)
        if receipts and receipts[0].set_id:
            receipts = self.gate.undoable(receipt=receipts[0].set_id)
        if not receipts:
            raise InputError("nothing-to-undo", "nothing that Penstock wrote is left to undo")
        return self.gate.undo(receipts)[0]


def _order(one: Proposal) -> tuple[float, str, str]:
    """Oldest first; files of a set stay together."""
    return one.created.wall, one.set_id, one.path
