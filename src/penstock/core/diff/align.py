"""What two contents have in common, line by line: as exact as a fixed amount of work allows.

Contents of few lines lose those that the other side lacks, which often settles it. Others are
runs of numbers, one for each line. They are paired by a walk when they differ in few places
(`greedy`), by windows when in many (`windows`), and by anchors when neither gets on
(`anchors`); what such a way leaves open is cut into pieces that may be measured alone
(`pairing`, `cuts`). A piece that would cost more than the work allowed keeps the pairs
that are known, and is told as a range.
Always true: the truth lies between `least` and `most`, and they are equal unless work ran out.
The work is counted, never timed, so that the answer does not depend on the machine's speed.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable

from msgspec import Struct

from penstock.core.diff import anchors, greedy, lcs, pairing, windows
from penstock.core.diff.cuts import Chain, Common, unsettled, view
from penstock.core.diff.lcs import Lines
from penstock.core.diff.occurrences import LineOccurrences
from penstock.core.diff.pairing import Way

# Work, in units of about a nanosecond: what is spent without a thought, on lines that both
# sides have when nothing else helps, on a first look at something large, and in all.
CHEAP = 16_000_000
FAIR = 400_000_000
LOOK = 1_500_000_000
WORK = 5_000_000_000
# Lines, of both sides together, that are measured as they are, and of which sets are small.
TINY = 128
FEW_LINES = 1 << 17
# Fewer lines than this to delete and add are not worth a closer guess.
FEWEST = 256
# How wide a first look may be, in lines.
LOOKS = (1 << 15, 1 << 14, 1 << 13, 1 << 12, 1 << 11)


class Work(Struct):
    """The work that may still be spent."""

    left: int

    @classmethod
    def allowed(cls) -> Work:
        """Return all the work that one question may cost."""
        return cls(WORK)

    def spend(self, digits: int) -> bool:
        """Take some work if there is enough."""
        enough = digits <= self.left
        self.left -= digits if enough else 0
        return enough


def common(a: array[int], b: array[int]) -> Common:
    """Return how many lines `a` and `b` have in common, in order. Both are used up."""
    shared, work = _exactly(trim(a, b)), Work.allowed()
    if lcs.cost(a, b) <= CHEAP:
        return shared + measure(a, b, work)
    way = greedy.walk(a, b) or windows.pair(a, b)
    if way is not None:
        return shared + _between(way, work)
    return shared + _reduced(a, b, work)


def common_of_few(a: Lines, b: Lines) -> Common:
    """Return how many lines are in common, for contents of which one can afford to make sets."""
    x, y = on_both_sides(a, b)
    # Often nothing but equal lines is left when those are out that the other side lacks.
    if x == y:
        return _exactly(len(x))
    if len(set(x)) == len(x) == len(y):
        return _exactly(_rising(x, y))
    found = _guessed(x, y, lost=len(a) + len(b) - len(x) - len(y))
    return common(numbered(x), numbered(y)) if found is None else _exactly(found)


def _guessed(x: Lines, y: Lines, *, lost: int) -> int | None:
    """Return how many lines are in common, if it is cheap to tell.

    Mostly about as many lines are to be deleted and added among those that both sides have
    as were `lost` because only one has them. Whether that is so, the answer itself tells.
    """
    head, tail = shared_ends(x, y)
    x, y = x[head : len(x) - tail], y[head : len(y) - tail]
    reach = max(lost, FEWEST) + abs(len(x) - len(y))
    if 2 * reach < len(y) and lcs.cost(x, y, reach=reach) <= CHEAP:
        found = lcs.near(x, y, reach=reach)
        if len(x) + len(y) - 2 * found <= reach:
            return head + found + tail
    return head + lcs.length(x, y) + tail if lcs.cost(x, y) <= CHEAP else None


def on_both_sides(a: Lines, b: Lines) -> tuple[list[Hashable], list[Hashable]]:
    """Leave out lines that the other side lacks."""
    here = list(filter(set(b).__contains__, a))
    return here, list(filter(set(here).__contains__, b))


def _rising(a: Lines, b: Lines) -> int:
    """Return how many lines are in common when each comes once on both sides, in any order."""
    place = dict(zip(b, range(len(b)), strict=True))
    return len(anchors.longest_rise(array("i", map(place.__getitem__, a))))


def numbered(lines: Lines) -> array[int]:
    """Return a number for each line, equal for equal lines."""
    # By way of a list, which an array takes in at once and not one by one.
    return array("q", list(map(hash, lines)))


def _between(way: Way, work: Work) -> Common:
    """Measure what is left open between the pairs of a way."""
    found = pairing.chain_of(*way)
    if found is None:
        return _exactly(way[0].paired.count(1))
    return _in_pieces(way[0].lines, way[1].lines, found, work)


def _reduced(a: array[int], b: array[int], work: Work) -> Common:
    """Measure what both sides have; without the rest they may be much more alike."""
    tally = LineOccurrences(a, b, lines=len(a) + len(b))
    seen_a, seen_b = tally.reduce(a), tally.reduce(b)
    del tally
    if lcs.cost(a, b) <= FAIR:
        return measure(a, b, work)
    way = greedy.walk(a, b)
    if way is not None:
        return _between(way, work)
    found = anchors.chain_of(a, seen_a, b, seen_b, measure=lambda x, y: measure(x, y, work))
    return _in_pieces(a, b, found, work)


def _exactly(lines: int) -> Common:
    return Common(lines, lines)


def trim(a: array[int], b: array[int]) -> int:
    """Take equal lines off both ends, in place, and return how many they were."""
    head, tail = shared_ends(a, b)
    for lines in (a, b):
        del lines[len(lines) - tail :]
        del lines[:head]
    return head + tail


def shared_ends(a: Lines, b: Lines) -> tuple[int, int]:
    """Return how many lines are equal at the start and, of the rest, at the end."""
    head = _shared(a, b, lambda lines, at, step: lines[at : at + step])
    tail = _shared(a, b, lambda lines, at, step: lines[len(lines) - at - step : len(lines) - at])
    return head, min(tail, len(a) - head, len(b) - head)


def _shared(a: Lines, b: Lines, part: Callable[[Lines, int, int], Lines]) -> int:
    """Return how many lines are equal from one end on, in ever smaller steps."""
    limit, at, step = min(len(a), len(b)), 0, 4096
    while step:
        while at + step <= limit and part(a, at, step) == part(b, at, step):
            at += step
        step //= 8
    return at


def _in_pieces(a: array[int], b: array[int], found: Chain, work: Work) -> Common:
    """Measure what lies between the cuts of a chain, as far as it is not proven already."""
    least = most = sum(found.paired) + len(found.a)
    for piece in unsettled(found, len(a), len(b)):
        known = piece.known(found)
        x, y = view(a, piece.top, piece.bottom), view(b, piece.left, piece.right)
        measured = measure(x, y, work, paired=known.least)
        least += max(0, measured.least - known.least)
        most += min(known.most, measured.most) - known.least
    return Common(least, most)


def measure(a: Lines, b: Lines, work: Work, *, paired: int = 0) -> Common:
    """Measure at once, exactly if the work allows it; `paired` lines are known to be common."""
    if len(a) + len(b) <= TINY and work.spend(lcs.cost(a, b)):
        return _exactly(lcs.length(a, b))
    head, tail = shared_ends(a, b)
    shared = head + tail
    a, b = a[head : len(a) - tail], b[head : len(b) - tail]
    if len(a) + len(b) <= FEW_LINES:
        a, b = on_both_sides(a, b)
    rows, columns = (a, b) if len(a) <= len(b) else (b, a)
    if not rows:
        return _exactly(shared)
    paired = max(0, paired - shared)
    if paired == 0 and lcs.cost(rows, columns) > FAIR:
        paired = _look(rows, columns, work)
    reach = len(rows) + len(columns) - 2 * paired
    if work.spend(lcs.cost(rows, columns, reach=reach)):
        return _exactly(shared + lcs.length(rows, columns, reach=reach))
    return Common(shared + paired, shared + len(rows))


def _look(rows: Lines, columns: Lines, work: Work) -> int:
    """Look along the diagonal of something large, and return how many pairs there are at least."""
    for width in LOOKS:
        digits = lcs.cost(rows, columns, reach=width)
        if digits <= LOOK and work.spend(digits):
            return lcs.along(rows, columns, width=width)
    return 0
