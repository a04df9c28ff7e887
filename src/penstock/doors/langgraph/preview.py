r"""A unified diff for people, also of files that are too large to be held.

Lines that differ only in `\r\n` or `\n` are the same here. Small contents go through the core's
own diff. Of large ones, only a number for each line is held; the lines themselves are read
again when they are written out.
Always true: what comes out is a standard unified diff; of a large file it is cut at a bound, and
its last line then says how much is hidden. How far comparing has come is said of large files only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from typing import NamedTuple

from msgspec import Struct

from penstock.core.diff.hunks import moved, unified
from penstock.core.model import Bytes, Hunk, Source
from penstock.core.text.display import spoken
from penstock.core.text.lines import blocks, differing, feeds_between, numbers, read_exactly
from penstock.core.text.quantities import counted
from penstock.doors.langgraph import large_diff

LARGE = 10 * 1024 * 1024
MOST_SHOWN = 4 * 1024 * 1024  # bytes of a diff of large contents
MOST_TOGETHER = 10_000  # hunks under one heading
LONGEST_LINE = 10_000
NO_END = "\\ No newline at end of file\n"
Tell = Callable[[int, int], None]


class Ascii(Struct, frozen=True):
    """A Source over text that is all ASCII, so that it need not be held a second time."""

    text: str

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return len(self.text)

    def read(self, offset: int, length: int) -> bytes:
        """Return up to `length` bytes from `offset`."""
        return self.text[offset : offset + length].encode("ascii")


def diff(
    before: Source | None,
    after: Source,
    *,
    path: str,
    context: int,
    told: Tell | None = None,
    large: int = LARGE,
) -> str:
    """Return the unified diff from one content to another; None stands for no file.

    Contents of more than `large` bytes are not held.
    """
    if max(after.size, before.size if before else 0) > large:
        head = (f"a/{spoken(path)}" if before else "/dev/null", f"b/{spoken(path)}")
        return "".join(_Large(before or Bytes(b""), after, context, told).lines(*head))
    old = None if before is None else read_exactly(before, 0, before.size)
    new = read_exactly(after, 0, after.size)
    made = unified(old, new, path=path, context=context, line_ends=False)
    return made.decode("utf-8", "backslashreplace")


class _Large:
    """Two contents that are not held; only what differs between their ends is looked at."""

    def __init__(self, old: Source, new: Source, context: int, told: Tell | None) -> None:
        self.old, self.new, self.context = old, new, max(context, 0)
        self.told = told or (lambda _done, _total: None)
        self.span = differing(old, new)
        self.above = feeds_between(old, 0, self.span.start)
        self.rows, self.columns = (self._count(side) for side in (old, new))

    def _count(self, side: Source) -> int:
        """Return how many lines a content has; one without its end counts."""
        open_end = side.size > 0 and side.read(side.size - 1, 1) != b"\n"
        return self.above + feeds_between(side, self.span.start, side.size) + open_end

    def lines(self, was: str, now: str) -> Iterator[str]:
        """Yield the diff line by line, up to a bound; then how much is not shown."""
        old, new, room = _Reader(self.old), _Reader(self.new), MOST_SHOWN
        for number, group in enumerate(self._groups(self._hunks())):
            head = (f"--- {was}\n", f"+++ {now}\n") if number == 0 else ()
            for piece in chain(head, self._group(group, old, new)):
                room -= len(piece)
                if room < 0:
                    yield f"... {counted(self.rows - old.at, 'more line')} of the file and "
                    yield f"{self.columns - new.at:,} of the new content hidden\n"
                    return
                yield piece

    def _hunks(self) -> Iterator[Hunk]:
        """Yield the runs of changed lines, numbered from the top of each content."""
        span, total = self.span, self.old.size + self.new.size
        a = numbers(self.old, span.start, span.before_end, pairs=True)
        self.told(self.old.size, total)
        b = numbers(self.new, span.start, span.after_end, pairs=True)
        self.told(total, total)
        for hunk in large_diff.hunks(a, b):
            yield moved(hunk, self.above, self.above)

    def _groups(self, found: Iterator[Hunk]) -> Iterator[_Group]:
        """Yield hunks together whose context would touch; a very long group is parted."""
        group: list[Hunk] = []
        above = self.context
        for hunk in found:
            apart = group and hunk.before_start - group[-1].before_end > 2 * self.context
            if apart or len(group) >= MOST_TOGETHER:
                below = self.context if apart else 0
                yield _Group(group, above, below)
                group, above = [], below
            group.append(hunk)
        if group:
            yield _Group(group, above, self.context)

    def _group(self, group: _Group, old: _Reader, new: _Reader) -> Iterator[str]:
        first, last = group.hunks[0], group.hunks[-1]
        top = max(first.before_start - group.above, 0)
        bottom = min(last.before_end + group.below, self.rows)
        # Context is the same on both sides, so the new side begins and ends as many lines away.
        left = first.after_start - (first.before_start - top)
        right = last.after_end + (bottom - last.before_end)
        yield f"@@ -{_range(top, bottom - top)} +{_range(left, right - left)} @@\n"
        for hunk in group.hunks:
            yield from _signed(" ", old.take(top, hunk.before_start))
            yield from _signed("-", old.take(hunk.before_start, hunk.before_end))
            yield from _signed("+", new.take(hunk.after_start, hunk.after_end))
            top = hunk.before_end
        yield from _signed(" ", old.take(top, bottom))


class _Group(NamedTuple):
    """Hunks under one heading, and how many lines of context are above and below them."""

    hunks: Sequence[Hunk]
    above: int
    below: int


class _Reader:
    """Reads a content's lines by number, always further down."""

    def __init__(self, source: Source) -> None:
        self.blocks = blocks(source, 0, source.size)
        self.block, self.place, self.at = b"", 0, 0

    def take(self, start: int, end: int) -> Iterator[bytes]:
        """Yield the lines from `start` to `end`, as far as there are any."""
        self._skip(start - self.at)
        while self.at < end and self._more():
            self.at += 1
            yield self._line()

    def _more(self) -> bool:
        """Say whether there is anything left to read."""
        if self.place == len(self.block):
            self.block, self.place = next(self.blocks, b""), 0
        return bool(self.block)

    def _skip(self, count: int) -> None:
        """Go down some lines, in blocks."""
        self.at += max(count, 0)
        while count > 0 and self._more():
            feeds = self.block.count(b"\n", self.place)
            if feeds < count:
                self.place = len(self.block)
            else:
                rest = self.block[self.place :].split(b"\n", count)[count]
                self.place = len(self.block) - len(rest)
            count -= feeds

    def _line(self) -> bytes:
        """Read one line with its end; of a very long one only the beginning is kept."""
        kept = b""
        while self._more():
            at = self.block.find(b"\n", self.place) + 1
            end = at or len(self.block)
            if len(kept) <= LONGEST_LINE:
                kept += self.block[self.place : end]
            self.place = end
            if at:
                break
        return kept


def _signed(sign: str, lines: Iterator[bytes]) -> Iterator[str]:
    for line in lines:
        text = line.decode("utf-8", "backslashreplace")
        if len(text) > LONGEST_LINE:
            text = f"{text[:LONGEST_LINE]}... (the line goes on)\n"
        yield sign + text if text.endswith("\n") else f"{sign}{text}\n{NO_END}"


def _range(start: int, count: int) -> str:
    """Return a range as a heading has it: an empty one is named by the line before it."""
    return f"{start + 1}" if count == 1 else f"{start + (count > 0)},{count}"


# --- how far it is ------------------------------------------------------------------------


@contextmanager
def comparing(name: str) -> Iterator[Tell]:
    """Say how far comparing one large file has come while the block does it.

    Which files are large is the core's to say: those of more than ten thousand lines. At a
    terminal one line is written over and over, elsewhere there is one when it begins and one
    when it ends.
    """
    telling = _ProgressLine(spoken(name))
    try:
        yield telling
    finally:
        telling.end()


class _ProgressLine:
    """Called with what is done and what is to do; says nothing until the first call."""

    def __init__(self, name: str) -> None:
        self.name, self.percent = name, -1
        self.in_place = False
        with suppress(AttributeError, ValueError):  # a program may have closed it
            self.in_place = sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        """Say how far it is, when that is news."""
        percent = min(100 * done // max(total, 1), 100)
        news = percent != self.percent if self.in_place else self.percent < 0
        self.percent = percent
        if news:
            self._say(f"comparing {self.name}, {percent} % of {total:,} bytes")

    def end(self) -> None:
        """Say that it is done, if anything was said."""
        if self.percent >= 0:
            self._say(f"comparing {self.name}, done" + ("\n" if self.in_place else ""))

    def _say(self, text: str) -> None:
        with suppress(AttributeError, OSError, ValueError):
            sys.stderr.write(f"\r\x1b[2K{text}" if self.in_place else f"{text}\n")
            sys.stderr.flush()
