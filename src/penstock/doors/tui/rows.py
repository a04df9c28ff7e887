"""A proposal as rows: what is known of it, what would be lost, then every hunk with its context.

A sheet keeps blocks of rows and makes a single row when somebody asks for it, so that a diff of a
million lines costs no more to look at than one of ten. How a row looks is `view.py`'s.
Always true: each line of every hunk has its row, and a text that a terminal would swallow or obey
is written out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate, takewhile
from operator import eq

from penstock.core.diff import hunks as hunks_of
from penstock.core.display import visible
from penstock.core.lineends import split
from penstock.core.model import Hunk

CONTEXT = 3
SHOWN_LOST = 40
TAB = "\u21e5"  # written for a tab; a real one of these is written out
TAB_STOP = 4
LONGEST_COMPARED = 2000  # characters of a line whose differing part is marked
ALIKE = 0.3  # the part of two lines that must be the same to mark the rest
NO_END = "(no line end at the end of the file)"


class Kind(StrEnum):
    """What a row is."""

    TITLE = "title"
    FACT = "fact"
    WARNING = "warning"
    HEADING = "heading"
    LOST = "lost"
    HUNK = "hunk"
    GAP = "gap"
    SAME = "same"
    GONE = "gone"
    NEW = "new"
    PAIR = "pair"


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """One line of a file: its number and its text, nothing hidden in it."""

    number: int
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One row: words of ours in `text`, or lines of the file before and after."""

    kind: Kind
    text: str = ""
    before: Side | None = None
    after: Side | None = None
    hunk: int = 0
    other: str = ""  # the line that this one takes the place of, or that takes its place

    @property
    def words(self) -> str:
        """Everything that can be searched for."""
        sides = [side.text for side in (self.before, self.after) if side]
        return " ".join([self.text, *sides])


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """Rows of one kind: `texts` of ours, or so many lines from `before` and from `after` on.

    `others` and `others_count` say where the lines of the other side are that they stand against.
    """

    kind: Kind
    texts: tuple[str, ...] = ()
    before: int = 0
    before_count: int = 0
    after: int = 0
    after_count: int = 0
    hunk: int = 0
    others: int = 0
    others_count: int = 0

    @property
    def count(self) -> int:
        """How many rows it has."""
        return len(self.texts) or max(self.before_count, self.after_count)


@dataclass(frozen=True)
class Sheet:
    """All rows of one proposal, made one by one."""

    blocks: Sequence[Block]
    old: Sequence[bytes] = ()
    new: Sequence[bytes] = ()
    plain_returns: bool = True
    hunks: int = 0
    starts: Sequence[int] = field(init=False)

    def __post_init__(self) -> None:
        starts = accumulate((block.count for block in self.blocks), initial=0)
        object.__setattr__(self, "starts", tuple(starts))

    def __len__(self) -> int:
        return self.starts[-1]

    def row(self, at: int) -> Row:
        """Return one row, 0 is the first."""
        number = bisect_right(self.starts, at) - 1
        block = self.blocks[number]
        offset = at - self.starts[number]
        if block.texts:
            return Row(kind=block.kind, text=block.texts[offset], hunk=block.hunk)
        return Row(
            kind=block.kind,
            before=self._side(self.old, block.before, block.before_count, offset),
            after=self._side(self.new, block.after, block.after_count, offset),
            hunk=block.hunk,
            other=self._other(block, offset),
        )

    def _other(self, block: Block, offset: int) -> str:
        lines = self.new if block.kind is Kind.GONE else self.old
        found = self._side(lines, block.others, block.others_count, offset)
        return found.text if found else ""

    def _side(self, lines: Sequence[bytes], start: int, count: int, offset: int) -> Side | None:
        if offset >= count:
            return None
        line = lines[start + offset]
        return Side(number=start + offset + 1, text=shown(line, plain_returns=self.plain_returns))

    def hunk_at(self, at: int) -> int:
        """Return the number of the hunk that a row belongs to, 0 for none."""
        return self.blocks[bisect_right(self.starts, at) - 1].hunk

    def hunk_rows(self) -> list[int]:
        """Return the row of each hunk's heading, in order."""
        return [
            start
            for start, block in zip(self.starts, self.blocks, strict=False)
            if block.kind is Kind.HUNK
        ]

    def find(self, text: str, start: int, *, back: bool = False) -> int | None:
        """Return the next row after `start` that has a text, going round once; None without one."""
        wanted, total = text.casefold(), len(self)
        step = -1 if back else 1
        order = ((start + step * away) % total for away in range(1, total + 1))
        return next((at for at in order if wanted in self.row(at).words.casefold()), None)


def shown(line: bytes, *, plain_returns: bool = True) -> str:
    """Return a line as it is shown; two lines that differ are shown differently."""
    end = b"\r\n" if plain_returns and line.endswith(b"\r\n") else b"\n"
    text = visible(line.removesuffix(end).decode("utf-8", "surrogateescape"))
    if TAB in text:
        text = text.replace(TAB, f"⟦U+{ord(TAB):04X}⟧")
    return _tabs(text) if "\t" in text else text


def _tabs(text: str) -> str:
    made = ""
    for part in text.split("\t"):
        made += part
        made += TAB + " " * (TAB_STOP - 1 - len(made) % TAB_STOP)
    return made[: made.rindex(TAB)]


def differing(text: str, other: str) -> tuple[int, int]:
    """Return which part of a line differs from another, nothing where too little is the same.

    What is before and after the part is the same in both.
    """
    most = min(len(text), len(other))
    if not most or max(len(text), len(other)) > LONGEST_COMPARED:
        return 0, 0
    start = _same_start(text, other)
    end = _same_start(text[start:][::-1], other[start:][::-1])
    if start + end < most * ALIKE:
        return 0, 0
    return start, len(text) - end


def _same_start(text: str, other: str) -> int:
    return sum(takewhile(bool, map(eq, text, other)))


def numbered(content: bytes) -> Sheet:
    """Return a file as it is, with its line numbers."""
    lines = split(content)
    block = Block(kind=Kind.SAME, before_count=len(lines))
    return Sheet([block], old=lines, plain_returns=_plain_returns(lines))


def sheet(
    facts: Sequence[Block], before: bytes | None, after: bytes | None, *, sides: bool = False
) -> Sheet:
    """Return what is known, what would be lost, and the diff; `sides` puts it side by side."""
    old, new = split(before or b""), split(after or b"")
    binary = b"\0" in (before or b"") or b"\0" in (after or b"")
    found = () if binary or before == after else hunks_of(before or b"", after or b"")
    blocks = [*facts, *_lost(found)]
    if binary:
        blocks.append(
            _said(
                Kind.GAP, f"not text: {len(before or b'')} bytes before, {len(after or b'')} after"
            )
        )
    elif not found:
        blocks.append(_said(Kind.GAP, "not a single line changes"))
    blocks += _body(found, len(old), sides=sides)
    blocks += _ends(before, after) if found else ()
    return Sheet(
        blocks, old=old, new=new, plain_returns=_plain_returns((*old, *new)), hunks=len(found)
    )


def _said(kind: Kind, *texts: str) -> Block:
    return Block(kind=kind, texts=texts)


def _plain_returns(lines: Sequence[bytes]) -> bool:
    """Returns that end every line alike are no news; where only some have them they are shown."""
    ended = sum(line.endswith(b"\n") for line in lines)
    return sum(line.endswith(b"\r\n") for line in lines) in (0, ended)


def _lost(found: Sequence[Hunk]) -> Iterator[Block]:
    """Yield the lines that would be lost, before anything else."""
    gone = [hunk for hunk in found if hunk.before_end > hunk.before_start]
    if not gone:
        return
    total = sum(hunk.before_end - hunk.before_start for hunk in gone)
    yield _said(Kind.HEADING, f"LINES THAT WOULD BE LOST: {total}")
    left = SHOWN_LOST
    for hunk in gone:
        count = min(left, hunk.before_end - hunk.before_start)
        left -= count
        if count:
            yield Block(kind=Kind.LOST, before=hunk.before_start, before_count=count)
    if total > SHOWN_LOST:
        yield _said(Kind.HEADING, f"... {total - SHOWN_LOST} more, all of them in the diff below")


def _body(found: Sequence[Hunk], rows: int, *, sides: bool) -> Iterator[Block]:
    at = 0
    for number, hunk in enumerate(found, 1):
        following = found[number].before_start if number < len(found) else rows
        top = max(at, hunk.before_start - CONTEXT)
        if top > at:
            yield _said(Kind.GAP, f"... {top - at} lines that stay")
        yield from _same(top, hunk.before_start, hunk.after_start - (hunk.before_start - top))
        yield Block(kind=Kind.HUNK, texts=(_heading(number, len(found), hunk),), hunk=number)
        yield from _changed(hunk, number, sides=sides)
        at = min(hunk.before_end + CONTEXT, following)
        yield from _same(hunk.before_end, at, hunk.after_end)
    if found and at < rows:
        yield _said(Kind.GAP, f"... {rows - at} lines that stay")


def _heading(number: int, total: int, hunk: Hunk) -> str:
    gone, new = hunk.before_end - hunk.before_start, hunk.after_end - hunk.after_start
    return f"hunk {number} of {total}, line {hunk.before_start + 1}: -{gone} +{new}"


def _same(start: int, end: int, after: int) -> Iterator[Block]:
    if end > start:
        count = end - start
        yield Block(
            kind=Kind.SAME, before=start, before_count=count, after=after, after_count=count
        )


def _changed(hunk: Hunk, number: int, *, sides: bool) -> Iterator[Block]:
    gone, new = hunk.before_end - hunk.before_start, hunk.after_end - hunk.after_start
    if sides:
        yield Block(
            kind=Kind.PAIR,
            before=hunk.before_start,
            before_count=gone,
            after=hunk.after_start,
            after_count=new,
            hunk=number,
        )
        return
    if gone:
        yield Block(
            kind=Kind.GONE,
            before=hunk.before_start,
            before_count=gone,
            hunk=number,
            others=hunk.after_start,
            others_count=new,
        )
    if new:
        yield Block(
            kind=Kind.NEW,
            after=hunk.after_start,
            after_count=new,
            hunk=number,
            others=hunk.before_start,
            others_count=gone,
        )


def _ends(before: bytes | None, after: bytes | None) -> Iterable[Block]:
    """Yield a row where one of the sides has no line end at its end: else nobody sees it."""
    for word, content in (("before", before), ("after", after)):
        if content and not content.endswith(b"\n"):
            yield _said(Kind.GAP, f"{word}: {NO_END}")
