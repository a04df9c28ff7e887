"""The record, for a process that adds a line or two and ends.

The common case goes the short way of `cold_append`, and is then waited for; everything else (no
log yet, several lines in one piece, a rotation, a busy lock) goes the full way.
Always true: a line that was returned as durable is on the disk with all lines before it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence

from penstock.core.errors import AuditError
from penstock.core.event import compose
from penstock.ports import Appended, AuditLog
from penstock.stores.cold_append import append_cold

FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class ShortLog:
    """A log at `path`; `full` opens it for what is not the common case."""

    def __init__(self, path: str, full: Callable[[], AuditLog], *, rotate_at: int) -> None:
        self._path = path
        self._full = full
        self._rotate_at = rotate_at

    def append(self, event: Mapping[str, object], *, durable: bool) -> Appended:
        """Add one line; with `durable` it has reached the disk. Raises AuditError."""
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        made = append_cold(self._path, compose(event), now, rotate_at=self._rotate_at)
        if made is None:
            return self._full().append(event, durable=durable)
        if durable:
            self._wait()
        return Appended(seq=made[0], prev_hash=made[1], event_hash=made[2])

    def append_many(
        self, events: Sequence[Mapping[str, object]], *, durable: bool
    ) -> Sequence[Appended]:
        """Add several lines in one piece, all or none."""
        if len(events) == 1:
            return [self.append(events[0], durable=durable)]
        return self._full().append_many(events, durable=durable)

    def _wait(self) -> None:
        try:
            descriptor = os.open(self._path, FLAGS)
            try:
                os.fdatasync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as fault:
            raise AuditError(
                "log-failed",
                f"the line could not be brought to the disk: `{self._path}`",
                because=(fault.strerror or str(fault)).lower(),
                hint="look at the disk that the state is on",
            ) from fault
