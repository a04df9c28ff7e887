"""The pane that shows a sheet: only the rows in sight are ever made.

Which piece of a long line stands where is `line_breaks`'s. What is drawn is marked in a Coverage,
if there is one, when it is drawn; what that means is `core.diff.coverage`'s.
Always true: a row that goes on beyond the edge, or on the next line, says so with a mark; only the
characters that were drawn count as shown, and none that lie under a window; a hunk that is not
ticked looks different from one that is, without colour too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from penstock.core.diff.coverage import AFTER, BEFORE, Coverage
from penstock.core.diff.rows import Kind
from penstock.core.diff.words import changed
from penstock.doors.colours.child import Spans
from penstock.doors.tui.diff_rows import ScreenRow, Sheet, Side, TextRows, Tone
from penstock.doors.tui.line_breaks import (
    HEAD_MARK,
    PAIR_BETWEEN,
    Folding,
    cells,
    from_cell,
    half,
    margin,
    pieces,
)
from penstock.doors.tui.syntax import PLAIN, STYLES, SyntaxColours

EMPTY = Sheet([])
MORE = "›"
KEPT_ROWS = 4096
SIDEWAYS = 20  # columns of one key press
LOOKS: dict[str, Style] = {
    Tone.TITLE: Style(bold=True),
    Tone.FACT: Style(dim=True),
    Tone.WARNING: Style(bold=True, color="yellow"),
    Tone.DANGER: Style(bold=True, color="red", reverse=True),
    Tone.HEADING: Style(bold=True, color="red"),
    Tone.COMMENT: Style(bold=True, italic=True),
    Kind.HEAD: Style(bold=True, color="cyan"),
    Kind.GAP: Style(dim=True),
    Kind.SAME: Style(),
    Kind.GONE: Style(color="red"),
    Kind.NEW: Style(color="green"),
}
MARKED = Style(bold=True, underline=True)
DIM = Style(dim=True)
# Which rows show a line that changes, and of which side.
MARKS: dict[str, str] = {Kind.GONE: BEFORE, Kind.NEW: AFTER}
SIGNS: dict[str, str] = {Kind.GONE: "-", Kind.NEW: "+"}


class PaneCell(Struct, frozen=True, kw_only=True):
    """A text with what stands before it, in so many cells; `side` and `line` say which it is."""

    text: str
    room: int
    look: Style
    head: str = ""
    head_look: Style = DIM
    spans: tuple[tuple[int, int], ...] = ()  # in which it differs from the one it stands against
    side: str = ""
    line: int = 0
    pieces: tuple[range, ...] = ()  # empty where it is not folded
    colours: Spans = ()  # of syntax: how many characters, and their class

    def drawn(self, piece: int, left: int) -> range:
        """Return which characters are drawn on one line of the pane."""
        if self.pieces:
            return self.pieces[piece] if piece < len(self.pieces) else range(0)
        run = from_cell(self.text, left, self.room)
        return from_cell(self.text, left, self.room - 1) if run.stop < len(self.text) else run

    def strip(self, piece: int, left: int) -> Strip:
        """Return one line of it, as wide as it has room."""
        run = self.drawn(piece, left)
        first = not piece or not self.pieces
        head = self.head if first or not self.head else f"{MORE:>{len(self.head) - 1}} "
        made = Strip([Segment(head, self.head_look), *self._segments(run)])
        made = made.adjust_cell_length(len(self.head) + self.room)
        if self.pieces or run.stop >= len(self.text):
            return made
        # What is out of sight must not look as if it were not there.
        end = Strip([Segment(MORE, Style(reverse=True))], 1)
        return Strip.join([made.crop(0, made.cell_length - 1), end])

    def _segments(self, run: range) -> Iterator[Segment]:
        done = run.start
        for first, last in self.spans:
            start, end = max(first, done), min(last, run.stop)
            if start < end:
                yield from self._coloured(done, start, self.look)
                yield from self._coloured(start, end, self.look + MARKED)
                done = end
        yield from self._coloured(done, run.stop, self.look)

    def _coloured(self, start: int, end: int, look: Style) -> Iterator[Segment]:
        """Yield some characters, each run in the colour of its syntax."""
        at = 0
        for length, name in self.colours:
            first, last = max(at, start), min(at + length, end)
            if first < last:
                style = STYLES.get(name)
                yield Segment(self.text[first:last], look + style if style else look)
                start = last
            at += length
        if start < end:
            yield Segment(self.text[start:end], look)


class DiffView(ScrollView, can_focus=True):
    """One proposal, row by row. `ticked` are the hunks to keep; `mark` is a row to point at."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll_down", show=False),
        Binding("k,up", "scroll_up", show=False),
        Binding("g,home", "scroll_home", show=False),
        Binding("G,end", "scroll_end", show=False),
        Binding("J", "line(1)", show=False),
        Binding("K", "line(-1)", show=False),
        Binding("pagedown", "page_down", show=False),
        Binding("pageup,shift+space", "page_up", show=False),
        Binding("l,right", "sideways(1)", show=False),
        Binding("left", "sideways(-1)", show=False),
    ]

    class HunkChoice(Message):
        """The choice of hunks has changed."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - the library's name
        super().__init__(id=id)
        self.sheet = EMPTY
        self.coverage: Coverage | None = None
        self.syntax = PLAIN
        self.ticked: set[int] = set()
        self.at_hunk = 0
        self.mark: int | None = None
        self.fold = True
        self.folding = Folding(EMPTY, 1, fold=False)
        self._made: LRUCache[tuple[int, bool], tuple[PaneCell, ...]] = LRUCache(KEPT_ROWS)

    def show(self, sheet: Sheet, coverage: Coverage | None = None) -> None:
        """Show another sheet from its top; what is drawn of it is marked in `coverage`."""
        self.sheet, self.coverage, self.syntax = sheet, coverage, PLAIN
        self.ticked = set(range(1, sheet.hunks + 1))
        self.at_hunk, self.mark = 0, None
        self.lay_out()
        self.scroll_home(animate=False)
        self.refresh()

    def colour(self, syntax: SyntaxColours) -> None:
        """Draw the same sheet with colours: context in those of its syntax."""
        self.syntax = syntax
        self._made.clear()
        self.refresh()

    def lay_out(self) -> None:
        """Break the lines to the width that there is now."""
        width = self.scrollable_content_region.width
        self.folding = Folding(self.sheet, max(width, 1), fold=self.fold)
        self._made.clear()
        wide = width if self.folding.folds else self._widest()
        self.virtual_size = Size(wide, len(self.folding))

    def _widest(self) -> int:
        """Return how far one can go along; `_widen` adds what is longer than its bytes."""
        sheet = self.sheet
        longest = max((len(line) for line in (*sheet.old, *sheet.new)), default=0)
        texts = (block.texts for block in sheet.blocks if isinstance(block, TextRows))
        said = max((len(text) for some in texts for text in some), default=0)
        return max(longest + margin(self.folding.digits, pair=False), said)

    def on_resize(self, event: events.Resize) -> None:
        """Break the lines anew, the same row on top."""
        self._keep_place()

    def action_fold(self) -> None:
        """Break long lines, or cut them at the edge."""
        self.fold = not self.fold
        self._keep_place()

    def _keep_place(self) -> None:
        row = self.place
        self.lay_out()
        self.show_row(row)

    def show_row(self, row: int) -> None:
        """Bring a row to the top."""
        top = self.folding.line(row) if row < len(self.sheet) else 0
        self.scroll_to(0, top, animate=False, force=True)
        self.refresh()

    def go_to(self, row: int) -> None:
        """Bring a row into sight and point at it."""
        self.mark = row
        region = Region(0, self.folding.line(row), 1, 1)
        self.scroll_to_region(region, animate=False, force=True, x_axis=False)
        self.refresh()

    @property
    def place(self) -> int:
        """The row that was pointed at last, or the first in sight."""
        top = self.scroll_offset.y
        if not len(self.sheet):
            return 0
        if self.mark is not None and top <= self.folding.line(self.mark) < top + self.size.height:
            return self.mark
        return self.folding.place(min(top, len(self.folding) - 1))[0]

    def action_sideways(self, step: int) -> None:
        """Go along long lines."""
        self.scroll_relative(x=step * SIDEWAYS, animate=False)

    def action_line(self, step: int) -> None:
        """Point at the next line of the file, or at the one before."""
        at = self.place if self.mark is not None else self.place - (step > 0)
        at += step
        while 0 <= at < len(self.sheet) and not self.sheet.row(at).has_line:
            at += step
        if 0 <= at < len(self.sheet):
            self.at_hunk = self.sheet.hunk_at(at) or self.at_hunk
            self.go_to(at)

    def action_hunk(self, step: int) -> None:
        """Go to the next hunk, or to the one before."""
        rows = self.sheet.hunk_rows()
        if rows:
            self.at_hunk = min(max(self.at_hunk + step, 1), len(rows))
            self.go_to(rows[self.at_hunk - 1])

    def action_tick(self) -> None:
        """Take the hunk that is pointed at, or leave it out."""
        if not self.sheet.hunks or not self.sheet.selects:
            return
        if not self.at_hunk:
            self.action_hunk(1)
        self.ticked ^= {self.at_hunk}
        self.refresh()
        self.post_message(self.HunkChoice())

    # -- drawing ---------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Return one line of the pane, and mark what is on it."""
        width = self.scrollable_content_region.width  # beside the scrollbar
        if width != self.folding.width:
            self.lay_out()  # the pane has another size since a moment ago
        left, top = self.scroll_offset
        if top + y >= len(self.folding):
            return Strip.blank(width, self.rich_style)
        row, piece = self.folding.place(top + y)
        ticked = self._ticks_of(row)
        found = self._cells(row, ticked)
        self._show(found, piece, left)
        strips = [cell.strip(piece, left) for cell in found]
        between = Strip([Segment(PAIR_BETWEEN, DIM)])
        made = Strip.join([strips[0], *(part for one in strips[1:] for part in (between, one))])
        style = Style(reverse=row == self.mark, dim=not ticked)
        return (
            made.apply_style(style)
            .crop_extend(0, width, self.rich_style)
            .apply_style(self.rich_style)
        )

    def _show(self, found: tuple[PaneCell, ...], piece: int, left: int) -> None:
        """Mark what is drawn; a window over the pane hides it, and too narrow a pane cuts it."""
        fits = self.folding.fits(pair=len(found) > 1)
        if self.coverage is None or not fits or self.app.screen is not self.screen:
            return
        for cell in found:
            run, length = cell.drawn(piece, left), len(cell.text)
            if cell.side and (run or not length):
                self.coverage.show_piece(cell.side, cell.line, run.start, run.stop, length=length)

    def _ticks_of(self, at: int) -> bool:
        hunk = self.sheet.hunk_at(at)
        return not hunk or hunk in self.ticked

    def _cells(self, at: int, ticked: bool) -> tuple[PaneCell, ...]:
        key = at, ticked
        if key not in self._made:
            row = self.sheet.row(at)
            made = self._pair(row) if row.kind is Kind.PAIR else self._one(row, ticked)
            self._made[key] = tuple(made)
            self._widen(self._made[key])
        return self._made[key]

    def _widen(self, found: tuple[PaneCell, ...]) -> None:
        """Hidden characters that are written out make a line longer than its bytes are."""
        wide = max(len(cell.head) + sum(map(cells, cell.text)) for cell in found)
        if not self.folding.folds and wide > self.virtual_size.width:
            self.virtual_size = Size(wide, self.virtual_size.height)

    def _one(self, row: ScreenRow, ticked: bool) -> Iterable[PaneCell]:
        look = LOOKS[row.kind]
        side = row.before or row.after
        if side is None:
            head = (HEAD_MARK if ticked else "[ ] ") if row.kind is Kind.HEAD else ""
            yield self._cell(head + row.text, self.folding.width, look)
            return
        sign = SIGNS.get(row.kind, " ") if ticked else "="
        if row.kind is Kind.SAME and row.after and row.before and row.after.text != row.before.text:
            side, sign = row.after, "~"  # only where white space does not count
        head = f"{self._number(row.before)} {self._number(row.after)} {sign} "
        which = MARKS.get(row.kind, "")
        room = self.folding.room()
        cell = self._cell(side.text, room, look, head=head, other=row.other, side=which, of=side)
        if row.kind is Kind.SAME:  # what goes is red and what comes is green, whatever it is
            whose = AFTER if side is row.after else BEFORE
            cell = replace(cell, colours=self.syntax.of(whose, side.number - 1))
        yield cell

    def _pair(self, row: ScreenRow) -> Iterable[PaneCell]:
        """Side by side: each half as wide as the other."""
        old, new = row.before, row.after
        yield self._half(old, new, "-", LOOKS[Kind.GONE], BEFORE)
        yield self._half(new, old, "+", LOOKS[Kind.NEW], AFTER)

    def _half(
        self, side: Side | None, other: Side | None, sign: str, look: Style, which: str
    ) -> PaneCell:
        if side is None:
            return self._cell("", half(self.folding.width), look)
        head, text = f"{self._number(side)} {sign} ", other.text if other else ""
        room = self.folding.room(pair=True)
        return self._cell(side.text, room, look, head=head, other=text, side=which, of=side)

    def _cell(
        self,
        text: str,
        room: int,
        look: Style,
        *,
        head: str = "",
        other: str = "",
        side: str = "",
        of: Side | None = None,
    ) -> PaneCell:
        return PaneCell(
            text=text,
            room=room,
            look=look,
            head=head,
            spans=tuple(changed(text, other)[0]) if other else (),
            side=side,
            line=of.number - 1 if of else 0,
            pieces=tuple(pieces(text, room)) if self.folding.folds else (),
        )

    def _number(self, side: Side | None) -> str:
        return f"{side.number if side else '':>{self.folding.digits}}"
