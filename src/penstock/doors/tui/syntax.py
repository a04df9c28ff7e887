"""Syntax colours of the lines of a sheet, for the screen; they come after the diff, or not at all.

How text is coloured is `doors.colours`'; how a row looks `diff_pane`'s.
Always true: a span covers characters of the line as it is shown, and nothing else of it changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from rich.style import Style

from penstock.core.diff.coverage import AFTER, BEFORE
from penstock.doors.colours.child import Colours, Spans
from penstock.doors.tui.diff_rows import TAB, Sheet, shown

STYLES: Mapping[str, Style] = {
    "sc": Style(color="bright_black", italic=True),
    "sk": Style(color="magenta"),
    "ss": Style(color="cyan"),
    "sn": Style(color="yellow"),
    "sf": Style(color="blue"),
    "sd": Style(color="yellow"),
    "sb": Style(color="bright_cyan"),
}
LARGEST = 200 * 1024  # bytes of both sides that are coloured


class SyntaxColours(Struct, frozen=True, kw_only=True):
    """The spans of each line, by its side."""

    sides: Mapping[str, Sequence[Spans]] = field(default_factory=dict)

    def of(self, side: str, line: int) -> Spans:
        """Return the spans of a line, counted from 0."""
        lines = self.sides.get(side, ())
        return lines[line] if line < len(lines) else ()


PLAIN = SyntaxColours()


def colours_of(child: Colours, path: str, sheet: Sheet) -> SyntaxColours:
    """Return the colours of a sheet; of what is large, or takes too long, none."""
    if sum(map(len, sheet.old)) + sum(map(len, sheet.new)) > LARGEST:
        return PLAIN
    return SyntaxColours(
        sides={
            BEFORE: child.of(path, _text(sheet, sheet.old)),
            AFTER: child.of(path, _text(sheet, sheet.new)),
        }
    )


def _text(sheet: Sheet, lines: Sequence[bytes]) -> str:
    """Return lines as they are shown, with a blank for the sign of a tab: as many characters."""
    said = (shown(line, plain_returns=sheet.plain_returns) for line in lines)
    return "\n".join(text.replace(TAB, " ") for text in said)
