"""Text of an agent as markup: what is hidden written out, changed words, colours.

The one place where a line of a file meets markup.
Always true: every piece of text goes through `escape`; the names of tags and classes come from
our own code.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from markupsafe import Markup, escape

from penstock.doors.colours.child import Spans

Ranges = Sequence[tuple[int, int]]
# For each line of a side, by its place.
Colours = Mapping[int, Spans]

OPEN, CLOSE = "\u27e6", "\u27e7"


def markup(text: str, marks: Ranges = (), tag: str = "", colours: Spans = ()) -> Markup:
    """Return a visible text as markup: notes, changed words in `tag`, colours by class."""
    out: list[str] = []
    inside = False
    for start, end, marked, note, colour in _pieces(text, marks, colours):
        if marked != inside:
            out.append(f"<{tag}>" if marked else f"</{tag}>")
            inside = marked
        piece = escape(text[start:end])
        name = "hid" if note else colour
        out.append(f'<span class="{name}">{piece}</span>' if name else piece)
    if inside:
        out.append(f"</{tag}>")
    return Markup("".join(out))  # noqa: S704 - each piece above went through `escape`


Piece = tuple[int, int, bool, bool, str]


def _pieces(text: str, marks: Ranges, colours: Spans) -> Iterator[Piece]:
    """Yield the text cut wherever a note, a mark or a colour begins or ends."""
    notes = _notes(text)
    coloured = list(_placed(colours, notes))
    edges = {0, len(text)}
    edges |= {min(edge, len(text)) for start, end in (*notes, *marks) for edge in (start, end)}
    edges |= {edge for start, end, _ in coloured for edge in (start, end) if edge <= len(text)}
    noted, marked = _Lookup(notes), _Lookup(marks)
    named = _Lookup([(start, end) for start, end, _ in coloured])
    for start, end in pairwise(sorted(edges)):
        at = named.at(start)
        name = coloured[at][2] if at >= 0 else ""
        yield start, end, marked.at(start) >= 0, noted.at(start) >= 0, name


class _Lookup:
    """Ranges in order that never overlap: which of them holds a place."""

    def __init__(self, ranges: Ranges) -> None:
        self.ranges = ranges
        self.starts = [start for start, _ in ranges]

    def at(self, place: int) -> int:
        """Return the range that a place is in, -1 for none."""
        found = bisect_right(self.starts, place) - 1
        return found if found >= 0 and place < self.ranges[found][1] else -1


def _notes(text: str) -> list[tuple[int, int]]:
    """Return where what is hidden was written out: the text itself cannot hold the bracket."""
    found: list[tuple[int, int]] = []
    at = text.find(OPEN)
    while at >= 0:
        end = text.find(CLOSE, at)
        end = len(text) if end < 0 else end + 1
        found.append((at, end))
        at = text.find(OPEN, end)
    return found


def _placed(colours: Spans, notes: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    """Yield colours at their places in the shown text, where notes stand between."""
    at, rest = 0, list(notes)
    for length, name in colours:
        left = length
        while left > 0:
            while rest and rest[0][0] <= at:
                at = rest.pop(0)[1]
            room = min(left, rest[0][0] - at) if rest else left
            if name:
                yield at, at + room, name
            at += room
            left -= room
