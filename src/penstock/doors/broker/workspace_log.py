"""The log in the workspace: one line a request, in the spec's words, chained.

The gate keeps its own record outside the workspace; `Beside` stands between the gate and that
record, so that nothing is written to a file unless both can tell of it.
Always true: a line tells the operation, the path and how it ended, never content; an apply that
was done has its line before the queue calls it done, also where a crash came in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from msgspec import Struct, field

from penstock.core.audit.query import Query
from penstock.core.model import Actor
from penstock.core.proposals.model import Proposal, Receipt
from penstock.core.timestamps import stamp
from penstock.doors.broker.responses import NOTHING
from penstock.ports import AuditLog, LogEntry

FILE = ".agentzero_audit.jsonl"
AGENT = "broker"  # who asked, for a proposal that came in by this door
PROPOSE, APPLY = "write_file_propose", "write_file_apply"
CAUGHT_UP = "written while no broker was running"


class WorkspaceLog(Protocol):
    """The log as this door needs it."""

    def append(self, event: Mapping[str, object], *, durable: bool) -> LogEntry:
        """Add one line."""

    def require_ready(self) -> None:
        """Raise AuditError where no line can be added."""

    def read(self, query: Query) -> Iterator[Mapping[str, object]]:
        """Yield events, oldest first."""


class Ledger(Struct):
    """The broker's log; `lines` None is a log that was switched off."""

    lines: WorkspaceLog | None
    applied: dict[str, LogEntry] = field(default_factory=dict)
    unsure: str = ""

    def require_ready(self) -> None:
        """Raise AuditError where the next line could not be written."""
        if self.lines is not None:
            self.lines.require_ready()

    def add(self, op: str, facts: Mapping[str, object], *, durable: bool) -> LogEntry | None:
        """Write one line; None when there is no log."""
        if self.lines is None:
            return None
        return self.lines.append({"op": op, **facts}, durable=durable)

    def add_applied(self, event: Mapping[str, object]) -> None:
        """Write the line of an apply, from the gate's own event; once for a set."""
        known = str(event.get("set") or event["proposal"])
        if self.lines is None or known in self.applied:
            return
        ended_later = bool(event.get("how"))
        if ended_later and event.get("agent") != AGENT:
            return  # what another door began and a crash cut short is not told here
        unsure = ended_later or known == self.unsure
        if unsure and self._is_there(str(event["proposal"]), known):
            return
        self.applied.clear()  # only the apply that is under way is ever asked about
        self.unsure = known  # until it is certain: a line may be there although its disk failed
        made = self.add(APPLY, _applied_facts(event), durable=True)
        self.unsure = ""
        if made is not None:
            self.applied[known] = made

    def _is_there(self, proposal: str, group: str) -> bool:
        """A crash may have come between the line and the end of the apply that it tells of."""
        names = {proposal, group}
        lines = self.lines.read(Query(op=APPLY, outcome="allowed")) if self.lines else ()
        return any(line.get("hitl_id") in names or line.get("set") in names for line in lines)

    def catch_up(self, done: Iterable[tuple[Receipt, Proposal]]) -> None:
        """Write the lines of applies that another command ended while no broker ran.

        Only of what this log has seen proposed: one that was taken away is not made up.
        """
        newest = [pair for pair in done if pair[1].actor.agent == AGENT]
        if self.lines is None or not newest:
            return
        # A receipt made after a crash is younger than the line; the proposal is always older.
        since = stamp(min(one.created.wall for _, one in newest))
        proposed, applied = self._names(PROPOSE, since), self._names(APPLY, since)
        for receipt, one in reversed(newest):
            names = {one.id, one.set_id or one.id}
            if names & proposed and not names & applied:
                applied |= names
                self.add(APPLY, _receipt_facts(receipt, one), durable=True)

    def _names(self, op: str, since: str) -> set[object]:
        """Return the proposals and sets that lines of some operation tell of."""
        lines = self.lines.read(Query(op=op, since=since)) if self.lines else ()
        return {name for line in lines for name in (line.get("hitl_id"), line.get("set"))} - {None}


class Beside(Struct, frozen=True):
    """The gate's log at this door: the record, and the line in the workspace for an apply."""

    record: AuditLog
    ledger: Ledger

    def append(self, event: Mapping[str, object], *, durable: bool) -> LogEntry:
        """Pass an event on to the record, and tell of an apply in the workspace as well."""
        return self.append_many([event], durable=durable)[0]

    def append_many(
        self, events: Sequence[Mapping[str, object]], *, durable: bool
    ) -> Sequence[LogEntry]:
        """Pass events on in one piece."""
        if any(event["op"] == "applying" for event in events):
            self.ledger.require_ready()  # no line, no write
        made = self.record.append_many(events, durable=durable)
        for event in events:
            if event["op"] == "applied":
                self.ledger.add_applied(event)
        return made

    def lines(self, query: Query) -> Iterator[bytes]:
        """Read the record; the line in the workspace is for others."""
        return self.record.lines(query)


def who(actor: Actor) -> dict[str, object]:
    """Return the fields that say which call it was."""
    return {"tool_call_id": actor.tool_call_id, "context_id": actor.context_id}


def _applied_facts(event: Mapping[str, object]) -> dict[str, object]:
    facts = {
        "path": event.get("path", ""),
        "status": "allowed",
        "created": "base_hash" not in event,
        "before_hash": event.get("before_hash", NOTHING),
        "after_hash": event.get("after_hash", NOTHING),
        "hitl_id": event["proposal"],
        "set": event.get("set", ""),
        "tool_call_id": event.get("tool_call_id", ""),
        "context_id": event.get("context_id", ""),
        "how": event.get("how", ""),
    }
    return {name: value for name, value in facts.items() if value != "" or name in KEPT}


def _receipt_facts(receipt: Receipt, one: Proposal) -> dict[str, object]:
    facts = {
        "path": receipt.path,
        "status": "allowed",
        "created": receipt.before is None,
        "before_hash": receipt.before or NOTHING,
        "after_hash": receipt.after or NOTHING,
        "hitl_id": one.id,
        "set": one.set_id,
        **who(one.actor),
        "how": CAUGHT_UP,
    }
    return {name: value for name, value in facts.items() if value != "" or name in KEPT}


KEPT = frozenset({"path", "tool_call_id", "context_id"})
