"""The Gate itself: every journey of a write, one method a step.

Always true: doors call nothing else. Each method says in one line what it does; how is in the
module of that step.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from penstock.core.decide import decide
from penstock.core.merge import Strategy
from penstock.core.model import NOBODY, Actor, Decision, Request
from penstock.core.proposal import Proposal, Receipt
from penstock.gate.answer import Answering
from penstock.gate.applying import Applying
from penstock.gate.calls import Call
from penstock.gate.judging import Judged, judge_call
from penstock.gate.keeping import Keeping
from penstock.gate.parts import Item, Parts, Proof
from penstock.gate.proposing import Proposing
from penstock.gate.rule_edits import Edited, RuleEdit, RuleEdits
from penstock.gate.undoing import Undoing
from penstock.ports import History


class Gate:
    """One workspace's gate. Synchronous; an async door calls it in a thread."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self._answering = Answering(parts)
        self._proposing = Proposing(parts, self._answering)
        self._applying = Applying(parts, self._proposing)
        self._undoing = Undoing(parts, self._proposing)
        self._keeping = Keeping(parts)

    # -- judge -----------------------------------------------------------------------------

    def judge(self, request: Request) -> Decision:
        """Return what the rules say to one request. Nothing is recorded."""
        return decide(request, self.parts.policy(), now=self.parts.clock.now().wall)

    def judge_call(self, call: Call) -> Judged:
        """Return what the rules say to a tool call, measured against the disk."""
        parts = self.parts
        return judge_call(parts.files, parts.policy(), call, now=parts.clock.now().wall)

    # -- propose, answer, apply --------------------------------------------------------------

    def propose(
        self,
        items: Sequence[Item],
        *,
        actor: Actor = NOBODY,
        attended: bool = True,
        ids: Sequence[str] = (),
        ttl: float | None = None,
        judged: Decision | None = None,
    ) -> tuple[Proposal, ...]:
        """Measure, judge and store a change of one file or of a set. Writes nothing.

        `judged`, the decision on the call behind it, can only make the answer stricter.
        """
        made = self._proposing.propose(
            items, actor=actor, attended=attended, ids=ids, ttl=ttl, judged=judged
        )
        self.parts.announce(made)
        self._keeping.tidy()
        return made

    def answer(
        self, proposal_id: str, *, approve: bool, proof: Proof, reason: str = ""
    ) -> Proposal:
        """Approve or reject a waiting proposal."""
        return self._answering.answer(proposal_id, approve=approve, proof=proof, reason=reason)

    def answer_all(
        self, proposal_ids: Sequence[str], *, approve: bool, proof: Proof, reason: str = ""
    ) -> tuple[Proposal, ...]:
        """Approve or reject several waiting proposals, all or none."""
        return self._answering.answer_all(proposal_ids, approve=approve, proof=proof, reason=reason)

    def apply(self, proposal_id: str, *, path: str | None = None) -> tuple[Receipt, ...]:
        """Write an approved proposal, or a whole set, after the numbered checks."""
        receipts = self._applying.apply(proposal_id, path=path)
        self._keeping.tidy()
        return receipts

    def edit_rules(self, edit: RuleEdit, *, history: History) -> Edited:
        """Propose, answer and apply an edit of rules files, wherever they lie.

        Only the reviewer's door calls this; who may edit rules was decided there.
        """
        self._keeping.tidy()  # before: afterwards the rules would have to be read anew
        return RuleEdits(self.parts, edit).write(history)

    def expire(self) -> tuple[Proposal, ...]:
        """Close every proposal whose time is over, each with its line on the record."""
        return self._answering.expire()

    def contents(self, one: Proposal) -> tuple[bytes | None, bytes | None]:
        """Return the bytes before and after that were measured and are shown."""
        return self._proposing.contents(one)

    def recover(self) -> tuple[Receipt, ...]:
        """Finish what a crash left in the middle."""
        return self._applying.recover()

    # -- other content -----------------------------------------------------------------------

    def revise(self, proposal_id: str, content: bytes | None, *, origin: str = "edit") -> Proposal:
        """Put a person's own content in a proposal's place."""
        return self._proposing.revise(proposal_id, content, origin=origin)

    def with_strategy(
        self, proposal_id: str, strategy: Strategy, *, at: int | None = None
    ) -> Proposal:
        """Combine a proposal with what is there: append, insert, extend, replace."""
        return self._proposing.with_strategy(proposal_id, strategy, at=at)

    def with_hunks(
        self, proposal_id: str, chosen: Collection[int], *, reason: str = ""
    ) -> Proposal:
        """Keep only the chosen hunks of a proposal; the agent reads why the rest goes back."""
        return self._proposing.with_hunks(proposal_id, chosen, reason=reason)

    def choose_files(
        self,
        found: Sequence[Proposal],
        paths: Collection[str],
        *,
        proof: Proof,
        reason: str = "",
    ) -> tuple[Proposal, ...]:
        """Keep some files of a set as a new set; the others go back to the agent, with a reason."""
        return self._proposing.choose_files(found, paths, proof=proof, reason=reason)

    def rebase(self, proposal_id: str) -> Proposal:
        """Carry a proposal over to what the file holds now."""
        return self._proposing.rebased(proposal_id)

    def renew(self, proposal_id: str) -> Proposal:
        """Give a waiting proposal its whole time again."""
        return self._answering.renew(proposal_id)

    # -- undo --------------------------------------------------------------------------------

    def undoable(self, *, receipt: str = "", last: int = 0, path: str = "") -> tuple[Receipt, ...]:
        """Return what `undo` would take back."""
        return self._undoing.find(receipt=receipt, last=last, path=path)

    def preview_undo(
        self, receipts: Sequence[Receipt], *, rebase: bool = False
    ) -> tuple[tuple[Item, bytes | None], ...]:
        """Return what each file would hold again, beside what it holds now."""
        return self._undoing.preview(receipts, rebase=rebase)

    def adopt(
        self,
        path: str,
        *,
        before: bytes | None,
        after: bytes | None,
        event_hash: str,
        at: float,
        note: str = "",
    ) -> Receipt:
        """Take a write that an agent made by itself into what can be undone."""
        return self._undoing.adopt(
            path, before=before, after=after, event_hash=event_hash, at=at, note=note
        )

    def changed_since(self, receipts: Sequence[Receipt]) -> tuple[tuple[str, bytes | None], ...]:
        """Return the files that changed since, each with what Penstock had written."""
        return tuple(self._undoing.changed(receipts))

    def undo(
        self, receipts: Sequence[Receipt], *, by: Actor = NOBODY, rebase: bool = False
    ) -> tuple[Proposal, ...]:
        """Propose to put back what was there; approve and apply it like any other.

        With `rebase`, what was saved since is kept where the two do not meet.
        """
        return self._undoing.propose(receipts, by=by, rebase=rebase)

    def current(self, path: str) -> bytes | None:
        """Return what a file holds now; None when it is absent."""
        return self._proposing.current(path)
