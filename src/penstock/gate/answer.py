"""Answer: somebody decides about what waits, and proves who they are.

How a person is asked is each door's business; whether a signature is an approver's, the keys'.
Always true: what is approved is exactly the bytes behind the digests that were shown; once a key
exists, nothing approves but its signature, or what it vouches for: a touch of a passkey, and for
what is not dangerous an unlocked session; who decided is on the record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from penstock.core.audit.approval_list import Places, challenge_of
from penstock.core.audit.approval_proof import (
    PASSKEY,
    UNLOCK,
    passkey_of,
    proof_fault,
    touch_facts,
)
from penstock.core.audit.standing_approval import fingerprint
from penstock.core.diff.measure import measure
from penstock.core.errors import InputError, RefusedError, StaleError
from penstock.core.proposals.danger import dangers
from penstock.core.proposals.line_comment import LineComment
from penstock.core.proposals.model import UNDO, Answer, Proposal, State, Transition
from penstock.core.proposals.passkey import fault
from penstock.core.proposals.signature import statement
from penstock.core.text.quantities import duration, listing
from penstock.gate.doors import Proof, Reach, SessionKey, TouchedApproval, require_reach
from penstock.gate.parts import Event, Parts, event_of

TOUCH_SECONDS = 300.0  # between the challenge and the answer
NO_FACTS: Mapping[str, object] = {}


@dataclass(frozen=True, kw_only=True, slots=True)
class ProvenAnswer:
    """An approval, and what its entry in the audit log shows for it."""

    answer: Answer
    facts: Mapping[str, object]


class Answerer:
    """The steps from a waiting proposal to an answered one."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    def answer_all(
        self,
        proposal_ids: Sequence[str],
        *,
        approve: bool,
        proof: Proof,
        reason: str = "",
        comments: Sequence[LineComment] = (),
    ) -> tuple[Proposal, ...]:
        """Approve or reject several waiting proposals, all or none, and put it on the record."""
        found = [self.fresh(known) for known in proposal_ids]
        sorted_out = self._comments_of(found, comments, approve=approve)
        proven = self._proven(found, proof) if approve else {}
        if proof.touch is not None and proven:
            self._use(proof.touch)
        answers = {
            one.id: replace(proven[one.id].answer, reason=reason)
            if one.id in proven
            else replace(
                self.prove(one, approve=approve, proof=proof, reason=reason),
                comments=sorted_out[one.id],
            )
            for one in found
        }
        facts = {known: one.facts for known, one in proven.items()}
        return self.parts.proposals.answer(
            answers,
            Transition.APPROVE if approve else Transition.REJECT,
            record=lambda moved: self.parts.record_all(
                [answered(one, answers[one.id], facts.get(one.id, NO_FACTS)) for one in moved]
            ),
        )

    def check_proof(self, found: Sequence[Proposal], proof: Proof) -> None:
        """Refuse a touch or an unlocked session that would not approve these; nothing changes."""
        self._proven(found, proof)

    def _proven(self, found: Sequence[Proposal], proof: Proof) -> Mapping[str, ProvenAnswer]:
        """Return the approvals that a touch or an unlocked session gives; none by other ways."""
        if proof.touch is None and proof.session is None:
            return {}
        if self.parts.policy().approval.totp:
            raise RefusedError(
                "code-needed",
                "the rules require a one-time code, which goes with the passphrase",
                because="[approval] totp is true",
                hint="type the passphrase and the code",
            )
        if proof.touch is not None:
            return self._touched(found, proof.by, proof.touch)
        assert proof.session is not None
        return {one.id: self._unlocked(one, proof.by, proof.session) for one in found}

    def challenge(
        self, found: Sequence[Proposal], at: float, beside: Sequence[bytes]
    ) -> tuple[bytes, Places]:
        """Return what a passkey has to sign so that these are approved as of this moment."""
        return challenge_of([*(signed_statement(one, at) for one in found), *beside])

    def _touched(
        self, found: Sequence[Proposal], by: str, touched: TouchedApproval
    ) -> Mapping[str, ProvenAnswer]:
        """Check one touch for all that it approves."""
        if not 0 <= self.parts.clock.now().wall - touched.at <= TOUCH_SECONDS:
            raise _wrong_touch("it is too old")
        passkey = self.parts.approvers.passkey(touched.credential)
        if passkey is None:
            raise _wrong_touch("the passkey is not registered, or was removed")
        said = {one.id: signed_statement(one, touched.at) for one in found}
        challenge, places = challenge_of([*said.values(), *touched.beside])
        why = fault(passkey, challenge, touched.touch)
        if why:
            raise _wrong_touch(why)
        answer = Answer(approved=True, by=by, proof=PASSKEY, at=touched.at, key_id=passkey.key_id)
        return {
            known: ProvenAnswer(
                answer=answer, facts=touch_facts(passkey, touched.touch, places[statement])
            )
            for known, statement in said.items()
        }

    def _use(self, touched: TouchedApproval) -> None:
        """Take the counter of a touch that is good, so that an older one is no longer."""
        passkey = self.parts.approvers.passkey(touched.credential)
        if passkey is None:
            raise _wrong_touch("the passkey was removed")
        self.parts.approvers.use_passkey(passkey, touched.touch.count)

    def _unlocked(self, one: Proposal, by: str, session: SessionKey) -> ProvenAnswer:
        """Approve with the key of an unlocked session what is not dangerous."""
        flags = self.dangers(one)
        if flags:
            raise RefusedError(
                "fresh-proof-needed",
                f"`{one.path}` needs a proof of its own, also while unlocked",
                because=flags[0],
                hint="type the passphrase, or touch your passkey",
            )
        at = self.parts.clock.now().wall
        said = signed_statement(one, at)
        signature = session.sign(said)
        key_id = str(session.facts.get("key_id"))
        shown = {**session.facts, "proof": UNLOCK, "signed_at": at, "signature": signature}
        why = self._proof_fault(shown, said) or self._removal(session.facts)
        if why:
            raise RefusedError(
                "locked",
                "this session is not unlocked",
                because=why,
                hint="type the passphrase, or touch your passkey",
            )
        answer = Answer(
            approved=True, by=by, proof=UNLOCK, at=at, signature=signature, key_id=key_id
        )
        return ProvenAnswer(answer=answer, facts=session.facts)

    def _removal(self, facts: Mapping[str, object]) -> str:
        """Return that the passkey behind an unlock was removed since; "" where it was not."""
        passkey = passkey_of(facts) if "passkey" in facts else None
        if passkey is None or self.parts.approvers.passkey(passkey.credential) is not None:
            return ""
        return "the passkey that unlocked it was removed"

    def dangers(self, one: Proposal) -> tuple[str, ...]:
        """Return why a change needs a proof of its own, by its bytes and by what is stored."""
        from penstock.core.review.assess import assess  # an answer without an unlock needs none

        parts = self.parts
        before = None if one.base is None else parts.blobs.get(one.base)
        after = None if one.content is None else parts.blobs.get(one.content)
        if (before is None, after is None) != (one.base is None, one.content is None):
            return ("its content is no longer stored",)
        change = measure(before, after, change_threshold=parts.policy().gate.change_threshold)
        widens = parts.widens_policy(one)
        wider = (f"it would make the policy in `{one.path}` allow more",) if widens else ()
        flags = assess(one.path, before, after, change, modes=(one.base_mode, one.mode)).flags
        return (*wider, *dangers(one, flags, change))

    def check_logged(self, one: Proposal, event: Event) -> str:
        """Return why a touch or an unlock in the log does not approve this; "" where it does."""
        at = event.get("signed_at")
        said = signed_statement(one, at) if isinstance(at, int | float) else b""
        return self._proof_fault(event, said)

    def _proof_fault(self, event: Event, said: bytes) -> str:
        named = str(event.get("key_id"))
        key = self.parts.approvers.key(named)
        return proof_fault(event, said, {named: key} if key is not None else {})

    def _comments_of(
        self, found: Sequence[Proposal], comments: Sequence[LineComment], *, approve: bool
    ) -> Mapping[str, tuple[LineComment, ...]]:
        """Give each proposal its own comments; one on another file is refused, not lost."""
        if comments and approve:
            raise InputError(
                "bad-comment",
                "an approval has no comments",
                hint="reject with comments, or approve without",
            )
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
        if not self.parts.approvers.valid(said, signature, key_id):
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


def _wrong_touch(because: str) -> RefusedError:
    return RefusedError(
        "wrong-touch",
        "this touch of a passkey approves nothing",
        because=because,
        hint="reload the page and touch it again, or type the passphrase",
    )


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


def signed_statement(one: Proposal, at: float) -> bytes:
    """Return what an approver signs: this proposal, these bytes, this path, this policy."""
    modes = one.base_mode, one.mode
    said = one.id, one.base, one.content, one.decision.revision, at
    return statement(*said, path=one.path, modes=modes)
