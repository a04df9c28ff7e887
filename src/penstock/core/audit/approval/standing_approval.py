"""The approval that an audit log holds for one proposal: what a write relies on.

The queue says where a proposal stands, and whoever can write its file can make it say anything.
So before a write, and for every write when a log is verified, the approval is looked for here.
Reading the log is a store's work, and whether a signature is an approver's is `approvals`'.
Always true: the newest entry that decides about a proposal counts; it approves only the proposal
that it was given for, down to the last field, and only once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.core.audit.event import compose
from penstock.core.audit.fast_lines import Shapes
from penstock.core.audit.findings import AuditProblem, TamperKind
from penstock.core.audit.line import look
from penstock.core.audit.query import Query, parse_line
from penstock.core.digest import digest
from penstock.core.proposals.codec import to_json
from penstock.core.proposals.model import Moment, Proposal, Receipt, State

PROPOSED, APPROVED, APPLIED = "proposed", "approved", "applied"
# Entries after which an earlier approval no longer stands. A try that failed is not among them.
DECIDING = frozenset({PROPOSED, APPROVED, "rejected", "expired", "outdated", "superseded", APPLIED})
# Entries that say what was written to a file: by Penstock, by an agent, and despite the rules.
WRITES = frozenset({APPLIED, "observed", "slipped"})
# Kinds of approval that no person gave: the rules allow it, or the switch for rule edits is on.
POLICY, SWITCH = "policy", "switch"
UNASKED = frozenset({POLICY, SWITCH})

Event = Mapping[str, object]


def fingerprint(one: Proposal) -> str:
    """Return the digest of everything in a proposal that never changes."""
    fixed = replace(one, state=State.WAITING, answer=None, created=Moment(wall=0.0))
    return digest(to_json(fixed).encode())


def deciding(proposal_id: str) -> Query:
    """Return the question for the newest entry that decides about a proposal."""
    return Query(proposal=proposal_id, ops=DECIDING, last=1)


class LoggedApproval(Struct, frozen=True, kw_only=True):
    """An approval in the log: by which proof, the hash of its entry, and all that it says.

    `owners` is what the write's own entry says of the owners who had to approve it.
    """

    kind: str
    event_hash: str
    event: Event = field(default_factory=dict)
    owners: Event = field(default_factory=dict)


def approval_in(line: bytes, one: Proposal) -> LoggedApproval | None:
    """Return the approval of exactly this proposal that a line holds, or None."""
    event = parse_line(line) or {}
    if not _sound(line) or not approves(event) or event.get("proposal_hash") != fingerprint(one):
        return None
    kind = str(event.get("proof"))
    return LoggedApproval(kind=kind, event_hash=str(event["event_hash"]), event=event)


def written_hash(line: bytes) -> str:
    """Return the hash of an entry that says that its proposal was written; "" for any other."""
    event = parse_line(line) or {}
    return str(event["event_hash"]) if event.get("op") == APPLIED else ""


def tells_of(line: bytes, receipt: Receipt) -> bool:
    """Say whether a line holds the write of a receipt: this file, from and to this content."""
    event = parse_line(line) or {}
    said = (
        parse_line(b"{" + compose({"op": APPLIED, "path": receipt.path, "status": ""}) + b"}") or {}
    )
    wanted = {
        "path": said.get("path"),
        "before_hash": receipt.before,
        "after_hash": receipt.after,
        "base_mode": receipt.before_mode,
        "mode": receipt.after_mode,
    }
    same = all((event.get(name) or None) == value for name, value in wanted.items())
    return _sound(line) and event.get("op") in WRITES and same


def _sound(line: bytes) -> bool:
    return look(line, 1, Shapes()).fault is None


def approves(event: Event) -> bool:
    """Say whether an entry approves: somebody did, or it was approved when it was proposed."""
    proposed = event.get("op") == PROPOSED and event.get("status") == State.APPROVED
    return proposed or event.get("op") == APPROVED


class WriteApprovals(Struct):
    """Goes over numbered entries once, in their order: each `applied` needs its approval.

    Older versions did not name the approval in the entry. Where one of theirs has none, that is
    a warning, as long as nothing of a newer version came before it.
    """

    problems: list[AuditProblem] = field(default_factory=list)
    warnings: list[AuditProblem] = field(default_factory=list)
    newer: bool = False  # an entry above names its approval, so all that follow have to
    _standing: dict[str, Event] = field(default_factory=dict)

    def feed(self, events: Iterable[tuple[int, Event]]) -> None:
        """Check every write among some entries, each with the number of its line."""
        for line, event in events:
            if event.get("op") in DECIDING:
                self._decide(line, event)

    def _decide(self, line: int, event: Event) -> None:
        known = str(event.get("proposal"))
        approval = self._standing.pop(known, None)
        if event.get("op") == APPLIED:
            self._check(line, event, approval)
        elif approves(event):
            self._standing[known] = event

    def _check(self, line: int, event: Event, approval: Event | None) -> None:
        self.newer = self.newer or "approval" in event
        path = event.get("path")
        if approval is None:
            self._tell(line, f"`{path}` was written without an approval before it")
        elif any(event.get(name) != approval.get(name) for name in ("path", *DIGESTS)):
            self._tell(line, f"what was written to `{path}` is not what was approved")
        elif self.newer and event.get("approval") != approval.get("event_hash"):
            self._tell(line, f"the write to `{path}` names a different approval")

    def _tell(self, line: int, message: str) -> None:
        found = AuditProblem(kind=TamperKind.UNAPPROVED, line=line, message=message)
        (self.problems if self.newer else self.warnings).append(found)


DIGESTS = ("base_hash", "content_hash", "base_mode", "mode")
