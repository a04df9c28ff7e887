"""What one reader has seen of each change so far, whichever surface showed it.

A surface marks what it shows in the Coverage that `opened` returns; what counts as shown is
`core.diff.coverage`'s to say, and `unseen` is what an approval has to name.
Always true: a view belongs to a file and its bytes, not to an id, so another version was never
seen; what is forgotten for want of room counts as never shown.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from penstock.core.diff.coverage import ChangedParts, Coverage, Unseen, counted_parts, never_opened
from penstock.core.proposals.model import Proposal, State

MOST_VIEWS = 4000  # changes that one reader's marks are kept of

# One file's change: where, what was there, what would be.
ChangeKey = tuple[str, str | None, str | None]


def change_key(one: Proposal) -> ChangeKey:
    """Return by what the views of a proposal are kept: its file and its bytes, not its id."""
    return one.path, one.base, one.content


class Views:
    """The marks of one reader. It has no lock: a reader with several threads brings one."""

    def __init__(self) -> None:
        self._known: OrderedDict[ChangeKey, Coverage] = OrderedDict()

    def opened(self, view: ChangeKey, parts: ChangedParts) -> Coverage:
        """Return where to mark what is shown of a change; the oldest views make room."""
        known = self._known.pop(view, None) or Coverage(parts)
        self._known[view] = known
        while len(self._known) > MOST_VIEWS:
            self._known.popitem(last=False)
        return known

    def unseen_of(self, view: ChangeKey, otherwise: ChangedParts) -> Unseen | None:
        """Return what was not shown of one change; None where nothing is left."""
        known = self._known.get(view)
        return never_opened(view[0], otherwise) if known is None else known.unseen(view[0])

    def unseen(self, found: Sequence[Proposal]) -> tuple[Unseen, ...]:
        """Return what was not shown of those that are still to be answered."""
        waiting = (one for one in found if one.state is State.WAITING)
        left = (self.unseen_of(change_key(one), counted_parts(one.change)) for one in waiting)
        return tuple(one for one in left if one is not None)
