"""What a person decided becomes an answer, a write, and an entry in state.

Each step is looked up in the queue before it is done, so that a step that a crash interrupted
is taken up where it ended.
Always true: only `gate.apply` writes; what cannot be approved or written stays as it is, the
entry says why, and a proposal that nobody answered goes on waiting.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from penstock.core.display import spoken
from penstock.core.errors import PenstockError, RefusedError, StaleError
from penstock.core.merge import Strategy
from penstock.core.model import Verdict
from penstock.core.proposal import OPEN, Answer, Proposal, Receipt, State
from penstock.doors.langgraph import approver
from penstock.doors.langgraph.decided import Decided, Kind
from penstock.doors.langgraph.errors import in_one_line
from penstock.doors.langgraph.records import Made, NotMade, Outcome, made, not_made, plain
from penstock.doors.langgraph.strategies import log_warnings
from penstock.doors.langgraph.writes import Judging, Write, latest
from penstock.gate import Proof
from penstock.gate.finding import closed

LOOKS, BETWEEN = 200, 0.02  # while another process writes; seconds between two of them
NOT_SHOWN = "the file is not what it was when this was shown, so nobody has seen this change"
WAITS = "it waits as {id}: penstock approve {id}"


@dataclass(kw_only=True)
class Settling:
    """The writes of one step, settled in their order. `prove` says who approves."""

    judging: Judging
    prove: Callable[[], Proof]
    kind: str
    _proof: Proof | None = field(default=None, init=False)

    def settle(self, one: Write, decided: Decided | None) -> Made | NotMade:
        """Do what was decided about a write. None says that nobody could be asked."""
        if one.decision.verdict is Verdict.DENY:
            return self._no(one, Outcome.BLOCKED, spoken(one.decision.because))
        try:
            return self._settled(one, decided)
        except StaleError as problem:
            # Somebody else may have answered between our look and our answer: look again.
            return self._once_more(one, decided, problem)
        except PenstockError as problem:
            return self._failed(one, problem)

    def _once_more(
        self, one: Write, decided: Decided | None, problem: PenstockError
    ) -> Made | NotMade:
        try:
            return self._settled(one, decided)
        except PenstockError:
            return self._failed(one, problem)  # the first one says more

    def _settled(self, one: Write, decided: Decided | None) -> Made | NotMade:
        now = self._now(one)
        if now.base != one.base and now.state is State.WAITING:
            return self._kept(one, now, NOT_SHOWN)
        if not one.asks or now.base != one.base:
            return self._written(one, now, Decided())
        return self._answered(one, now, decided)

    def _now(self, one: Write) -> Proposal:
        """Return the proposal as it stands.

        One that had to wait for another write is made now. One whose time is over is made again:
        the time is for questions that lie in the queue, and this one was just answered.
        """
        judging = self.judging
        found = one.proposal or judging.known(one.at, one.place, one.content)
        if found is None or judging.is_over(found):
            found = judging.propose(one.at, one.place, one.content, again=None)
        return latest(judging.gate, found)

    def _answered(self, one: Write, now: Proposal, decided: Decided | None) -> Made | NotMade:
        if now.state is State.APPLIED:
            return self._written(one, now, decided or Decided())
        if now.state is State.REJECTED and now.answer is not None:
            return self._rejected_before(one, now, now.answer)
        if now.state not in OPEN:
            raise closed(now)
        if now.state is State.APPROVED and (decided is None or decided.yes):
            return self._written(one, now, decided or Decided())  # approved in the queue
        if decided is None:
            return self._kept(one, now, f"nobody answered: {spoken(one.decision.because)}")
        if not decided.yes:
            return self._rejected(one, now, decided)
        return self._approved(one, now, decided)

    # -- yes -------------------------------------------------------------------------------

    def _approved(self, one: Write, now: Proposal, decided: Decided) -> Made | NotMade:
        # Proven first: what cannot be approved must not be changed either.
        proof = self._proven(one)
        gate = self.judging.gate
        if not now.parent:  # an earlier run of this step, or somebody else, has changed it
            now = self._changed(one, now, decided)
        if now.state is State.WAITING:
            now = gate.answer(now.id, approve=True, proof=proof)
        return self._written(one, now, decided)

    def _proven(self, one: Write) -> Proof:
        """Return who approves; asked for once in a step."""
        self._proof = self._proof or self.prove()
        if self._proof.sign is None and self.judging.gate.key_needed():
            raise RefusedError(
                "key-needed",
                f"`{spoken(one.place.shown)}` needs an approver's key",
                because="a key is set up or asked for by the rules, and then nothing else approves",
            )
        return self._proof

    def _changed(self, one: Write, now: Proposal, decided: Decided) -> Proposal:
        gate = self.judging.gate
        if decided.kind is Kind.EDIT:
            return gate.revise(now.id, decided.content)
        if decided.strategy is Strategy.REPLACE:
            return now
        changed = gate.with_strategy(now.id, decided.strategy, at=decided.at)
        log_warnings(one.place.shown, changed.warnings)
        return changed

    def _written(self, one: Write, now: Proposal, decided: Decided) -> Made:
        gate = self.judging.gate
        receipt = gate.receipt(now.id)
        if now.state is not State.APPLIED or receipt is None:
            receipt = self._apply(now)
        self.judging.written.add(one.path)
        now = latest(gate, now)
        by_person = now.answer is not None and now.answer.proof != "policy"
        if by_person:  # they have seen all of it, so later changes count from here
            self.judging.starts[one.path] = receipt.after
        return made(one, now, receipt, strategy=str(decided.strategy), at=decided.at)

    def _apply(self, now: Proposal) -> Receipt:
        """Write it, unless another process was faster: then what it did is what was asked."""
        try:
            return self.judging.gate.apply(now.id)[0]
        except StaleError:
            receipt = self._by_another(now)
            if receipt is None:
                raise
            return receipt

    def _by_another(self, now: Proposal) -> Receipt | None:
        """Return the receipt of another process, which may be about to write it."""
        gate = self.judging.gate
        for _ in range(LOOKS):
            receipt = gate.receipt(now.id)
            if receipt or not gate.is_being_written(now.id):
                return receipt or gate.receipt(now.id)
            time.sleep(BETWEEN)
        return None

    # -- no --------------------------------------------------------------------------------

    def _rejected(self, one: Write, now: Proposal, decided: Decided) -> NotMade:
        proof = approver.rejecting(self.kind)
        self.judging.gate.answer(now.id, approve=False, proof=proof, reason=decided.message)
        return self._no(one, Outcome.REJECTED, decided.message, proof=proof, proposal=now)

    def _rejected_before(self, one: Write, now: Proposal, answer: Answer) -> NotMade:
        """A no stands, whether an earlier run of this step or somebody in the queue said it."""
        proof = Proof(by=answer.by, kind=answer.proof)
        return self._no(one, Outcome.REJECTED, answer.reason, proof=proof, proposal=now)

    def _kept(self, one: Write, now: Proposal, why: str) -> NotMade:
        """Nobody has decided: the write is not made, and its proposal goes on waiting."""
        reason = f"{why}; {WAITS.format(id=now.id)}"
        return self._no(one, Outcome.BLOCKED, reason, proposal=now)

    def _failed(self, one: Write, problem: PenstockError) -> NotMade:
        now = latest(self.judging.gate, one.proposal) if one.proposal else None
        waits = now is not None and now.state is State.WAITING
        reason = in_one_line(problem)
        if waits and now is not None:
            reason = f"{reason}; {WAITS.format(id=now.id)}"
        return self._no(one, Outcome.BLOCKED, reason, proposal=now)

    def _no(
        self,
        one: Write,
        outcome: Outcome,
        reason: str,
        *,
        proof: Proof | None = None,
        proposal: Proposal | None = None,
    ) -> NotMade:
        return not_made(
            plain(one.place.shown, one.text, one.change),
            outcome=outcome,
            reason=reason,
            at=self.judging.gate.now().wall,
            by=proof.by if proof else "policy",
            proof=proof.kind if proof else "policy",
            proposal=proposal or one.proposal,
        )
