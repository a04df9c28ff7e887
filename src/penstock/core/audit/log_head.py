"""The end of a log, and when a checkpoint is due: what appending needs to know, and no more.

Always true: nothing here is read from the log itself.
"""

from __future__ import annotations

from msgspec import Struct

from penstock.core.audit.head_slots import is_due


class LogHead(Struct, frozen=True, kw_only=True):
    """The end of the record: its last line's number and hash."""

    seq: int
    event_hash: str


class CheckpointPolicy(Struct, frozen=True, kw_only=True):
    """When a checkpoint is due: at every apply, and after so many events or seconds."""

    events: int = 1000
    seconds: float = 600.0
    ops: frozenset[str] = frozenset({"applied", "undone", "write_file_apply"})

    def is_due(self, *, op: str = "", events: int, seconds: float) -> bool:
        """Say whether to sign now, `events` and `seconds` after the last checkpoint."""
        if events > 0 and op in self.ops:
            return True
        return is_due(events, seconds, self.events, self.seconds)
