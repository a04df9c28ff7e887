"""A log that is signed: a checkpoint at every apply, and every so many events or seconds.

Appending is the log's work and signing the checkpoints'; this module only brings them together
and tells on the record when signing or a witness failed. How many entries there are since the
last checkpoint is remembered beside the head, where every process that writes entries looks: so
whoever writes the one that is due sees to it, by signing or by starting somebody who does.
Always true: a failure to sign never takes back an event that was appended, and is never silent;
what a failure adds to the log makes no further checkpoint due.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from penstock.core.audit.query import EVERYTHING, Query
from penstock.core.errors import AuditError, PenstockError

if TYPE_CHECKING:
    from penstock.core.audit.checkpoint import Checkpoint
    from penstock.core.audit.log_head import CheckpointPolicy, LogHead
    from penstock.ports import LogEntry
    from penstock.stores.audit.checkpoints import Checkpoints
    from penstock.stores.audit.jsonl import JsonlLog
    from penstock.stores.audit.remembered_head import HeadMemory
    from penstock.stores.audit.witness import WitnessReply

Start = Callable[["SignedLog"], object]
Entry = Mapping[str, object] | bytes


class SignedLog:
    """A log with its checkpoints.

    `start` has somebody sign when that is due; without it, the thread that appends does.
    """

    def __init__(
        self,
        log: JsonlLog,
        memory: HeadMemory,
        checkpoints: Callable[[], Checkpoints],
        *,
        policy: CheckpointPolicy,
        clock: Callable[[], float],
        start: Start | None = None,
    ) -> None:
        self.path = log.path
        self._log = log
        self._memory = memory
        self._checkpoints = checkpoints
        self._policy = policy
        self._clock = clock
        self._start = start
        self._signing = threading.Lock()
        self._wanted = False
        self._door = threading.Lock()
        self._unshown = False
        self._showing: threading.Thread | None = None

    def append(self, event: Entry, *, durable: bool) -> LogEntry:
        """Add one line, and have it signed where that is due."""
        return self.append_many([event], durable=durable)[0]

    def append_many(self, events: Sequence[Entry], *, durable: bool) -> Sequence[LogEntry]:
        """Add several lines in one piece, all or none, and have them signed where that is due."""
        made = self._log.append_many(events, durable=durable)
        if made and self._claims(made[-1].seq + 1, len(made), [_op(event) for event in events]):
            self._begin()
        return made

    def require_ready(self) -> None:
        """Raise AuditError where a line could not be appended now; adds none."""
        self._log.require_ready()

    def head(self) -> LogHead | None:
        """Return the end of the record, or None where there is none."""
        return self._log.head()

    def lines(self, query: Query = EVERYTHING) -> Iterator[bytes]:
        """Yield the lines that a query asks for, oldest first, without their newlines."""
        return self._log.lines(query)

    def read(self, query: Query = EVERYTHING) -> Iterator[Mapping[str, object]]:
        """Yield the events that a query asks for, oldest first."""
        return self._log.read(query)

    # --- when ------------------------------------------------------------------------------

    def sign_if_due(self) -> None:
        """Have what others wrote signed where that is due, for a process that looks at times."""
        try:
            latest = self._memory.facts().latest
        except AuditError:
            return  # whoever writes next tells of it
        if latest is not None and self._claims(latest.seq + 1, 0, [""]):
            self._begin()

    def _claims(self, size: int, added: int, ops: Sequence[str]) -> bool:
        """Say whether a checkpoint is due and ours to begin; the next one counts from here."""
        now = self._clock()
        try:
            seen = self._memory.signed()
            if seen is None and size <= added:  # the log begins: time and entries count from now
                self._memory.claim(0, int(now), seen=None)
                seen = self._memory.signed()
            before, at = seen or (0, 0)
            entries = size - before if size >= before else size
            due = [op for op in ops if self._policy.is_due(op=op, events=entries, seconds=now - at)]
            if not due:
                return False
            claimed = self._memory.claim(size, int(now), seen=seen)
        except AuditError:
            return any(op in self._policy.ops for op in ops)
        return claimed or any(op in self._policy.ops for op in due)

    def _begin(self) -> None:
        try:
            (self._start or SignedLog.sign)(self)
        except OSError:  # no process or thread to be had; the next that is due tries again
            self._tell({"op": "checkpoint_failed", "status": "error", "code": "not-started"})

    # --- signing ---------------------------------------------------------------------------

    def sign(self) -> Checkpoint | None:
        """Sign now, and have witnesses told; None when there was nothing new or it failed."""
        self._wanted = True
        made = None
        while self._wanted and self._signing.acquire(blocking=False):
            self._wanted = False
            try:
                made = self._signed() or made
            except PenstockError as error:  # the line is written: nothing here may say otherwise
                self._tell_failure(error)
                return None
            finally:
                self._signing.release()
        if made is not None and self._checkpoints().witnessed:
            self._show()
        return made

    def sign_and_show(self) -> tuple[WitnessReply, ...]:
        """Sign now and wait for what the witnesses say. Raises AuditError where that fails."""
        try:
            self._signed()
        except AuditError as error:
            self._tell_failure(error)
            raise
        return self._ask_witnesses()

    def _signed(self) -> Checkpoint | None:
        made = self._checkpoints().sign()
        if made is not None:
            self._mark(made.size)
        return made

    def _mark(self, size: int) -> None:
        with suppress(AuditError):  # then the next checkpoint comes early
            self._memory.mark(size, int(self._clock()))

    def _show(self) -> None:
        """Have the witnesses asked beside the way; what is signed meanwhile is shown as well."""
        with self._door:
            self._unshown = True
            if self._showing is None:
                self._showing = threading.Thread(target=self._show_all, name="witnesses")
                self._showing.start()

    def _show_all(self) -> None:
        while self._has_unshown():
            self._ask_witnesses()

    def _has_unshown(self) -> bool:
        with self._door:
            found, self._unshown = self._unshown, False
            if not found:
                self._showing = None
        return found

    def _ask_witnesses(self) -> tuple[WitnessReply, ...]:
        try:
            replies = self._checkpoints().show()
        except AuditError as error:
            self._tell_failure(error)
            return ()
        for reply in replies:
            if reply.error is not None:
                event = {"op": "witness_failed", "status": "error", "code": reply.error.code}
                self._tell({**event, "witness": reply.witness})
        return replies

    def _tell_failure(self, error: PenstockError) -> None:
        self._tell({"op": "checkpoint_failed", "status": "error", "code": error.code})

    def _tell(self, event: Mapping[str, object]) -> None:
        with suppress(AuditError):  # what it is about is written; whoever looks finds no checkpoint
            made = self._log.append(event, durable=False)
            self._mark(made.seq + 1)

    def settle(self) -> None:
        """Wait until the witnesses have answered."""
        showing = self._showing
        if showing is not None:
            showing.join()


def _op(event: Entry) -> str:
    """Return the name of an event; one that was composed before is no apply."""
    return "" if isinstance(event, bytes) else str(event.get("op"))
