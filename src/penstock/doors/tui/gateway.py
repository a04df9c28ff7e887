"""What a person does at the screen, as calls to the gate; runs beside the screen, in a thread.

Always true: an answer names the very proposals that were looked at, with the digests they had
then; anything newer is refused and said so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from msgspec import Struct, field

from penstock.app.places import user_rules
from penstock.core.diff.expansion import CLOSED, Expansion
from penstock.core.errors import InputError, PenstockError, StaleError
from penstock.core.merge.combination import Combination
from penstock.core.proposals.line_comment import LineComment
from penstock.core.proposals.model import OPEN, Moment, Proposal, Receipt, State
from penstock.core.review.line_notes import line_notes
from penstock.core.review.set_summary import SetSummary, renamed_words, summary
from penstock.core.text.quantities import counted
from penstock.doors.colours.child import Colours
from penstock.doors.tui.captions import facts
from penstock.doors.tui.diff_rows import Sheet, sheet
from penstock.doors.tui.proof import Keys
from penstock.gate import Gate
from penstock.gate.lookup import closed, rejected_beside
from penstock.gate.rule_offer import rule_offer

NO_RUNS = "no runs are kept here"
# What could not be written stays in sight: it can be tried again, or rebased.
UNWRITTEN = (State.STALE, State.APPROVED)


class ShownProposal(Struct, frozen=True, kw_only=True):
    """A proposal with the bytes that are on the screen."""

    one: Proposal
    before: bytes | None
    after: bytes | None
    now: Moment
    moved: bool = False
    notes: tuple[str, ...] = ()

    def sheet(
        self,
        *,
        sides: bool = False,
        details: bool = False,
        removed: bool = False,
        white_space: bool = True,
        opened: Expansion = CLOSED,
    ) -> Sheet:
        """Return what is shown of it."""
        one = self.one
        known = facts(one, self.now, moved=self.moved, details=details, notes=self.notes)
        return sheet(
            tuple(known),
            self.before,
            self.after,
            sides=sides,
            removed=removed,
            path=one.path,
            white_space=white_space,
            opened=opened,
        )


class WriteResult(Struct, frozen=True, kw_only=True):
    """What came of an approval: a sentence, and of a set each file that it is about."""

    said: str
    receipts: tuple[Receipt, ...] = ()
    rejected: tuple[Proposal, ...] = ()

    @property
    def of_set(self) -> str:
        """The set that was written, empty for a single file."""
        return self.receipts[0].set_id if self.receipts else ""


class ReviewDesk(Struct, dict=True):
    """One person's review of one workspace. `kept` are proposals that could not be written."""

    gate: Gate
    keys: Keys
    kept: set[str] = field(default_factory=set)
    runs: Callable[[], str] = lambda: NO_RUNS
    colours: Colours | None = None  # without it, syntax has no colours

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
        return ShownProposal(
            one=one,
            before=before,
            after=after,
            now=self.gate.now(),
            moved=self._moved(one),
            notes=(*self._renamed(one), *line_notes(before, after)),
        )

    def _renamed(self, one: Proposal) -> Iterator[str]:
        """Say which name it had, or gets; only the files of a set can tell."""
        if one.set_id:
            said = renamed_words(self.gate.renames(self.gate.members(one.set_id)))
            yield from filter(None, (said.get(one.path, ""),))

    def whole_set(self, one: Proposal) -> SetSummary:
        """Return the tree of what is answered together with it."""
        group = self.group(one)
        return summary(group, self.gate.renames(group))

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

    def approve(self, shown: Sequence[Proposal], reason: str) -> WriteResult:
        """Approve what was shown, and write it once nothing of its set waits any more.

        `reason` is what the audit log says of parts that were not shown.
        """
        now = [self._unchanged(one) for one in shown]
        wait = [one.id for one in now if one.state is State.WAITING]
        self.gate.answer_all(wait, approve=True, proof=self.keys.proof(), reason=reason)
        first = now[0]
        group = self.gate.of_set(first.set_id)
        left = sum(one.state is State.WAITING for one in group)
        if left:
            said = f"approved; the set is written once {counted(left, 'more file')} are approved"
            return WriteResult(said=said)
        lacking = self.gate.approvals(now[0]) if len(now) == 1 else None
        if lacking is not None and not lacking.done:
            return WriteResult(said=f"{lacking.said}; it stays pending")
        try:
            receipts = self.gate.apply(first.set_id or first.id)
        except PenstockError:
            self.kept |= {one.id for one in now}
            raise
        notes = "".join(f"; {receipt.note}" for receipt in receipts if receipt.note)
        offered = rule_offer(self.gate, now, user_file=user_rules())
        notes += f"; {offered}" if offered else ""
        return WriteResult(
            said=f"written: {', '.join(receipt.path for receipt in receipts)}{notes}",
            receipts=receipts,
            rejected=rejected_beside(self.gate, first),
        )

    def _unchanged(self, shown: Proposal) -> Proposal:
        """Return a proposal as it is stored, if it is still the one that was shown."""
        now = self.gate.get(shown.id)
        if now is None:
            raise InputError("not-found", f"there is no proposal `{shown.id}` any more")
        if (now.base, now.content, now.path) != (shown.base, shown.content, shown.path):
            raise StaleError(
                "not-what-was-shown",
                f"the proposal for `{shown.path}` is not the one shown",
                because=f"{shown.content or 'nothing'} was shown, it is {now.content} now",
                hint="review it again",
            )
        if now.state not in OPEN:
            raise closed(now)
        return now

    def reject(
        self, shown: Sequence[Proposal], reason: str, comments: Sequence[LineComment] = ()
    ) -> str:
        """Send it back with a reason and comments that the agent gets to read."""
        now = [self._unchanged(one) for one in shown]
        said = reason.strip() or ("" if comments else "rejected without a reason")
        self.gate.answer_all(
            [one.id for one in now],
            approve=False,
            proof=self.keys.name(),
            reason=said,
            comments=comments,
        )
        return f"rejected: {', '.join(one.path for one in now)}"

    def choose_files(
        self,
        found: Sequence[Proposal],
        paths: Collection[str],
        comments: Sequence[LineComment] = (),
    ) -> Proposal:
        """Keep some files of a set as a set of their own; return the first, to be looked at.

        The others are rejected, with the comments on them.
        """
        proof = self.keys.name()
        return self.gate.choose_files(found, paths, proof=proof, comments=comments)[0]

    # -- other content -----------------------------------------------------------------------

    def combined(self, one: Proposal, asked: Combination) -> Proposal:
        """Make what a preview showed; it waits in the place of the proposal."""
        known = self._unchanged(one).id
        if asked.hunks is not None:
            return self.gate.with_hunks(known, asked.hunks)
        return self.gate.with_strategy(known, asked.strategy, at=asked.at)

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

    def rebase_set(self, one: Proposal) -> Proposal:
        """Carry every file of its set over that changed since; return the first, to look at."""
        found = self.gate.members(one.set_id)
        if len(found) < 2:
            raise InputError("no-set", f"`{one.path}` is not part of a set", hint="press b")
        made = self.gate.rebase_all(found)
        self.kept.difference_update(each.id for each in found)
        if not made:
            raise InputError(
                "nothing-to-rebase",
                "there is nothing to rebase",
                because="every file is as it was when this was proposed",
                hint="approve it, or reject it",
            )
        return made[0]

    def renew(self, one: Proposal) -> Proposal:
        """Give it its whole time again."""
        return self.gate.renew(one.id)

    def undo(self, set_id: str = "") -> Proposal:
        """Propose to put back a set, or what was written last; it is shown like any other."""
        receipts = self.gate.undoable(receipt=set_id) if set_id else self.gate.undoable(last=1)
        if not receipts:
            raise InputError("nothing-to-undo", "nothing to undo")
        return self.gate.undo(receipts)[0]


def _order(one: Proposal) -> tuple[float, str, str]:
    """Oldest first; files of a set stay together."""
    return one.created.wall, one.set_id, one.path
