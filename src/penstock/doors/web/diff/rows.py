"""The diff as rows of a page: unified or side by side, one page of it at a time.

`comparison` has the lines and hunks, `core.diff.rows` which rows there are; here they get line
numbers, changed words and colours. Which page, and what is approved, is the views' business.
Always true: every changed line is on exactly one page, and a page says how many rows there are
in all; text reaches the page only through `markup`, which escapes it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, groupby, zip_longest

from markupsafe import Markup
from msgspec import Struct

from penstock.core.diff import words
from penstock.core.diff.coverage import AFTER, BEFORE
from penstock.core.diff.expansion import CLOSED, Expansion
from penstock.core.diff.rows import Block, Kind, blocks, removed
from penstock.doors.web.diff.comparison import LONGEST, Comparison, LineWindow
from penstock.doors.web.diff.markup import Colours, Ranges, markup
from penstock.doors.web.diff.options import View

PAGE = 400
WORTH_HIDING = 4  # lines that stay; fewer are shown
OLD = (Kind.SAME, Kind.GONE, Kind.PAIR)  # rows that show a line of that side
NEW = (Kind.NEW, Kind.PAIR)
SHOWS_OLD = (*OLD, Kind.GAP)
SHOWS_NEW = (*NEW, Kind.SAME, Kind.GAP)
CHANGED = (Kind.GONE, Kind.NEW, Kind.PAIR)
NOTHING = Markup()


class Cell(Struct, frozen=True, kw_only=True):
    """One line of one side, shown up to a character, of how many it has."""

    number: int
    html: Markup
    upto: int
    length: int

    @property
    def rest(self) -> int:
        """How many characters of it are not shown here."""
        return self.length - self.upto


class PageRow(Struct, frozen=True, kw_only=True):
    """One row. `count` is what a gap leaves out; a head speaks of hunk number `hunk`.

    `blanks` counts lines shown or left out as the same that differ in white space; `name` is the
    function or section that a hunk is in.
    """

    kind: Kind
    before: Cell | None = None
    after: Cell | None = None
    hunk: int = 0
    count: int = 0
    gone: int = 0
    new: int = 0
    line: int = 0
    gap: int = 0
    blanks: int = 0
    name: Markup = NOTHING


class Page(Struct, frozen=True, kw_only=True):
    """A page of rows: those from `first` to `last` (counted from 1) of `total`."""

    rows: tuple[PageRow, ...]
    first: int
    last: int
    total: int
    number: int
    pages: int

    @property
    def hunks(self) -> tuple[int, ...]:
        """The hunks whose heads are on this page."""
        return tuple(row.hunk for row in self.rows if row.kind is Kind.HEAD)

    @property
    def runs(self) -> tuple[tuple[Kind, tuple[PageRow, ...]], ...]:
        """The rows, those of one kind that follow each other together."""
        return tuple((kind, tuple(some)) for kind, some in groupby(self.rows, lambda row: row.kind))

    @property
    def marks(self) -> Iterator[tuple[str, int, int, int]]:
        """What of the change is on this page: side, line from 0, up to which character, of all."""
        for row in self.rows:
            if row.kind in CHANGED:
                for side, cell in ((BEFORE, row.before), (AFTER, row.after)):
                    if cell is not None:
                        yield side, cell.number - 1, cell.upto, cell.length


class RowPlace(Struct, frozen=True, kw_only=True):
    """Where a line is: on which page, and in which gap where it is left out."""

    page: int
    gap: int


class Pager:
    """Cuts a diff into pages; lines are only looked at for the page that is asked for."""

    def __init__(
        self, compared: Comparison, view: View = View.UNIFIED, opened: Expansion = CLOSED
    ) -> None:
        self.compared = compared
        sides, lines = view is View.SPLIT, len(compared.old)
        found = blocks(compared.hunks, lines, sides=sides, worth_hiding=WORTH_HIDING, opened=opened)
        self.blocks = tuple(removed(found) if view is View.REMOVED else found)
        self.starts = tuple(accumulate(map(len, self.blocks), initial=0))
        self.total = self.starts[-1]
        self.pages = max(1, -(-self.total // PAGE))

    def lines(self, number: int) -> tuple[list[int], list[int]]:
        """Return which lines of each side a page shows, for colouring them."""
        parts = list(self._parts(number))
        return (
            [at for part in parts if part.kind in OLD for at in part.before],
            [at for part in parts if part.kind in NEW for at in part.after],
        )

    def place(self, side: str, line: int) -> RowPlace | None:
        """Return where a line is, counted from 0; None where there is none."""
        for block, start in zip(self.blocks, self.starts, strict=False):
            lines = block.before if side == BEFORE else block.after
            if line in lines and block.kind in (SHOWS_OLD if side == BEFORE else SHOWS_NEW):
                row = start + (0 if block.kind is Kind.GAP else lines.index(line))
                return RowPlace(page=row // PAGE + 1, gap=block.gap)
        return None

    def page(
        self,
        number: int,
        *,
        old: Colours | None = None,
        new: Colours | None = None,
        path: str = "",
    ) -> Page:
        """Return one page, counted from 1; a number beyond the last is the last."""
        number = min(max(number, 1), self.pages)
        rows = _Rows(self.compared, old or {}, new or {}, path)
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
        at = bisect_right(self.starts, first) - 1
        for block, start in zip(self.blocks[at:], self.starts[at:], strict=False):
            if start >= end:
                return
            yield block.part(max(first - start, 0), end - start)


class _Rows:
    """Makes the rows of a page."""

    def __init__(self, compared: Comparison, old: Colours, new: Colours, path: str) -> None:
        self.compared = compared
        self.old, self.new = old, new
        self.path = path

    def of(self, block: Block) -> Iterator[PageRow]:
        """Yield the rows of one block."""
        if block.kind is Kind.GAP:
            yield self._gap(block)
        elif block.kind is Kind.HEAD:
            yield self._head(block)
        elif block.kind is Kind.SAME:
            yield from map(self._same, block.before, block.after)
        else:
            gone = block.before if block.kind in OLD else ()
            came = block.after if block.kind in NEW else ()
            for before, after in zip_longest(gone, came):
                yield PageRow(
                    kind=block.kind,
                    before=None if before is None else self._gone(before, block.hunk),
                    after=None if after is None else self._came(after, block.hunk),
                )

    def _gap(self, block: Block) -> PageRow:
        blanks = () if self.compared.white_space else self._blanks(block.before, block.after)
        return PageRow(
            kind=Kind.GAP,
            count=len(block.before),
            line=block.before[0] + 1,
            gap=block.gap,
            blanks=sum(1 for _ in blanks),
        )

    def _blanks(self, old: range, new: range) -> Iterator[tuple[int, int]]:
        return self.compared.blank_pairs(old, new)

    def _head(self, block: Block) -> PageRow:
        first = block.before or block.after
        return PageRow(
            kind=Kind.HEAD,
            hunk=block.hunk,
            line=first[0] + 1,
            gone=len(block.before),
            new=len(block.after),
            name=markup(self.compared.head(self.path, block.hunk)) if self.path else NOTHING,
        )

    def _same(self, before: int, after: int) -> PageRow:
        old, new = self.compared.old[before], self.compared.new[after]
        seen = self.compared.window(old)
        html = markup(seen.text, colours=self.old.get(before, ()))
        left, right = _cell(before, seen, html), _cell(after, seen, html)
        if old != new:  # only where white space does not count
            right = self._plain(after, self.compared.window(new), {})
        return PageRow(kind=Kind.SAME, before=left, after=right, blanks=int(old != new))

    def _gone(self, at: int, hunk: int) -> Cell:
        partner = self.compared.partner(hunk, old=at)
        if partner is None:
            return self._plain(at, self.compared.window(self.compared.old[at]), self.old)
        seen, other = self.compared.pair(at, partner)
        marks = words.changed(seen.text, other.text)[0]
        return self._marked(at, seen, marks, "del", self.old)

    def _came(self, at: int, hunk: int) -> Cell:
        partner = self.compared.partner(hunk, new=at)
        if partner is None:
            return self._plain(at, self.compared.window(self.compared.new[at]), self.new)
        other, seen = self.compared.pair(partner, at)
        marks = words.changed(other.text, seen.text)[1]
        return self._marked(at, seen, marks, "ins", self.new)

    def _plain(self, at: int, seen: LineWindow, colours: Colours) -> Cell:
        return self._marked(at, seen, (), "", colours)

    def _marked(self, at: int, seen: LineWindow, marks: Ranges, tag: str, colours: Colours) -> Cell:
        # The colours of a long line belong to its beginning, which is perhaps not shown.
        spans = colours.get(at, ()) if len(seen.text) <= LONGEST else ()
        return _cell(at, seen, markup(seen.text, marks, tag, spans))


def _cell(at: int, seen: LineWindow, html: Markup) -> Cell:
    return Cell(number=at + 1, html=html, upto=seen.upto, length=seen.length)
