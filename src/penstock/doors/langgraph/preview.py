r"""A unified diff for people, also of files that are too large to be held.

Lines that differ only in `\r\n` or `\n` are the same here. Small contents go through the core's
own diff. Of large ones, only a number for each line is held; the lines themselves are read
again when they are written out.
Always true: what comes out is a standard unified diff; of a large file it is cut at a bound, and
its last line then says how much is hidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from penstock.core.align_pairs import pairs
from penstock.core.diff import unified
from penstock.core.display import spoken
from penstock.core.lines import blocks, differing, feeds_between, numbers, read_exactly
from penstock.core.model import Bytes, Hunk, Source
from penstock.doors.langgraph.progress import Tell

LARGE = 10 * 1024 * 1024
MOST_SHOWN = 4 * 1024 * 1024  # bytes of a diff of large contents
LONGEST_LINE = 10_000
NO_END = "\\ No newline at end of file\n"


@dataclass(frozen=True, slots=True)
class Ascii:
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
        return "".join(_cut(_Large(before or Bytes(b""), after, context, told).lines(*head)))
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
        open_end = old.size > 0 and old.read(old.size - 1, 1) != b"\n"
        self.rows = self.above + feeds_between(old, self.span.start, old.size) + open_end

    def lines(self, was: str, now: str) -> Iterator[str]:
        """Yield the diff line by line."""
        old, new = _Reader(self.old), _Reader(self.new)
        for number, group in enumerate(self._groups(self._hunks())):
            if number == 0:
                yield f"--- {was}\n"
                yield f"+++ {now}\n"
            yield from self._group(group, old, new)

    def _hunks(self) -> Iterator[Hunk]:
        """Yield the runs of changed lines, numbered from the top of each content."""
        span, total = self.span, self.old.size + self.new.size
        a = numbers(self.old, span.start, span.before_end, pairs=True)
        self.told(self.old.size, total)
        b = numbers(self.new, span.start, span.after_end, pairs=True)
        found = pairs(a, b)
        self.told(total, total)
        top = left = 0
        for bottom, right in chain(zip(found.a, found.b, strict=True), ((len(a), len(b)),)):
            if bottom > top or right > left:
                yield Hunk(
                    before_start=top + self.above,
                    before_end=bottom + self.above,
                    after_start=left + self.above,
                    after_end=right + self.above,
                )
            top, left = bottom + 1, right + 1

    def _groups(self, found: Iterator[Hunk]) -> Iterator[list[Hunk]]:
        """Yield hunks together whose context would touch."""
        group: list[Hunk] = []
        for hunk in found:
            if group and hunk.before_start - group[-1].before_end > 2 * self.context:
                yield group
                group = []
            group.append(hunk)
        if group:
            yield group

    def _group(self, group: Sequence[Hunk], old: _Reader, new: _Reader) -> Iterator[str]:
        first, last = group[0], group[-1]
        top = max(first.before_start - self.context, 0)
        bottom = min(last.before_end + self.context, self.rows)
        # Context is the same on both sides, so the new side begins and ends as many lines away.
        left = first.after_start - (first.before_start - top)
        right = last.after_end + (bottom - last.before_end)
        yield f"@@ -{_range(top, bottom - top)} +{_range(left, right - left)} @@\n"
        for hunk in group:
            yield from _signed(" ", old.take(top, hunk.before_start))
            yield from _signed("-", old.take(hunk.before_start, hunk.before_end))
            yield from _signed("+", new.take(hunk.after_start, hunk.after_end))
            top = hunk.before_end
        yield from _signed(" ", old.take(top, bottom))


class _Reader:
    """Reads a content's lines by number, always further down."""

    def __init__(self, source: Source) -> None:
        self.lines = _lines(source)
        self.at = 0

    def take(self, start: int, end: int) -> Iterator[bytes]:
        """Yield the lines from `start` to `end`, as far as there are any."""
        for _ in islice(self.lines, max(start - self.at, 0)):
            pass
        self.at = max(start, self.at)
        for line in islice(self.lines, max(end - self.at, 0)):
            self.at += 1
            yield line


def _lines(source: Source) -> Iterator[bytes]:
    """Yield the lines with their ends; of a very long one only its beginning is held."""
    rest = b""
    for block in blocks(source, 0, source.size):
        whole = (rest + block).split(b"\n")
        rest = whole.pop()[: LONGEST_LINE + 1]
        for line in whole:
            yield line + b"\n"
    if rest:
        yield rest


def _signed(sign: str, lines: Iterator[bytes]) -> Iterator[str]:
    for line in lines:
        text = line.decode("utf-8", "backslashreplace")
        if len(text) > LONGEST_LINE:
            text = f"{text[:LONGEST_LINE]}... (the line goes on)\n"
        yield sign + text if text.endswith("\n") else f"{sign}{text}\n{NO_END}"


def _range(start: int, count: int) -> str:
    """Return a range as a heading has it: an empty one is named by the line before it."""
    return f"{start + 1}" if count == 1 else f"{start + (count > 0)},{count}"


def _cut(pieces: Iterator[str]) -> Iterator[str]:
    """Yield pieces up to a bound, then how many there are beyond it."""
    room = MOST_SHOWN
    for piece in pieces:
        room -= len(piece)
        if room < 0:
            yield f"... {1 + sum(1 for _ in pieces):,} more lines hidden\n"
            return
        yield piece
