"""The diff as rows of a page: unified or side by side, one page of it at a time.

`comparison` has the lines and hunks; here they become rows with line numbers, changed words and
colours. Which page, and what is approved, is the views' business.
Always true: every changed line is on exactly one page, and a page says how many rows there are
in all; text reaches the page only through `marking`, which escapes it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from markupsafe import Markup

from penstock.core.model import Hunk
from penstock.doors.web import words
from penstock.doors.web.comparison import LONGEST, Comparison
from penstock.doors.web.marking import Colours, Ranges, Spans, markup

PAGE = 400
CONTEXT = 3
WORTH_HIDING = 4


class View(StrEnum):
    """How the two sides stand to each other."""

    UNIFIED = "unified"
    SPLIT = "split"


class Kind(StrEnum):
    """What a row is."""

    GAP = "gap"
    HEAD = "head"
    SAME = "same"
    GONE = "gone"
    NEW = "new"
    PAIR = "pair"


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """One line of one side."""

    number: int
    html: Markup


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One row. `count` is what a gap leaves out; a head speaks of hunk number `hunk`."""

    kind: Kind
    before: Cell | None = None
    after: Cell | None = None
    hunk: int = 0
    count: int = 0
    gone: int = 0
    new: int = 0
    line: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """Some rows of one kind that follow each other, and where they begin on each side."""

    kind: Kind
    rows: int
    before: int
    after: int
    hunk: int = 0
    count: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A page of rows: those from `first` to `last` (counted from 1) of `total`."""

    rows: tuple[Row, ...]
    first: int
    last: int
    total: int
    number: int
    pages: int

    @property
    def hunks(self) -> tuple[int, ...]:
        """The hunks whose heads are on this page."""
        return tuple(row.hunk for row in self.rows if row.kind is Kind.HEAD)


def blocks(compared: Comparison, view: View, *, context: int = CONTEXT) -> list[Block]:
    """Return the whole diff as blocks, cheap however long it is."""
    found: list[Block] = []
    top = left = 0
    for number, hunk in enumerate(compared.hunks, 1):
        found += _between(top, left, hunk.before_start - top, context, first=number == 1)
        found += _changed(hunk, number, view)
        top, left = hunk.before_end, hunk.after_end
    found += _between(top, left, len(compared.old) - top, context, last=True)
    return [block for block in found if block.rows]


def _between(
    top: int, left: int, length: int, context: int, *, first: bool = False, last: bool = False
) -> Iterator[Block]:
    """Yield the lines that stay between two hunks: some of them, and how many are left out."""
    lead = 0 if first else min(context, length)
    tail = 0 if last else min(context, length - lead)
    hidden = length - lead - tail
    if hidden < WORTH_HIDING:
        lead, tail, hidden = length, 0, 0
    yield Block(kind=Kind.SAME, rows=lead, before=top, after=left)
    at = lead + hidden
    if hidden:
        yield Block(kind=Kind.GAP, rows=1, before=top + lead, after=left + lead, count=hidden)
    yield Block(kind=Kind.SAME, rows=tail, before=top + at, after=left + at)


def _changed(hunk: Hunk, number: int, view: View) -> Iterator[Block]:
    gone, new = hunk.before_end - hunk.before_start, hunk.after_end - hunk.after_start
    at = {"before": hunk.before_start, "after": hunk.after_start, "hunk": number}
    yield Block(kind=Kind.HEAD, rows=1, **at)
    if view is View.SPLIT:
        yield Block(kind=Kind.PAIR, rows=max(gone, new), **at)
    else:
        yield Block(kind=Kind.GONE, rows=gone, **at)
        yield Block(kind=Kind.NEW, rows=new, **at)


class Pager:
    """Cuts a diff into pages; lines are only looked at for the page that is asked for."""

    def __init__(
        self, compared: Comparison, view: View = View.UNIFIED, *, context: int = CONTEXT
    ) -> None:
        self.compared = compared
        self.blocks = blocks(compared, view, context=context)
        self.starts: list[int] = []
        self.total = 0
        for block in self.blocks:
            self.starts.append(self.total)
            self.total += block.rows
        self.pages = max(1, -(-self.total // PAGE))

    def lines(self, number: int) -> tuple[list[int], list[int]]:
        """Return which lines of each side a page shows, for colouring them."""
        old: list[int] = []
        new: list[int] = []
        for block in self._parts(number):
            if block.kind in (Kind.SAME, Kind.GONE, Kind.PAIR):
                old += range(block.before, block.before + block.rows)
            if block.kind in (Kind.NEW, Kind.PAIR):
                new += range(block.after, block.after + block.rows)
        # The longer side of a pair of lines goes beyond the end of the shorter.
        last_old, last_new = len(self.compared.old), len(self.compared.new)
        return [at for at in old if at < last_old], [at for at in new if at < last_new]

    def page(self, number: int, *, old: Colours | None = None, new: Colours | None = None) -> Page:
        """Return one page, counted from 1; a number beyond the last is the last."""
        number = min(max(number, 1), self.pages)
        rows = _Rows(self.compared, old or {}, new or {})
        shown = tuple(row for part in self._parts(number) for row in rows.of(part))
        first = (number - 1) * PAGE
        return Page(
            rows=shown,
            first=min(first + 1, self.total),
            last=first + len(shown),
            total=self.total,
            number=number,
            pages=self.pages,
        )

    def _parts(self, number: int) -> Iterator[Block]:
        """Yield the blocks of a page, cut to it."""
        number = min(max(number, 1), self.pages)
        first, end = (number - 1) * PAGE, min(number * PAGE, self.total)
        at = max(bisect_right(self.starts, first) - 1, 0)
        for block, start in zip(self.blocks[at:], self.starts[at:], strict=True):
            if start >= end:
                return
            skip = max(first - start, 0)
            yield _cut(block, skip, min(end - start, block.rows))


def _cut(block: Block, skip: int, stop: int) -> Block:
    return Block(
        kind=block.kind,
        rows=stop - skip,
        before=block.before + skip,
        after=block.after + skip,
        hunk=block.hunk,
        count=block.count,
    )


class _Rows:
    """Makes the rows of a page."""

    def __init__(self, compared: Comparison, old: Colours, new: Colours) -> None:
        self.compared = compared
        self.old, self.new = old, new

    def of(self, block: Block) -> Iterator[Row]:
        """Yield the rows of one block."""
        if block.kind is Kind.GAP:
            yield Row(kind=Kind.GAP, count=block.count, line=block.before + 1)
        elif block.kind is Kind.HEAD:
            yield self._head(block.hunk)
        else:
            yield from (self._row(block, at) for at in range(block.rows))

    def _head(self, number: int) -> Row:
        hunk = self.compared.hunks[number - 1]
        return Row(
            kind=Kind.HEAD,
            hunk=number,
            line=hunk.after_start + 1
            if hunk.before_start == hunk.before_end
            else 1 + hunk.before_start,
            gone=hunk.before_end - hunk.before_start,
            new=hunk.after_end - hunk.after_start,
        )

    def _row(self, block: Block, at: int) -> Row:
        before, after = block.before + at, block.after + at
        if block.kind is Kind.GONE:
            return Row(kind=Kind.GONE, before=self._gone(before, block.hunk))
        if block.kind is Kind.NEW:
            return Row(kind=Kind.NEW, after=self._came(after, block.hunk))
        if block.kind is Kind.SAME:
            html = self._plain(self.compared.old[before], self.old.get(before, ()))
            left, right = Cell(number=before + 1, html=html), Cell(number=after + 1, html=html)
            return Row(kind=Kind.SAME, before=left, after=right)
        hunk = self.compared.hunks[block.hunk - 1]
        return Row(
            kind=Kind.PAIR,
            before=self._gone(before, block.hunk) if before < hunk.before_end else None,
            after=self._came(after, block.hunk) if after < hunk.after_end else None,
        )

    def _gone(self, at: int, hunk: int) -> Cell:
        partner = self.compared.partner(hunk, old=at)
        if partner is None:
            return self._cell(at, self.compared.shown(self.compared.old[at]), (), "del", self.old)
        text, other = self.compared.pair(at, partner)
        return self._cell(at, text, words.changed(text, other)[0], "del", self.old)

    def _came(self, at: int, hunk: int) -> Cell:
        partner = self.compared.partner(hunk, new=at)
        if partner is None:
            return self._cell(at, self.compared.shown(self.compared.new[at]), (), "ins", self.new)
        other, text = self.compared.pair(partner, at)
        return self._cell(at, text, words.changed(other, text)[1], "ins", self.new)

    def _cell(self, at: int, text: str, marks: Ranges, tag: str, colours: Colours) -> Cell:
        # The colours of a long line belong to its beginning, which is perhaps not shown.
        spans = colours.get(at, ()) if len(text) <= LONGEST else ()
        return Cell(number=at + 1, html=markup(text, marks, tag, spans))

    def _plain(self, line: bytes, colours: Spans) -> Markup:
        return markup(self.compared.shown(line), colours=colours)
