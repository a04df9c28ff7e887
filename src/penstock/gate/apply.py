"""Apply: the only way in which Penstock changes a file, the rules themselves included.

The checks carry the numbers of the broker spec's list. Writing itself, with its own last
comparison, is `Files.replace`; what is kept of rules files around a write is `versions`'.
Always true: the line `applying` is on the disk before the file is touched, one claim wins, and
after any fault what is told is what the disk says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeAlias

from penstock.core.diff.measure import measure
from penstock.core.errors import (
    AuditError,
    InputError,
    PenstockError,
    RefusedError,
    StaleError,
    StoreError,
)
from penstock.core.model import Change, Decision, Request, Verdict
from penstock.core.paths.relpath import parse
from penstock.core.proposals.model import UNDO, Proposal, Receipt, State, Transition
from penstock.gate.answer import signed_statement
from penstock.gate.parts import Event, Parts, event_of
from penstock.gate.propose import ACTIONS, Proposer, refused
from penstock.gate.versions import EDIT, Versions, named_whole
from penstock.ports import Files, FileState, PlannedWrite

States: TypeAlias = Mapping[str, FileState]  # by a proposal's id, what the writer has left
NONE: States = {}


class Applier:
    """The steps from an approved proposal to a receipt."""

    def __init__(self, parts: Parts, proposing: Proposer) -> None:
        self.parts = parts
        self.proposing = proposing

    def apply(
        self, proposal_id: str, *, path: str | None = None, versions: Versions | None = None
    ) -> tuple[Receipt, ...]:
        """Write an approved proposal, or all proposals of a set, or nothing."""
        versions = versions or Versions(self.parts)
        members = self._members(proposal_id, path)
        for one in members:
            self._check(one)
        token = self.parts.clock.token()
        claimed = self.parts.proposals.claim([one.id for one in members], token=token)
        try:
            self.parts.record_all(
                [event_of("applying", one, status="applying", claim=token) for one in claimed]
            )
            versions.prepare(claimed, self.proposing.contents)
            states = self._write(claimed)
        except PenstockError as fault:
            return self._after_fault(claimed, token, fault, versions)
        return self._written(claimed, token, states=states, versions=versions)

    def _members(self, proposal_id: str, path: str | None) -> tuple[Proposal, ...]:
        """Return what is written together: one proposal, or all of the set that it is part of."""
        # (1) The record exists.
        named = self.parts.proposals.get(proposal_id)
        group = self.parts.proposals.of_set(named.set_id if named else proposal_id)
        if named is None and not group:
            raise InputError("not-found", f"there is no proposal `{proposal_id}`")
        # (2) The path is the one that was proposed: an id alone must not move a write.
        self._check_path(named, path)
        if named is not None and (not named.set_id or named.state in LEFT_OUT):
            return (named,)
        return tuple(one for one in group if one.state not in LEFT_OUT)

    def _check_path(self, named: Proposal | None, path: str | None) -> None:
        if path is None:
            return
        given = self.parts.name(path)
        if named is None or given != named.path:
            known = f"for `{named.path}`" if named else "a set of files"
            raise InputError("path-mismatch", f"the proposal is {known}, not for `{path}`")

    def _check(self, one: Proposal) -> None:
        """Go on with the numbered list; the first check that fails names itself."""
        # (3) Its time is not over.
        self.proposing.answering.fresh(one.id)
        self._check_approved(one)
        # (4) The rules as they are now do not deny it; they may have changed since.
        self._check_rules(one)
        # (5) The name still leads to the same place: a link may have been put in between.
        self._check_place(one)
        # (6) Hash the file again, (7) compare, (8) refuse a mismatch: the answer was about the
        #     bytes that were shown. Files.replace compares once more at the moment it writes.
        self._check_base(one)

    def _check_approved(self, one: Proposal) -> None:
        if one.state is not State.APPROVED:
            kind = RefusedError if one.state is State.WAITING else StaleError
            raise kind(
                "not-approved" if one.state is State.WAITING else f"already-{one.state}",
                f"the proposal for `{one.path}` is {one.state}",
                hint=f"penstock show {one.id}",
            )

        self._check_signature(one)

    def _check_signature(self, one: Proposal) -> None:
        """Once a key exists an approval counts by its signature, not by what the queue says."""
        if by_policy(one) or not self.parts.key_needed():
            return
        answer = one.answer
        valid = answer is not None and self.parts.approvers.valid(
            signed_statement(one, answer.at), answer.signature, answer.key_id
        )
        if not valid:
            self.parts.record_of("refused", one, status="denied", code="bad-signature")
            raise RefusedError(
                "bad-signature",
                f"the approval of `{one.path}` is not signed by the approver's key",
                because="it was given before the key existed, or the queue was changed by hand",
                hint=f"look at it again: penstock show {one.id}",
            )

    def _check_rules(self, one: Proposal) -> None:
        # An undo puts back what was there, and a person asked for it: rules that keep agents
        # from a path must not keep people from repairing it.
        if one.origin == UNDO:
            return
        decision = self._judge_again(one)
        if decision.verdict is Verdict.DENY:
            self.parts.record_of("refused", one, status="denied", code=decision.code)
            raise refused(decision)
        if by_policy(one) and decision.verdict is Verdict.ASK:
            raise RefusedError(
                "not-approved",
                f"the rules now ask a person about `{one.path}`",
                because=f"the policy is {decision.revision}, it was {one.decision.revision}",
                hint="ask the agent to propose again",
            )

    def _judge_again(self, one: Proposal) -> Decision:
        forgeable = by_policy(one) and self.parts.key_needed()
        change = self._measured_again(one) if forgeable else one.change
        request = Request(action=ACTIONS[change.kind], change=change, actor=one.actor)
        return self.parts.judge(one.path, request)

    def _measured_again(self, one: Proposal) -> Change:
        """Where no signature covers it, the bytes speak, not what the queue says of them."""
        before, after = self.proposing.contents(one)
        threshold = self.parts.policy().gate.change_threshold
        return measure(before, after, change_threshold=threshold, progress=self.parts.progress)

    def _check_place(self, one: Proposal) -> None:
        now = self.parts.place(one.path)[0].resolve(self.parts.whole(one.path))
        if now != one.extra.get("resolved", now):
            self._outdate(one)
            raise StaleError(
                "base-changed",
                f"`{one.path}` now leads to another place",
                because="a link on the way was changed after this proposal was made",
                hint="ask the agent to propose again",
            )

    def _check_base(self, one: Proposal) -> None:
        now = self._digest(one)
        if now != one.base:
            self._outdate(one)
            raise stale(one, now)

    def _outdate(self, one: Proposal, *, token: str = "") -> None:
        moved = self.parts.proposals.move(one.id, Transition.OUTDATE, token=token)
        self.parts.record_of("outdated", moved, status=moved.state)

    def _write(self, claimed: Sequence[Proposal]) -> States:
        files = self._files_of(claimed)
        plan = [
            PlannedWrite(
                path=parse(self.parts.whole(one.path), root=files.root),
                new=self.proposing.blob(one.content),
                expect=one.base,
            )
            for one in claimed
        ]
        with named_whole(plan if files is not self.parts.files else ()):
            states = zip(claimed, files.replace_all(plan), strict=True)
        return {one.id: self._as_stored(state, files) for one, state in states if state}

    def _as_stored(self, state: FileState, files: Files) -> FileState:
        """Return a state with the directories that were made as the workspace knows them."""
        above = "" if files is self.parts.files else "/"
        return replace(state, made=tuple(self.parts.name(above + made) for made in state.made))

    def _files_of(self, claimed: Sequence[Proposal]) -> Files:
        """Return the files that hold all of a set, which is written in one piece.

        Of an edit of rules any later edit, wherever it is made, ends what a crash left.
        """
        rules, edits = self.parts.rules, any(EDIT in one.extra for one in claimed)
        return rules.files if rules and edits else self.parts.files

    def _written(
        self,
        claimed: Sequence[Proposal],
        token: str,
        *,
        how: str = "",
        states: States = NONE,
        versions: Versions | None = None,
    ) -> tuple[Receipt, ...]:
        """Record what was done. The files hold it already, so nothing here may say otherwise."""
        if versions is not None:
            versions.publish()
        receipts = self._receipted(claimed, how, states)
        if versions is not None:
            versions.tell_done()
            receipts = tuple(versions.noted(receipt) for receipt in receipts)
        if not all(receipt.event_hash for receipt in receipts):
            return receipts  # the claim stays, so the next start puts the line on the record
        try:
            self.parts.proposals.settle(receipts, token=token)
        except StoreError as fault:
            # The claim stays, so the next start closes what could not be closed now.
            note = f"written, but the queue could not be told: {fault.message}"
            return tuple(replace(receipt, note=receipt.note or note) for receipt in receipts)
        self._unmake(claimed)
        return receipts

    def _unmake(self, claimed: Sequence[Proposal]) -> None:
        """An undo takes along the directories that were made for a file, where they are empty."""
        taken = [one for one in claimed if one.origin == UNDO and one.content is None]
        undone = [known for one in taken for known in one.extra.get("undoes", "").split()]
        with suppress(PenstockError):  # the file is what was asked for, and that is done
            receipts = [self.parts.proposals.receipt(known) for known in undone]
            made = {folder for receipt in receipts if receipt for folder in receipt.made}
            self.parts.files.unmake([self.parts.path(folder) for folder in sorted(made)])

    def _receipted(
        self, claimed: Sequence[Proposal], how: str, states: States
    ) -> tuple[Receipt, ...]:
        """Put the lines `applied` on the record and return the receipts that name them.

        A receipt that exists means that the line does too: a crash came after both.
        """
        known = {one.id: self.parts.proposals.receipt(receipt_id(one)) for one in claimed}
        fresh = [one for one in claimed if known[one.id] is None]
        hashes, note = dict.fromkeys((one.id for one in fresh), ""), ""
        try:
            made = self.parts.record_all([_applied(one, how, _notes(one, states)) for one in fresh])
            hashes = {one.id: line.event_hash for one, line in zip(fresh, made, strict=True)}
        except AuditError as fault:
            note = f"written, but the line `applied` could not be stored: {fault.message}"
        return tuple(
            known[one.id] or self._receipt(one, hashes[one.id], states, note) for one in claimed
        )

    def _receipt(self, one: Proposal, event_hash: str, states: States, note: str) -> Receipt:
        state = states.get(one.id)
        return Receipt(
            id=receipt_id(one),
            proposal=one.id,
            path=one.path,
            before=one.base,
            after=one.content,
            event_hash=event_hash,
            at=self.parts.clock.now().wall,
            set_id=one.set_id,
            undoes=one.extra.get("undoes", ""),
            note=note or _notes(one, states),
            made=state.made if state else (),
        )

    def _after_fault(
        self, claimed: Sequence[Proposal], token: str, fault: PenstockError, versions: Versions
    ) -> tuple[Receipt, ...]:
        """Read the disk and answer from what is there."""
        if all(self._holds(one, one.content) for one in claimed):
            return tuple(
                replace(receipt, note=receipt.note or f"written in spite of: {fault.message}")
                for receipt in self._written(claimed, token, versions=versions)
            )
        with suppress(PenstockError):  # nothing that fails now may hide what failed first
            self._abandon(claimed, token, fault)
        with suppress(PenstockError):
            versions.drop(fault)
        raise fault

    def _abandon(self, claimed: Sequence[Proposal], token: str, fault: PenstockError) -> None:
        """Nothing was written: give the claim back, and close what the world overtook."""
        self.parts.proposals.release(token)
        for one in claimed:
            self.parts.record_of("failed", one, status="error", code=fault.code)
            if isinstance(fault, StaleError) and not self._holds(one, one.base):
                self._outdate(one)

    def _holds(self, one: Proposal, known: str | None) -> bool:
        try:
            return self._digest(one) == known
        except PenstockError:
            return False

    def _digest(self, one: Proposal) -> str | None:
        files, path = self.parts.place(one.path)
        state = files.state(path)
        return None if state is None else state.digest

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
        for token, claimed in groups.items():
            for one in claimed:
                self._sweep(one)
            if all(self._holds(one, one.content) for one in claimed):
                receipts += self._written(claimed, token, how="found written after a crash")
                continue
            self.parts.proposals.release(token)
            for one in claimed:
                self.parts.record_of("abandoned", one, status="error", code="interrupted")
                if EDIT in one.extra:  # nobody waits for it any more
                    self._outdate(one)
        return tuple(receipts)

    def _sweep(self, one: Proposal) -> None:
        """Remove what a power cut left beside a file, where even the writer's note was lost."""
        with suppress(PenstockError):  # it is only in the way; the write is what matters
            known = [data for data in self.proposing.contents(one) if data is not None]
            files, path = self.parts.place(one.path)
            swept = files.sweep(path, known)
            if swept:
                self.parts.record("recovered", path=one.path, status="swept", notes=swept)


def _notes(one: Proposal, states: States) -> str:
    """Return what the writer could not keep, or what is worth knowing of a file."""
    return "; ".join(states[one.id].notes) if one.id in states else ""


def _applied(one: Proposal, how: str, notes: str) -> Event:
    facts = {"before_hash": one.base, "after_hash": one.content, "how": how, "notes": notes}
    return event_of("applied", one, status="applied", **facts)


def receipt_id(one: Proposal) -> str:
    """Return the id of a proposal's receipt; there is one at most."""
    return f"r-{one.id.removeprefix('hitl-')}"


def by_policy(one: Proposal) -> bool:
    """Say whether the rules answered. An undo is asked for by a person, so never that."""
    return one.answer is not None and one.answer.proof == "policy" and one.origin != UNDO


# Members of a set that are no longer part of it: they were replaced or sent back.
LEFT_OUT = frozenset({State.REJECTED, State.SUPERSEDED})


def stale(one: Proposal, now: str | None) -> StaleError:
    """Return the error for a file that moved after its proposal was made."""
    return StaleError(
        "base-changed",
        f"`{one.path}` changed after this proposal was made",
        because=f"it was {one.base or 'absent'} and is {now or 'absent'} now",
        hint=f"ask the agent to propose again, or penstock rebase {one.id}",
    )
