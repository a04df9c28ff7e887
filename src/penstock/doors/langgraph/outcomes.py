"""Pending writes are settled in their order, and each outcome becomes an entry in state.

Always true: what cannot be approved or written stays as it is, the entry says why, and a
proposal that nobody answered goes on waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from penstock.core.errors import PenstockError
from penstock.core.model import Verdict
from penstock.core.proposals.line_comment import LineComment
from penstock.core.proposals.model import OPEN, Proposal, State
from penstock.core.text.display import in_line
from penstock.doors.langgraph import approver
from penstock.doors.langgraph.errors import in_one_line
from penstock.doors.langgraph.pending_writes import Write, WriteJudge
from penstock.doors.langgraph.proposals import is_over, latest
from penstock.doors.langgraph.records import (
    POLICY,
    Entry,
    ReviewDecision,
    WriteOutcome,
    made,
    not_made,
)
from penstock.doors.langgraph.settle import approve, reject, twice
from penstock.gate import Proof
from penstock.gate.lookup import short_name

NOT_SHOWN = "the file has changed since this was shown, so this change was not reviewed"
WAITS = "it is pending as {id}: run `penstock approve {id}`"


class Settlement(Struct, frozen=True, kw_only=True):
    """The writes of one step. `prove` says who approves, `kind` by which proof a no is told."""

    judging: WriteJudge
    prove: Callable[[], Proof]
    kind: str

    def settle(self, one: Write, decided: ReviewDecision | None) -> Entry:
        """Do what was decided about a write. None says that nobody could be asked."""
        if one.decision.verdict is Verdict.DENY:
            return self._no(one, one.proposal, in_line(one.decision.because))
        try:
            return twice(lambda: self._settled(one, decided))
        except PenstockError as problem:
            now = latest(self.judging.gate, one.proposal) if one.proposal else None
            waits = now is not None and now.state is State.WAITING
            told = in_one_line(problem)
            return self._kept(one, now, told) if waits and now else self._no(one, now, told)

    def _settled(self, one: Write, decided: ReviewDecision | None) -> Entry:
        now = self._now(one)
        shown = now.base == one.base
        if now.state is State.WAITING and not shown:
            return self._kept(one, now, NOT_SHOWN)
        if not one.asks or not shown:
            return self._written(one, now, ReviewDecision())
        if now.state is State.REJECTED and now.answer is not None:
            # A no stands, whether an earlier run of this step or somebody in the queue said it.
            proof = Proof(by=now.answer.by, kind=now.answer.proof)
            return self._rejected(one, now, proof, now.answer.said, now.answer.comments)
        if decided is None and now.state is State.WAITING:
            return self._kept(one, now, f"no answer: {in_line(one.decision.because)}")
        if decided is not None and not decided.yes and now.state in OPEN:
            proof = approver.rejecting(self.kind)
            reject(self.judging.gate, [now], proof, decided)
            return self._rejected(one, now, proof, decided.said, decided.about([now.path]).comments)
        return self._written(one, now, decided or ReviewDecision())

    def _now(self, one: Write) -> Proposal:
        """Return the proposal as it stands.

        One that had to wait for another write is made now. One whose time is over is made again:
        the time is for questions that lie in the queue, and this one was just answered.
        """
        gate = self.judging.gate
        now = latest(gate, one.proposal) if one.proposal else None
        if now is None or is_over(gate, now):
            now = latest(gate, self.judging.proposed(one.at, one.place, one.content))
        return now

    def _written(self, one: Write, now: Proposal, decided: ReviewDecision) -> Entry:
        judging = self.judging
        edited = str(decided.args.get("new_content", "")).encode("utf-8", "surrogatepass")
        (receipt,) = approve(judging.gate, [now], decided, self.prove, {now.path: edited})
        judging.written.add(one.path)
        now = latest(judging.gate, now)
        by_person = now.answer is not None and now.answer.proof != POLICY.kind
        if by_person:  # they have seen all of it, so later changes count from here
            judging.starts[one.path] = receipt.after
        return made(one, now, receipt, decided)

    def _kept(self, one: Write, now: Proposal, why: str) -> Entry:
        """Nobody has decided: the write is not made, and its proposal goes on waiting."""
        return self._no(
            one, now, f"{why}; {WAITS.format(id=short_name(self.judging.gate, now.id))}"
        )

    def _rejected(
        self,
        one: Write,
        now: Proposal,
        proof: Proof,
        said: str,
        comments: Sequence[LineComment],
    ) -> Entry:
        return not_made(
            one.request,
            outcome=WriteOutcome.REJECTED,
            reason=said,
            at=self.judging.gate.now().wall,
            proof=proof,
            proposal=now,
            comments=comments,
        )

    def _no(
        self,
        one: Write,
        now: Proposal | None,
        reason: str,
    ) -> Entry:
        at = self.judging.gate.now().wall
        outcome = WriteOutcome.BLOCKED
        return not_made(one.request, outcome=outcome, reason=reason, at=at, proposal=now)
