"""A way of pairing two contents: the pairs, and what they leave open.

Whoever finds a way, by a walk or by windows, sets flags. Here the lines are found that could
still be paired otherwise, and anchors around them, so that `cuts` can tell which pieces
have to be measured and which are proven.
Always true: the pairs of a way are equal lines in order, and its anchors have no other partner
on any way that is as good.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from itertools import chain, compress, islice

from msgspec import Struct, field

from penstock.core.diff.cuts import Chain
from penstock.core.diff.occurrences import LineOccurrences

# So many anchors are looked for on each side of a loose line, not further away than that.
WANTED, AROUND = 2, 48
# Lines that come twice in a sample of this size are no anchors.
SAMPLE = 4096
# Beyond so many lines in question, a tally of all lines is smaller than a set of these.
MOST_WANTED = 50_000
# Lines of which a set is made at once.
CHUNK = 1 << 17

UNPAIRED = bytes([1, 0]) + bytes(254)


class PairingSide(Struct):
    """One content on a way: its lines, a flag for each that is paired, where stretches start."""

    lines: array[int]
    paired: bytearray
    starts: array[int] = field(default_factory=lambda: array("i"))

    @classmethod
    def of(cls, lines: array[int]) -> PairingSide:
        """Return a side of which nothing is paired yet."""
        return cls(lines, bytearray(len(lines)))

    def left(self) -> array[int]:
        """Return the lines without a partner."""
        return array("q", map(self.lines.__getitem__, self.unpaired()))

    def unpaired(self) -> array[int]:
        """Return the places of lines without a partner."""
        if self.paired.count(0) * 8 > len(self.paired):
            return array("i", compress(range(len(self.lines)), self.paired.translate(UNPAIRED)))
        places, at = array("i"), self.paired.find(0)
        while at >= 0:
            places.append(at)
            at = self.paired.find(0, at + 1)
        return places


Way = tuple[PairingSide, PairingSide]


def chain_of(one: PairingSide, two: PairingSide) -> Chain | None:
    """Return the chain of anchors near loose lines; None when no line is loose on both sides."""
    loose_a, loose_b = _loose(one, two)
    if not loose_a:
        return None
    if len(loose_a) <= len(loose_b):
        at_a, at_b = _anchors(one, two, loose_a)
        counted = _per_gap(loose_a, at_a)
    else:
        at_b, at_a = _anchors(two, one, loose_b)
        counted = _per_gap(loose_b, at_b)
    return Chain(a=at_a, b=at_b, loose=counted, paired=_pairs_per_gap(one, at_a))


def _loose(one: PairingSide, two: PairingSide) -> tuple[array[int], array[int]]:
    """Return the places of lines that lack a partner on both sides, so could be paired."""
    left_a, left_b = one.left(), two.left()
    both: set[int] = set()
    for start in range(0, len(left_a), CHUNK):
        both.update(filter(set(left_a[start : start + CHUNK]).__contains__, left_b))
    if not both:
        return array("i"), array("i")
    return (
        array("i", compress(one.unpaired(), map(both.__contains__, left_a))),
        array("i", compress(two.unpaired(), map(both.__contains__, left_b))),
    )


def _anchors(
    here: PairingSide, there: PairingSide, loose: array[int]
) -> tuple[array[int], array[int]]:
    """Return places here and there of paired lines near loose ones that have no other partner."""
    near = _near(here, loose)
    partners = _partners(here, there, near)
    reach = here.paired.count(0) + there.paired.count(0)
    if len(loose) * reach <= len(here.lines):
        kept = _alone_nearby(here, there, near, partners, reach)
    elif len(near) > MOST_WANTED:
        tally = LineOccurrences(here.lines, there.lines, lines=len(here.lines) + len(there.lines))
        kept = tally.alone(map(here.lines.__getitem__, near))
    else:
        once = _once({here.lines[at] for at in near}, here.lines, there.lines)
        kept = bytes(here.lines[at] in once for at in near)
    return array("i", compress(near, kept)), array("i", compress(partners, kept))


def _alone_nearby(
    here: PairingSide, there: PairingSide, near: array[int], partners: array[int], reach: int
) -> bytes:
    """Tell which lines could not be paired otherwise by any way as good as this one.

    No such way is ever more than `reach` lines apart from this one, or it would delete and
    add more lines. So it is enough that a line comes once in a window around its partner, and
    that the same line is nowhere left unpaired here.
    """
    left = {here.lines[at] for at in here.unpaired()}
    kept, end, seen = bytearray(), -1, Counter[int]()
    for at, partner in zip(near, partners, strict=True):
        if partner >= end:
            end = partner + 2 * AROUND
            seen = Counter(there.lines[max(0, partner - reach) : end + reach])
        line = here.lines[at]
        kept.append(seen[line] == 1 and line not in left)
    return bytes(kept)


def _near(side: PairingSide, loose: array[int]) -> array[int]:
    """Return the places of paired lines around loose ones that may well come only once."""
    often = _often(side.lines)
    near: set[int] = set()
    for middle in loose:
        after = range(middle + 1, min(len(side.lines), middle + AROUND))
        before = range(middle - 1, max(-1, middle - AROUND), -1)
        for around in (before, after):
            free = (at for at in around if side.paired[at] and at not in near)
            good = (at for at in free if side.lines[at] not in often)
            near.update(islice(good, WANTED))
    return array("i", sorted(near))


def _often(lines: array[int]) -> set[int]:
    """Return lines that come often, as far as a sample shows."""
    sample = Counter(lines[:: len(lines) // SAMPLE + 1])
    return {line for line, times in sample.items() if times > 1}


def _once(wanted: set[int], *sides: array[int]) -> set[int]:
    """Return the wanted lines that come exactly once on every side."""
    for lines in sides:
        seen = Counter(filter(wanted.__contains__, lines))
        wanted = {line for line in wanted if seen[line] == 1}
    return wanted


def _partners(here: PairingSide, there: PairingSide, places: array[int]) -> array[int]:
    """Return where the partners of paired lines are."""
    found = array("i")
    ends = chain(here.starts[1:], (len(here.lines),))
    first = 0
    for start, partner, end in zip(here.starts, there.starts, ends, strict=True):
        last = bisect_left(places, end, first)
        found.extend(map((partner - start).__add__, places[first:last]))
        first = last
    return found


def _per_gap(places: array[int], anchors: array[int]) -> array[int]:
    """Return how many of some places lie in each gap between anchors."""
    counted = array("i", bytes(4 * (len(anchors) + 1)))
    for at in places:
        counted[bisect_left(anchors, at)] += 1
    return counted


def _pairs_per_gap(side: PairingSide, anchors: array[int]) -> array[int]:
    """Return how many lines are paired in each gap between anchors."""
    counted, start = array("i"), 0
    for end in chain(anchors, (len(side.lines),)):
        counted.append(side.paired.count(1, start, end))
        start = end + 1
    return counted
