"""The Gate itself: every journey of a write, one method a step.

Always true: doors call nothing else. Each method says in one line what it does; how is in the
module of that step, which is imported when it is first taken.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

from msgspec.structs import replace

from penstock.core.errors import InputError
from penstock.core.model import NOBODY, Actor, Decision, Request, Source, Target
from penstock.core.proposals.intent import NO_INTENT, AgentIntent
from penstock.core.proposals.model import Moment, Proposal, Receipt, State
from penstock.gate.doors import Proof, believed

if TYPE_CHECKING:
    from penstock.core.audit.approval.approval_list import Places
    from penstock.core.audit.findings import AuditReport
    from penstock.core.bundle.owners import OwnerTally
    from penstock.core.merge.strategies import Strategy
    from penstock.core.paths.relpath import RelPath
    from penstock.core.policy.model import Policy
    from penstock.core.proposals.line_comment import LineComment
    from penstock.core.review.renames import RenamedFile
    from penstock.gate.answer import Answerer
    from penstock.gate.apply import Applier
    from penstock.gate.parts import Item, Parts
    from penstock.gate.prepare import Call
    from penstock.gate.propose import Proposer
    from penstock.gate.receipts import Receipts
    from penstock.gate.retention import Retention
    from penstock.gate.revision.one_file import Reviser
    from penstock.gate.revision.whole_set import SetReviser
    from penstock.gate.rule_edit import RuleEdit, RuleEditResult
    from penstock.gate.undo import Undoer
    from penstock.ports import FileKind, History, LogEntry

NO_IDS: Mapping[str, str] = {}
NO_HUNKS: Mapping[str, Collection[int]] = {}
NO_REASONS: Mapping[str, str] = {}
LOOK_EVERY = 0.2  # seconds between two looks at a proposal that is waited for
LONGEST_WAIT = 7 * 86_400.0  # seconds
MOST_VERSIONS = 1000  # of one file, among which the newest of a proposal is looked for
NOT_YET = (None, Moment(wall=0.0), 0.0)


class Gate:
    """One workspace's gate. Synchronous; an async door calls it in a thread."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._first_over: tuple[tuple[Proposal, ...] | None, Moment, float] = NOT_YET

    @cached_property
    def _answering(self) -> Answerer:
        from penstock.gate.answer import Answerer

        return Answerer(self._parts)

    @cached_property
    def _proposing(self) -> Proposer:
        from penstock.gate.propose import Proposer

        return Proposer(self._parts, self._answering)

    @cached_property
    def _revising(self) -> Reviser:
        from penstock.gate.revision.one_file import Reviser

        return Reviser(self._parts, self._answering, self._proposing)

    @cached_property
    def _sets(self) -> SetReviser:
        from penstock.gate.revision.whole_set import SetReviser

        return SetReviser(self._revising)

    @cached_property
    def _applying(self) -> Applier:
        from penstock.gate.apply import Applier

        return Applier(self._parts, self._proposing)

    @cached_property
    def _receipts(self) -> Receipts:
        from penstock.gate.receipts import Receipts

        return Receipts(self._parts)

    @cached_property
    def _undoing(self) -> Undoer:
        from penstock.gate.undo import Undoer

        return Undoer(self._parts, self._proposing, self._revising)

    @cached_property
    def _keeping(self) -> Retention:
        from penstock.gate.retention import Retention

        return Retention(self._parts)

    # -- judge -----------------------------------------------------------------------------

    def judge(self, call: Call) -> Decision:
        """Return what the rules say to a tool call, measured against the disk.

        Nothing is recorded, stored or written.
        """
        from penstock.gate.judge import judge_call

        files, git, now = self._parts.files, self._parts.repositories, self.now().wall
        return judge_call(files, self.policy(), call, now=now, repositories=git).decision

    def decide(self, request: Request) -> Decision:
        """Return what the rules say to one request of a call. Nothing is recorded."""
        from penstock.core.policy.decide import decide

        return decide(request, self.policy(), now=self.now().wall)

    def policy(self) -> Policy:
        """Return the rules in force."""
        return self._parts.policy()

    def now(self) -> Moment:
        """Return the present, by the clock that proposals expire by."""
        return self._parts.clock.now()

    # -- look at the queue -------------------------------------------------------------------

    def get(self, proposal_id: str) -> Proposal | None:
        """Return one proposal as it is stored now, or None."""
        return self._parts.proposals.get(proposal_id)

    def find(
        self, *, states: Collection[State] = (), path: str = "", limit: int = 1000
    ) -> tuple[Proposal, ...]:
        """Return proposals, newest last; no states means all."""
        return self._parts.proposals.find(states=states, path=path, limit=limit)

    def open(self) -> tuple[Proposal, ...]:
        """Return everything that is waiting or approved, oldest first."""
        return self._parts.proposals.open()

    def of_set(self, set_id: str) -> tuple[Proposal, ...]:
        """Return the proposals of a set in the order they were added; none where there is no id."""
        return self._parts.proposals.of_set(set_id) if set_id else ()

    def members(self, known: str) -> tuple[Proposal, ...]:
        """Return the proposal of exactly this id, or the set; replaced versions are left out."""
        one = self.get(known)
        group = self.of_set(known) if one is None else (one,)
        return tuple(each for each in group if each.state is not State.SUPERSEDED) or group

    def latest(self, one: Proposal) -> Proposal:
        """Return the version that stands in a proposal's place now; itself where there is none."""
        now = self.get(one.id) or one
        if now.state is not State.SUPERSEDED:
            return now
        # Oldest first, so that one walk finds the end of the line.
        for version in self.find(path=now.path, limit=MOST_VERSIONS):
            if version.parent == now.id:
                now = version
        return now

    def wait(self, proposal_id: str, timeout: float) -> Proposal:
        """Wait until a proposal is no longer waiting, `timeout` seconds at most; return it then.

        A version that a person put in its place is followed. One that still waits at the end is
        returned as it is. More than a week is a week. Raises InputError `not-found`.
        """
        begun, timeout = self.now(), min(timeout, LONGEST_WAIT)
        for _ in range(max(0, int(timeout / LOOK_EVERY)) + 1):
            one = self._looked_up(proposal_id)
            left = timeout - self.now().since(begun)
            if one.state is not State.WAITING or left <= 0:
                return one
            self._parts.clock.sleep(min(LOOK_EVERY, left))
        return self._looked_up(proposal_id)

    def _looked_up(self, proposal_id: str) -> Proposal:
        one = self.get(proposal_id)
        if one is None:
            raise InputError(
                "not-found",
                f"there is no proposal `{proposal_id}`",
                hint="list them with `penstock proposals --all`",
            )
        if self.latest(one).expired(self.now()):
            self.expire()
        return self.latest(one)

    def receipt(self, known: str) -> Receipt | None:
        """Return the receipt of this id, or of the proposal of this id, or None."""
        from penstock.gate.apply import receipt_id

        one = self.get(known)
        return self._parts.proposals.receipt(known if one is None else receipt_id(one))

    def receipts(
        self, *, path: str = "", set_id: str = "", limit: int = 1000
    ) -> tuple[Receipt, ...]:
        """Return receipts, newest first."""
        return self._parts.proposals.receipts(path=path, set_id=set_id, limit=limit)

    def content(self, digest: str) -> bytes | None:
        """Return the bytes of a digest, or None when they are no longer kept."""
        return self._parts.blobs.get(digest)

    def kept_bytes(self) -> int:
        """Return how many bytes the contents before and after changes take."""
        return self._parts.blobs.size()

    def is_being_written(self, proposal_id: str) -> bool:
        """Say whether some process has begun to write this proposal and has not ended."""
        return any(one.id == proposal_id for _, one in self._parts.proposals.claimed())

    # -- look at files -----------------------------------------------------------------------

    @property
    def root(self) -> str:
        """The workspace's absolute, resolved directory."""
        return self._parts.files.root

    def locate(self, path: str) -> Target:
        """Return every name that a path is judged by; the last is where it leads."""
        return self._parts.locate(path)

    def kind(self, path: RelPath) -> FileKind | None:
        """Return what a name stands for, or None when nothing is there."""
        return self._parts.files.kind(path)

    def source(self, path: RelPath) -> Source:
        """Open a file for reading in pieces."""
        return self._parts.files.source(path)

    def digest(self, path: str) -> str | None:
        """Return the digest of what a file holds now; None when it is absent."""
        files, found = self._parts.place(path)
        state = files.state(found)
        return None if state is None else state.digest

    def current(self, path: str) -> bytes | None:
        """Return what a file holds now; None when it is absent."""
        return self._proposing.current(path)

    # -- the audit log -----------------------------------------------------------------------

    def record(self, op: str, *, path: str, status: str, **facts: str) -> LogEntry:
        """Add one line about what is no proposal; facts that are empty are left out."""
        return self._parts.record(op, path=path, status=status, actor=None, **facts)

    def verify(self) -> AuditReport:
        """Compare the audit log with all evidence; what was tampered with is in the report."""
        return self._parts.verify()

    # -- propose, answer, apply --------------------------------------------------------------

    def propose(
        self,
        items: Sequence[Item],
        *,
        actor: Actor = NOBODY,
        attended: bool = True,
        ids: Sequence[str] = (),
        set_id: str = "",
        ttl: float | None = None,
        judged: Decision | None = None,
        parents: Mapping[str, str] | None = None,
        intent: AgentIntent = NO_INTENT,
    ) -> tuple[Proposal, ...]:
        """Measure, judge and store a change of one file or of a set. Writes nothing.

        `judged`, the decision on the call behind it, can only make the answer stricter.
        `parents` has, by path, the proposals that these are newer versions of.
        `intent` is what the agent says of it, shown to people and judged by nobody.
        """
        made = self._proposing.propose(
            items,
            actor=actor,
            attended=attended,
            ids=ids,
            set_id=set_id,
            ttl=ttl,
            judged=judged,
            parents=parents or {},
            intent=intent,
        )
        self._parts.announce(made)
        self._keeping.tidy()
        return made

    def preview(self, item: Item, *, actor: Actor = NOBODY) -> Proposal:
        """Return a change as `propose` would store it. Nothing is queued, recorded or written."""
        return self._proposing.make(item, actor=actor, keeps=False)

    def answer(
        self,
        proposal_id: str,
        *,
        approve: bool,
        proof: Proof,
        reason: str = "",
        comments: Sequence[LineComment] = (),
    ) -> Proposal:
        """Approve or reject a waiting proposal; a rejection may have comments on its lines."""
        found = self.answer_all(
            [proposal_id], approve=approve, proof=proof, reason=reason, comments=comments
        )
        return found[0]

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
        """Approve or reject several waiting proposals, all or none; each gets its own comments.

        `reasons`, by id, come before the one `reason` of all.
        """
        return self._answering.answer_all(
            proposal_ids,
            approve=approve,
            proof=self._believed(proof, approve=approve),
            reason=reason,
            comments=comments,
            reasons=reasons,
        )

    def challenge(
        self, found: Sequence[Proposal], *, at: float, beside: Sequence[bytes] = ()
    ) -> tuple[bytes, Places]:
        """Return what a passkey signs to approve proposals, stored or drafted, at this moment.

        `beside` are statements that the same touch vouches for; each one's place comes along.
        """
        return self._answering.checking.challenge(found, at, beside)

    def check_proof(self, found: Sequence[Proposal], proof: Proof) -> None:
        """Refuse a touch or an unlocked session that would not approve these. Changes nothing."""
        self._answering.checking.try_proof(found, self._believed(proof, approve=True))

    def approvals(self, one: Proposal) -> OwnerTally | None:
        """Return how many owners have approved, of how many; None where it needs no owner."""
        return self._answering.owners.tally(one)

    def approvals_of(self, found: Sequence[Proposal]) -> Mapping[str, OwnerTally]:
        """Return the same for several proposals, by id; those that need no owner are left out."""
        return self._answering.owners.tallies(found)

    def has_owners(self, targets: Sequence[Target]) -> bool:
        """Say whether a change of one of some paths would need an owner's approval."""
        return self._answering.owners.has_owners(targets)

    def dangers(self, one: Proposal) -> tuple[str, ...]:
        """Return why a change needs a fresh proof, also in a session that is unlocked."""
        return self._answering.checking.dangers(one)

    def _believed(self, proof: Proof, *, approve: bool) -> Proof:
        """Return a proof as it is recorded: by what this door can claim, and what is around us."""
        return believed(proof, self._parts.door, self._parts.surroundings, approve=approve)

    def apply(self, proposal_id: str, *, path: str | None = None) -> tuple[Receipt, ...]:
        """Write an approved proposal, or a whole set, after the numbered checks."""
        receipts = self._applying.apply(proposal_id, path=path)
        self._keeping.tidy()
        return receipts

    @contextmanager
    def measuring(self, listener: Callable[[int, int], None]) -> Iterator[None]:
        """Have somebody told how far measuring comes (bytes done, of all) while a block runs."""
        self._parts.progress.listener = listener
        try:
            yield
        finally:
            self._parts.progress.listener = None

    def key_needed(self) -> bool:
        """Say whether only an approver's key approves here."""
        return self._parts.key_needed()

    def edit_rules(self, edit: RuleEdit, *, history: History) -> RuleEditResult:
        """Propose, answer and apply an edit of rules files, wherever they lie.

        What widens a policy in force needs a proof that reaches that far.
        """
        if edit.proof is not None:
            edit = replace(edit, proof=self._believed(edit.proof, approve=True))
        self._keeping.tidy()  # before: afterwards the rules would have to be read anew
        from penstock.gate.rule_edit import RuleEdits

        return RuleEdits(self._parts, edit).write(history)

    def draft_rules(self, edit: RuleEdit) -> tuple[Proposal, ...]:
        """Return what `edit_rules` would propose. Nothing is queued, recorded or written."""
        from penstock.gate.rule_edit import RuleEdits

        return RuleEdits(self._parts, edit).draft()

    def expire(self) -> tuple[Proposal, ...]:
        """Close every proposal whose time is over, each with its line on the record."""
        now, found = self.now(), self.open()
        known, then, left = self._first_over
        if known is found and now.since(then) < left:
            return ()
        over = [one for one in found if one.expired(now)]
        if not over:  # until the first of these is over nobody has to look at them again
            first = min((one.expires_in(now) for one in found), default=inf)
            self._first_over = found, now, first
        return tuple(self._answering.expire(one) for one in over)

    def contents(self, one: Proposal) -> tuple[bytes | None, bytes | None]:
        """Return the bytes before and after that were measured and are shown."""
        return self._proposing.contents(one)

    def renames(self, found: Sequence[Proposal]) -> tuple[RenamedFile, ...]:
        """Return which files of some proposals only get another name."""
        from penstock.gate.file_renames import pairs

        return pairs(found, self._parts.blobs.get) if len(found) > 1 else ()

    def recover(self) -> tuple[Receipt, ...]:
        """Finish what a crash left in the middle."""
        from penstock.gate.recover import CrashRecovery

        return CrashRecovery(self._parts, lambda: self._applying).recover()

    # -- other content -----------------------------------------------------------------------

    def revise(self, proposal_id: str, content: bytes | None, *, origin: str = "edit") -> Proposal:
        """Put a person's own content in a proposal's place."""
        return self._revising.revise(proposal_id, content, origin=origin)

    def with_strategy(
        self, proposal_id: str, strategy: Strategy, *, at: int | None = None
    ) -> Proposal:
        """Combine a proposal with what is there: append, insert, extend, replace."""
        return self._revising.with_strategy(proposal_id, strategy, at=at)

    def with_hunks(
        self, proposal_id: str, chosen: Collection[int], *, reason: str = ""
    ) -> Proposal:
        """Keep only the chosen hunks of a proposal; the agent reads why the rest goes back."""
        return self._revising.with_hunks(proposal_id, chosen, reason=reason)

    def choose_files(
        self,
        found: Sequence[Proposal],
        paths: Collection[str],
        *,
        proof: Proof,
        reason: str = "",
        comments: Sequence[LineComment] = (),
        ids: Mapping[str, str] = NO_IDS,
        hunks: Mapping[str, Collection[int]] = NO_HUNKS,
    ) -> tuple[Proposal, ...]:
        """Keep some files of a set, and `hunks` of them; the rest goes back. `ids` are drafted."""
        proof = self._believed(proof, approve=False)
        return self._sets.choose(
            found, paths, proof=proof, reason=reason, comments=comments, ids=ids, hunks=hunks
        )

    def draft_choice(
        self, found: Sequence[Proposal], paths: Collection[str], *, ids: Mapping[str, str] = NO_IDS
    ) -> tuple[Proposal, ...]:
        """Return what `choose_files` would make. Nothing is queued, recorded or written."""
        return self._sets.draft(found, paths, ids=ids)

    def rebase(self, proposal_id: str) -> Proposal:
        """Carry a proposal over to what the file holds now."""
        return self._revising.rebased(proposal_id)

    def rebase_all(self, found: Sequence[Proposal]) -> tuple[Proposal, ...]:
        """Carry the files of a set over that changed since, all or none; return what was made."""
        return self._sets.rebase(found)

    def preview_rebase(self, proposal_id: str) -> tuple[bytes, bytes]:
        """Return what the file holds now, and what `rebase` would make of it. Looking only."""
        return self._revising.preview_rebase(proposal_id)

    def renew(self, proposal_id: str) -> Proposal:
        """Give a waiting proposal its whole time again."""
        return self._answering.renew(proposal_id)

    # -- undo --------------------------------------------------------------------------------

    def undoable(self, *, receipt: str = "", last: int = 0, path: str = "") -> tuple[Receipt, ...]:
        """Return what `undo` would take back."""
        return self._receipts.find(receipt=receipt, last=last, path=path)

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
        **more: str,
    ) -> Receipt:
        """Take a write that an agent made by itself into what can be undone."""
        return self._receipts.adopt(
            path, before=before, after=after, event_hash=event_hash, at=at, **more
        )

    def changed_since(self, receipts: Sequence[Receipt]) -> tuple[tuple[str, bytes | None], ...]:
        """Return the files that changed since, each with what Penstock had written."""
        return tuple(self._undoing.changed(receipts))

    def undo(
        self,
        receipts: Sequence[Receipt],
        *,
        by: Actor = NOBODY,
        rebase: bool = False,
        ids: Mapping[str, str] = NO_IDS,
    ) -> tuple[Proposal, ...]:
        """Propose to put back what was there; approve and apply it like any other.

        With `rebase`, what was saved since is kept where the two do not meet. `ids` are the names
        of the new proposals by path, where `draft_undo` made them.
        """
        return self._undoing.propose(receipts, by=by, rebase=rebase, ids=ids)

    def draft_undo(
        self,
        receipts: Sequence[Receipt],
        *,
        by: Actor = NOBODY,
        rebase: bool = False,
        ids: Mapping[str, str] = NO_IDS,
    ) -> tuple[Proposal, ...]:
        """Return what `undo` would propose. Nothing is queued, recorded or written."""
        return self._undoing.draft(receipts, by=by, rebase=rebase, ids=ids)
