"""Prove that the gaps of a walk are as small as can be, and pair better where they are not.

Better pairs must be of lines that are in gaps on both sides (loose lines). Around those, anchors
are looked for: lines with no other partner on any way as good. They tell where one may cut
(`cuts`); a piece between two cuts is settled when its gaps have no line in common, else its best
pairs are found. Finding the gaps in the first place is the work of `gaps`.
Always true: the gaps that come back are as few lines as can be; None says that the work ran out.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import chain, compress, islice

from msgspec import Struct

from penstock.core.diff import lcs
from penstock.core.diff.cuts import Chain, CutRange, unsettled
from penstock.core.diff.gaps import Gap, between, size_of
from penstock.core.model import Source
from penstock.core.text.lines import ChangeSpan, line_blocks, line_list

# Anchors are looked for in so many bytes on each side of a loose line, so many of them; and in
# more where these do not cut enough, since most lines come again soon.
LOOKS = ((1 << 8, 2), (1 << 10, 16))
# Work that is spent on one piece, in units of about a nanosecond, and its bytes, at most.
FAIR = 20_000_000
LARGEST = 1 << 20


def settled(found: list[Gap], before: Source, after: Source, span: ChangeSpan) -> list[Gap] | None:
    """Return the smallest gaps; None when that would cost too much here."""
    gone, come = _lines(gap.a for gap in found), _lines(gap.b for gap in found)
    both = gone & come
    if not both:
        return found
    if _many(both, (gap.a for gap in found)) <= _many(both, (gap.b for gap in found)):
        return _Walk(found, both, gone, before, after, span).settled()
    turned = ChangeSpan(start=span.start, before_end=span.after_end, after_end=span.before_end)
    best = _Walk(list(map(_turned, found)), both, come, after, before, turned).settled()
    return None if best is None else list(map(_turned, best))


def _lines(parts: Iterable[list[bytes]]) -> set[bytes]:
    return set(chain.from_iterable(parts))


def _many(both: set[bytes], parts: Iterable[list[bytes]]) -> int:
    return sum(map(both.__contains__, chain.from_iterable(parts)))


def _turned(gap: Gap) -> Gap:
    return Gap(gap.left, gap.top, gap.at_b, gap.at_a, gap.b, gap.a)


class _Anchor(Struct, frozen=True, gc=False):
    """A line in an equal stretch: its numbers and offsets on both sides, and the line."""

    row: int
    column: int
    at_a: int
    at_b: int
    line: bytes


class _Walk(Struct, frozen=True):
    """The gaps of a walk of which the side before has the fewer loose lines.

    `gone` are all lines of gaps on that side, `both` those that are in gaps on both.
    """

    found: list[Gap]
    both: set[bytes]
    gone: set[bytes]
    before: Source
    after: Source
    span: ChangeSpan

    def settled(self) -> list[Gap] | None:
        """Return the smallest gaps, by as many anchors as it takes."""
        for around, wanted in LOOKS:
            best = self._by(self._alone(self._near(around, wanted)))
            if best is not None:
                return best
        return None

    def _by(self, anchors: list[_Anchor]) -> list[Gap] | None:
        """Return the smallest gaps, piece by piece between anchors."""
        found, best, done = self.found, list[Gap](), 0
        tops = [gap.top for gap in found]
        for piece in unsettled(self._chain(anchors), found[-1].bottom, found[-1].right):
            first, end = bisect_left(tops, piece.top), bisect_left(tops, piece.bottom + 1)
            inside = found[first:end]
            if _lines(gap.a for gap in inside).isdisjoint(_lines(gap.b for gap in inside)):
                continue
            better = _smallest(self._whole(piece, anchors), inside)
            if better is None:
                return None
            best += [*found[done:first], *better]
            done = end
        return [*best, *found[done:]]

    def _chain(self, anchors: list[_Anchor]) -> Chain:
        """Return anchors with the number of loose lines in each gap between them."""
        rows = array("i", [one.row for one in anchors])
        columns = array("i", [one.column for one in anchors])
        loose = array("i", bytes(4 * (len(anchors) + 1)))
        for gap in self.found:
            loose[bisect_left(rows, gap.top)] += sum(map(self.both.__contains__, gap.a))
        return Chain(a=rows, b=columns, loose=loose, paired=loose)

    def _near(self, around: int, wanted: int) -> list[_Anchor]:
        """Return lines around loose ones that may well be anchors, in order."""
        near: dict[int, _Anchor] = {}
        for at, gap in enumerate(self.found):
            if not self.both.isdisjoint(gap.a):
                for one in chain(self._above(at, around, wanted), self._below(at, around, wanted)):
                    near[one.row] = one
        return [near[row] for row in sorted(near)]

    def _above(self, at: int, around: int, wanted: int) -> Iterator[_Anchor]:
        """Yield promising lines before a gap, the nearest first."""
        gap = self.found[at]
        length = gap.at_a - (self.found[at - 1].end_a if at else self.span.start)
        text = self.before.read(gap.at_a - min(around, length), min(around, length))
        lines = text.split(b"\n")[-2::-1]
        if around < length:
            del lines[-1:]  # only the end of it was read
        for place in self._promising(lines, wanted):
            up, back = place + 1, size_of(lines[: place + 1])
            yield _Anchor(
                gap.top - up, gap.left - up, gap.at_a - back, gap.at_b - back, lines[place]
            )

    def _below(self, at: int, around: int, wanted: int) -> Iterator[_Anchor]:
        """Yield promising lines after a gap, the nearest first."""
        gap, last = self.found[at], at + 1 == len(self.found)
        end = self.span.before_end if last else self.found[at + 1].at_a
        text = self.before.read(gap.end_a, min(around, end - gap.end_a))
        lines = text.split(b"\n")[:-1]
        for place in self._promising(lines, wanted):
            on = size_of(lines[:place])
            yield _Anchor(
                gap.bottom + place, gap.right + place, gap.end_a + on, gap.end_b + on, lines[place]
            )

    def _promising(self, lines: list[bytes], wanted: int) -> list[int]:
        """Return the places of the first lines that are long, for such a file, and in no gap."""
        long = sum(map(len, lines)) // (len(lines) or 1)
        good = (at for at, one in enumerate(lines) if len(one) >= long and one not in self.gone)
        return list(islice(good, wanted))

    def _alone(self, near: list[_Anchor]) -> list[_Anchor]:
        """Keep lines that have no other partner on any way that is as good.

        Such a way is nowhere further from this one than there are lines in gaps, or it would
        have more of them. So it is enough that a line comes once so far around its partner, and
        that the same line is in no gap on this side, where it could take the partner over.
        """
        places: dict[bytes, array[int]] = {one.line: array("i") for one in near}
        first = 0
        for lines in line_blocks(self.after, self.span.start, self.span.after_end):
            wanted = map(places.__contains__, lines)
            for at in compress(range(len(lines)), wanted):
                places[lines[at]].append(first + at)
            first += len(lines)
        reach = sum(len(gap.a) + len(gap.b) for gap in self.found)
        return [one for one in near if _is_alone(one.column, places[one.line], reach)]

    def _whole(self, piece: CutRange, anchors: list[_Anchor]) -> Gap | None:
        """Return all lines of a piece as one gap; None when it is too large for that."""
        at_a = at_b = self.span.start
        if piece.first:
            above = anchors[piece.first - 1]
            at_a, at_b = above.at_a + len(above.line) + 1, above.at_b + len(above.line) + 1
        end_a, end_b = self.span.before_end, self.span.after_end
        if piece.last <= len(anchors):
            end_a, end_b = anchors[piece.last - 1].at_a, anchors[piece.last - 1].at_b
        if end_a - at_a + end_b - at_b > LARGEST:
            return None
        a = line_list(self.before, at_a, end_a, pairs=False)
        b = line_list(self.after, at_b, end_b, pairs=False)
        return Gap(piece.top, piece.left, at_a, at_b, a, b)


def _is_alone(column: int, places: array[int], reach: int) -> bool:
    """Say whether no other place than its own is within reach."""
    if len(places) == 1:
        return True
    at = bisect_left(places, column)
    before = at == 0 or column - places[at - 1] >= reach
    return before and (at + 1 == len(places) or places[at + 1] - column >= reach)


def _smallest(whole: Gap | None, known: list[Gap]) -> list[Gap] | None:
    """Return the smallest gaps in a piece: those that are known, unless there are better pairs."""
    if whole is None or lcs.cost(whole.a, whole.b) > FAIR:
        return None
    pairs = lcs.pairs(whole.a, whole.b)
    best = len(pairs) == len(whole.a) - sum(len(gap.a) for gap in known)
    return known if best else list(between(whole, pairs))
