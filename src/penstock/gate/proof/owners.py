"""Owners: whose approvals a change needs by the organisation's bundle and the project's CODEOWNERS.

What is asked is settled in `core.bundle.owners`; here the bundle in force, the real tree and the
audit log are looked at. Who a person is, is proven by `answer` and `proof`.
Always true: approvals are counted from the audit log, each by its signature over this proposal,
and by the keys of the bundle as it is now; what the rules allow needs no owner. An undo is always a
person's, so whether the rules allow it is asked here, of the bytes and not of the queue. The author
is who this machine says it is, and everybody whom the entries of the proposal name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct, field

from penstock.core.audit.approval.owner_approvals import ENDORSED, endorser
from penstock.core.audit.approval.standing_approval import PROPOSED, fingerprint
from penstock.core.audit.query import Query, parse_line
from penstock.core.bundle.author import ChangeAuthor, author_of, recorded_author
from penstock.core.bundle.owners import OwnerNeed, OwnerTally, needs, tally
from penstock.core.diff.measure import measure
from penstock.core.errors import PenstockError, RefusedError
from penstock.core.model import Request, Target, Verdict
from penstock.core.proposals.model import UNDO, Answer, Proposal
from penstock.core.proposals.short_id import short
from penstock.gate.node import ACTIONS, Node, with_target
from penstock.gate.parts import Event, Parts, event_of
from penstock.gate.proof.check import signed_statement

if TYPE_CHECKING:
    from penstock.core.bundle.codeowners import CodeOwners


class LogAccount(Struct, kw_only=True):
    """What the audit log says of one proposal: who signed for it, and who made it."""

    author: ChangeAuthor
    signers: list[str] = field(default_factory=list)


def machine_author(parts: Parts) -> ChangeAuthor:
    """Return the author of what is proposed here and now: the person who works on this machine."""
    return author_of([parts.policy().person], parts.approvers.own_ids())


def author_facts(parts: Parts) -> Event:
    """Return what a `proposed` entry says of the author; nothing without a bundle."""
    bundle = parts.policy().bundle
    return {} if bundle is None else machine_author(parts).in_bundle(bundle).facts()


class OwnerCheck:
    """Counts the approvals that a proposal has against those that it needs."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    def tally(self, one: Proposal) -> OwnerTally | None:
        """Return how many approvals a proposal has, of how many; None where it needs no owner."""
        return self.tallies([one]).get(one.id)

    def tallies(self, found: Sequence[Proposal]) -> dict[str, OwnerTally]:
        """Return how many approvals each proposal has, by id; the log is read once for all."""
        bundle = self.parts.policy().bundle
        if bundle is None:
            return {}
        codeowners = self._codeowners() if bundle.counts_codeowners else None
        wanted = [(one, needed) for one in found if (needed := self._needs(one, codeowners))]
        said = self._said([one for one, _ in wanted])
        return {
            one.id: tally(needed, bundle, said[one.id].signers, said[one.id].author)
            for one, needed in wanted
        }

    def has_owners(self, targets: Sequence[Target]) -> bool:
        """Say whether a change of one of some paths would need an owner's approval."""
        bundle = self.parts.policy().bundle
        if bundle is None or not targets:
            return False
        codeowners = self._codeowners() if bundle.counts_codeowners else None
        return any(needs(bundle, (*one.judged, *one.twins), codeowners) for one in targets)

    def _needs(self, one: Proposal, codeowners: CodeOwners | None) -> tuple[OwnerNeed, ...]:
        bundle = self.parts.policy().bundle
        if bundle is None or not (bundle.owners or bundle.quorum or codeowners):
            return ()
        if one.origin == UNDO and self._is_allowed(one):
            return ()
        target = self.parts.locate(one.path)
        return needs(bundle, (one.path, *target.judged, *target.twins), codeowners)

    def _is_allowed(self, one: Proposal) -> bool:
        """Say whether the rules would let an agent make this change without anybody's approval."""
        blobs, policy = self.parts.blobs, self.parts.policy()
        before = None if one.base is None else blobs.get(one.base)
        after = None if one.content is None else blobs.get(one.content)
        if (before is None, after is None) != (one.base is None, one.content is None):
            return False  # its content is no longer stored
        change = measure(before, after, change_threshold=policy.gate.change_threshold)
        request = Request(action=ACTIONS[change.kind], change=change, actor=one.actor)
        decision = self.parts.judge(one.path, request)
        then = Node(content=after, mode=one.mode)
        judged = with_target(decision, self.parts, one.path, then, request)
        return judged.verdict is Verdict.ALLOW

    def _codeowners(self) -> CodeOwners | None:
        """Return the project's CODEOWNERS as it is on the disk; the first place that has one."""
        from penstock.core.bundle.codeowners import PLACES, UNREADABLE, read_codeowners

        for place in PLACES:
            if not self._is_there(place):
                continue
            try:
                return read_codeowners(self.parts.files.read(self.parts.path(place)))
            except PenstockError:  # a link, a directory: whom it would name is not known
                return UNREADABLE
        return None

    def _is_there(self, place: str) -> bool:
        """Say whether something has this name; below a link there is nothing of the project."""
        with suppress(PenstockError):
            return self.parts.files.kind(self.parts.path(place)) is not None
        return False

    def _said(self, found: Sequence[Proposal]) -> dict[str, LogAccount]:
        """Return what the log says of each proposal, by its id."""
        by_id = {one.id: (one, fingerprint(one)) for one in found}
        mine = machine_author(self.parts) if found else ChangeAuthor()
        said = {known: LogAccount(author=mine) for known in by_id}
        for event in self._entries(found):
            known = str(event.get("proposal"))
            if known not in said:
                continue
            if event.get("op") == PROPOSED:
                said[known].author |= recorded_author(event)
            else:
                said[known].signers += self._signer(event, *by_id[known])
        return said

    def _signer(self, event: Event, one: Proposal, mine: str) -> list[str]:
        """Return the id of the key that signed an entry's approval of exactly this proposal."""
        bundle, at = self.parts.policy().bundle, event.get("signed_at")
        if event.get("proposal_hash") != mine or not isinstance(at, int | float) or not bundle:
            return []
        approver = endorser(event, signed_statement(one, at), bundle)
        return [approver.key_id] if approver else []

    def _entries(self, found: Sequence[Proposal]) -> Iterator[Event]:
        ops = frozenset({ENDORSED, PROPOSED})
        only = Query(ops=ops, proposal=found[0].id if len(found) == 1 else "")
        for line in self.parts.log.lines(only) if found else ():
            yield parse_line(line) or {}

    def endorse(
        self,
        found: Sequence[Proposal],
        answers: Mapping[str, Answer],
        facts: Mapping[str, Event],
    ) -> frozenset[str]:
        """Log the owners' approvals among some; return the ids that need more of them still.

        All are checked before the first is logged. Raises RefusedError.
        """
        before = self.tallies(found)
        owned = [one for one in found if one.id in before]
        said = self._said(owned)
        fresh = [
            endorsed(one, answers[one.id], facts.get(one.id, {}), before[one.id])
            for one in owned
            if self._is_new(one, answers[one.id], before[one.id], said[one.id])
        ]
        self.parts.record_all(fresh)
        # Counted anew: somebody else may have approved in the same moment.
        after = self.tallies(owned)
        return frozenset(known for known, now in after.items() if not now.done)

    def _is_new(self, one: Proposal, answer: Answer, now: OwnerTally, said: LogAccount) -> bool:
        """Say whether an approval adds something. Raises RefusedError where it can't count."""
        bundle = self.parts.policy().bundle
        approver = bundle.approver(answer.key_id) if bundle and answer.key_id else None
        owner = approver and any(approver.belongs(need.groups) for need in now.needs)
        if not (bundle and approver and owner):
            named = f"`{approver.name}` is not one of them" if approver else "your key is not in it"
            raise RefusedError(
                "owner-needed",
                _needed(one, now),
                because=f"the policy bundle says so, and {named}",
                hint=_others(one),
            )
        author = said.author.in_bundle(bundle)
        if not any(need.accepts(approver, author) for need in now.needs):
            raise RefusedError(
                "author-cannot-approve",
                _needed(one, now),
                because=f"`{approver.name}` is the author, whose own approval does not count",
                hint=_others(one),
            )
        signers = [*said.signers, approver.key_id]
        if tally(now.needs, bundle, signers, author).have != now.have:
            return True
        if not now.done:
            raise RefusedError(
                "already-counted",
                _needed(one, now),
                because=f"`{approver.name}` has approved it already, and one person counts once",
                hint=_others(one),
            )
        return False

    def require(self, one: Proposal) -> Event:
        """Return what the log says of a write that has its owners. Raises RefusedError."""
        now = self.tally(one)
        bundle = self.parts.policy().bundle
        if bundle is None:
            return {}
        if now is None:  # an undo's entry has no proof `policy` that would say so
            return {"rules_allow": True} if one.origin == UNDO and self._is_allowed(one) else {}
        if not now.done:
            self.parts.record_of("refused", one, status="denied", code="owners-missing")
            raise missing(one, now)
        author = self._said([one])[one.id].author.in_bundle(bundle)
        owners = [need.text for need in now.needs]
        return {"bundle": bundle.digest, "owners": owners, **author.facts()}


def endorsed(one: Proposal, answer: Answer, facts: Event, now: OwnerTally) -> Event:
    """Return the line of one owner's approval; `facts` are what proves it."""
    told = event_of(
        ENDORSED,
        one,
        status=one.state,
        by=answer.by,
        proof=answer.proof,
        reason=answer.reason,
        signature=answer.signature,
        key_id=answer.key_id,
        signed_at=answer.at,
        proposal_hash=fingerprint(one),
        owners=[need.text for need in now.needs],
    )
    return {**told, **facts}


def missing(one: Proposal, now: OwnerTally) -> RefusedError:
    """Return the error for a change that lacks an owner's approval."""
    return RefusedError(
        "owners-missing",
        f"`{one.path}` has {now.said}",
        because=f"the policy bundle asks for it ({now.open[0].by if now.open else 'owners'})",
        hint=f"have another owner run `penstock approve {short(one.id)}`",
    )


def _needed(one: Proposal, now: OwnerTally) -> str:
    return f"`{one.path}` needs the approval of {(now.open or now.needs)[0].whom}"


def _others(one: Proposal) -> str:
    return f"have one of them run `penstock approve {short(one.id)} --approver-key DIR`"
