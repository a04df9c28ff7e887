"""Keep the record in memory: the simple log of tests.

Always true: its lines are the very lines that the file would hold.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence

from penstock.core.audit import chain
from penstock.core.audit.event import compose
from penstock.core.audit.log_head import LogHead
from penstock.core.audit.query import EVERYTHING, Query, parse_line
from penstock.core.timestamps import stamp
from penstock.ports import LogEntry


class MemoryLog:
    """A record that ends with the process."""

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._mutex = threading.Lock()
        self._lines: list[bytes] = []
        self._hash = chain.GENESIS

    def append(self, event: Mapping[str, object] | bytes, *, durable: bool) -> LogEntry:
        """Add one line; `durable` asks for no more than memory can give."""
        del durable
        body = event if isinstance(event, bytes) else compose(event)
        with self._mutex:
            return self._add(body)

    def append_many(
        self, events: Sequence[Mapping[str, object]], *, durable: bool
    ) -> Sequence[LogEntry]:
        """Add several lines, all or none."""
        del durable
        bodies = [compose(event) for event in events]
        with self._mutex:
            return [self._add(body) for body in bodies]

    def _add(self, body: bytes) -> LogEntry:
        seq, prev = len(self._lines), self._hash
        line, self._hash = chain.link(stamp(self._clock()), seq, body, prev)
        self._lines.append(line)
        return LogEntry(seq=seq, prev_hash=prev, event_hash=self._hash)

    def head(self) -> LogHead | None:
        """Return the end of the record, or None where there is none."""
        return LogHead(seq=len(self._lines) - 1, event_hash=self._hash) if self._lines else None

    def lines(self, query: Query = EVERYTHING) -> Iterator[bytes]:
        """Yield the lines that a query asks for, oldest first, without their newlines."""
        lines = [line[:-1] for line in self._lines]
        chosen = [line for line in lines if query.accepts(parse_line(line) or {})]
        yield from chosen[-query.last :] if query.last else chosen

    def read(self, query: Query = EVERYTHING) -> Iterator[Mapping[str, object]]:
        """Yield the events that a query asks for, oldest first."""
        for line in self.lines(query):
            yield parse_line(line) or {}
