"""One workspace: its root, its state, its rules, and the gate that is made of them.

It finds the workspace and hands doors what they need; each part is opened at its first use.
Always true: looking (`judge`) needs no state and leaves none; opening the gate makes the state
directory 0700, outside the workspace.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from penstock import presets
from penstock.app.rules.organisation import bundle_store, bundle_terms
from penstock.app.rules.policy import (
    LARGEST_RULES,
    Reading,
    policy_of,
    policy_with,
    read_rules,
)
from penstock.app.rules.policy_files import breaks, switched_on, wanting_person
from penstock.core.errors import InputError
from penstock.gate.doors import Door
from penstock.stores.rules.last_good import keep, keep_compiled
from penstock.stores.system.places import (
    rules_of,
    stamp,
    state_of,
    user_rules,
    workspace_above,
)

# Each part is imported where it is first needed: whoever verifies a record needs no rules, and
# whoever judges needs no queue.
if TYPE_CHECKING:
    from penstock.app.announce import Announcement
    from penstock.app.audit import Record
    from penstock.core.audit.cosign import WitnessSettings
    from penstock.core.audit.findings import AuditReport
    from penstock.core.notify.message import Alert
    from penstock.core.notify.settings import NotifySettings
    from penstock.core.policy.advice import Advice, CallFacts
    from penstock.core.policy.compile import Stamp
    from penstock.core.policy.model import Policy
    from penstock.core.proposals.model import Proposal
    from penstock.core.rules.layers import LoadResult
    from penstock.gate import Gate
    from penstock.gate.doors import Surroundings
    from penstock.gate.judge import Judgement
    from penstock.gate.look import DiskMemory
    from penstock.gate.parts import RuleFiles
    from penstock.gate.prepare import Call
    from penstock.ports import AuditLog
    from penstock.stores.approver.keys import ApproverKeys
    from penstock.stores.audit.signed_log import SignedLog, Start
    from penstock.stores.files.workspace import DiskFiles
    from penstock.stores.git.find import GitRepositories
    from penstock.stores.queue.sqlite import SqliteProposals
    from penstock.stores.rules.history import RuleHistory

__all__ = [
    "LARGEST_RULES",
    "DoorExtras",
    "Workspace",
    "inside_agent",
    "judge_here",
    "open_gate",
    "open_judge",
    "open_workspace",
    "policy_of",
    "policy_with",
    "read_rules",
    "rule_history",
    "token_of",
    "workspace_of",
    "workspace_root",
]

Signs = Literal["here", "behind", "beside"]
SLIPPED = "a protected file that was changed despite the rules"


def workspace_root(start: str | None = None) -> str:
    """Return the named directory, or the nearest one above here with rules or a repository."""
    if start is not None:
        if not os.path.isdir(start):
            raise InputError("no-workspace", f"`{start}` is not a directory")
        return os.path.realpath(start)
    return workspace_above(os.path.realpath(_current_directory()))


def _current_directory() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise InputError(
            "no-workspace",
            "the current directory does not exist any more",
            because="it was removed or moved",
            hint="cd into the project, or name it with `--workspace DIR`",
        ) from None


def judge_here(
    call: Call, *, workspace: str | None, policy_file: str | None = None, now: float
) -> Judgement:
    """Judge a call against a workspace as it is; needs no state and leaves none."""
    return open_judge(workspace_root(workspace), policy_file=policy_file)(call, now, None)


def open_judge(
    root: str, *, policy_file: str | None
) -> Callable[[Call, float, DiskMemory | None], Judgement]:
    """Return what judges calls by the rules as they are now, each at a time.

    Calls that come with the same memory are judged against one look at the disk.
    """
    from penstock.gate.judge import judge_call
    from penstock.stores.files.workspace import DiskFiles
    from penstock.stores.git.find import GitRepositories

    policy = policy_of(root, state=state_of(root), policy_file=policy_file)
    files, repositories = DiskFiles(root), GitRepositories()
    return lambda call, now, memory: judge_call(
        files, policy, call, now=now, repositories=repositories, memory=memory
    )


class DoorExtras(Struct, frozen=True, kw_only=True, dict=True):
    """What a door brings along: a level of rules from a file of its own, and a second log.

    `level` reads the file's bytes (None: there is none); `beside` returns the log to write to
    in place of the record, which it passes everything on to.
    """

    file: str
    level: Callable[[bytes | None], LoadResult]
    beside: Callable[[AuditLog], AuditLog]


class Workspace(Struct, frozen=True, dict=True):
    """One workspace with its state; each part is opened when it is first needed.

    `door` is who holds the gate: a program of somebody else's unless a door of ours says so.
    `signs` says where a checkpoint that is due is signed: in the thread that appends, in one
    behind it, or in a process beside this one. `patience` is how long to wait for a lock of the
    state, where the stores' own is too long. With `compiles`, a policy is also kept as the hook
    reads it: that is for the hook, and for who sets it up or checks it.
    """

    root: str
    state: str
    brought: DoorExtras | None = None
    door: Door = Door.LIBRARY
    signs: Signs = "here"
    patience: float | None = None
    compiles: bool = False

    @cached_property
    def keys(self) -> ApproverKeys:
        """The approver's key: one per user, kept apart from every workspace."""
        from penstock.stores.approver.keys import ApproverKeys

        return ApproverKeys(os.path.join(os.path.dirname(self.state), "approver"))

    @cached_property
    def record(self) -> Record:
        """The record with its checkpoints."""
        from penstock.app.audit import Record

        return Record(
            self.audit_path,
            self.state,
            self.policy().audit,
            os.path.dirname(self.state),
            self._signer(),
            cosign=self._cosign(),
            patience=self.patience,
        )

    def _cosign(self) -> WitnessSettings | None:
        """Return the witnesses of the user's own rules; None where there are none."""
        said = self.policy().witness
        if not any(said.values()):
            return None
        from penstock.core.audit.cosign import witness_settings

        found = witness_settings(said, user=user_rules())
        return found if found.cosigners else None

    def _signer(self) -> Start | None:
        from penstock.app.audit import sign_behind, sign_beside

        return {"here": None, "behind": sign_behind, "beside": sign_beside(self.root)}[self.signs]

    @property
    def audit_path(self) -> str:
        """Where the record lies."""
        return os.path.join(self.state, "audit.jsonl")

    @cached_property
    def files(self) -> DiskFiles:
        """The files of the workspace; looking at them needs no state."""
        from penstock.stores.files.workspace import DiskFiles

        return DiskFiles(self.root, journal_dir=os.path.join(self.state, "journal"))

    @cached_property
    def repositories(self) -> GitRepositories:
        """Repositories of git, to be looked at."""
        from penstock.stores.git.find import GitRepositories

        return GitRepositories()

    @cached_property
    def _proposals(self) -> SqliteProposals:
        from penstock.stores.queue.sqlite import SqliteProposals

        path = os.path.join(self.state, "penstock.db")
        if self.patience is None:
            return SqliteProposals(path)
        return SqliteProposals(path, busy=self.patience)

    @cached_property
    def gate(self) -> Gate:
        """The gate, with what a crash left behind brought to its end."""
        from penstock.app.late import late
        from penstock.gate import Gate, Parts
        from penstock.stores.queue.blobs import DiskBlobs
        from penstock.stores.system.clock import SystemClock
        from penstock.stores.system.known_roots import keep_root
        from penstock.stores.system.private import private_dir

        private_dir(self.state)
        keep_root(self.state, self.root)
        proposals = self._proposals
        gate = Gate(
            Parts(
                files=self.files,
                proposals=proposals,
                blobs=DiskBlobs(os.path.join(self.state, "blobs")),
                log=late(self._log),
                clock=SystemClock(proposals.last_wall),
                policy=self.policy,
                approvers=late(lambda: self.keys),
                verify=self.verify,
                announce=self._announce,
                door=self.door,
                surroundings=late(lambda: self.surroundings),
                rules=self.rule_files,
                repositories=self.repositories,
            )
        )
        gate.recover()
        self._adopt(gate)
        return gate

    def _log(self) -> AuditLog:
        return self.brought.beside(self.record.log) if self.brought else self.record.log

    def close(self) -> None:
        """Give back the files that were opened; for a process that opens very many gates."""
        opened = vars(self)
        if "_proposals" in opened:
            self._proposals.close()
        if "record" in opened and "lines" in vars(self.record):
            self.record.lines.close()

    @cached_property
    def surroundings(self) -> Surroundings:
        """What is around this process: whether an agent runs it, and whether a person sits here."""
        from penstock.stores.agents.surroundings import SystemSurroundings

        return SystemSurroundings()

    @cached_property
    def rule_files(self) -> RuleFiles:
        """What is behind a change of rules files; their notes are in one place for the user."""
        from penstock.gate.parts import RuleFiles
        from penstock.stores.files.workspace import DiskFiles

        journal = os.path.join(os.path.dirname(self.state), "rules-journal")
        files = DiskFiles("/", journal_dir=journal)
        return RuleFiles(
            files=files,
            history=rule_history,
            record=self._record_of,
            wanting_person=wanting_person,
            breaks=breaks,
            switched_on=switched_on,
        )

    def _record_of(self, rules: str) -> tuple[AuditLog, str]:
        """Return the record of the workspace that a rules file lies in, and that workspace."""
        from penstock.stores.system.private import private_dir

        home = workspace_of(os.path.dirname(rules), signs=self.signs)
        if home.root == self.root:
            return self.record.log, self.root
        private_dir(home.state)
        return home.record.log, home.root

    def _announce(self, made: Sequence[Proposal]) -> None:
        """Have a person told, if anything waits for one.

        The proposals are stored by now: nothing that fails here may say otherwise.
        """
        from penstock.core.proposals.model import State

        if any(one.state is State.WAITING for one in made):
            with suppress(Exception):
                from penstock.app.announce import announce

                announce(self.root, self.state, self.notify_settings())

    def alert(self, found: Alert) -> Announcement:
        """Have a person notified of protected files that were changed; return how far that came."""
        from penstock.app.announce import announce

        return announce(self.root, self.state, self.notify_settings(), alert=found)

    def notify_settings(self) -> NotifySettings:
        """Return how the person is notified of this workspace."""
        from penstock.core.notify.settings import settings_of

        return settings_of(self.policy().notify, user=user_rules())

    def editor(self) -> str:
        """Return the user's own link for opening a file in an editor; "" where there is none."""
        from penstock.core.review.editor_link import editor_of

        return editor_of(self.policy().page, user=user_rules())

    def _adopt(self, gate: Gate) -> None:
        """Give the gate what agents wrote by themselves, so that it can be undone."""
        from penstock.stores.queue.observations import drop, observed, tidy

        found = list(observed(self.state))
        files = Counter(one.call for one in found)
        for one in found:
            gate.adopt(
                one.path,
                before=one.before,
                after=one.after,
                event_hash=one.event_hash,
                at=one.at,
                note=SLIPPED if one.slipped else "",
                set_id=f"call-{one.call}" if files[one.call] > 1 else "",
            )
            drop(self.state, one.name)
        tidy(self.state)

    @cached_property
    def _read_before(self) -> dict[tuple[Stamp, ...], Policy]:
        return {}

    @cached_property
    def _reading(self) -> threading.Lock:
        return threading.Lock()

    def policy(self) -> Policy:
        """The rules as they are now; read again only when one of their files has changed."""
        known = self._known()
        if known is not None:
            return known
        with self._reading:  # many rules take a second: nobody reads them beside another
            return self._known() or self._read_anew()

    def _known(self) -> Policy | None:
        known = next(iter(list(self._read_before.values())), None)
        fresh = known is not None and self._stamps(known) in self._read_before
        return known if fresh else None

    def _read_anew(self) -> Policy:
        seen: dict[str, Stamp] = {}

        def read(path: str) -> bytes | None:
            # Before the content: a file that is saved meanwhile must look changed afterwards.
            seen.setdefault(path, stamp(path))
            return read_rules(path)

        policy = policy_of(self.root, state=self.state, others=self._levels(read), read=read)
        stamps = self._stamps(policy, seen)
        self._read_before.clear()
        self._read_before[stamps] = policy
        # What a door brings along is its own business and must not become the hook's.
        if not policy.degraded and self.brought is None and os.path.isdir(self.state):
            self._keep(policy, stamps)
        return policy

    def _levels(self, read: Reading) -> tuple[LoadResult, ...]:
        brought = self.brought
        return () if brought is None else (brought.level(read(brought.file)),)

    def _keep(self, policy: Policy, stamps: Sequence[Stamp]) -> None:
        """Keep a good policy for the time when it is broken, and compiled for the hook."""
        # The bundle of an organisation is kept elsewhere, and an older one is not in force again.
        own = [path for path in policy.files if path != bundle_store().current_path]
        files = {path: read_rules(path) for path in own}
        keep(self.state, policy.revision, {p: data for p, data in files.items() if data})
        if self.compiles:
            from penstock.core.policy.compile import dump

            keep_compiled(self.state, dump(policy, stamps=stamps, folds=self.files.folds))

    def _stamps(self, policy: Policy, seen: Mapping[str, Stamp] | None = None) -> tuple[Stamp, ...]:
        """Return what changes when a rules file does; `seen` is what was there when it was read."""
        own = (*rules_of(self.root), user_rules())
        more = () if self.brought is None else (self.brought.file,)
        known = seen or {}
        # Another version of Penstock may bring other presets.
        named = [name for name in presets.FILES.values() if f"preset:{name}" in policy.files]
        paths = dict.fromkeys((*own, *more, *policy.files, *map(presets.place, named)))
        return tuple(known.get(path) or stamp(path) for path in paths)

    def verify(self, log: str = "", *, ask: bool = False) -> AuditReport:
        """Compare the record with all evidence, and each approval with its signature.

        Of another log than this workspace's only the chain and the signatures can be compared,
        and what is kept of a log in the directory that it lies in. `ask` asks the witnesses that
        others run; without it, what they have cosigned is compared.
        """
        from msgspec.structs import replace

        from penstock.core.audit.approval.approvals import NOTICE, Approvals
        from penstock.core.audit.approval.owner_approvals import NOTICE as OWNER_ENTRIES
        from penstock.core.audit.approval.owner_approvals import OwnerApprovals
        from penstock.core.audit.approval.standing_approval import WriteApprovals
        from penstock.core.audit.query import parse_line
        from penstock.core.audit.run_accounts import RUN_ENTRIES, RunAccounts
        from penstock.core.bundle.author import author_of

        if log and os.path.realpath(log) == os.path.realpath(self.record.path):
            log = ""  # our own by its path: everything that we know of it counts
        record = self._record_at(log) if log else self.record
        report = record.verify(
            notice=NOTICE | OWNER_ENTRIES | RUN_ENTRIES, there=bool(log), ask=ask
        )
        approvals = Approvals(elsewhere=bool(log))
        for known in self.keys.known():
            approvals.know(known.public, "" if log else known.since)
        approvals.passkeys.removed |= {} if log else self.keys.removed_passkeys()
        terms = () if log else bundle_terms(self.policy())
        owners = OwnerApprovals(terms, author_of([self.policy().person], self.keys.own_ids()))
        for term in terms:
            approvals.trust(one.public for one in term.bundle.approvers)
        writes, runs = WriteApprovals(), RunAccounts()
        events = [(line, parse_line(text) or {}) for line, text in report.noticed]
        approvals.feed(events)
        writes.feed(events)
        owners.feed(events)
        runs.feed(events)
        found = (approvals, writes, owners, runs)
        return replace(
            report,
            problems=(*report.problems, *(one for each in found for one in each.problems)),
            warnings=(*report.warnings, *approvals.warnings, *writes.warnings),
            runs=runs.runs,
        )

    def judge(self, call: Call, *, measures: bool = True) -> Judgement:
        """Return what the rules say to a tool call, without opening the queue or the record."""
        import time

        from penstock.gate.judge import judge_call

        return judge_call(
            self.files,
            self.policy(),
            call,
            now=time.time(),
            measures=measures,
            repositories=self.repositories,
        )

    def advise(
        self, facts: CallFacts, *, environ: Mapping[str, str], within: float
    ) -> Advice | None:
        """Return what the advisor thinks of a call that no rule decides; None without one."""
        settings = self.policy().advisor
        if not settings.enabled:
            return None
        from penstock.stores.advisor import advise

        return advise(settings, facts, environ=environ, within=within)

    def ready(self) -> None:
        """Make the directories that a hook leaves things in; they stay as they are if there."""
        from penstock.stores.queue.before_images import FOLDER
        from penstock.stores.system.known_roots import keep_root
        from penstock.stores.system.private import private_dir

        watch = os.path.join(self.state, FOLDER)
        if not os.path.isdir(watch):
            private_dir(self.state)
            private_dir(watch)
            keep_root(self.state, self.root)

    def read_state(self, name: str, *, limit: int) -> bytes | None:
        """Return a small file that is kept in the state, or None where there is none."""
        from penstock.stores.system.private import read_file

        return read_file(os.path.join(self.state, name), limit=limit)

    def write_state(self, name: str, data: bytes) -> None:
        """Keep a small file in the state, in the place of one that is there. Raises StoreError."""
        from penstock.stores.system.private import private_dir, told, write_file

        with told("keep", os.path.join(self.state, name)):
            write_file(private_dir(self.state), name, data, replace=True)

    def drop_state(self, name: str) -> None:
        """Remove a small file of the state, if it is there."""
        with suppress(FileNotFoundError):
            os.remove(os.path.join(self.state, name))

    def log_beside(self, name: str) -> SignedLog:
        """Return a log in the workspace itself; all that proves it is kept in the state."""
        from penstock.stores.system.private import private_dir

        private_dir(self.state)
        return self._record_beside(name).log

    def _record_at(self, log: str) -> Record:
        """Return a log in any directory, with what is kept of it in that directory's state."""
        folder, name = os.path.split(os.path.realpath(log))
        home = self if folder == self.root else Workspace(folder, state_of(folder))
        return home._record_beside(name)

    def _record_beside(self, name: str) -> Record:
        from penstock.app.audit import Record

        path, folder = os.path.join(self.root, name), os.path.join(self.state, name.strip("."))
        home = os.path.dirname(self.state)
        return Record(path, folder, self.policy().audit, home, cosign=self._cosign())

    def inside_agent(self) -> str | None:
        """Say why this process is taken to run inside an agent, or None."""
        return self.surroundings.agent()

    def audit_head(self) -> str:
        """Return the hash of the last line of the record, empty where there is none."""
        head = self.record.head()
        return head.event_hash if head else ""


def rule_history() -> RuleHistory:
    """Return the versions of rules files."""
    from penstock.stores.rules.history import RuleHistory

    return RuleHistory()


def inside_agent() -> str | None:
    """Say why this process is taken to run inside an agent, or None."""
    from penstock.stores.agents.ancestry import seen_here

    return seen_here()


def token_of(home: str, name: str) -> str:
    """Return a random token that is kept in the state, made at the first need."""
    from penstock.stores.system.private import kept_token

    return kept_token(home, name)


def workspace_of(
    start: str,
    *,
    door: Door = Door.LIBRARY,
    signs: Signs = "here",
    patience: float | None = None,
    compiles: bool = False,
) -> Workspace:
    """Return the workspace that a directory (absolute, resolved) lies in."""
    root = workspace_above(start)
    state = state_of(root)
    return Workspace(root, state, door=door, signs=signs, patience=patience, compiles=compiles)


def open_workspace(
    workspace: str | None = None,
    *,
    state: str | None = None,
    brought: DoorExtras | None = None,
    door: Door = Door.LIBRARY,
    compiles: bool = False,
) -> Workspace:
    """Find a workspace and its state; `door` is who will answer there."""
    root = workspace_root(workspace)
    return Workspace(root, state or state_of(root), brought, door, compiles=compiles)


def open_gate(workspace: str | None = None, *, state: str | None = None) -> Gate:
    """Return the gate of a workspace to a program; what it answers is recorded as `library`."""
    root = workspace_root(workspace)
    return Workspace(root, state or state_of(root)).gate
