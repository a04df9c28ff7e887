"""Where two contents may be cut into pieces that are measured alone, without losing a line.

Take any way to pair equal lines in order, and call lines that come once in each content, and
are paired, anchors. Whoever pairs better must leave this way somewhere and come back to it
later, and gives up every anchor in between, since an anchor has no other partner. What can be
won there are pairs of lines that the way left unpaired (loose lines), and only lines that are
loose on both sides. So a detour that passes over more anchors than loose lines of one side
never wins, and where no detour that would pass over a place can win, one may cut.
Always true: the best answers for the pieces, put together, are a best answer for the whole.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, pairwise

from msgspec import Struct

# A part of a content that is larger than this is looked at in place, not copied.
COPIED = 1 << 14


def view(lines: array[int], start: int, end: int) -> Sequence[int]:
    """Return a part of a content, without a copy when it is large."""
    return lines[start:end] if end - start <= COPIED else memoryview(lines)[start:end]


class Common(Struct, frozen=True):
    """How many lines are in common: between `least` and `most`, for certain."""

    least: int
    most: int

    def __add__(self, other: Common) -> Common:
        return Common(self.least + other.least, self.most + other.most)


class Chain(Struct, frozen=True, kw_only=True):
    """Anchors by their places in `a` and `b`, and what lies in the gaps around them.

    There is one gap more than anchors. `loose` counts the lines of a gap that might still
    find a partner, on the side that has fewer of them; `paired` the pairs known in a gap.
    `proven` are the gaps in which, taken alone, there are no more pairs than that.
    """

    a: array[int]
    b: array[int]
    loose: Sequence[int]
    paired: Sequence[int]
    proven: bytes = b""


class CutRange(Struct, frozen=True, kw_only=True):
    """A part of both contents between two cuts: half-open ranges of lines and of gaps."""

    top: int
    bottom: int
    left: int
    right: int
    first: int
    last: int

    def known(self, found: Chain) -> Common:
        """Return what a chain tells about this piece: its pairs, and what its loose lines allow."""
        paired = sum(found.paired[self.first : self.last]) + self.last - self.first - 1
        return Common(paired, paired + sum(found.loose[self.first : self.last]))


def cuts(loose: Sequence[int]) -> array[int]:
    """Return the gaps before which one may cut, the first and one past the last included.

    The balance of a place is the number of anchors less the number of loose lines before it.
    A detour pays off only if the balance falls on its way; so a cut is where no later balance
    lies below an earlier one. Inside a gap the balance only falls.
    """
    ends = array("i", (gap - lost for gap, lost in enumerate(accumulate(loose))))
    starts = chain((0,), (end + 1 for end in ends))
    highest = accumulate(starts, max)
    lowest = array("i", accumulate(reversed(ends), min))
    lowest.reverse()
    del lowest[0]
    later = enumerate(zip(highest, lowest, strict=False), 1)
    safe = (gap for gap, (high, low) in later if high <= low)
    return array("i", chain((0,), safe, (len(loose),)))


def piece_of(found: Chain, first: int, last: int, rows: int, columns: int) -> CutRange:
    """Return the piece that some gaps of a chain make, with the anchors between them."""
    end = last == len(found.loose)
    return CutRange(
        top=found.a[first - 1] + 1 if first else 0,
        bottom=rows if end else found.a[last - 1],
        left=found.b[first - 1] + 1 if first else 0,
        right=columns if end else found.b[last - 1],
        first=first,
        last=last,
    )


def unsettled(found: Chain, rows: int, columns: int) -> Iterator[CutRange]:
    """Yield the pieces in which there may be more pairs than the chain has."""
    loose, proven = found.loose, found.proven or bytes(len(found.loose))
    for first, last in pairwise(cuts(loose)):
        alone = last - first == 1
        open_question = loose[first] and not proven[first] if alone else any(loose[first:last])
        if open_question:
            yield piece_of(found, first, last, rows, columns)
