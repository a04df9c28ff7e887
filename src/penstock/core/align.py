"""What two contents have in common, line by line: as exact as a fixed amount of work allows.

Contents are runs of numbers, one for each line. Small ones are measured at once; large ones
are first cut into pieces that may be measured alone (`align_cuts`), found by a walk when they
differ in few places (`align_walk`) and by anchors when in many (`align_anchors`). A piece that
would cost more than the work allowed keeps the pairs that are known, and is told as a range.
Always true: the truth lies between `least` and `most`, and they are equal unless work ran out.
The work is counted, never timed, so that the answer does not depend on the machine's speed.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass

from penstock.core import align_anchors, align_walk, lcs
from penstock.core.align_cuts import Chain, Common, unsettled, view
from penstock.core.align_tally import Tally
from penstock.core.align_walk import Way
from penstock.core.lcs import Lines

# Work, in units of about a nanosecond: what is spent without a thought, when a walk has
# failed, on a first look at something large, and in all.
CHEAP = 4_000_000
FAIR = 400_000_000
LOOK = 1_500_000_000
WORK = 5_000_000_000
# Lines, of both sides together, that are measured as they are, and of which sets are small.
TINY = 128
FEW_LINES = 1 << 17
# How wide a first look may be, in lines.
LOOKS = (1 << 15, 1 << 14, 1 << 13, 1 << 12, 1 << 11)

NOTHING = Common(0, 0)


@dataclass(slots=True)
class Work:
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
    work = Work.allowed()
    shared = trim(a, b)
    if lcs.cost(a, b) <= CHEAP:
        return _exactly(shared) + measure(a, b, work)
    way = align_walk.walk(a, b)
    if way is not None:
        return _exactly(shared) + _walked(way, work)
    if len(a) + len(b) <= FEW_LINES and lcs.cost(a, b) <= FAIR:
        return _exactly(shared) + measure(a, b, work)
    return _exactly(shared) + _reduced(a, b, work)


def _walked(way: Way, work: Work) -> Common:
    """Measure what a walk has left open."""
    found = align_walk.chain_of(*way)
    if found is None:
        return _exactly(way[0].paired.count(1))
    return _in_pieces(way[0].lines, way[1].lines, found, work)


def _reduced(a: array[int], b: array[int], work: Work) -> Common:
    """Measure what both sides have; without the rest they may be much more alike."""
    tally = Tally(a, b, lines=len(a) + len(b))
    seen_a, seen_b = tally.reduce(a), tally.reduce(b)
    del tally
    if lcs.cost(a, b) <= FAIR:
        return measure(a, b, work)
    way = align_walk.walk(a, b)
    if way is not None:
        return _walked(way, work)
    found = align_anchors.chain_of(a, seen_a, b, seen_b, measure=lambda x, y: measure(x, y, work))
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
    a, b = on_both_sides(a[head : len(a) - tail], b[head : len(b) - tail])
    rows, columns = (a, b) if len(a) <= len(b) else (b, a)
    if not rows:
        return _exactly(shared)
    paired = max(0, paired - shared)
    if paired == 0 and lcs.cost(rows, columns) > FAIR:
        paired = _look(rows, columns, work)
    reach = len(a) + len(b) - 2 * paired
    if work.spend(lcs.cost(rows, columns, reach=reach)):
        return _exactly(shared + lcs.length(rows, columns, reach=reach))
    return Common(shared + paired, shared + len(rows))


def on_both_sides(a: Lines, b: Lines) -> tuple[Lines, Lines]:
    """Leave out lines that the other side lacks, while sets of them are small."""
    if len(a) + len(b) > FEW_LINES:
        return a, b
    wanted = set(b)
    a = array("q", filter(wanted.__contains__, a))
    wanted = set(a)
    return a, array("q", filter(wanted.__contains__, b))


def _look(rows: Lines, columns: Lines, work: Work) -> int:
    """Look along the diagonal of something large, and return how many pairs there are at least."""
    for width in LOOKS:
        digits = lcs.cost(rows, columns, reach=width)
        if digits <= LOOK and work.spend(digits):
            return lcs.along(rows, columns, width=width)
    return 0
