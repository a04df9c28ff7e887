"""Keep what the queue and undo need, and no more: contents in their room, the rest for its time.

Dropping is the stores' work; how much room and how long, the policy says (`[audit]`).
Always true: the contents of what is open are never dropped, and those that undo needs go after
all others, so that proposing a lot takes nobody's undo away. Nothing here makes a proposal or a
write fail; what was dropped, and a failure, are on the record.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from penstock.core.errors import PenstockError
from penstock.core.proposals.model import OPEN, Proposal, Receipt
from penstock.gate.parts import Parts

PAUSE = 600.0  # looking at all images takes time, so it is not done at every step
MOST_OPEN, MOST_RECEIPTS, BATCH = 100_000, 10_000, 1000
DAY = 86_400.0


class Retention:
    """Tidies up after a step of the gate, now and then."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    def tidy(self) -> None:
        """Drop what is too old or too much, unless that was done a short while ago."""
        try:
            now = self.parts.clock.now().wall
            if not 0 <= now - self.parts.blobs.pruned_at() < PAUSE:
                self._tidy(now)
        except PenstockError as fault:
            with suppress(PenstockError):
                self.parts.record("prune_failed", status="error", code=fault.code)

    def _tidy(self, now: float) -> None:
        parts, settings = self.parts, self.parts.policy().audit
        oldest = now - settings.keep_days * DAY if settings.keep_days else 0.0
        forgotten = parts.proposals.forget(before=oldest, limit=BATCH) if oldest else 0
        images = parts.blobs.prune(
            budget=settings.keep_blobs_bytes,
            keep=_contents(parts.proposals.find(states=OPEN, limit=MOST_OPEN)),
            spare=_images(parts.proposals.receipts(limit=MOST_RECEIPTS)),
            before=oldest,
            at=now,
        )
        if forgotten or images:
            parts.record("pruned", status="done", images=images, forgotten=forgotten)


def _contents(proposals: Iterable[Proposal]) -> frozenset[str]:
    return frozenset(known for one in proposals for known in (one.base, one.content) if known)


def _images(receipts: Iterable[Receipt]) -> frozenset[str]:
    return frozenset(known for one in receipts for known in (one.before, one.after) if known)
