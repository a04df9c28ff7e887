r"""Walk along two contents that differ in few places, and note the gaps between equal stretches.

Equal stretches are compared as bytes, in large pieces, and never split into lines: the work goes by
the number of changes, not of lines. Where the contents part, a window of lines is split, and they
meet again where mostly one or two lines came or went; else where some lines first go on as one.
Whether there are better pairs than those around the gaps is for `settle` to prove.
Always true: what lies between two gaps is equal, and a walk that gets nowhere ends early.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from penstock.core.diff import lcs
from penstock.core.model import Source
from penstock.core.text.lines import BLOCK, ChangeSpan, read_exactly, shared_bytes

# Bytes of the first comparison of a stretch; bytes and lines of the windows that are split.
FIRST = 1 << 10
WINDOWS = ((1 << 11, 1 << 6), (1 << 13, 1 << 9), (1 << 16, 1 << 12))
# So many lines in a row say that both sides have met again, the more the surer; the last lines of
# a window are left to the next one.
MEETS, MARGIN = (4, 2, 1), 8
# What mostly happened: so many lines went, so many came.
CHANGES = (
    (1, 1), (1, 0), (0, 1), (1, 2), (2, 1), (2, 2), (0, 2), (2, 0), (2, 3), (3, 3), (3, 2),
)  # fmt: skip
USUAL = tuple((gone, come, lines) for lines in MEETS for gone, come in CHANGES)
# More than one gap in so many lines is for those who look at every line.
DENSE, SOME = 16, 64


class Gap(Struct, frozen=True, gc=False):
    """Lines that go and lines that come, between equal stretches.

    `top` and `left` are the numbers of the first line on each side, `at_a` and `at_b` its offset.
    """

    top: int
    left: int
    at_a: int
    at_b: int
    a: list[bytes]
    b: list[bytes]

    @property
    def bottom(self) -> int:
        """The number of the line after it, before."""
        return self.top + len(self.a)

    @property
    def right(self) -> int:
        """The number of the line after it, after."""
        return self.left + len(self.b)

    @property
    def end_a(self) -> int:
        """The offset after it, before."""
        return self.at_a + size_of(self.a)

    @property
    def end_b(self) -> int:
        """The offset after it, after."""
        return self.at_b + size_of(self.b)


def size_of(lines: list[bytes]) -> int:
    r"""Return the bytes of some lines with their ends; a last one without has its `\n` first."""
    open_end = bool(lines) and lines[-1].startswith(b"\n")
    return sum(map(len, lines)) + len(lines) - open_end


class WalkSide(Struct):
    """One content on a walk: the offset and the number of the next line, and where it ends."""

    source: Source
    end: int
    at: int
    line: int = 0

    def read(self, length: int) -> bytes:
        """Return what comes next, at most so many bytes."""
        return read_exactly(self.source, self.at, min(length, self.end - self.at))

    def window(self, length: int, most: int) -> list[bytes]:
        """Return the next whole lines, told apart as in `text.lines.line_list`."""
        text = self.read(length)
        *lines, rest = text.split(b"\n", most)
        if rest and self.at + len(text) == self.end and b"\n" not in rest:
            lines.append(b"\n" + rest)
        return lines

    def skip(self, lines: list[bytes]) -> None:
        """Go on behind some lines."""
        self.at += size_of(lines)
        self.line += len(lines)


def gaps(before: Source, after: Source, span: ChangeSpan) -> list[Gap] | None:
    """Return the gaps between equal stretches; None when contents differ too much for a walk."""
    a, b = (
        WalkSide(before, span.before_end, span.start),
        WalkSide(after, span.after_end, span.start),
    )
    found: list[Gap] = []
    effort = 0
    while a.at < a.end or b.at < b.end:
        if not _pass_stretch(a, b):
            return None
        searched = _meet_again(a, b, found)
        if searched is None:
            return None
        effort += searched
        most = a.line + b.line
        if len(found) > SOME + most // DENSE or effort > SOME * DENSE + most // 2:
            return None
    return found


def _pass_stretch(a: WalkSide, b: WalkSide) -> bool:
    """Go on to the first lines that are not equal; False when a line is too long for that."""
    size = FIRST
    while size <= BLOCK:
        x, y = a.read(size), b.read(size)
        same = size if len(x) == size and x == y else shared_bytes(x, y)
        passed = x.rfind(b"\n", 0, same) + 1
        lines = x.count(b"\n", 0, passed)
        for side in (a, b):
            side.at += passed
            side.line += lines
        if same < size:
            return True
        size = min(8 * size, BLOCK) if passed else 8 * size
    return False


def _meet_again(a: WalkSide, b: WalkSide, found: list[Gap]) -> int | None:
    """Note the gaps of the next window; return how many lines had to be searched.

    None says that the two sides do not meet in any window.
    """
    searched = 0
    for length, most in WINDOWS:
        x, y = a.window(length, most), b.window(length, most)
        i, j = _usual_gaps(x, y, a, b, found)
        if i or j:
            a.skip(x[:i])
            b.skip(y[:j])
            return searched
        searched += len(x) + len(y)
        whole = a.at + size_of(x) == a.end and b.at + size_of(y) == b.end
        met = (len(x), len(y)) if whole else _meeting(x, y)
        if met:
            x, y = x[: met[0]], y[: met[1]]
            found.extend(_parted(Gap(a.line, b.line, a.at, b.at, x, y)))
            a.skip(x)
            b.skip(y)
            return searched
    return None


def _meeting(x: list[bytes], y: list[bytes]) -> tuple[int, int] | None:
    """Return the first place where lines of two windows go on as one, or None."""
    lines, best = MEETS[0], None
    place = dict(zip(reversed(y), range(len(y) - 1, -1, -1), strict=True))
    for i, line in enumerate(x[: len(x) - lines]):
        j = place.get(line, len(y))
        if (best is None or i + j < sum(best)) and x[i : i + lines] == y[j : j + lines]:
            best = i, j
    return best


def _usual_gaps(
    x: list[bytes], y: list[bytes], a: WalkSide, b: WalkSide, found: list[Gap]
) -> tuple[int, int]:
    """Note gaps as they mostly are, one after the other; return how far that went on each side."""
    i = j = done_i = done_j = 0
    at_a, at_b = a.at, b.at
    rows, columns = len(x) - MARGIN, len(y) - MARGIN
    while i <= rows and j <= columns:
        for gone, come, lines in USUAL:
            m, n = i + gone, j + come
            if x[m] == y[n] and x[m : m + lines] == y[n : n + lines]:
                break
        else:
            break
        stretch = sum(map(len, x[done_i:i])) + i - done_i
        gap = Gap(a.line + i, b.line + j, at_a + stretch, at_b + stretch, x[i:m], y[j:n])
        found.extend(_parted(gap))
        at_a += stretch + sum(map(len, gap.a)) + gone
        at_b += stretch + sum(map(len, gap.b)) + come
        done_i, done_j = m, n
        same = _same(x[m:], y[n:])
        i, j = m + same, n + same
    return done_i, done_j


def _same(x: list[bytes], y: list[bytes]) -> int:
    """Return how many lines are equal from the start on."""
    for at, (one, two) in enumerate(zip(x, y, strict=False)):
        if one != two:
            return at
    return min(len(x), len(y))


def _parted(gap: Gap) -> Iterable[Gap]:
    """Return a gap, in parts where lines of it are equal after all; mostly none is."""
    if not gap.a or not gap.b or set(gap.a).isdisjoint(gap.b):
        return (gap,)
    return between(gap, lcs.pairs(gap.a, gap.b))


def between(whole: Gap, pairs: list[tuple[int, int]]) -> Iterator[Gap]:
    """Yield the gaps between pairs of the lines of a larger one."""
    top = left = row = column = 0
    at_a, at_b = whole.at_a, whole.at_b
    for bottom, right in (*pairs, (len(whole.a), len(whole.b))):
        if bottom > top or right > left:
            at_a, at_b = at_a + size_of(whole.a[row:top]), at_b + size_of(whole.b[column:left])
            row, column = top, left
            a, b = whole.a[top:bottom], whole.b[left:right]
            yield Gap(whole.top + top, whole.left + left, at_a, at_b, a, b)
        top, left = bottom + 1, right + 1
