"""Blocks of lines that a change moves: gone here, and the same lines new there.

White space at the ends of lines and their indentation may differ; that is told. A block is worth
telling from three lines on that hold something to read.
Always true: a line belongs to one move at most, on either side; time grows with the lines that
change, and beyond a bound nothing is looked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from penstock.core.model import Hunk
from penstock.core.text.line_endings import split
from penstock.core.text.white_space import folded

LEAST_LINES = 3
LEAST_LETTERS = 20  # letters and digits of a block; fewer are braces and blank lines
MOST_LINES = 200_000  # changed lines of one change
MOST_PLACES = 8  # where a block may come from, each tried


class MovedBlock(Struct, frozen=True, kw_only=True):
    """Lines that went from one place to another, counted from 0; `exact` where no byte changed."""

    before: range
    after: range
    exact: bool


def moves(before: bytes, after: bytes, hunks: Sequence[Hunk]) -> tuple[MovedBlock, ...]:
    """Return the blocks that moved, in the order of the new lines."""
    gone, came = (sum(len(side) for side in sides) for sides in _sides(hunks))
    if gone < LEAST_LINES or came < LEAST_LINES or gone + came > MOST_LINES:
        return ()
    old, new = folded(before).split(b"\n"), folded(after).split(b"\n")
    found = list(_found(old, new, hunks))
    whole_old, whole_new = (split(before), split(after)) if found else ([], [])
    return tuple(
        MovedBlock(
            before=was, after=now, exact=_lines(whole_old, was) == _lines(whole_new, now)
        )
        for was, now in found
    )  # fmt: skip


def _sides(hunks: Sequence[Hunk]) -> tuple[list[range], list[range]]:
    return [hunk.before for hunk in hunks], [hunk.after for hunk in hunks]


def _lines(lines: Sequence[bytes], places: range) -> Sequence[bytes]:
    return lines[places.start : places.stop]


def _found(
    old: Sequence[bytes], new: Sequence[bytes], hunks: Sequence[Hunk]
) -> Iterator[tuple[range, range]]:
    """Yield each block as far as it goes, from the first new line that begins one."""
    starts = _starts(old, hunks)
    ends = {at: hunk.before_end for hunk in hunks for at in hunk.before}
    taken: set[int] = set()
    for hunk in hunks:
        at = hunk.after_start
        while at + LEAST_LINES <= hunk.after_end:
            block = _longest(old, new, range(at, hunk.after_end), starts, ends, taken)
            if block is None:
                at += 1
            elif _is_worth_telling(old, block):
                taken.update(block)
                yield block, range(at, at + len(block))
                at += len(block)
            else:  # what begins further inside of it is worth no more
                at += len(block) - LEAST_LINES + 1


def _starts(old: Sequence[bytes], hunks: Sequence[Hunk]) -> dict[tuple[bytes, ...], list[int]]:
    """Return where each run of the fewest lines stands among those that go, a few places each."""
    starts: dict[tuple[bytes, ...], list[int]] = {}
    for hunk in hunks:
        for at in range(hunk.before_start, hunk.before_end - LEAST_LINES + 1):
            places = starts.setdefault(tuple(old[at : at + LEAST_LINES]), [])
            if len(places) < MOST_PLACES:
                places.append(at)
    return starts


def _longest(
    old: Sequence[bytes],
    new: Sequence[bytes],
    places: range,
    starts: dict[tuple[bytes, ...], list[int]],
    ends: dict[int, int],
    taken: set[int],
) -> range | None:
    """Return the longest run of lines that went and read like the new ones from a place on."""
    best: range | None = None
    for begin in starts.get(tuple(new[places.start : places.start + LEAST_LINES]), ()):
        if best is not None and begin in best:
            continue  # a later start inside of the same run is shorter
        length = 0
        room = min(ends[begin] - begin, len(places))
        while (
            length < room
            and begin + length not in taken
            and old[begin + length] == new[places.start + length]
        ):
            length += 1
        if length >= LEAST_LINES and (best is None or length > len(best)):
            best = range(begin, begin + length)
    return best


def _is_worth_telling(old: Sequence[bytes], block: range) -> bool:
    letters = 0
    full = 0
    for at in block:
        letters += sum(chr(sign).isalnum() for sign in old[at])
        full += bool(old[at])
        if letters >= LEAST_LETTERS and full >= LEAST_LINES:
            return True
    return False
