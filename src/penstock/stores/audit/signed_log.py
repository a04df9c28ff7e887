"""A log that signs itself: a checkpoint at every apply, and every so many events or seconds.

Appending is the log's work and signing the checkpoints'; this module only brings them together
and tells on the record when signing or a witness failed. Witnesses may be slow, so they are
asked in a thread of their own while the caller goes on.
Always true: a failure to sign never takes back an event that was appended, and is never silent.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence

from penstock.core.audit.checkpoint import Checkpoint, CheckpointPolicy
from penstock.core.audit.evidence import LogHead
from penstock.core.audit.query import EVERYTHING, Query
from penstock.core.errors import AuditError
from penstock.ports import LogEntry
from penstock.stores.audit.checkpoints import Checkpoints
from penstock.stores.audit.jsonl import JsonlLog


class SignedLog:
    """A log with its checkpoints."""

    def __init__(
        self,
        log: JsonlLog,
        checkpoints: Checkpoints,
        *,
        policy: CheckpointPolicy,
        clock: Callable[[], float],
    ) -> None:
        self.path = log.path
        self._log = log
        self._checkpoints = checkpoints
        self._policy = policy
        self._clock = clock
        self._signing = threading.Lock()
        self._events = 0
        self._since = clock()
        self._showing: threading.Thread | None = None

    def append(self, event: Mapping[str, object], *, durable: bool) -> LogEntry:
        """Add one line, and sign where that is due."""
        made = self._log.append(event, durable=durable)
        if self.is_due(str(event.get("op"))):
            self.sign()
        return made

    def append_many(
        self, events: Sequence[Mapping[str, object]], *, durable: bool
    ) -> Sequence[LogEntry]:
        """Add several lines in one piece, all or none, and sign where that is due."""
        made = self._log.append_many(events, durable=durable)
        if self.is_due(*[str(event.get("op")) for event in events]):
            self.sign()
        return made

    def head(self) -> LogHead | None:
        """Return the end of the record, or None where there is none."""
        return self._log.head()

    def lines(self, query: Query = EVERYTHING) -> Iterator[bytes]:
        """Yield the lines that a query asks for, oldest first, without their newlines."""
        return self._log.lines(query)

    def read(self, query: Query = EVERYTHING) -> Iterator[Mapping[str, object]]:
        """Yield the events that a query asks for, oldest first."""
        return self._log.read(query)

    def is_due(self, *ops: str) -> bool:
        """Count events that were appended, by their `op`; say whether to sign now."""
        self._events += len(ops)
        seconds = self._clock() - self._since
        return any(self._policy.is_due(op=op, events=self._events, seconds=seconds) for op in ops)

    def sign(self) -> Checkpoint | None:
        """Sign now, and have witnesses told; None when there was nothing new or it failed."""
        if not self._signing.acquire(blocking=False):
            return None  # another thread is at it, and signs our line, too
        try:
            self._events, self._since = 0, self._clock()
            made = self._checkpoints.sign()
        except AuditError as error:
            self._tell({"op": "checkpoint_failed", "status": "error", "code": error.code})
            return None
        finally:
            self._signing.release()
        if made is not None and self._checkpoints.witnessed:
            self._show()
        return made

    def _show(self) -> None:
        if self._showing is None or not self._showing.is_alive():
            self._showing = threading.Thread(target=self._ask_witnesses, name="witnesses")
            self._showing.start()

    def _ask_witnesses(self) -> None:
        try:
            answers = self._checkpoints.show()
        except AuditError as error:
            self._tell({"op": "checkpoint_failed", "status": "error", "code": error.code})
            return
        for shown in answers:
            if shown.error is not None:
                event = {"op": "witness_failed", "status": "error", "code": shown.error.code}
                self._tell({**event, "witness": shown.witness})

    def _tell(self, event: Mapping[str, object]) -> None:
        self._log.append(event, durable=False)

    def settle(self) -> None:
        """Wait until the witnesses have answered."""
        if self._showing is not None:
            self._showing.join()
