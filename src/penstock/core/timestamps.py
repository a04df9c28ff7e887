"""Write and read moments as the record does: UTC, whole seconds, `2025-01-13T12:00:00Z`.

The present is always handed in; nothing here looks at a clock.
Always true: two moments in this form compare as text the way they compare as times.
"""

from __future__ import annotations

from datetime import UTC, datetime

from penstock.core.errors import InputError

LAST = 253402300799  # the last second of the year 9999
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def stamp(second: float) -> str:
    """Return a time in seconds since 1970 as the record writes it; bounded to four-digit years."""
    bounded = min(max(int(second), 0), LAST)
    return datetime.fromtimestamp(bounded, UTC).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


def seconds_of(ts: str) -> int:
    """Return the seconds since 1970 of a time as the record writes it; -1 for any other text."""
    try:
        found = datetime.strptime(ts, "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        return -1
    return int(found.replace(tzinfo=UTC).timestamp())


def parse_when(text: str, *, now: float) -> str:
    """Return the moment a person means: `1h`, `7d` (ago), or an ISO date or time.

    A time without a zone is UTC, as everything on the record is. Raises InputError.
    """
    given = text.strip()
    if given[-1:] in UNITS and given[:-1].isascii() and given[:-1].isdigit() and len(given) < 12:
        return stamp(now - int(given[:-1]) * UNITS[given[-1]])
    try:
        found = datetime.fromisoformat(given)
        return stamp((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        raise InputError(
            "bad-time",
            f"`{text[:80]}` is not a time",
            hint="write `1h`, `24h`, `7d`, `2025-01-13` or `2025-01-13T12:00:00Z`",
        ) from None
