"""The screen without any colour, for whoever set NO_COLOR: bold, dim and reverse are left.

Always true: what is chosen, and where the cursor is, can be told from the rest.
"""

from __future__ import annotations

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

USUAL = Style.from_color(RichColor.default(), RichColor.default())
LIT = 100  # a background with a part brighter than this is the library's way to say "chosen"


class Plain(LineFilter):
    """Takes all colours away; a lit background becomes a reversed one."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments without colours."""
        return [
            Segment(text, style and _plain(style), control) for text, style, control in segments
        ]


def _plain(style: Style) -> Style:
    behind = style.bgcolor
    lit = behind is not None and not behind.is_default and max(behind.get_truecolor()) > LIT
    return style + USUAL + Style(reverse=lit != bool(style.reverse))
