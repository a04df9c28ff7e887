"""Which lines two contents have in common: the pairs behind the count of `align`.

The same cuts make the same pieces; here each is asked for its pairs. Something so large that
its best pairs would cost too much is cut at its anchors, or in slices, and gets good pairs.
Always true: pairs are equal lines in order, and as many as can be unless the work ran out.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import compress, pairwise

from msgspec import Struct, field

from penstock.core.diff import anchors, lcs
from penstock.core.diff.align import Work, measure, numbered, shared_ends
from penstock.core.diff.cuts import Chain, CutRange, cuts, piece_of, view
from penstock.core.diff.lcs import Lines
from penstock.core.diff.occurrences import LineOccurrences

# Work that is spent without a thought.
CHEAP = 50_000_000
# Lines of a slice, when all else would cost too much.
SLICE = 1 << 13


def _places() -> array[int]:
    return array("i")


class Pairs(Struct, frozen=True):
    """The places of paired lines in each content, in order."""

    a: array[int] = field(default_factory=_places)
    b: array[int] = field(default_factory=_places)

    def run(self, i: int, j: int, length: int) -> None:
        """Pair a run of lines."""
        self.a.extend(range(i, i + length))
        self.b.extend(range(j, j + length))

    def add(self, others: Pairs, at_a: Sequence[int], at_b: Sequence[int]) -> None:
        """Pair lines whose places are given as places in `at_a` and `at_b`."""
        self.a.extend(map(at_a.__getitem__, others.a))
        self.b.extend(map(at_b.__getitem__, others.b))


def pairs(a: Lines, b: Lines) -> Pairs:
    """Return the pairs of two contents."""
    found = Pairs()
    head, tail = shared_ends(a, b)
    x, y = a[head : len(a) - tail], b[head : len(b) - tail]
    found.run(0, 0, head)
    if x and y:
        cheap = 2 * lcs.cost(x, y) <= CHEAP
        within = _small(x, y) if cheap else _large(numbered(x), numbered(y))
        found.add(within, range(head, len(a)), range(head, len(b)))
    found.run(len(a) - tail, len(b) - tail, tail)
    return found


def _small(a: Lines, b: Lines) -> Pairs:
    """Find pairs at once, among the lines that both sides have."""
    in_a, in_b = bytes(map(set(b).__contains__, a)), bytes(map(set(a).__contains__, b))
    x, y = list(compress(a, in_a)), list(compress(b, in_b))
    at_a, at_b = places_of(in_a), places_of(in_b)
    # Often nothing but equal lines is left.
    if x == y:
        return Pairs(at_a, at_b)
    within, found = Pairs(), Pairs()
    _at_once(x, y, 0, 0, within)
    found.add(within, at_a, at_b)
    return found


def places_of(flags: bytes) -> array[int]:
    """Return where flags are set."""
    return array("i", list(compress(range(len(flags)), flags)))


def _at_once(a: Lines, b: Lines, top: int, left: int, found: Pairs) -> None:
    for i, j in lcs.pairs(a, b):
        found.a.append(top + i)
        found.b.append(left + j)


def _large(a: array[int], b: array[int]) -> Pairs:
    """Find pairs piece by piece, among the lines that both sides have."""
    tally = LineOccurrences(a, b, lines=len(a) + len(b))
    at_a, at_b = _kept(tally, a), _kept(tally, b)
    seen_a, seen_b = tally.reduce(a), tally.reduce(b)
    counting, finding, within, found = Work.allowed(), Work.allowed(), Pairs(), Pairs()
    chain = anchors.chain_of(a, seen_a, b, seen_b, measure=lambda x, y: measure(x, y, counting))
    for first, last in pairwise(cuts(chain.loose)):
        if first:
            within.a.append(chain.a[first - 1])
            within.b.append(chain.b[first - 1])
        # Most pieces are nothing between two anchors that follow one another.
        if not _is_empty(chain, first, last):
            _in_piece(a, b, chain, piece_of(chain, first, last, len(a), len(b)), within, finding)
    found.add(within, at_a, at_b)
    return found


def _is_empty(chain: Chain, first: int, last: int) -> bool:
    """Say whether one gap between two anchors has no line on either of the sides."""
    if not first or last - first > 1 or last == len(chain.loose):
        return False
    return chain.a[first - 1] + 1 == chain.a[first] or chain.b[first - 1] + 1 == chain.b[first]


def _kept(tally: LineOccurrences, lines: array[int]) -> array[int]:
    return places_of(tally.on_both_sides(lines))


def _in_piece(
    a: array[int], b: array[int], chain: Chain, piece: CutRange, found: Pairs, work: Work
) -> None:
    """Find the pairs of one piece: the best, or those between its anchors, or some."""
    x, y = view(a, piece.top, piece.bottom), view(b, piece.left, piece.right)
    affordable = work.spend(2 * lcs.cost(x, y))
    if not affordable and piece.last - piece.first > 1:
        for gap in range(piece.first, piece.last):
            if gap > piece.first:
                found.run(chain.a[gap - 1], chain.b[gap - 1], 1)
            one = piece_of(chain, gap, gap + 1, len(a), len(b))
            _in_piece(a, b, chain, one, found, work)
        return
    head, tail = shared_ends(x, y)
    found.run(piece.top, piece.left, head)
    x, y = x[head : len(x) - tail], y[head : len(y) - tail]
    slices = 1 if affordable else max(len(x), len(y)) // SLICE + 1
    for n in range(slices if len(x) and len(y) else 0):
        top, bottom = len(x) * n // slices, len(x) * (n + 1) // slices
        left, right = len(y) * n // slices, len(y) * (n + 1) // slices
        _at_once(
            x[top:bottom], y[left:right], piece.top + head + top, piece.left + head + left, found
        )
    found.run(piece.bottom - tail, piece.right - tail, tail)
