"""What is said of a change's lines besides the lines: blocks that moved, white space, line ends.

The page places the same facts beside links of its own; the full screen and the terminal print
these sentences.
Always true: a note never says that a line is unchanged whose bytes differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from penstock.core.diff.hunks import hunks
from penstock.core.diff.white_space import of_change
from penstock.core.review.moves import MovedBlock, moves
from penstock.core.text.quantities import counted

MOST_MOVES = 8


def line_notes(before: bytes | None, after: bytes | None) -> tuple[str, ...]:
    """Return the notes on two contents; none where one is missing or is no text."""
    if before is None or after is None or b"\0" in before or b"\0" in after:
        return ()
    found = hunks(before, after)
    moved = moves(before, after, found)
    blank = of_change(before, after, found)
    return (*_moved(moved), *filter(None, (blank.words,)))


def _moved(found: Sequence[MovedBlock]) -> Iterator[str]:
    for block in found[:MOST_MOVES]:
        otherwise = "" if block.exact else ", with other white space"
        yield f"moved: {_lines(block.before)} to {_lines(block.after)}{otherwise}"
    if len(found) > MOST_MOVES:
        yield f"{counted(len(found) - MOST_MOVES, 'more block')} moved"


def _lines(places: range) -> str:
    return f"lines {places.start + 1:,}-{places.stop:,}"
