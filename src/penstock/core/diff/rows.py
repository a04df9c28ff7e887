"""The rows of a diff: which lines stand where, one below the other or side by side.

Rows are kept as blocks, and one is made when somebody looks at it, so that a diff of a million
lines costs no more than one of ten. Which gaps somebody opened is an `Expansion`. How a line looks
is the doors'.
Always true: every line of every hunk has exactly one row, in order; what is left out is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from penstock.core.diff.expansion import CLOSED, Expansion
from penstock.core.model import Hunk

CONTEXT = 3
NO_LINES = range(0)


class Kind(StrEnum):
    """What a row is."""

    GAP = "gap"  # lines that stay and are left out
    HEAD = "head"  # of a hunk
    SAME = "same"
    GONE = "gone"
    NEW = "new"
    PAIR = "pair"  # side by side


class Block(Struct, frozen=True, kw_only=True):
    """Rows of one kind that follow each other, by the places of their lines on both sides.

    Of lines that are gone, `after` has those that came instead; and the other way round. A gap
    has the number by which an `Expansion` opens it.
    """

    kind: Kind
    before: range = NO_LINES
    after: range = NO_LINES
    hunk: int = 0
    gap: int = 0

    def __len__(self) -> int:
        match self.kind:
            case Kind.GAP | Kind.HEAD:
                return 1
            case Kind.GONE:
                return len(self.before)
            case Kind.NEW:
                return len(self.after)
        return max(len(self.before), len(self.after))

    def part(self, first: int, end: int) -> Block:
        """Return some rows of it; what has a single row stays as it is."""
        if self.kind in (Kind.GAP, Kind.HEAD):
            return self
        before, after = self.before[first:end], self.after[first:end]
        return Block(kind=self.kind, before=before, after=after, hunk=self.hunk)


def listed(hunks: Sequence[Hunk]) -> list[dict[str, int]]:
    """Return the numbers by which hunks are chosen, and where and how large each is."""
    return [
        {
            "number": number,
            "line": hunk.before_start + 1,
            "deleted": len(hunk.before),
            "added": len(hunk.after),
        }
        for number, hunk in enumerate(hunks, 1)
    ]


def blocks(
    hunks: Sequence[Hunk],
    lines: int,
    *,
    sides: bool = False,
    context: int = CONTEXT,
    worth_hiding: int = 1,
    opened: Expansion = CLOSED,
) -> Iterator[Block]:
    """Yield the whole diff of a file that has so many lines before.

    Lines that stay are shown around each hunk; fewer than `worth_hiding` are not left out, and
    what `opened` says is shown besides. Hunks whose lines around them touch have no gap between.
    """
    top = left = 0
    for number, hunk in enumerate(hunks, 1):
        lead = 0 if number == 1 else context
        gap = _Gap(number, lead, context, opened)
        yield from _between(top, left, hunk.before_start, gap, worth_hiding)
        for kind in (Kind.HEAD, Kind.PAIR) if sides else (Kind.HEAD, Kind.GONE, Kind.NEW):
            block = Block(kind=kind, before=hunk.before, after=hunk.after, hunk=number)
            if len(block):
                yield block
        top, left = hunk.before_end, hunk.after_end
    gap = _Gap(len(hunks) + 1, context if hunks else 0, 0, opened)
    yield from _between(top, left, lines, gap, worth_hiding)


def removed(found: Iterable[Block]) -> Iterator[Block]:
    """Yield of a whole diff what is removed: every hunk's heading, and the lines that go."""
    return (block for block in found if block.kind in (Kind.HEAD, Kind.GONE))


class _Gap:
    """The lines between two hunks: its number, and how many are shown at its start and end."""

    def __init__(self, number: int, lead: int, tail: int, opened: Expansion) -> None:
        more = opened.of(number)
        self.number = number
        self.lead, self.tail = lead + more.down, tail + more.up


def _between(top: int, left: int, bottom: int, gap: _Gap, worth_hiding: int) -> Iterator[Block]:
    """Yield the lines that stay before the next hunk: the first and last of them, and a gap."""
    first = min(top + gap.lead, bottom)
    last = max(bottom - gap.tail, first)
    if last - first < worth_hiding:
        first = last = bottom
    for kind, start, end in (
        (Kind.SAME, top, first), (Kind.GAP, first, last), (Kind.SAME, last, bottom)
    ):  # fmt: skip
        if end > start:
            after = range(left + start - top, left + end - top)
            number = gap.number if kind is Kind.GAP else 0
            yield Block(kind=kind, before=range(start, end), after=after, gap=number)
