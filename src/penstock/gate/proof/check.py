"""Check a touch of a passkey, and the key of an unlocked session, against what they approve.

What the bytes of a touch show is settled in `core.proposals.passkey`, which passkeys there are by
the approver's store, and who may claim what in `gate.doors`.
Always true: a touch approves exactly the statements that it was made for; an unlocked session
approves nothing dangerous, by the bytes and not by what the queue says of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from penstock.core.audit.approval.approval_list import Places, challenge_of
from penstock.core.audit.approval.approval_proof import (
    PASSKEY,
    UNLOCK,
    passkey_of,
    proof_fault,
    touch_facts,
)
from penstock.core.diff.measure import measure
from penstock.core.errors import RefusedError
from penstock.core.proposals.danger import dangers
from penstock.core.proposals.model import Answer, Proposal
from penstock.core.proposals.passkey import fault
from penstock.core.proposals.signature import statement
from penstock.gate.doors import Proof, SessionKey, TouchedApproval
from penstock.gate.parts import Event, Parts

TOUCH_SECONDS = 300.0  # between the challenge and the answer


class ProvenAnswer(Struct, frozen=True, kw_only=True):
    """An approval, and what its entry in the audit log shows for it."""

    answer: Answer
    facts: Mapping[str, object]


class ProofCheck:
    """The checks of what proves a person without the passphrase."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    def approvals(self, found: Sequence[Proposal], proof: Proof) -> Mapping[str, ProvenAnswer]:
        """Return the approvals that a touch or an unlocked session gives, by id; none otherwise.

        The touch is used up: an older one of its passkey is no longer good.
        """
        proven = self.try_proof(found, proof)
        if proof.touch is not None and proven:
            self._use(proof.touch)
        return proven

    def try_proof(self, found: Sequence[Proposal], proof: Proof) -> Mapping[str, ProvenAnswer]:
        """Return what a touch or an unlocked session would approve. Changes nothing."""
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

    def logged_fault(self, one: Proposal, event: Event) -> str:
        """Return why a touch or an unlock in the log does not approve this; "" where it does."""
        at = event.get("signed_at")
        said = signed_statement(one, at) if isinstance(at, int | float) else b""
        return self._proof_fault(event, said)

    def _proof_fault(self, event: Event, said: bytes) -> str:
        named = str(event.get("key_id"))
        key = self.parts.approvers.key(named)
        return proof_fault(event, said, {named: key} if key is not None else {})


def _wrong_touch(because: str) -> RefusedError:
    return RefusedError(
        "wrong-touch",
        "this touch of a passkey approves nothing",
        because=because,
        hint="reload the page and touch it again, or type the passphrase",
    )


def signed_statement(one: Proposal, at: float) -> bytes:
    """Return what an approver signs: this proposal, these bytes, this path, this policy."""
    modes = one.base_mode, one.mode
    said = one.id, one.base, one.content, one.decision.revision, at
    return statement(*said, path=one.path, modes=modes)
