"""Apply: the only way in which Penstock changes a file, the rules themselves included.

The checks carry the numbers of the broker spec's list. Writing itself, with its own last
comparison, is `Files.replace`; what is kept of rules files around a write is `versions`'.
Always true: nothing is written that the audit log does not hold an approval of; the line
`applying` is on the disk before the file is touched, one claim wins, a write has one line
`applied`, and after any fault what is told is what the disk says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.audit.approval.approval_proof import KINDS
from penstock.core.audit.approval.standing_approval import (
    UNASKED,
    LoggedApproval,
    approval_in,
    deciding,
    written_hash,
)
from penstock.core.diff.measure import measure
from penstock.core.errors import (
    AuditError,
    InputError,
    PenstockError,
    RefusedError,
    StaleError,
    StoreError,
)
from penstock.core.file_mode import FileMode
from penstock.core.model import Change, Decision, Request, Verdict
from penstock.core.paths.relpath import can_name, parse
from penstock.core.proposals.model import (
    STATE_WORDS,
    UNDO,
    Proposal,
    Receipt,
    State,
    Transition,
)
from penstock.core.proposals.short_id import short
from penstock.gate.node import ACTIONS, Node, with_target
from penstock.gate.parts import Event, Parts, event_of
from penstock.gate.proof.check import signed_statement
from penstock.gate.proof.owners import missing
from penstock.gate.propose import Proposer, refused
from penstock.gate.versions import EDIT, Versions, named_whole
from penstock.ports import Files, FileState, PlannedWrite

Approvals: TypeAlias = Mapping[str, LoggedApproval]  # by a proposal's id
States: TypeAlias = Mapping[str, FileState]  # by a proposal's id, what the writer has left
NONE: States = {}


class Applier:
    """The steps from an approved proposal to a receipt."""

    def __init__(self, parts: Parts, proposing: Proposer) -> None:
        self.parts = parts
        self.proposing = proposing
        self.owners = proposing.answering.owners

    def apply(
        self, proposal_id: str, *, path: str | None = None, versions: Versions | None = None
    ) -> tuple[Receipt, ...]:
        """Write an approved proposal, or all proposals of a set, or nothing."""
        versions = versions or Versions(self.parts)
        members = self._members(proposal_id, path)
        approvals = {one.id: self._check(one) for one in members}
        token = self.parts.clock.token()
        members = self.parts.proposals.claim([one.id for one in members], token=token)
        claimed = Claimed(members=members, token=token, approvals=approvals)
        try:
            self.parts.record_all(
                [event_of("applying", one, status="applying", claim=token) for one in members]
            )
            versions.prepare(members, self.proposing.contents)
            states = self._write(members)
        except PenstockError as fault:
            return self._after_fault(claimed, fault, versions)
        return self.written(claimed, states=states, versions=versions)

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

    def _check(self, one: Proposal) -> LoggedApproval:
        """Go on with the numbered list; the first check that fails names itself."""
        # (3) Its time is not over, and the audit log holds the approval of exactly this.
        self.proposing.answering.fresh(one.id)
        approval = self._check_approved(one)
        # (4) The rules as they are now do not deny it; they may have changed since.
        self._check_rules(one, approval)
        # (5) The name still leads to the same place: a link may have been put in between.
        self._check_place(one)
        # (6) Hash the file again, (7) compare, (8) refuse a mismatch: the answer was about the
        #     bytes that were shown. Files.replace compares once more at the moment it writes.
        self._check_base(one)
        return approval

    def _check_approved(self, one: Proposal) -> LoggedApproval:
        if one.state is not State.APPROVED:
            lacking = self.owners.tally(one) if one.state is State.WAITING else None
            if lacking is not None and any(lacking.have):
                raise missing(one, lacking)
            kind = RefusedError if one.state is State.WAITING else StaleError
            raise kind(
                "not-approved" if one.state is State.WAITING else f"already-{one.state}",
                f"the proposal for `{one.path}` is {STATE_WORDS[one.state]}",
                hint=f"see `penstock show {short(one.id)}`",
            )
        newest = self.newest_entry(one)
        if written_hash(newest):  # another process has written it, and settles it now
            raise StaleError(
                "already-applied",
                f"the proposal for `{one.path}` is already written",
                because="its `applied` entry is in the audit log, and one approval writes once",
                hint=f"see `penstock show {short(one.id)}`",
            )
        approval = approval_in(newest, one)
        if approval is None:
            self.parts.record_of("refused", one, status="denied", code="not-in-log")
            raise RefusedError(
                "not-in-log",
                f"the audit log holds no approval of the proposal for `{one.path}`",
                because="the queue says approved, but only the audit log counts",
                hint=f"return it to the queue with `penstock rebase {short(one.id)}` and review it",
            )
        self._check_signature(one, approval)
        if approval.kind in UNASKED:
            return approval
        # Every owner's approval is counted anew: a key may have left the bundle since.
        return replace(approval, owners=self.owners.require(one))

    def newest_entry(self, one: Proposal) -> bytes:
        """Return the newest line of the audit log that decides about a proposal; b"" if none."""
        return next(self.parts.log.lines(deciding(one.id)), b"")

    def _check_signature(self, one: Proposal, approval: LoggedApproval) -> None:
        """Once a key exists a person's approval counts by its signature alone."""
        if approval.kind in UNASKED or not self.parts.key_needed():
            return
        if not self._is_proven(one, approval):
            self.parts.record_of("refused", one, status="denied", code="bad-signature")
            raise RefusedError(
                "bad-signature",
                f"the approval of `{one.path}` is not signed by the approver's key",
                because="it was given before the key existed, or the queue was edited by hand",
                hint=f"review it again: `penstock show {short(one.id)}`",
            )

    def _is_proven(self, one: Proposal, approval: LoggedApproval) -> bool:
        if approval.kind in KINDS:  # the log itself holds everything that proves it
            return not self.proposing.answering.checking.logged_fault(one, approval.event)
        answer = one.answer
        return answer is not None and self.parts.is_signed(
            signed_statement(one, answer.at), answer.signature, answer.key_id
        )

    def _check_rules(self, one: Proposal, approval: LoggedApproval) -> None:
        # An undo puts back what was there, and a person asked for it: rules that keep agents
        # from a path must not keep people from repairing it.
        unasked = approval.kind in UNASKED
        if one.origin == UNDO and not unasked:
            return
        decision = self._judge_again(one, unasked=unasked)
        if decision.verdict is Verdict.DENY:
            self.parts.record_of("refused", one, status="denied", code=decision.code)
            raise refused(decision)
        if unasked and decision.verdict is Verdict.ASK:
            raise RefusedError(
                "not-approved",
                f"the rules now require approval for `{one.path}`",
                because=f"the policy is now {decision.revision}, it was {one.decision.revision}",
                hint="ask the agent to propose again",
            )

    def _judge_again(self, one: Proposal, *, unasked: bool) -> Decision:
        forgeable = unasked and self.parts.key_needed()
        change = self._measured_again(one) if forgeable else one.change
        request = Request(action=ACTIONS[change.kind], change=change, actor=one.actor)
        then = Node(content=self.proposing.blob(one.content), mode=one.mode)
        decision = self.parts.judge(one.path, request)
        return with_target(decision, self.parts, one.path, then, request)

    def _measured_again(self, one: Proposal) -> Change:
        """Where no signature covers it, the bytes speak, not what the queue says of them."""
        before, after = self.proposing.contents(one)
        threshold = self.parts.policy().gate.change_threshold
        return measure(before, after, change_threshold=threshold, progress=self.parts.progress)

    def _check_place(self, one: Proposal) -> None:
        now = self.parts.place(one.path)[0].resolve(self.parts.whole(one.path))
        if now != one.extra.get("resolved", now):
            self.outdate(one)
            raise StaleError(
                "base-changed",
                f"`{one.path}` now points to another file",
                because="a symbolic link in its path changed after this proposal was created",
                hint="ask the agent to propose again",
            )

    def _check_base(self, one: Proposal) -> None:
        if not self._stands(one, one.base, one.base_mode):
            self.outdate(one)
            raise stale(one, self._digest(one))

    def outdate(self, one: Proposal, *, token: str = "") -> None:
        """Close a proposal whose file has changed."""
        moved = self.parts.proposals.move(one.id, Transition.OUTDATE, token=token)
        self.parts.record_of("outdated", moved, status=moved.state)

    def _write(self, claimed: Sequence[Proposal]) -> States:
        files = self._files_of(claimed)
        plan = [
            PlannedWrite(
                path=parse(self.parts.whole(one.path), root=files.root),
                new=self.proposing.blob(one.content),
                expect=one.base,
                mode=one.mode,
                was=one.base_mode,
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

        Of an edit of rules any later edit, wherever it is made, ends what a crash left; of one in
        a workspace whose own name no path may hold, the next step in that workspace does.
        """
        files, rules = self.parts.files, self.parts.rules
        if rules is None or not any(EDIT in one.extra for one in claimed):
            return files
        inside = not any(one.path.startswith("/") for one in claimed)
        return files if inside and not can_name(files.root) else rules.files

    def written(
        self,
        claimed: Claimed,
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
            self.parts.proposals.settle(receipts, token=claimed.token)
        except StoreError as fault:
            # The claim stays, so the next start closes what could not be closed now.
            note = f"written, but the queue could not be updated: {fault.message}"
            return tuple(replace(receipt, note=receipt.note or note) for receipt in receipts)
        self._unmake(claimed.members)
        return receipts

    def _unmake(self, claimed: Sequence[Proposal]) -> None:
        """An undo takes along the directories that were made for a file, where they are empty."""
        taken = [one for one in claimed if one.origin == UNDO and one.content is None]
        undone = [known for one in taken for known in one.extra.get("undoes", "").split()]
        with suppress(PenstockError):  # the file is what was asked for, and that is done
            receipts = [self.parts.proposals.receipt(known) for known in undone]
            made = {folder for receipt in receipts if receipt for folder in receipt.made}
            self.parts.files.unmake([self.parts.path(folder) for folder in sorted(made)])

    def _receipted(self, claimed: Claimed, how: str, states: States) -> tuple[Receipt, ...]:
        """Put the lines `applied` on the record and return the receipts that name them.

        A line that is there stays the only one: a crash came after it.
        """
        hashes, note = dict.fromkeys((one.id for one in claimed.members), ""), ""
        try:
            hashes |= {one.id: written_hash(self.newest_entry(one)) for one in claimed.members}
            fresh = [one for one in claimed.members if not hashes[one.id]]
            lines = [claimed.applied(one, how=how, notes=_notes(one, states)) for one in fresh]
            made = self.parts.record_all(lines)
            hashes |= {one.id: line.event_hash for one, line in zip(fresh, made, strict=True)}
        except AuditError as fault:
            note = f"written, but the `applied` entry could not be logged: {fault.message}"
        return tuple(self._receipt(one, hashes[one.id], states, note) for one in claimed.members)

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
            before_mode=one.base_mode,
            after_mode=one.mode,
        )

    def _after_fault(
        self, claimed: Claimed, fault: PenstockError, versions: Versions
    ) -> tuple[Receipt, ...]:
        """Read the disk and answer from what is there."""
        if all(self.holds(one, one.content, one.mode) for one in claimed.members):
            return tuple(
                replace(receipt, note=receipt.note or f"written despite an error: {fault.message}")
                for receipt in self.written(claimed, versions=versions)
            )
        with suppress(PenstockError):  # nothing that fails now may hide what failed first
            self._abandon(claimed.members, claimed.token, fault)
        with suppress(PenstockError):
            versions.drop(fault)
        raise fault

    def _abandon(self, claimed: Sequence[Proposal], token: str, fault: PenstockError) -> None:
        """Nothing was written: give the claim back, and close what the world overtook."""
        self.parts.proposals.release(token)
        for one in claimed:
            self.parts.record_of("failed", one, status="error", code=fault.code)
            if isinstance(fault, StaleError) and not self.holds(one, one.base, one.base_mode):
                self.outdate(one)

    def holds(self, one: Proposal, known: str | None, mode: FileMode | None) -> bool:
        """Say whether a proposal's file has a content and a mode now."""
        try:
            return self._stands(one, known, mode)
        except PenstockError:
            return False

    def _stands(self, one: Proposal, known: str | None, mode: FileMode | None) -> bool:
        state = self._state(one)
        if state is None or known is None:
            return (None if state is None else state.digest) == known
        return state.digest == known and mode in (None, state.file_mode)

    def _digest(self, one: Proposal) -> str | None:
        state = self._state(one)
        return None if state is None else state.digest

    def _state(self, one: Proposal) -> FileState | None:
        files, path = self.parts.place(one.path)
        return files.state(path) if one.text_like else files.node(path)


class Claimed(Struct, frozen=True, kw_only=True):
    """What one process writes in one piece, under which claim, and the approvals behind it."""

    members: Sequence[Proposal]
    token: str
    approvals: Approvals

    def applied(self, one: Proposal, *, how: str, notes: str) -> Event:
        """Return the line that says that a proposal was written, and what it relies on."""
        facts = {"before_hash": one.base, "after_hash": one.content, "how": how, "notes": notes}
        approval = self.approvals[one.id]
        line = event_of("applied", one, status="applied", **facts, approval=approval.event_hash)
        return {**line, **approval.owners}


def _notes(one: Proposal, states: States) -> str:
    """Return what the writer could not keep, or what is worth knowing of a file."""
    return "; ".join(states[one.id].notes) if one.id in states else ""


def receipt_id(one: Proposal) -> str:
    """Return the id of a proposal's receipt; there is one at most."""
    return f"r-{one.id.removeprefix('hitl-')}"


# Members of a set that are no longer part of it: they were replaced or sent back.
LEFT_OUT = frozenset({State.REJECTED, State.SUPERSEDED})


def stale(one: Proposal, now: str | None) -> StaleError:
    """Return the error for a file that moved after its proposal was made."""
    return StaleError(
        "base-changed",
        f"`{one.path}` has changed since this proposal was created",
        because=f"it was {one.base or 'absent'} and is {now or 'absent'} now",
        hint=f"run `penstock rebase {short(one.id)}`, or ask the agent to propose again",
    )
