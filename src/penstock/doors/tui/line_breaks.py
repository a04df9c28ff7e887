"""Long lines broken to the width of the pane: which piece of which row stands on which line.

A row's words are `diff_rows`', their colours `diff_pane`'s.
Always true: the pieces of a text are all of it, in order; each fits into its room on any
terminal, because a character counts as wide where some terminals draw it so.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from unicodedata import east_asian_width

from rich.cells import get_character_cell_size

from penstock.core.diff.rows import Block, Kind
from penstock.doors.tui.diff_rows import Sheet, TextRows

MOST_FOLDED = 50_000  # rows; a longer diff is cut at the edge instead
PAIR_BETWEEN = " | "
HEAD_MARK = "[x] "
# Half a flag and a tint of skin: drawn into the sign before them, or each on its own.
APART = (range(0x1F1E6, 0x1F200), range(0x1F3FB, 0x1F400))
PLAIN = rb"(?:[ -~]*[!-~])?"


def cells(sign: str) -> int:
    """Return how many cells a character takes at most, on whichever terminal."""
    wide = east_asian_width(sign) in "WF" or any(ord(sign) in some for some in APART)
    return 2 if wide else get_character_cell_size(sign)


def pieces(text: str, room: int) -> Sequence[range]:
    """Return where to break a text so that each piece fits; an empty text is one empty piece."""
    room = max(room, 2)  # the widest character has to fit somewhere
    if text.isascii():
        return [range(at, min(at + room, len(text))) for at in range(0, len(text) or 1, room)]
    found, start, used = [], 0, 0
    for at, sign in enumerate(text):
        wide = cells(sign)
        if used + wide > room:
            found.append(range(start, at))
            start, used = at, 0
        used += wide
    return [*found, range(start, len(text))]


def from_cell(text: str, left: int, room: int) -> range:
    """Return which characters stand whole in the cells from `left` on."""
    if text.isascii():
        return range(min(left, len(text)), min(left + room, len(text)))
    at = start = end = 0
    for number, sign in enumerate(text):
        if at < left:
            start = number + 1
        at += cells(sign)
        if at > left + room:
            break
        end = number + 1
    return range(start, max(start, end))


def margin(digits: int, *, pair: bool) -> int:
    """Return how wide the numbers and the sign before a line are."""
    return digits + 3 if pair else 2 * digits + 4


def half(width: int) -> int:
    """Return how wide one of two sides is."""
    return max((width - len(PAIR_BETWEEN)) // 2, 10)


class Folding:
    """Where each row of a sheet stands in a pane; without folding each row is one line."""

    def __init__(self, sheet: Sheet, width: int, *, fold: bool) -> None:
        self.sheet, self.width = sheet, width
        self.digits = len(str(max(len(sheet.old), len(sheet.new), 1)))
        self.folds = fold and len(sheet) <= MOST_FOLDED
        self._starts = tuple(accumulate(self._heights(), initial=0)) if self.folds else ()

    def __len__(self) -> int:
        return self._starts[-1] if self.folds else len(self.sheet)

    def place(self, line: int) -> tuple[int, int]:
        """Return which row stands on a line of the pane, and which piece of it."""
        if not self.folds:
            return line, 0
        row = bisect_right(self._starts, line) - 1
        return row, line - self._starts[row]

    def line(self, row: int) -> int:
        """Return the line on which a row begins."""
        return self._starts[row] if self.folds else row

    def room(self, *, pair: bool = False) -> int:
        """Return how many cells the text of a line has."""
        wide = half(self.width) if pair else self.width
        return max(wide - margin(self.digits, pair=pair), 2)

    def fits(self, *, pair: bool = False) -> bool:
        """Say whether a line and what stands before it are all within the pane."""
        wide = half(self.width) if pair else self.width
        sides = 2 * wide + len(PAIR_BETWEEN) if pair else wide
        return sides <= self.width and margin(self.digits, pair=pair) + self.room(pair=pair) <= wide

    def _heights(self) -> list[int]:
        found: list[int] = []
        for start, block in zip(self.sheet.starts, self.sheet.blocks, strict=False):
            if isinstance(block, TextRows):
                before = HEAD_MARK if block.kind is Kind.HEAD else ""
                found += [len(pieces(before + text, self.width)) for text in block.texts]
            else:
                found += self._of_block(start, block)
        return found

    def _of_block(self, start: int, block: Block) -> list[int]:
        pair = block.kind is Kind.PAIR
        room, end = self.room(pair=pair), rb"\r?\n?" if self.sheet.plain_returns else rb"\n?"
        plain = re.compile(PLAIN + end)
        short = [
            all(len(line) <= room and plain.fullmatch(line) for line in self._lines(block, at))
            for at in range(len(block))
        ]
        return [1 if one else self._height(start + at, room) for at, one in enumerate(short)]

    def _lines(self, block: Block, at: int) -> list[bytes]:
        """Return the lines of a row, as they are in the files."""
        sides = [(self.sheet.old, block.before), (self.sheet.new, block.after)]
        if block.kind is Kind.GONE:
            del sides[1]
        elif block.kind is Kind.NEW:
            del sides[0]
        return [lines[places[at]] for lines, places in sides if at < len(places)]

    def _height(self, at: int, room: int) -> int:
        row = self.sheet.row(at)
        return max(len(pieces(side.text, room)) for side in (row.before, row.after) if side)
