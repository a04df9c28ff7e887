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
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, compress
from operator import eq

from penstock.core.align_cuts import Chain
from penstock.core.align_tally import Tally

# A walk is lost after so many unequal lines in a row; more when the vote said to go straight on.
PATIENCE, MOST_PATIENCE = 3, 128
FIRST_STEP, LONGEST_STEP = 64, 8192
FEW = 256
WINDOWS = (20, 80, 640, 5120)
# What mostly happened: after so many changed lines, one or two came in or were taken out.
USUAL = [(skip, shift) for skip in (0, 1, 2) for shift in (1, -1, 2, -2)]
# Anchors are looked for so many lines around each loose line, if there are few or many.
AROUND, AROUND_MANY, MANY_LOOSE = 12, 4, 1000
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

    def unpaired(self) -> array[int]:
        """Return the places of lines without a partner."""
        if self.paired.count(0) * 8 > len(self.paired):
            return array("i", compress(range(len(self.lines)), self.paired.translate(UNPAIRED)))
        places, at = array("i"), self.paired.find(0)
        while at >= 0:
            places.append(at)
            at = self.paired.find(0, at + 1)
        return places


Way = tuple[Side, Side]


def walk(a: array[int], b: array[int]) -> Way | None:
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
        if effort > min(LONGEST_STEP, len(a) // 4) + (i + j) // 2:
            return None
        if shift is None:
            # Nothing more in common: the end, or something that another way may find.
            return (one, two) if max(len(a) - i, len(b) - j) <= WINDOWS[-1] else None
        patience = PATIENCE if shift else min(2 * patience, MOST_PATIENCE)
        i, j = _next_equal(a, b, i - min(shift, 0), j + max(shift, 0))
        step = FIRST_STEP
    return one, two


def _same(x: array[int], y: array[int]) -> bytes:
    """Return flags for the lines that are the same, up to a stretch where none is.

    Equal stretches are found without looking at each line.
    """
    if x == y:
        return b"\1" * len(x)
    if len(x) <= FEW:
        return bytes(map(eq, x, y))
    parts = []
    for at in range(0, len(x), FEW):
        parts.append(_same(x[at : at + FEW], y[at : at + FEW]))
        if 1 not in parts[-1]:
            break
    return b"".join(parts)


def _pair(one: Side, two: Side, i: int, j: int, same: bytes) -> None:
    """Pair the lines that are the same from `i` and `j` on; a stretch keeps its shift."""
    one.paired[i : i + len(same)] = two.paired[j : j + len(same)] = same
    if not one.starts or one.starts[-1] - two.starts[-1] != i - j:
        one.starts.append(i)
        two.starts.append(j)


def _vote(a: array[int], b: array[int], i: int, j: int) -> tuple[int | None, int]:
    """Return the shift that most of the next lines agree on, and how many were looked at."""
    for skip, shift in USUAL:
        x, y = i + skip - min(shift, 0), j + skip + max(shift, 0)
        if a[x : x + 4] == b[y : y + 4] and y + 4 <= len(b):
            return shift, 4
    looked, winner = 0, None
    for window in WINDOWS:
        one, two = a[i : i + window], b[j : j + window]
        looked += window
        place = dict(zip(two, range(len(two)), strict=True))
        votes = Counter([place[line] - at for at, line in enumerate(one) if line in place])
        if votes:
            (winner, most), *others = votes.most_common(2)
            clear = most > 2 and most >= 2 * (others[0][1] if others else 0)
            if clear or most * 4 >= window:
                break
        if len(one) < window > len(two):
            break
    return winner, looked


def _next_equal(a: array[int], b: array[int], i: int, j: int) -> tuple[int, int]:
    while i < len(a) and j < len(b) and a[i] != b[j]:
        i, j = i + 1, j + 1
    return i, j


def chain_of(one: Side, two: Side) -> Chain | None:
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


def _loose(one: Side, two: Side) -> tuple[array[int], array[int]]:
    """Return the places of lines that lack a partner on both sides, so could be paired."""
    a, b = one.lines, two.lines
    at_a, at_b = one.unpaired(), two.unpaired()
    left_a, left_b = map(a.__getitem__, at_a), map(b.__getitem__, at_b)
    tally = Tally(left_a, left_b, lines=len(at_a) + len(at_b))
    maybe = {line for line in map(a.__getitem__, at_a) if tally.on_both_sides(line)}
    both = {line for line in map(b.__getitem__, at_b) if line in maybe}
    return (
        array("i", (at for at in at_a if a[at] in both)),
        array("i", (at for at in at_b if b[at] in both)),
    )


def _anchors(here: Side, there: Side, loose: array[int]) -> tuple[array[int], array[int]]:
    """Return places here and there of paired lines near loose ones that have no other partner."""
    near = _near(here, loose)
    partners = _partners(here, there, near)
    reach = here.paired.count(0) + there.paired.count(0)
    if len(loose) * reach <= len(here.lines):
        kept = _alone_nearby(here, there, near, partners, reach)
    elif len(near) > MOST_WANTED:
        tally = Tally(here.lines, there.lines, lines=len(here.lines) + len(there.lines))
        kept = bytes(tally.alone(here.lines[at]) for at in near)
    else:
        once = _once({here.lines[at] for at in near}, here.lines, there.lines)
        kept = bytes(here.lines[at] in once for at in near)
    return array("i", compress(near, kept)), array("i", compress(partners, kept))


def _alone_nearby(
    here: Side, there: Side, near: array[int], partners: array[int], reach: int
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


def _near(side: Side, loose: array[int]) -> array[int]:
    """Return the places of paired lines around loose ones, each once."""
    near, done = array("i"), 0
    away = AROUND if len(loose) <= MANY_LOOSE else AROUND_MANY
    for middle in loose:
        end = min(len(side.lines), middle + away + 1)
        near.extend(at for at in range(max(done, middle - away), end) if side.paired[at])
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
