"""Pair two contents that differ in many places, a window of lines at a time.

Lines that come once in a window of each content are paired in their order. It looks at every
line, unlike a walk, but at few at once, and sets of few lines are quick.
Always true: the pairs are equal lines in order, and windows that do not get on end it.
"""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import compress

from penstock.core.diff.anchors import longest_rise
from penstock.core.diff.pairing import PairingSide, Way

# Lines of a window, and how many of both sides must be done with before the next.
WINDOW = 2048
PROGRESS = WINDOW // 2

Flags = tuple[bytes, bytes]


def pair(a: array[int], b: array[int]) -> Way | None:
    """Pair two contents; None when they differ too much, or too few lines come once."""
    one, two = PairingSide.of(a), PairingSide.of(b)
    often: set[int] = set()
    i = j = 0
    while i < len(a) and j < len(b):
        x, y = a[i : i + WINDOW].tolist(), b[j : j + WINDOW].tolist()
        flags = _paired(x, y, often)
        if flags is None:
            return None
        rows, columns = (side.rfind(1) + 1 for side in flags)
        one.paired[i : i + rows], two.paired[j : j + columns] = flags[0][:rows], flags[1][:columns]
        if i + len(x) == len(a) and j + len(y) == len(b):
            break
        if rows + columns < PROGRESS:
            return None
        i, j = i + rows, j + columns
    for side in (one, two):
        # Every pair is a stretch of its own.
        side.starts.extend(compress(range(len(side.lines)), side.paired))
    return one, two


def _paired(x: list[int], y: list[int], often: set[int]) -> Flags | None:
    """Return flags for the lines of two windows that are paired; None when most come again.

    Lines seen to come again are added to `often`, so that the next windows do without them.
    """
    wanted = set(y) - often
    in_x = bytes(map(wanted.__contains__, x))
    here = list(compress(x, in_x))
    once = set(here)
    in_y = bytes(map(once.__contains__, y))
    if len(once) == len(here) and here == list(compress(y, in_y)):
        return in_x, in_y
    often.update(_again(x), _again(y))
    once = _in_order(x, y, once - often)
    if 2 * len(once) < len(here):
        return None
    return bytes(map(once.__contains__, x)), bytes(map(once.__contains__, y))


def _again(lines: list[int]) -> set[int]:
    return {line for line, times in Counter(lines).items() if times > 1}


def _in_order(x: list[int], y: list[int], once: set[int]) -> set[int]:
    """Return most of the lines that come once in two windows, so that they are in order."""
    here, there = list(filter(once.__contains__, x)), list(filter(once.__contains__, y))
    if here == there:
        return once
    place = dict(zip(there, range(len(there)), strict=True))
    rise = longest_rise(array("i", map(place.__getitem__, here)))
    return set(map(here.__getitem__, rise))
