"""Times as people read them at a terminal; JSON keeps UTC.

Counts, durations and sizes are written by `core/text/quantities.py`. The present is
always handed in; nothing here looks at a clock.
"""

from __future__ import annotations

from datetime import UTC, datetime

from penstock.core.text.quantities import ago
from penstock.core.timestamps import seconds_of


def since(ts: str, now: float) -> str:
    """Return how long ago an entry of the audit log was made; empty for no time at all."""
    at = seconds_of(ts)
    return ago(now - at) if at >= 0 else ""


def local(second: float, *, now: float) -> str:
    """Return a time on the clock here: `10:02` today, `2026-11-17 10:02` on another day."""
    at, today = (datetime.fromtimestamp(one, UTC).astimezone() for one in (second, now))
    return at.strftime("%H:%M" if at.date() == today.date() else "%Y-%m-%d %H:%M")


def day(second: float) -> str:
    """Return the local day of a time."""
    return datetime.fromtimestamp(second, UTC).astimezone().strftime("%Y-%m-%d")
