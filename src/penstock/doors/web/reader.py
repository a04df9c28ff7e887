"""What one reader has in front of them: what they were sent, their ticks, their unsent comments.

A session of the page has one, and so has each name that a program reads the API under. What
counts as shown is `gate.views`' to say; what an answer makes of it is `answers`'.
Always true: a reader knows only what was sent to them; boxes are ticked until somebody unticks
them.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

from penstock.core.diff.coverage import ChangedParts, Unseen
from penstock.core.errors import InputError
from penstock.core.proposals.line_comment import LineComment
from penstock.core.proposals.model import Proposal
from penstock.gate.views import ChangeKey, Views

MOST_CHOICES = 2000
MOST_READERS = 64

T = TypeVar("T", bound=Collection[object])

# Of a side, a line from 0: up to which character it was sent, of how many.
Mark = tuple[str, int, int, int]


class PageReader:
    """The marks of one reader. Several threads may use it."""

    def __init__(self) -> None:
        self._views = Views()
        self._unticked: OrderedDict[str, frozenset[int]] = OrderedDict()
        self._left_out: OrderedDict[str, frozenset[str]] = OrderedDict()
        self._comments: OrderedDict[str, tuple[LineComment, ...]] = OrderedDict()
        self._lock = threading.Lock()

    # -- what was shown -------------------------------------------------------------------

    def show(self, view: ChangeKey, parts: ChangedParts, marks: Iterable[Mark]) -> None:
        """Mark the lines that were sent, each as far as it was."""
        with self._lock:
            known = self._views.opened(view, parts)
            for side, at, upto, length in marks:
                if upto >= length:
                    known.show(side, at, at + 1)
                else:
                    known.show_piece(side, at, 0, upto, length=length)

    def show_piece(
        self,
        view: ChangeKey,
        parts: ChangedParts,
        side: str,
        line: int,
        piece: range,
        *,
        length: int,
    ) -> None:
        """Mark a piece of a long line."""
        with self._lock:
            known = self._views.opened(view, parts)
            known.show_piece(side, line, piece.start, piece.stop, length=length)

    def show_bytes(self, view: ChangeKey, parts: ChangedParts, side: str, some: range) -> None:
        """Mark bytes of what is no text."""
        with self._lock:
            self._views.opened(view, parts).show(side, some.start, some.stop)

    def show_all(self, view: ChangeKey, parts: ChangedParts) -> None:
        """Mark all of a change."""
        with self._lock:
            self._views.opened(view, parts).show_all()

    def unseen_of(self, view: ChangeKey, otherwise: ChangedParts) -> Unseen | None:
        """Return what was not shown of one change; None where nothing is left."""
        with self._lock:
            return self._views.unseen_of(view, otherwise)

    def unseen(self, found: Sequence[Proposal]) -> tuple[Unseen, ...]:
        """Return what was not shown of those that are still to be answered."""
        with self._lock:
            return self._views.unseen(found)

    # -- what is ticked -------------------------------------------------------------------

    def unticked(self, proposal_id: str) -> frozenset[int]:
        """Return the hunks of a proposal that are not ticked."""
        return self._unticked.get(proposal_id, frozenset())

    def untick(self, proposal_id: str, hunks: Collection[int]) -> None:
        """Keep which hunks are not ticked."""
        _keep(self._unticked, proposal_id, frozenset(hunks))

    def settle(self, versions: Iterable[str]) -> None:
        """Forget what is not ticked in earlier versions: a form about the newest says it all."""
        for each in versions:
            self.untick(each, ())

    def left_out(self, set_id: str) -> frozenset[str]:
        """Return the paths of a set that are not ticked, in whatever version."""
        return self._left_out.get(set_id, frozenset())

    def leave_out(self, set_id: str, paths: Collection[str]) -> None:
        """Keep which files are not ticked."""
        _keep(self._left_out, set_id, frozenset(paths))

    # -- what is written beside it --------------------------------------------------------

    def comments(self, proposal_id: str) -> tuple[LineComment, ...]:
        """Return the comments on a proposal that were not sent yet."""
        return self._comments.get(proposal_id, ())

    def keep_comments(self, proposal_id: str, comments: tuple[LineComment, ...]) -> None:
        """Keep the comments on a proposal, in place of those that were kept before."""
        _keep(self._comments, proposal_id, comments)

    def take_over_comments(self, made: Proposal) -> None:
        """Give the comments on a proposal to the version that took its place: they are not lost."""
        kept = self._comments.get(made.parent, ()) if made.parent else ()
        if kept and not self.comments(made.id):
            self.keep_comments(made.parent, ())
            self.keep_comments(made.id, kept)


class Readers:
    """The readers of the API, by the names they chose; the oldest make room."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, PageReader] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, name: str) -> PageReader:
        """Return the reader of a name; one without a name has seen nothing, and keeps nothing."""
        if not name:
            return PageReader()
        with self._lock:
            known = self._known.pop(name, None) or PageReader()
            self._known[name] = known
            while len(self._known) > MOST_READERS:
                self._known.popitem(last=False)
            return known


def _keep(kept: OrderedDict[str, T], name: str, some: T) -> None:
    """Keep a choice; an empty one is none. One that makes room would be ticked again unseen."""
    kept.pop(name, None)
    if not some:
        return
    if len(kept) >= MOST_CHOICES:
        raise InputError(
            "too-many-choices",
            "too many changes have deselected hunks or comments",
            hint="decide on some of them first",
        )
    kept[name] = some


def disagrees(what: str) -> InputError:
    """Return the error for a form that does not fit what it is about."""
    return InputError(
        "form-disagrees",
        "this form does not match the change, so nothing was done",
        because=what,
        hint="reload the page and check the selection",
    )
