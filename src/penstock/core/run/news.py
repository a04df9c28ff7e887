"""What an agent inside a run should hear of a sync: once, and only what is new.

Always true: what was applied needs no word; what was not says what the agent can do.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock.core.proposals.short_id import short
from penstock.core.run.summary import PathNote, SyncResult
from penstock.core.text.display import spoken

CONTINUE = "Continue; it is pending approval"


def news(last: SyncResult | None, now: SyncResult) -> Iterator[str]:
    """Yield a sentence for each change that was not written and was not spoken of before."""
    known = last or SyncResult()
    for one in _new(known.blocked, now.blocked):
        because = f": {one.note}" if one.note else ""
        yield f"Penstock: {spoken(one.path)} was not written to the project{because}."
    for one in _new(known.pending, now.pending):
        path = spoken(one.path)
        yield f"Penstock: {path} is not written yet (change {short(one.note)}). {CONTINUE}."
    for one in _new(known.failed, now.failed):
        yield f"Penstock: {spoken(one.path)} could not be written: {one.note}."


def _new(before: tuple[PathNote, ...], now: tuple[PathNote, ...]) -> list[PathNote]:
    return [one for one in now if one not in before]
