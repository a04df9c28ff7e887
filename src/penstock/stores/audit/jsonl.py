"""Keep the record as JSON lines in a file that threads and processes append to.

`append` puts lines at the end of the chain; this module shares it among threads, waits for
the disk where a line must be durable, and reads the record back.
Always true: a line that was acknowledged as durable is on the disk with all lines before it;
no line is ever changed.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from penstock.core.audit import chain
from penstock.core.audit.event import compose
from penstock.core.audit.log_head import LogHead
from penstock.core.audit.query import EVERYTHING, Query, parse_line
from penstock.core.errors import AuditError
from penstock.ports import LogEntry
from penstock.stores.audit.append import ChainWriter, Made
from penstock.stores.audit.file import sync_directory
from penstock.stores.audit.group_commit import GroupCommit
from penstock.stores.audit.reader import read_lines
from penstock.stores.audit.remembered_head import HeadMemory
from penstock.stores.audit.segments import files_of, last_line
from penstock.stores.system.os_errors import busy, shut, telling

ROTATE_AT = 10 * 1024 * 1024
WAIT = 10.0


class JsonlLog:
    """A record in a file."""

    def __init__(
        self,
        path: str,
        *,
        clock: Callable[[], float],
        rotate_at: int = ROTATE_AT,
        memory: HeadMemory | None = None,
        wait: float = WAIT,
    ) -> None:
        self.path = path
        self._clock = clock
        self._rotate_at = rotate_at
        self._memory = memory
        self._wait = wait
        self._begin()
        _open_logs.add(self)

    def _begin(self) -> None:
        self._mutex = threading.Lock()
        self._group = GroupCommit(self._write_durably)
        self._writer = ChainWriter(
            self.path,
            clock=self._clock,
            rotate_at=self._rotate_at,
            memory=self._memory,
            wait=self._wait,
        )

    def after_fork(self) -> None:
        """Let go of what belongs to the parent: a child must not share the parent's lock."""
        self._writer.close()
        self._begin()

    def close(self) -> None:
        """Give the file back; the next append opens it again."""
        with self._mutex:
            self._writer.close()

    # --- what callers use ------------------------------------------------------------------

    def append(self, event: Mapping[str, object] | bytes, *, durable: bool) -> LogEntry:
        """Add one line; with `durable` it has reached the disk. Raises AuditError.

        Bytes are an event that `compose` made before.
        """
        return self.append_many([event], durable=durable)[0]

    def append_many(
        self, events: Sequence[Mapping[str, object] | bytes], *, durable: bool
    ) -> Sequence[LogEntry]:
        """Add several lines in one piece, all or none."""
        bodies = [one if isinstance(one, bytes) else compose(one) for one in events]
        if not bodies:
            return ()
        if durable:
            return self._group.commit(bodies)
        with self._turn():
            made = self._writer.write(bodies)
        return [_appended(one) for one in made]

    def require_ready(self) -> None:
        """Raise AuditError where a line could not be appended now; adds none."""
        with self._mutex:
            self._writer.require_ready()

    def head(self) -> LogHead | None:
        """Return the end of the record as it is on the disk, or None where there is none."""
        for segment in reversed(files_of(self.path)):
            line = last_line(segment.path)
            if line:
                return LogHead(seq=chain.place(line)[1], event_hash=chain.stated_hash(line))
        return None

    def lines(self, query: Query = EVERYTHING) -> Iterator[bytes]:
        """Yield the lines that a query asks for, oldest first, without their newlines."""
        return read_lines(self.path, query)

    def read(self, query: Query = EVERYTHING) -> Iterator[Mapping[str, object]]:
        """Yield the events that a query asks for, oldest first."""
        return (parse_line(line) or {} for line in read_lines(self.path, query))

    # --- writing ---------------------------------------------------------------------------

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait for the other threads of this process, no longer than for other processes."""
        if not self._mutex.acquire(timeout=self._wait):
            raise busy(self.path, self._wait)
        try:
            yield
        finally:
            self._mutex.release()

    def _write_durably(self, bodies: Sequence[bytes]) -> Sequence[LogEntry]:
        """Write, then wait for the disk without holding anybody else up."""
        file = self._writer.file
        with self._mutex:
            made = self._writer.write(bodies)
            named, file.named = file.named, True
            with telling(self.path):
                fd = os.dup(file.fd)  # ours may be rotated out while we wait
        try:
            with telling(self.path):
                os.fdatasync(fd)
                if not named:
                    sync_directory(self.path)
        except AuditError:
            file.named = file.named and named
            raise
        finally:
            shut(fd)
        self._remember(made[-1])
        return [_appended(one) for one in made]

    def _remember(self, last: Made) -> None:
        """Remember what reached the disk. The lines are safe: a failure is told, not raised."""
        if self._memory is None:
            return
        try:
            self._memory.remember(LogHead(seq=last[0], event_hash=last[2]))
        except AuditError as error:
            self._writer.owe_forgetting(error)


def _appended(made: Made) -> LogEntry:
    return LogEntry(seq=made[0], prev_hash=made[1], event_hash=made[2])


_open_logs: weakref.WeakSet[JsonlLog] = weakref.WeakSet()


def _after_fork() -> None:
    for log in list(_open_logs):
        log.after_fork()


os.register_at_fork(after_in_child=_after_fork)
