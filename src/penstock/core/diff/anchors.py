"""Pair two contents that differ in many places by the lines that come once in each.

Such anchors are put in the longest order they allow, and what lies between two of them is
measured on its own. It needs no luck, unlike a walk, but a few passes over all lines.
Always true: the anchors of a chain are equal lines, once in each content, in order.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import chain, compress

from penstock.core.diff.cuts import Chain, Common, view
from penstock.core.diff.lcs import Lines
from penstock.core.diff.occurrences import ONLY_ALONE

# Bits of an index into the table of partners: eight places for each, as far as memory goes.
MOST_BITS = 22

Measure = Callable[[Lines, Lines], Common]
NOTHING = Common(0, 0)


def chain_of(
    a: array[int], seen_a: bytes, b: array[int], seen_b: bytes, *, measure: Measure
) -> Chain:
    """Return the longest chain of anchors; `measure` is asked about what lies between them."""
    at_a, at_b = anchors(a, seen_a, b, seen_b)
    paired, loose_a, loose_b, proven = array("i"), array("i"), array("i"), bytearray()
    for top, bottom, left, right in gaps(at_a, at_b, len(a), len(b)):
        found = _between(a, b, top, bottom, left, right, measure)
        paired.append(found.least)
        proven.append(found.least == found.most)
        loose_a.append(bottom - top - found.least)
        loose_b.append(right - left - found.least)
    loose = loose_a if sum(loose_a) <= sum(loose_b) else loose_b
    return Chain(a=at_a, b=at_b, loose=loose, paired=paired, proven=bytes(proven))


def gaps(
    at_a: array[int], at_b: array[int], rows: int, columns: int
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the ranges of lines before, between and after anchors."""
    top = left = 0
    for bottom, right in zip(chain(at_a, (rows,)), chain(at_b, (columns,)), strict=True):
        yield top, bottom, left, right
        top, left = bottom + 1, right + 1


def _between(
    a: array[int], b: array[int], top: int, bottom: int, left: int, right: int, measure: Measure
) -> Common:
    """Measure one gap; most are empty or equal, which must cost next to nothing."""
    if top == bottom or left == right:
        return NOTHING
    x, y = view(a, top, bottom), view(b, left, right)
    return Common(len(x), len(x)) if x == y else measure(x, y)


def anchors(
    a: array[int], seen_a: bytes, b: array[int], seen_b: bytes
) -> tuple[array[int], array[int]]:
    """Return the places of the longest chain of lines that come once on each side."""
    at_a = array("i", compress(range(len(a)), seen_a.translate(ONLY_ALONE)))
    at_b = array("i", compress(range(len(b)), seen_b.translate(ONLY_ALONE)))
    partners = _partners(a, at_a, b, at_b)
    run = longest_rise(partners)
    return array("i", map(at_a.__getitem__, run)), array("i", map(partners.__getitem__, run))


def _partners(a: array[int], at_a: array[int], b: array[int], at_b: array[int]) -> array[int]:
    """Return for each of some places in `a` the place of the same line in `b`, or -1.

    A table, not a dictionary, which would take more memory than the contents. When two lines
    share an index, one of them is lost: an anchor less, nothing worse.
    """
    mask = (1 << min(MOST_BITS, (8 * len(at_b)).bit_length())) - 1
    table = array("i", bytes(4 * (mask + 1)))
    for at in at_b:
        table[b[at] & mask] = at
    found = array("i")
    for at in at_a:
        line = a[at]
        there = table[line & mask]
        found.append(there if b[there] == line else -1)
    return found


def longest_rise(values: array[int]) -> array[int]:
    """Return the places of a longest rising run among values, those below 0 left out.

    Patience: `lowest[k]` is the lowest value that can end a run of k + 1, `holder[k]` where.
    """
    lowest, holder = array("i"), array("i")
    before = array("i", (-1,)) * len(values)
    for at, value in enumerate(values):
        if value < 0:
            continue
        rank = bisect_left(lowest, value) if lowest and value < lowest[-1] else len(lowest)
        if rank == len(lowest):
            lowest.append(value)
            holder.append(at)
        else:
            lowest[rank], holder[rank] = value, at
        if rank:
            before[at] = holder[rank - 1]
    run = array("i")
    at = holder[-1] if holder else -1
    while at >= 0:
        run.append(at)
        at = before[at]
    run.reverse()
    return run
