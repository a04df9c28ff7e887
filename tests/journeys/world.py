"""A workspace in memory with everything the gate needs, and a person to answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from penstock.core.audit.findings import AuditReport
from penstock.core.policy.model import Policy
from penstock.core.rules.load import parse_policy
from penstock.gate import Call, Gate, Item, Judgement, Parts, Proof, judge_call
from penstock.ports import LogEntry
from tests.fakes.files import MemoryFiles
from tests.fakes.queue import FixedClock, MemoryBlobs, MemoryProposals

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


@dataclass
class Log:
    """A record that only remembers, and can be told to fail."""

    events: list[Mapping[str, object]] = field(default_factory=list)
    fails_at: str = ""

    def append(self, event: Mapping[str, object], *, durable: bool) -> LogEntry:
        from penstock.core.errors import AuditError

        if event["op"] == self.fails_at:
            raise AuditError("audit-failed", "the record cannot be written")
        self.events.append(event)
        return LogEntry(seq=len(self.events), prev_hash="p", event_hash=f"e{len(self.events)}")

    def append_many(
        self, events: Sequence[Mapping[str, object]], *, durable: bool
    ) -> Sequence[LogEntry]:
        kept = len(self.events)
        try:
            return [self.append(event, durable=durable) for event in events]
        except Exception:
            del self.events[kept:]
            raise

    @property
    def ops(self) -> list[object]:
        return [event["op"] for event in self.events]


class NoKeys:
    def required(self) -> bool:
        return False

    def valid(self, statement: bytes, signature: str, key_id: str) -> bool:
        return False


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
