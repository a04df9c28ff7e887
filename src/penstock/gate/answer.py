"""Answer: somebody decides about what waits, and proves who they are.

How a person is asked is each door's business; whether a signature is an approver's, the keys'.
Always true: what is approved is exactly the bytes behind the digests that were shown; once a key
exists, nothing approves but its signature, or what it vouches for: a touch of a passkey, and for
what is not dangerous an unlocked session; who decided is on the record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from penstock.core.audit.approval.standing_approval import fingerprint
from penstock.core.errors import InputError, RefusedError, StaleError
from penstock.core.proposals.line_comment import LineComment
from penstock.core.proposals.model import UNDO, Answer, Proposal, State, Transition
from penstock.core.text.quantities import duration, listing
from penstock.gate.doors import Proof, Reach, require_reach
from penstock.gate.parts import Event, Parts, event_of
from penstock.gate.proof.check import ProofCheck, signed_statement
from penstock.gate.proof.owners import OwnerCheck

NO_FACTS: Mapping[str, object] = {}
NO_REASONS: Mapping[str, str] = {}


class Answerer:
    """The steps from a waiting proposal to an answered one."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.checking = ProofCheck(parts)
        self.owners = OwnerCheck(parts)

    def answer_all(
        self,
        proposal_ids: Sequence[str],
        *,
        approve: bool,
        proof: Proof,
        reason: str = "",
        comments: Sequence[LineComment] = (),
        reasons: Mapping[str, str] = NO_REASONS,
    ) -> tuple[Proposal, ...]:
        """Approve or reject several waiting proposals, all or none, and put it on the record.

        `reasons`, by id, come before the one `reason` of all.
        """
        found = [self.fresh(known) for known in proposal_ids]
        if comments and approve:
            raise InputError(
                "bad-comment",
                "an approval has no comments",
                hint="reject with comments, or approve without",
            )
        said = self.comments_of(found, comments)
        proven = self.checking.approvals(found, proof) if approve else {}
        why = {one.id: reasons.get(one.id, reason) for one in found}
        answers = {
            one.id: replace(proven[one.id].answer, reason=why[one.id])
            if one.id in proven
            else replace(
                self.prove(one, approve=approve, proof=proof, reason=why[one.id]),
                comments=said[one.id],
            )
            for one in found
        }
        facts = {known: one.facts for known, one in proven.items()}
        # An owner's approval is one of several: what needs more of them stays pending.
        pending = self.owners.endorse(found, answers, facts) if approve else frozenset()
        moved = self.parts.proposals.answer(
            {known: answer for known, answer in answers.items() if known not in pending},
            Transition.APPROVE if approve else Transition.REJECT,
            record=lambda moved: self.parts.record_all(
                [answered(one, answers[one.id], facts.get(one.id, NO_FACTS)) for one in moved]
            ),
        )
        by_id = {one.id: one for one in moved}
        return tuple(by_id.get(one.id, one) for one in found)

    def comments_of(
        self, found: Sequence[Proposal], comments: Sequence[LineComment]
    ) -> Mapping[str, tuple[LineComment, ...]]:
        """Give each proposal its own comments; one on another file is refused, not lost."""
        known = {one.path for one in found}
        named = [replace(each, path=self.parts.name(each.path)) for each in comments]
        other = next((each.path for each in named if each.path not in known), None)
        if other is not None:
            raise InputError(
                "bad-comment",
                f"`{other}` is not in this change",
                because="it changes " + listing([f"`{path}`" for path in sorted(known)]),
                hint="name one of its files",
            )
        return {one.id: tuple(each for each in named if each.path == one.path) for one in found}

    def prove(self, one: Proposal, *, approve: bool, proof: Proof, reason: str) -> Answer:
        """Sign an approval where a key exists; without one the record says which proof it was."""
        at = self.parts.clock.now().wall
        unsigned = Answer(approved=approve, by=proof.by, proof=proof.kind, at=at, reason=reason)
        if not approve:
            return unsigned
        if proof.sign is None:
            if self.parts.key_needed():
                raise _key_needed(one, exists=self.parts.approvers.required())
            require_reach(proof, self._reach_needed(one), one.path)
            return unsigned
        said = signed_statement(one, at)
        signature, key_id = proof.sign(said)
        if not self.parts.is_signed(said, signature, key_id):
            raise RefusedError(
                "unknown-key",
                f"the key `{key_id}` is not an approver's here",
                hint="see `penstock approver show`",
            )
        return replace(unsigned, signature=signature, key_id=key_id)

    def _reach_needed(self, one: Proposal) -> Reach:
        """Return how far a proof has to go to approve this change."""
        if self.parts.widens_policy(one):
            return Reach.RULES
        return Reach.UNDO if one.origin == UNDO else Reach.CHANGES

    def renew(self, proposal_id: str) -> Proposal:
        """Give a waiting proposal its whole time again."""
        one = self.fresh(proposal_id)
        moved = self.parts.proposals.move(one.id, Transition.RENEW, at=self.parts.clock.now())
        self.parts.record_of("renewed", moved, status=moved.state)
        return moved

    def fresh(self, proposal_id: str) -> Proposal:
        """Return a proposal whose time is not over; an expired one is closed and told."""
        one = self.parts.proposals.get(proposal_id)
        if one is None:
            raise InputError(
                "not-found",
                f"there is no proposal `{proposal_id}`",
                hint="list them with `penstock proposals --all`",
            )
        if one.expired(self.parts.clock.now()):
            one = self.expire(one)
        if one.state is State.EXPIRED:
            raise StaleError(
                "expired",
                f"the proposal for `{one.path}` has expired",
                because=f"it was pending longer than {duration(one.ttl)}",
                hint="ask the agent to propose again",
            )
        return one

    def expire(self, one: Proposal) -> Proposal:
        """Close a proposal whose time is over."""
        closed = self.parts.proposals.move(one.id, Transition.EXPIRE, at=self.parts.clock.now())
        self.parts.record_of("expired", closed, status=closed.state)
        return closed


def answered(one: Proposal, answer: Answer, facts: Mapping[str, object] = NO_FACTS) -> Event:
    """Return the line that says who decided what, and why; `facts` are what proves it."""
    told = event_of(
        "approved" if answer.approved else "rejected",
        one,
        status=one.state,
        by=answer.by,
        proof=answer.proof,
        reason=answer.reason,
        comments=[comment.words for comment in answer.comments] or None,
        signature=answer.signature,
        key_id=answer.key_id,
        signed_at=answer.at if answer.signature or facts else None,
        proposal_hash=fingerprint(one) if answer.approved else "",
    )
    return {**told, **facts}


def _key_needed(one: Proposal, *, exists: bool) -> RefusedError:
    """Return the error for an approval that is not signed and has to be."""
    because = "once an approver key is set up, only it can approve"
    hint = "type the passphrase in a terminal, or pass it by file descriptor"
    if not exists:
        because, hint = (
            "the rules require it ([approval] require_key or totp)",
            "run `penstock approver init`",
        )
    return RefusedError(
        "key-needed", f"`{one.path}` needs an approver's key", because=because, hint=hint
    )
