"""Pair two contents that differ in few places by walking along both of them.

Where lines stop to be equal, the next lines vote for the shift at which they go on; equal
stretches cost no more than a comparison of memory. The pairs are good, not the best; which of
them are proven is settled in `pairing`.
Always true: the pairs are equal lines in order, and a walk that gets nowhere ends early.
"""

from __future__ import annotations

from array import array
from collections import Counter
from operator import eq

from penstock.core.diff import lcs
from penstock.core.diff.pairing import PairingSide, Way

# A walk is lost after so many unequal lines in a row; more when the vote said to go straight on.
PATIENCE, MOST_PATIENCE = 3, 128
FIRST_STEP, LONGEST_STEP = 64, 8192
# Stretches up to this size are compared line by line.
FEW = 32
# So many lines that a walk skips are worth a second look.
MOST_SKIPPED = 128
WINDOWS = (20, 80, 640, 5120)
# What mostly happened: after so many changed lines, one or two came in or were taken out.
USUAL = [(skip, shift) for skip in (0, 1, 2) for shift in (1, -1, 2, -2)]
# Fewer lines than this, replaced by as many, cannot hide a pair.
HOLE = bytes(2)

Place = tuple[int, int]


def walk(a: array[int], b: array[int]) -> Way | None:
    """Pair two contents on the way; None when they differ too much for that."""
    one, two = PairingSide.of(a), PairingSide.of(b)
    i = j = effort = 0
    patience, step = PATIENCE, FIRST_STEP
    while i < len(a) and j < len(b):
        size = min(step, len(a) - i, len(b) - j)
        same = _same(a[i : i + size], b[j : j + size])
        lost = same.find(bytes(patience))
        go = lost if lost >= 0 else same.rfind(1) + 1
        if go:
            _pair_stretch(one, two, i, j, same[:go])
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
        to = _next_equal(a, b, i - min(shift, 0), j + max(shift, 0))
        _pair_skipped(one, two, (i, j), to)
        i, j = to
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


def _pair_stretch(one: PairingSide, two: PairingSide, i: int, j: int, same: bytes) -> None:
    """Pair the lines that are the same from `i` and `j` on, and what is found in between."""
    at = 0
    while (hole := same.find(HOLE, at)) >= 0:
        end = same.index(1, hole)
        _pair(one, two, i + at, j + at, same[at:hole])
        _pair_skipped(one, two, (i + hole, j + hole), (i + end, j + end))
        at = end
    _pair(one, two, i + at, j + at, same[at:])


def _pair(one: PairingSide, two: PairingSide, i: int, j: int, same: bytes) -> None:
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


def _pair_skipped(one: PairingSide, two: PairingSide, start: Place, end: Place) -> None:
    """Pair what can be paired between two places; mostly that is nothing."""
    x, y = one.lines[start[0] : end[0]], two.lines[start[1] : end[1]]
    if len(x) + len(y) <= MOST_SKIPPED and not set(x).isdisjoint(y):
        for i, j in lcs.pairs(x, y):
            _pair(one, two, start[0] + i, start[1] + j, b"\1")
