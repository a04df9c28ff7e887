"""When a sync is due while a command runs: something was changed, and then nothing for a while.

Always true: what was changed since the last sync began is due some time; nothing new, no sync.
"""

from __future__ import annotations

from msgspec import Struct

SECONDS = 2.0  # without changes
LOOK_SECONDS = 0.5  # between two looks
LOOKS_COST = 20  # a look that takes long is followed by a pause of so many times as much


class QuietLayer(Struct, kw_only=True, dict=True):
    """What was last seen of a layer, since when, and what the last sync began with.

    At first nothing is known: a command may have changed something before anybody looked.
    """

    synced: int | None = None
    seen: int | None = None
    since: float = 0.0
    next_look: float = 0.0

    def is_time(self, now: float) -> bool:
        """Say whether to look again."""
        return now >= self.next_look

    def look(self, stamp: int, now: float, *, cost: float = 0.0) -> bool:
        """Take a look's result, and what it cost in seconds; say whether a sync is due."""
        self.next_look = now + max(LOOK_SECONDS, LOOKS_COST * cost)
        if stamp != self.seen:
            self.seen, self.since = stamp, now
        return stamp != self.synced and now - self.since >= SECONDS

    def begin(self, stamp: int) -> None:
        """A sync begins with what a stamp stands for; what comes after it is due again."""
        self.synced = stamp
