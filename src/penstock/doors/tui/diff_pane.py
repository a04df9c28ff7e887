"""The pane that shows a sheet: only the rows in sight are ever made.

Always true: a row that goes on beyond the edge says so with a mark; a hunk that is not ticked
looks different from one that is, without colour too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from penstock.core.diff.rows import Kind
from penstock.core.diff.words import changed
from penstock.doors.tui.diff_rows import ScreenRow, Sheet, Side, TextRows, Tone

EMPTY = Sheet([])
MORE = "›"
KEPT_ROWS = 4096
SIDEWAYS = 20  # columns of one key press
LOOKS: dict[str, Style] = {
    Tone.TITLE: Style(bold=True),
    Tone.FACT: Style(dim=True),
    Tone.WARNING: Style(bold=True, color="yellow"),
    Tone.HEADING: Style(bold=True, color="red"),
    Kind.LOST: Style(color="red"),
    Kind.HEAD: Style(bold=True, color="cyan"),
    Kind.GAP: Style(dim=True),
    Kind.SAME: Style(),
    Kind.GONE: Style(color="red"),
    Kind.NEW: Style(color="green"),
}
MARKED = Style(bold=True, underline=True)
SIGNS: dict[str, str] = {Kind.LOST: "-", Kind.GONE: "-", Kind.NEW: "+"}


class DiffView(ScrollView, can_focus=True):
    """One proposal, row by row. `ticked` are the hunks to keep; `mark` is a row to point at."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll_down", show=False),
        Binding("k,up", "scroll_up", show=False),
        Binding("g,home", "scroll_home", show=False),
        Binding("G,end", "scroll_end", show=False),
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
        self.ticked: set[int] = set()
        self.at_hunk = 0
        self.mark: int | None = None
        self._digits = 1
        self._made: LRUCache[tuple[int, int, bool, bool], Strip] = LRUCache(KEPT_ROWS)

    def show(self, sheet: Sheet, *, keep_place: bool = False) -> None:
        """Show another sheet, from its top unless the place is kept."""
        self.sheet = sheet
        self.ticked = set(range(1, sheet.hunks + 1))
        self.at_hunk, self.mark = 0, None
        self._digits = len(str(max(len(sheet.old), len(sheet.new), 1)))
        self._made.clear()
        longest = max((len(line) for line in (*sheet.old, *sheet.new)), default=0)
        texts = (block.texts for block in sheet.blocks if isinstance(block, TextRows))
        said = max((len(text) for some in texts for text in some), default=0)
        self.virtual_size = Size(max(longest + self._margin(), said), len(sheet))
        if not keep_place:
            self.scroll_home(animate=False)
        self.refresh()

    def _margin(self) -> int:
        return 2 * self._digits + 5

    def go_to(self, row: int) -> None:
        """Bring a row into sight and point at it."""
        self.mark = row
        self.scroll_to_region(Region(0, row, 1, 1), animate=False, force=True, x_axis=False)
        self.refresh()

    @property
    def place(self) -> int:
        """The row that was pointed at last, or the first in sight."""
        top = self.scroll_offset.y
        seen = self.mark is not None and top <= self.mark < top + self.size.height
        return self.mark if self.mark is not None and seen else top

    def action_sideways(self, step: int) -> None:
        """Go along long lines."""
        self.scroll_relative(x=step * SIDEWAYS, animate=False)

    def action_hunk(self, step: int) -> None:
        """Go to the next hunk, or to the one before."""
        rows = self.sheet.hunk_rows()
        if rows:
            self.at_hunk = min(max(self.at_hunk + step, 1), len(rows))
            self.go_to(rows[self.at_hunk - 1])

    def action_tick(self) -> None:
        """Take the hunk that is pointed at, or leave it out."""
        if not self.sheet.hunks:
            return
        if not self.at_hunk:
            self.action_hunk(1)
        self.ticked ^= {self.at_hunk}
        self.refresh()
        self.post_message(self.HunkChoice())

    # -- drawing ---------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Return one line of the pane."""
        left, top = self.scroll_offset
        at, width = top + y, self.scrollable_content_region.width  # beside the scrollbar
        if at >= len(self.sheet):
            return Strip.blank(width, self.rich_style)
        made = self._row(at, width, at == self.mark, self._ticks_of(at))
        wide = made.cell_length
        if wide > self.virtual_size.width:
            self.virtual_size = Size(wide, self.virtual_size.height)
        strip = made.crop_extend(left, left + width, self.rich_style)
        if wide > left + width:  # what is out of sight must not look as if it were not there
            end = Strip([Segment(MORE, Style(reverse=True))], 1)
            strip = Strip.join([strip.crop(0, width - 1), end])
        return strip.apply_style(self.rich_style)

    def _ticks_of(self, at: int) -> bool:
        hunk = self.sheet.hunk_at(at)
        return not hunk or hunk in self.ticked

    def _row(self, at: int, width: int, marked: bool, ticked: bool) -> Strip:
        key = at, width, marked, ticked
        if key not in self._made:
            row = self.sheet.row(at)
            made = self._pair(row, width) if row.kind is Kind.PAIR else self._one(row, ticked)
            style = Style(reverse=marked, dim=not ticked)
            self._made[key] = Strip(made).apply_style(style)
        return self._made[key]

    def _one(self, row: ScreenRow, ticked: bool) -> Iterable[Segment]:
        look = LOOKS[row.kind]
        if row.kind is Kind.HEAD:
            yield Segment(f"[{'x' if ticked else ' '}] {row.text}", look)
        elif row.before is None and row.after is None:
            yield Segment(row.text, look)
        else:
            side = row.before or row.after
            assert side is not None
            yield Segment(f"{self._number(row.before)} {self._number(row.after)} ", Style(dim=True))
            sign = SIGNS.get(row.kind, " ") if ticked else "="
            yield Segment(f"{sign} ", look)
            yield from _marked(side.text, row.other, look)

    def _number(self, side: Side | None) -> str:
        return f"{side.number if side else '':>{self._digits}}"

    def _pair(self, row: ScreenRow, width: int) -> Iterable[Segment]:
        """Side by side: each half as wide as the other, cut where it goes on."""
        half = max((width - 3) // 2, 10)
        old, new = row.before, row.after
        yield from self._half(old, new, half, "-", LOOKS[Kind.GONE])
        yield Segment(" | ", Style(dim=True))
        yield from self._half(new, old, half, "+", LOOKS[Kind.NEW])

    def _half(
        self, side: Side | None, other: Side | None, width: int, sign: str, look: Style
    ) -> Iterable[Segment]:
        if side is None:
            yield Segment(" " * width)
            return
        head = f"{self._number(side)} {sign} "
        marked = _marked(side.text, other.text if other else "", look)
        strip = Strip([Segment(head, look), *marked])
        if strip.cell_length <= width:
            yield from strip.extend_cell_length(width)
        else:
            yield from strip.crop(0, width - 1)
            yield Segment(MORE, Style(reverse=True))


def _marked(text: str, other: str, look: Style) -> Iterable[Segment]:
    """Yield a line with the words marked in which it differs from the one it stands against."""
    done = 0
    for start, end in changed(text, other)[0] if other else ():
        yield Segment(text[done:start], look)
        yield Segment(text[start:end], look + MARKED)
        done = end
    yield Segment(text[done:], look)
