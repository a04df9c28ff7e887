"""Which lines of two large contents belong together, found window by window.

Equal stretches are skipped at the speed of memory; where the contents part, only a window is
aligned, and it grows until both sides have met again.
Always true: what comes out is in order, never touches, and turns one content into the other; it
is as short as can be within each window.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import chain

from penstock.core.diff.hunks import between, moved
from penstock.core.diff.pairs import pairs
from penstock.core.model import Hunk

WINDOW = 1024
GROWS = 4
MEETS = 16  # equal lines in a row after which both sides have met again
ENOUGH = 16  # one line of so many in pairs
WORD = 8
Ends = tuple[int, int]


def hunks(a: array[int], b: array[int]) -> Iterator[Hunk]:
    """Yield the runs of changed lines of two contents, given as a number for each line."""
    both = memoryview(a).cast("B"), memoryview(b).cast("B")
    i = j = 0
    while i < len(a) or j < len(b):
        same = _same(*both, i, j)
        i, j = i + same, j + same
        found, up_to = _window(a, b, i, j)
        yield from (moved(hunk, i, j) for hunk in found)
        i, j = i + up_to[0], j + up_to[1]


def _same(x: memoryview, y: memoryview, i: int, j: int) -> int:
    """Return how many lines are equal from two places on, in ever smaller steps."""
    most = min(len(x) // WORD - i, len(y) // WORD - j)
    done, step = 0, 1 << 15
    while step:
        while done + step <= most and _equal(x, y, i + done, j + done, step):
            done += step
        step //= 8
    return done


def _equal(x: memoryview, y: memoryview, i: int, j: int, size: int) -> bool:
    return x[WORD * i : WORD * (i + size)] == y[WORD * j : WORD * (j + size)]


def _window(a: array[int], b: array[int], i: int, j: int) -> tuple[Sequence[Hunk], Ends]:
    """Align what follows two places; return the hunks, and how far both sides are then."""
    size = WINDOW
    while True:
        x, y = a[i : i + size], b[j : j + size]
        found = pairs(x, y)
        if i + size >= len(a) and j + size >= len(b):
            return _hunks(found.a, found.b, (len(x), len(y)))
        met = _met(found.a, found.b, size)
        if met is not None:
            return _hunks(found.a[:met], found.b[:met], (found.a[met], found.b[met]))
        size *= GROWS


def _hunks(a: Sequence[int], b: Sequence[int], end: Ends) -> tuple[Sequence[Hunk], Ends]:
    return list(between(chain(zip(a, b, strict=True), (end,)))), end


def _met(a: Sequence[int], b: Sequence[int], size: int) -> int | None:
    """Return where both sides have met again, or None.

    That is where the last long run of pairs begins. In contents that differ all over there is
    none: then some pairs before the end of the window will do, if it has enough of them.
    """
    end = len(a)
    while end >= MEETS:
        start = end - 1
        while start > 0 and a[start - 1] == a[start] - 1 and b[start - 1] == b[start] - 1:
            start -= 1
        if end - start >= MEETS:
            return start
        end = start
    enough = size > WINDOW and len(a) * ENOUGH > size
    return len(a) * 3 // 4 if enough else None
