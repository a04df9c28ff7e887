"""How far each request of a call extends: below a directory, beyond the project, into lost work.

The names of free places are `core.paths`', and what git has not committed is asked of the
repository; here the two meet a request. What follows is the rules'.
Always true: git is asked once for a call, and only where a rule on a loss depends on it.
"""

from __future__ import annotations

from functools import cached_property, partial

from msgspec import Struct

from penstock.core.errors import StoreError
from penstock.core.extent import NEAR, Extent
from penstock.core.model import Action, Target
from penstock.core.paths.free_places import FreePlaces, is_beyond, is_outside
from penstock.core.paths.spellings import beneath
from penstock.core.tools.intents import Intent
from penstock.ports import Repositories

ROOT = "."  # the project itself: who removes it goes beyond what lies in it
CHANGES = frozenset({Action.WRITE, Action.CREATE, Action.DELETE})


class CallExtent(Struct, frozen=True, dict=True):
    """Says how far the requests of one call extend; `free` are places that nobody misses."""

    root: str
    free: FreePlaces
    repositories: Repositories | None

    def of(self, intent: Intent, action: Action, target: Target | None) -> Extent:
        """Return how far one request extends; reading and running do not."""
        if target is None or action not in CHANGES:
            return NEAR
        gone = action is Action.DELETE
        # What a command leaves in a file is asked of git where nobody can tell; a tool says it.
        perhaps = gone or (action is Action.WRITE and bool(intent.by) and intent.edit is None)
        return Extent(
            tree=intent.tree,
            outside=is_outside(target),
            beyond=is_beyond(target, self.free) or (gone and ROOT in target.judged),
            committed=partial(self._is_committed, intent, target) if perhaps else NEAR.committed,
        )

    def _is_committed(self, intent: Intent, target: Target) -> bool:
        """Say whether git has a file as it is, or ignores it; outside, it is not asked."""
        if intent.kept or target.outside:
            return True
        return self._uncommitted is not None and self._uncommitted.isdisjoint(target.judged)

    @cached_property
    def _uncommitted(self) -> frozenset[str] | None:
        """What git has not committed as it is and does not ignore; None where nobody can tell."""
        try:
            found = self.repositories.at(self.root) if self.repositories else None
            if found is None:
                return None
            names = (f"{found.top}/{name}" for name in found.unsaved())
            return frozenset(beneath(name, self.root) or name for name in names)
        except StoreError:
            return None
