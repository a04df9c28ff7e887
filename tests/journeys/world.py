"""A workspace in memory with everything the gate needs, and a person to answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from penstock.core.audit.findings import AuditReport
from penstock.core.audit.query import EVERYTHING, Query
from penstock.core.errors import AuditError
from penstock.core.policy.model import Policy
from penstock.core.proposals.passkey import Passkey
from penstock.core.rules.load import parse_policy
from penstock.gate import Call, Gate, Item, Judgement, Parts, Proof, judge_call
from penstock.gate.doors import Door
from penstock.ports import LogEntry
from tests.fakes.audit_log import MemoryLog
from tests.fakes.files import MemoryFiles
from tests.fakes.queue import FixedClock, MemoryBlobs, MemoryProposals
from tests.fakes.surroundings import SaidSurroundings

PERSON = Proof(by="ada", kind="terminal")

RULES = """
version = 1

[defaults]
write = "allow"

[[deny]]
id = "secrets"
paths = ["**/.env*"]
reason = "{path} is secret"

[[ask]]
id = "big-replace"
line_threshold = 100
change_threshold = 0.5

[[ask]]
id = "careful"
paths = ["careful/**"]
"""


def lines(count: int, word: str = "line") -> bytes:
    return b"".join(b"%s %d\n" % (word.encode(), at) for at in range(count))


class Log(MemoryLog):
    """A log in memory that can be told to fail."""

    def __init__(self, *, fails_at: str = "") -> None:
        super().__init__(clock=lambda: 0.0)
        self.fails_at = fails_at
        self.unread_after = ""  # once this is written, the log can neither be read nor written
        self._broken = False

    def append(self, event: Mapping[str, object] | bytes, *, durable: bool) -> LogEntry:
        self._fail(event)
        return super().append(event, durable=durable)

    def append_many(
        self, events: Sequence[Mapping[str, object]], *, durable: bool
    ) -> Sequence[LogEntry]:
        for event in events:
            self._fail(event)
        made = super().append_many(events, durable=durable)
        self._broken = any(event["op"] == self.unread_after for event in events)
        return made

    def lines(self, query: Query = EVERYTHING) -> Iterator[bytes]:
        """Yield lines, until the one that makes the disk fail was written."""
        if self._broken:
            raise AuditError("audit-io", "the disk is broken")
        yield from super().lines(query)

    def _fail(self, event: Mapping[str, object] | bytes) -> None:
        if not isinstance(event, bytes) and event["op"] == self.fails_at:
            raise AuditError("audit-failed", "the record cannot be written")

    @property
    def events(self) -> list[Mapping[str, object]]:
        """What was told, without what the chain adds to it."""
        added = ("ts", "seq", "prev_hash", "event_hash")
        told = [dict(event) for event in self.read()]
        return [{name: fact for name, fact in one.items() if name not in added} for one in told]

    @property
    def ops(self) -> list[object]:
        return [event["op"] for event in self.events]


class NoKeys:
    def required(self) -> bool:
        return False

    def valid(self, statement: bytes, signature: str, key_id: str) -> bool:
        return False

    def key(self, key_id: str) -> bytes | None:
        return None

    def own_ids(self) -> frozenset[str]:
        return frozenset()

    def passkey(self, credential: bytes) -> Passkey | None:
        return None

    def use_passkey(self, passkey: Passkey, count: int) -> None:
        raise AssertionError("there are no passkeys")


@dataclass
class World:
    """One project, one gate."""

    files: MemoryFiles = field(default_factory=MemoryFiles)
    log: Log = field(default_factory=Log)
    clock: FixedClock = field(default_factory=FixedClock)
    policy: Policy = field(default_factory=lambda: parse_policy(RULES))

    def __post_init__(self) -> None:
        blobs = MemoryBlobs(now=lambda: self.clock.now().wall)
        self.parts = Parts(
            files=self.files,
            proposals=MemoryProposals(),
            blobs=blobs,
            log=self.log,
            clock=self.clock,
            policy=lambda: self.policy,
            approvers=NoKeys(),
            surroundings=SaidSurroundings(),
            door=Door.COMMAND,
            verify=lambda: AuditReport(count=len(self.log.events), head=""),
        )
        self.gate = Gate(self.parts)

    def holds(self, path: str) -> bytes | None:
        known = self.parts.path(path)
        return self.files.read(known) if self.files.kind(known) else None

    def judged(self, call: Call) -> Judgement:
        return judge_call(self.files, self.policy, call, now=self.clock.now().wall)

    def propose(self, path: str, content: bytes | None) -> str:
        return self.gate.propose([Item(path=path, content=content)])[0].id

    def approve(self, proposal: str) -> None:
        self.gate.answer(proposal, approve=True, proof=PERSON)
