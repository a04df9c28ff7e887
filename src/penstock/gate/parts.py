"""What the steps of the gate share: its ports, the policy in force, and how events are named.

Always true: an event says what happened, to which path, by whom and under which revision of
the rules; it never holds content.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.core.model import Actor, Decision, Request, Target
from penstock.core.paths.relpath import RelPath, locate, parse
from penstock.core.paths.spellings import beneath
from penstock.gate.doors import Door, Surroundings

if TYPE_CHECKING:
    from penstock.core.audit.findings import AuditReport
    from penstock.core.policy.model import Policy
    from penstock.core.proposals.model import Proposal
    from penstock.core.proposals.passkey import Passkey
    from penstock.ports import (
        AuditLog,
        Blobs,
        Clock,
        Files,
        History,
        LogEntry,
        Proposals,
        Repositories,
    )

ANYTHING = "anything"
RULES_ENDING = ".toml"
Fact = str | int | float | Sequence[str] | None
Event = Mapping[str, object]


class Item(Struct, frozen=True):
    """One file of a proposal: what it should hold. `content` None removes it.

    `mode` is git's text: `100644`, `100755`, `040000` for a directory, `120000` for a symbolic
    link with `link` as the path that it holds. With a mode alone the content stays.

    `expect` is the digest of what the content was made from, None for no file: where the file
    holds something else by now, nothing is proposed. A whole new content may say ANYTHING.
    Outside the workspace the path is absolute; only an edit of rules, or its undo, may have one.
    """

    path: str
    content: bytes | None = None
    expect: str | None = ANYTHING
    mode: str | None = None
    link: str | bytes | None = None


class Approvers(Protocol):
    """The approver keys that this gate knows."""

    def required(self) -> bool:
        """True once a key exists: then nothing else approves."""

    def valid(self, statement: bytes, signature: str, key_id: str) -> bool:
        """Say whether a known approver signed this statement."""

    def key(self, key_id: str) -> bytes | None:
        """Return the public half of the key of this name, where it is the approver's now."""

    def passkey(self, credential: bytes) -> Passkey | None:
        """Return the passkey of this credential, where the approver's key vouches for it."""

    def own_ids(self) -> frozenset[str]:
        """Return the ids of every key that was ever this approver's own."""

    def use_passkey(self, passkey: Passkey, count: int) -> None:
        """Take the counter of a touch. Raises RefusedError where it went back."""


class Progress:
    """Passes on how far measuring a large file has come, to whoever listens at the moment."""

    def __init__(self) -> None:
        self.listener: Callable[[int, int], None] | None = None

    def __call__(self, done: int, total: int) -> None:
        """Tell the bytes that are done, and all that are to do."""
        if self.listener is not None:
            self.listener(done, total)


def nobody(_: Sequence[Proposal]) -> None:
    """Tell nobody of what was proposed."""


class RuleFiles(Struct, frozen=True, kw_only=True, dict=True):
    """Rules files, which lie anywhere: all files of the machine, and the versions of these.

    `record` gives the record of the workspace that a rules file lies in, and that workspace;
    `wanting_person` the workspace, if any, whose policy some files are part of and that wants a
    person behind what widens it; `breaks` why that policy would not load with some texts in place
    of its files. `switched_on` says whether the switch for edits is set.
    """

    files: Files
    history: Callable[[], History]
    record: Callable[[str], tuple[AuditLog, str]]
    wanting_person: Callable[[Sequence[str]], str]
    breaks: Callable[[str, Mapping[str, bytes | None]], str]
    switched_on: Callable[[], bool]


class Parts(Struct, frozen=True, kw_only=True, dict=True):
    """Everything behind the gate. `announce` hears of what was proposed, and must not wait.

    `verify` compares the record with all that there is to compare it with. `door` is who holds the
    gate, and `surroundings` what is around its process.
    `settled` is the decision on an edit of rules, whose own checks stand in the place of the
    rules themselves: those keep agents from a path, and must not keep people from the rules.
    Without `repositories` nobody can tell what a git command changes.
    """

    files: Files
    proposals: Proposals
    blobs: Blobs
    log: AuditLog
    clock: Clock
    policy: Callable[[], Policy]
    approvers: Approvers
    verify: Callable[[], AuditReport]
    surroundings: Surroundings
    progress: Progress = field(default_factory=Progress)
    announce: Callable[[Sequence[Proposal]], None] = nobody
    door: Door = Door.LIBRARY
    rules: RuleFiles | None = None
    settled: Decision | None = None
    repositories: Repositories | None = None

    def key_needed(self) -> bool:
        """True once a key exists, or where the rules ask for one: then nothing else approves."""
        return self.approvers.required() or self.policy().approval.key_wanted

    def is_signed(self, statement: bytes, signature: str, key_id: str) -> bool:
        """Say whether an approver signed a statement: this machine's, or one of the bundle."""
        if self.approvers.valid(statement, signature, key_id):
            return True
        bundle = self.policy().bundle
        other = bundle.approver(key_id) if bundle else None
        if other is None:
            return False
        from penstock.core.proposals.signature import check

        return check(other.public, statement, signature)

    def widens_policy(self, one: Proposal) -> bool:
        """Say whether a change lets a policy in force allow more, where that wants a person."""
        path = self.whole(one.path)
        if not (path.endswith(RULES_ENDING) or path in self.policy().files):
            return False
        before = None if one.base is None else self.blobs.get(one.base)
        after = None if one.content is None else self.blobs.get(one.content)
        return self.widened({path: before}, {path: after}) != ()

    def widened(
        self, before: Mapping[str, bytes | None], after: Mapping[str, bytes | None]
    ) -> tuple[str, ...]:
        """Return why texts of rules may allow more, where a policy in force wants a person then."""
        root = self.rules.wanting_person([*after]) if self.rules else ""
        if self.rules is None or not root:
            return ()
        from penstock.core.rule_edit.widening import widens

        gone = tuple(f"`{path}` would be removed" for path, text in after.items() if text is None)
        old = {path: text for path, text in before.items() if text is not None}
        new = {path: text for path, text in after.items() if text is not None}
        # A policy that does not load is no stricter one: another holds in its place.
        broken = filter(None, [self.rules.breaks(root, after)])
        return (*gone, *broken, *widens(old, new))

    def path(self, text: str) -> RelPath:
        """Return the workspace path that a stored text names."""
        return parse(text, root=self.files.root)

    def place(self, text: str) -> tuple[Files, RelPath]:
        """Return the files that a stored path lies in, and the path as they know it."""
        if self.rules is None or not text.startswith("/") or beneath(text, self.files.root):
            return self.files, self.path(text)
        return self.rules.files, RelPath(text=text.removeprefix("/"))

    def name(self, text: str) -> str:
        """Return a path as it is stored: absolute where it lies outside the workspace."""
        files, path = self.place(text)
        return path.text if files is self.files else f"/{path.text}"

    def whole(self, text: str) -> str:
        """Return a stored path as an absolute one."""
        return text if text.startswith("/") else f"{self.files.root.rstrip('/')}/{text}"

    def judge(self, path: str, request: Request) -> Decision:
        """Return what is decided about a change of a file, found anew on the disk."""
        if self.settled is not None:
            return self.settled
        from penstock.core.policy.decide import decide

        return decide(self.request(path, request), self.policy(), now=self.clock.now().wall)

    def request(self, path: str, request: Request) -> Request:
        """Return a request with its target found anew on the disk."""
        return replace(request, target=self.locate(path))

    def locate(self, path: str) -> Target:
        """Return every name that a path is judged by, as the disk is now."""
        files = self.files
        return locate(
            path,
            root=files.root,
            resolve=files.resolve,
            known_as=files.known_as,
            twins=files.twins,
            folds=files.folds,
        )

    def record(
        self,
        op: str,
        *,
        path: str = "",
        status: str,
        actor: Actor | None = None,
        **facts: Fact,
    ) -> LogEntry:
        """Add one line to the chain; facts that are empty are left out."""
        who = {} if actor is None else _who(actor)
        return self.log.append(_event(op, path, status, {**who, **facts}), durable=True)

    def record_of(self, op: str, proposal: Proposal, *, status: str, **facts: Fact) -> LogEntry:
        """Add a line about a proposal, with its digests and its lineage."""
        return self.log.append(event_of(op, proposal, status=status, **facts), durable=True)

    def record_all(self, events: Sequence[Event]) -> Sequence[LogEntry]:
        """Add the lines of several proposals in one piece, all or none: one wait for the disk."""
        return self.log.append_many(events, durable=True) if events else ()


def event_of(op: str, proposal: Proposal, *, status: str, **facts: Fact) -> Event:
    """Return what is told about a proposal, with its digests and its lineage."""
    about = {
        **_who(proposal.actor),
        "proposal": proposal.id,
        "set": proposal.set_id,
        "parent": proposal.parent,
        "origin": proposal.origin,
        "base_hash": proposal.base,
        "content_hash": proposal.content,
        "base_mode": proposal.base_mode,
        "mode": proposal.mode,
        "revision": proposal.decision.revision,
    }
    return _event(op, proposal.path, status, {**about, **facts})


def _event(op: str, path: str, status: str, facts: Mapping[str, object]) -> Event:
    said = {key: value for key, value in facts.items() if value not in ("", None)}
    return {"op": op, "path": path, "status": status, **said}


def _who(actor: Actor) -> dict[str, object]:
    return {
        "agent": actor.agent,
        "session": actor.session,
        "tool_call_id": actor.tool_call_id,
        "context_id": actor.context_id,
    }
