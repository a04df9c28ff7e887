"""Two sides of a text beside each other: their lines, their hunks, and each line as it is shown.

`core.diff` finds the hunks, its `words` which line takes another's place. Rows and pages are
`rows`'s.
Always true: a line is shown with nothing hidden left in it, what is cut off is counted, and two
lines that differ never look the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from penstock.core.diff import words
from penstock.core.diff.hunks import hunks as hunks_of
from penstock.core.diff.rows import CONTEXT
from penstock.core.diff.white_space import NONE, WhiteSpace
from penstock.core.model import Hunk
from penstock.core.review.heads import HunkHeads
from penstock.core.review.moves import MovedBlock, moves
from penstock.core.text.display import visible
from penstock.core.text.line_endings import CRLF, LF, split
from penstock.doors.web.diff.content_type import as_utf8, first_difference
from penstock.doors.web.diff.markup import CLOSE, OPEN

LONGEST = 2000  # characters of a line that are shown
LEAD = 200  # of them before the place where two long lines differ

Pairs = dict[int, int]


class LineWindow(Struct, frozen=True, kw_only=True):
    """A line as far as it is shown: up to which character, of how many.

    What lies before a window that does not begin at the start is the same on both sides.
    """

    text: str
    upto: int
    length: int


class Comparison(Struct, frozen=True, dict=True):
    """Two sides of a text, with the hunks between them. None stands for no file.

    Where `white_space` is false, lines that differ only in white space or line ends are no change.
    """

    before: bytes | None
    after: bytes | None
    white_space: bool = True

    @cached_property
    def _known(self) -> dict[int, tuple[Pairs, Pairs]]:
        return {}

    @cached_property
    def _heads(self) -> dict[str, HunkHeads]:
        return {}

    @cached_property
    def old(self) -> list[bytes]:
        """The lines before, with their ends."""
        return split(as_utf8(self.before or b""))

    @cached_property
    def new(self) -> list[bytes]:
        """The lines after, with their ends."""
        return split(as_utf8(self.after or b""))

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The runs of changed lines, numbered from 1 as `core.merge.strategies` numbers them."""
        old, new = as_utf8(self.before or b""), as_utf8(self.after or b"")
        return hunks_of(old, new, white_space=self.white_space)

    @cached_property
    def without_white_space(self) -> Comparison:
        """The same sides, where lines that differ only in white space are no change."""
        return Comparison(self.before, self.after, white_space=False)

    @cached_property
    def blank_lines(self) -> WhiteSpace:
        """How many lines `without_white_space` leaves out, by what they differ in."""
        if not any(hunk.before for hunk in self.hunks) or not any(h.after for h in self.hunks):
            return NONE
        other = self.without_white_space
        found = list(other.blank_pairs(range(len(self.old)), range(len(self.new))))
        ends = sum(_bare(self.old[i]) == _bare(self.new[j]) for i, j in found)
        return WhiteSpace(blanks=len(found) - ends, line_ends=ends)

    def blank_pairs(self, old: range, new: range) -> Iterator[tuple[int, int]]:
        """Yield the lines of some places that stand for each other and are not the same bytes."""
        for before, after in self._kept():
            first = max(before.start, old.start, new.start - after.start + before.start)
            end = min(before.stop, old.stop, new.stop - after.start + before.start)
            shift = after.start - before.start
            if first < end and self.old[first:end] != self.new[first + shift : end + shift]:
                places = range(first, end)
                yield from ((i, i + shift) for i in places if self.old[i] != self.new[i + shift])

    def _kept(self) -> Iterator[tuple[range, range]]:
        """Yield the lines between the hunks, of both sides."""
        top = left = 0
        for hunk in self.hunks:
            yield range(top, hunk.before_start), range(left, hunk.after_start)
            top, left = hunk.before_end, hunk.after_end
        yield range(top, len(self.old)), range(left, len(self.new))

    @cached_property
    def moves(self) -> tuple[MovedBlock, ...]:
        """The blocks of lines that are only somewhere else."""
        if self.before is None or self.after is None:
            return ()
        return moves(as_utf8(self.before), as_utf8(self.after), self.hunks)

    def head(self, path: str, number: int) -> str:
        """Return which function or section a hunk is in; nothing where that is on the screen."""
        if path not in self._heads:
            sides = (None if side is None else as_utf8(side) for side in (self.before, self.after))
            self._heads[path] = HunkHeads(path, *sides)
        hunk = self.hunks[number - 1]
        found = self._heads[path](hunk, max(hunk.before_start - CONTEXT, 0))
        return visible(found.decode("utf-8", "surrogateescape"))

    @cached_property
    def plain_returns(self) -> bool:
        r"""True where every line of both sides ends in `\r\n`: then it is no news."""
        sides = [as_utf8(side) for side in (self.before, self.after) if side]
        return all(side.count(CRLF) == side.count(LF) > 0 for side in sides)

    def shown(self, line: bytes, *, start: int = 0) -> str:
        """Return a line without its end and with everything hidden written out.

        Of a long line a window is shown, from `start` on; what is left out is counted.
        """
        return self.window(line, start=start).text

    def window(self, line: bytes, *, start: int = 0, size: int = LONGEST) -> LineWindow:
        """Return a line as far as it is shown at once."""
        text = self._text(line)
        rest = len(text) - start - size
        cut = visible(text[start : start + size] if rest > 0 or start else text)
        before = f"{OPEN}{start:,} identical characters before{CLOSE}" if start else ""
        more = f"{OPEN}{rest:,} more characters{CLOSE}" if rest > 0 else ""
        missing = "" if line.endswith(LF) else f"{OPEN}no newline at end of file{CLOSE}"
        return LineWindow(
            text=before + cut + more + missing,
            upto=min(start + size, len(text)),
            length=len(text),
        )

    def piece(self, line: bytes, some: range) -> str:
        """Return some characters of a line, with everything hidden written out."""
        return visible(self._text(line)[some.start : some.stop])

    def length(self, line: bytes) -> int:
        """Return how many characters a line has, its end aside."""
        return len(self._text(line))

    def _text(self, line: bytes) -> str:
        bare = line.removesuffix(CRLF) if self.plain_returns else line
        return bare.removesuffix(LF).decode("utf-8", "surrogateescape")

    def pair(self, old: int, new: int) -> tuple[LineWindow, LineWindow]:
        """Return two lines that stand for each other; long ones from where they differ."""
        a, b = self.old[old], self.new[new]
        if max(len(a), len(b)) <= LONGEST:
            return self.window(a), self.window(b)
        left, right = self._text(a), self._text(b)
        at = first_difference(left, right)
        start = at - LEAD if at > LONGEST - LEAD else 0
        return self.window(a, start=start), self.window(b, start=start)

    def partner(self, number: int, *, old: int | None = None, new: int | None = None) -> int | None:
        """Return the line that stands for one of the other side in a hunk, by their places."""
        hunk = self.hunks[number - 1]
        gone, came = len(hunk.before), len(hunk.after)
        if gone * came > words.MOST_PAIRS:
            shift = hunk.after_start - hunk.before_start
            there = old + shift if old is not None else (new or 0) - shift
            return there if gone == came else None
        there_of, here_of = self._partners(number, hunk)
        return there_of.get(old) if old is not None else here_of.get(new or 0)

    def _partners(self, number: int, hunk: Hunk) -> tuple[Pairs, Pairs]:
        if number not in self._known:
            old = [self.shown(line) for line in self.old[hunk.before_start : hunk.before_end]]
            new = [self.shown(line) for line in self.new[hunk.after_start : hunk.after_end]]
            found = words.partners(old, new).items()
            there = {hunk.before_start + i: hunk.after_start + j for i, j in found}
            self._known[number] = there, {j: i for i, j in there.items()}
        return self._known[number]


def _bare(line: bytes) -> bytes:
    return line.removesuffix(LF).removesuffix(b"\r")
