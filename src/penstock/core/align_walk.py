"""Pair two contents that differ in few places by walking along both of them.

Where lines stop to be equal, the next lines vote for the shift at which they go on; equal
stretches cost no more than a comparison of memory. The pairs are good, not the best; which of
them are proven is settled with the cuts of `align_cuts`.
Always true: the pairs are equal lines in order, and a walk that gets nowhere ends early.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress
from operator import eq

from penstock.core.align_cuts import Chain
from penstock.core.align_tally import Tally

# A walk is lost after so many unequal lines in a row; more when the vote said to go straight on.
PATIENCE, MOST_PATIENCE = 3, 128
FIRST_STEP, LONGEST_STEP = 64, 8192
WINDOWS = (20, 80, 640, 5120)
# Anchors are looked for so many lines around each loose line.
AROUND = 6
# Beyond so many lines in question, a tally of all lines is smaller than a set of these.
MOST_WANTED = 50_000

UNPAIRED = bytes([1, 0]) + bytes(254)


@dataclass(slots=True)
class Side:
    """One content on a walk: its lines, a flag for each that is paired, where stretches start."""

    lines: array[int]
    paired: bytearray
    starts: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, lines: array[int]) -> Side:
        """Return a side of which nothing is paired yet."""
        return cls(lines, bytearray(len(lines)))

    def unpaired(self) -> Iterator[int]:
        """Yield the lines without a partner."""
        return compress(self.lines, self.paired.translate(UNPAIRED))

    def loose(self, wanted: set[int]) -> array[int]:
        """Return the places of unpaired lines that are wanted."""
        places = compress(range(len(self.lines)), self.paired.translate(UNPAIRED))
        return array("i", (at for at in places if self.lines[at] in wanted))


def walk(a: array[int], b: array[int]) -> tuple[Side, Side] | None:
    """Pair two contents on the way; None when they differ too much for that."""
    one, two = Side.of(a), Side.of(b)
    i = j = effort = 0
    patience, step = PATIENCE, FIRST_STEP
    while i < len(a) and j < len(b):
        size = min(step, len(a) - i, len(b) - j)
        same = _same(a[i : i + size], b[j : j + size])
        lost = same.find(bytes(patience))
        go = lost if lost >= 0 else same.rfind(1) + 1
        if go:
            _pair(one, two, i, j, same[:go])
            i, j = i + go, j + go
            if lost < 0:
                step = min(2 * step, LONGEST_STEP)
                continue
        shift, looked = _vote(a, b, i, j)
        effort += looked
        # A walk must stay cheaper than the way that needs no luck.
        if effort > LONGEST_STEP + (i + j) // 2:
            return None
        if shift is None:
            # Nothing more in common: the end, or something that another way may find.
            return (one, two) if max(len(a) - i, len(b) - j) <= WINDOWS[-1] else None
        patience = PATIENCE if shift else min(2 * patience, MOST_PATIENCE)
        i, j = _next_equal(a, b, i - min(shift, 0), j + max(shift, 0))
        step = FIRST_STEP
    return one, two


def _same(x: array[int], y: array[int]) -> bytes:
    return b"\1" * len(x) if x == y else bytes(map(eq, x, y))


def _pair(one: Side, two: Side, i: int, j: int, same: bytes) -> None:
    """Pair the lines that are the same from `i` and `j` on; a stretch keeps its shift."""
    one.paired[i : i + len(same)] = two.paired[j : j + len(same)] = same
    if not one.starts or one.starts[-1] - two.starts[-1] != i - j:
        one.starts.append(i)
        two.starts.append(j)


def _vote(a: array[int], b: array[int], i: int, j: int) -> tuple[int | None, int]:
    """Return the shift that most of the next lines agree on, and how many were looked at."""
    looked, shift = 0, None
    for window in WINDOWS:
        x, y = a[i : i + window], b[j : j + window]
        looked += window
        place = dict(zip(y, range(len(y)), strict=True))
        votes = Counter([place[line] - at for at, line in enumerate(x) if line in place])
        if votes:
            (shift, most), *others = votes.most_common(2)
            clear = most > 2 and most >= 2 * (others[0][1] if others else 0)
            if clear or most * 4 >= window:
                break
        if len(x) < window > len(y):
            break
    return shift, looked


def _next_equal(a: array[int], b: array[int], i: int, j: int) -> tuple[int, int]:
    while i < len(a) and j < len(b) and a[i] != b[j]:
        i, j = i + 1, j + 1
    return i, j


def chain_of(one: Side, two: Side) -> Chain | None:
    """Return the chain of anchors near loose lines; None when no line is loose on both sides."""
    both = _unpaired_on_both(one, two)
    if not both:
        return None
    loose_a, loose_b = one.loose(both), two.loose(both)
    if len(loose_a) <= len(loose_b):
        at_a, at_b = _anchors(one, two, loose_a)
        counted = _per_gap(loose_a, at_a)
    else:
        at_b, at_a = _anchors(two, one, loose_b)
        counted = _per_gap(loose_b, at_b)
    return Chain(a=at_a, b=at_b, loose=counted, paired=_pairs_per_gap(one, at_a))


def _unpaired_on_both(one: Side, two: Side) -> set[int]:
    """Return the lines that lack a partner on both sides; only they could have been paired."""
    count = one.paired.count(0) + two.paired.count(0)
    tally = Tally(one.unpaired(), two.unpaired(), lines=count)
    maybe = set(filter(tally.on_both_sides, one.unpaired()))
    return set(filter(maybe.__contains__, two.unpaired()))


def _anchors(here: Side, there: Side, loose: array[int]) -> tuple[array[int], array[int]]:
    """Return places here and there of paired lines near loose ones that come once in each."""
    lines, near = here.lines, _near(here, loose)
    if len(near) > MOST_WANTED:
        tally = Tally(lines, there.lines, lines=len(lines) + len(there.lines))
        places = array("i", (at for at in near if tally.alone(lines[at])))
        del tally
    else:
        once = _once({lines[at] for at in near}, lines, there.lines)
        places = array("i", (at for at in near if lines[at] in once))
    return places, _partners(here, there, places)


def _near(side: Side, loose: array[int]) -> array[int]:
    """Return the places of paired lines around loose ones, each once."""
    near, done = array("i"), 0
    for middle in loose:
        end = min(len(side.lines), middle + AROUND + 1)
        around = range(max(done, middle - AROUND), end)
        near.extend(at for at in around if side.paired[at])
        done = end
    return near


def _once(wanted: set[int], *sides: array[int]) -> set[int]:
    """Return the wanted lines that come exactly once on every side."""
    for lines in sides:
        seen = Counter(filter(wanted.__contains__, lines))
        wanted = {line for line in wanted if seen[line] == 1}
    return wanted


def _partners(here: Side, there: Side, places: Sequence[int]) -> array[int]:
    """Return where the partners of paired lines are."""
    found = array("i")
    for at in places:
        stretch = bisect_right(here.starts, at) - 1
        found.append(there.starts[stretch] + at - here.starts[stretch])
    return found


def _per_gap(places: array[int], anchors: array[int]) -> array[int]:
    """Return how many of some places lie in each gap between anchors."""
    counted = array("i", bytes(4 * (len(anchors) + 1)))
    for at in places:
        counted[bisect_left(anchors, at)] += 1
    return counted


def _pairs_per_gap(side: Side, anchors: array[int]) -> array[int]:
    """Return how many lines are paired in each gap between anchors."""
    counted, start = array("i"), 0
    for end in chain(anchors, (len(side.lines),)):
        counted.append(side.paired.count(1, start, end))
        start = end + 1
    return counted
