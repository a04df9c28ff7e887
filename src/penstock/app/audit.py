"""One log with everything that it is compared with.

Which events are told is the gate's business; how they are chained is the core's.
Always true: a process that only looks makes no key and no checkpoint of its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.core.audit.evidence import LogHead
    from penstock.core.audit.findings import AuditReport
    from penstock.core.audit.query import Query
    from penstock.core.policy.model import AuditSettings
    from penstock.stores.audit.checkpoints import Checkpoints
    from penstock.stores.audit.jsonl import JsonlLog
    from penstock.stores.audit.signed_log import SignedLog


@dataclass(frozen=True)
class Record:
    """One log with what it is compared with: its checkpoints, the remembered head, witnesses.

    Checkpoints and the key that signs them lie in `folder`; the head and the last checkpoint
    are remembered one level above, outside of what a copy of the log would bring along.
    """

    path: str
    folder: str
    settings: AuditSettings
    patience: float | None = None
    """How long to wait for the log's lock; None for as long as the log itself would."""

    @property
    def _memory_path(self) -> str:
        above, name = os.path.split(self.folder)
        return os.path.join(above, f"{name}.head")

    @cached_property
    def checkpoints(self) -> Checkpoints:
        """The signed checkpoints; the key is made at the first need."""
        from penstock.core.audit.checkpoint import as_name
        from penstock.stores.audit.checkpoints import Checkpoints, kept_key
        from penstock.stores.audit.witness import make_witness
        from penstock.stores.system.private import private_dir

        private_dir(self.folder)
        path = os.path.join(self.folder, "checkpoint.key")
        name = as_name(f"penstock/{os.path.basename(self.folder)}")
        key = kept_key(path, name)
        witnesses = [
            make_witness(text, key=key.public(), folder=self.folder)
            for text in self.settings.witnesses
        ]
        return Checkpoints(
            self.folder,
            self.path,
            public=key.public(),
            key=key,
            remembered=f"{self._memory_path}.checkpoint",
            witnesses=witnesses,
        )

    @cached_property
    def unsigned(self) -> JsonlLog:
        """The log to append to for a process too short to sign anything."""
        import time

        from penstock.stores.audit.jsonl import WAIT, JsonlLog
        from penstock.stores.audit.remembered_head import HeadMemory

        return JsonlLog(
            self.path,
            clock=time.time,
            rotate_at=self.settings.rotate_bytes,
            memory=HeadMemory(self._memory_path),
            wait=WAIT if self.patience is None else self.patience,
        )

    @cached_property
    def log(self) -> SignedLog:
        """The log to append to."""
        import time

        from penstock.core.audit.checkpoint import CheckpointPolicy
        from penstock.stores.audit.signed_log import SignedLog

        policy = CheckpointPolicy(
            events=self.settings.checkpoint_events, seconds=self.settings.checkpoint_seconds
        )
        return SignedLog(self.unsigned, self.checkpoints, policy=policy, clock=time.time)

    def head(self) -> LogHead | None:
        """Return the last line's place and hash, or None where there is no record."""
        import time

        from penstock.stores.audit.jsonl import JsonlLog

        return JsonlLog(self.path, clock=time.time).head()

    def events(self) -> Iterator[Mapping[str, object]]:
        """Yield every event that can be read, oldest first."""
        from penstock.core.audit.query import EVERYTHING, parse_line

        return (parse_line(line) or {} for line in lines_of(self.path, EVERYTHING))

    def of_path(self, path: str, *, last: int) -> tuple[Mapping[str, object], ...]:
        """Return the newest events about one file, oldest first."""
        from penstock.core.audit.query import Query, parse_line

        # `*` and `?` are the only signs that a glob does not take for themselves.
        lines = lines_of(self.path, Query(path=path.replace("*", "?"), last=last))
        events = (parse_line(line) or {} for line in lines)
        return tuple(event for event in events if event.get("path") == path)

    def newest(self, *, last: int, since: str = "") -> tuple[Mapping[str, object], ...]:
        """Return the newest events, at most so many, none older than a moment; oldest first."""
        from penstock.core.audit.query import Query, parse_line

        lines = lines_of(self.path, Query(last=last, since=since))
        return tuple(parse_line(line) or {} for line in lines)

    def verify(self, *, notice: frozenset[str] = frozenset()) -> AuditReport:
        """Compare the log with everything that there is to compare it with.

        Lines whose `op` is in `notice` come along, at no further pass.
        """
        from penstock.stores.audit.remembered_head import HeadMemory
        from penstock.stores.audit.segments import files_of
        from penstock.stores.audit.verify import verify_log

        remembered = HeadMemory(self._memory_path).recall()
        if not files_of(self.path):
            return _no_record(remembered)
        return verify_log(self.path, self.checkpoints.evidence(remembered), notice=notice)


def lines_of(path: str, query: Query) -> Iterator[bytes]:
    """Yield the lines of a log and its rotated files that a query asks for, oldest first."""
    from penstock.stores.audit.reader import read_lines

    return read_lines(path, query)


def _no_record(remembered: LogHead | None) -> AuditReport:
    """A record that never was is sound; one that was remembered has been taken away."""
    from penstock.core.audit.findings import AuditProblem, AuditReport, TamperKind

    if remembered is None:
        return AuditReport(count=0, head="")
    message = f"the record is gone; it had {remembered.seq + 1} events when it was last seen"
    gone = AuditProblem(kind=TamperKind.DELETED, line=0, message=message)
    return AuditReport(count=0, head="", problems=(gone,), level="remembered")
