"""Find where the hunks of a diff go, and put them there.

A hunk goes where its header says, moved by what came before; when its lines are not there,
to the nearest place where all of them are. Nothing is forgiven: there is an offset, no fuzz.
Always true: every line a hunk keeps or removes was found in the file, byte for byte, and no
line was used twice.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence

from penstock.core.errors import InputError
from penstock.core.patch.model import FilePatch, LineMark, PatchHunk, shown, unfit
from penstock.core.text.line_endings import CRLF, LF, split

# How many lines may be compared in search of places. A patch that asks for more was not made
# from this file.
MAX_COMPARED = 20_000_000


class Finder:
    """The lines of a file, and where each of them stands."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self.lines = list(lines)
        self._index: dict[bytes, list[int]] = {}
        self._left = MAX_COMPARED

    def matches(self, wanted: Sequence[bytes], at: int) -> bool:
        """Return whether some lines stand at a place."""
        return at >= 0 and self.lines[at : at + len(wanted)] == wanted

    def first(self, wanted: list[bytes], start: int) -> int | None:
        """Return the first place from `start` on where some lines stand."""
        return next(self.all(wanted, start), None)

    def all(self, wanted: list[bytes], start: int) -> Iterator[int]:
        """Yield every place from `start` on where some lines stand, downwards.

        Only places of the rarest of the lines are looked at.
        """
        where = self._where()
        rarest = min(range(len(wanted)), key=lambda at: len(where.get(wanted[at], ())))
        places = where.get(wanted[rarest], [])
        for number in range(bisect_left(places, start + rarest), len(places)):
            place = places[number]
            self._left -= len(wanted)
            if self._left < 0:
                raise InputError(
                    "patch-does-not-fit",
                    "the patch matches too many places",
                    hint="add lines of context to the hunks, or create a new patch",
                )
            if self.matches(wanted, place - rarest):
                yield place - rarest

    def _where(self) -> dict[bytes, list[int]]:
        if not self._index:
            found: dict[bytes, list[int]] = defaultdict(list)
            for at, line in enumerate(self.lines):
                found[line].append(at)
            self._index = dict(found)
        return self._index

    def end_of_text(self) -> int:
        """Return the line below the last one, or above it when that is empty."""
        return len(self.lines) - (bool(self.lines) and not self.lines[-1])

    def mismatch(self, wanted: list[bytes], at: int, *, at_end: bool = False) -> str:
        """Return a sentence about the first line that is not as it should be."""
        at = max(0, len(self.lines) - len(wanted)) if at_end else at
        for number, line in enumerate(wanted, at):
            if number >= len(self.lines):
                return f"the file ends at line {len(self.lines)}, before `{shown(line)}`"
            found = self.lines[number]
            if found != line:
                return _difference(number + 1, found, line)
        if at > len(self.lines):
            return f"the file ends at line {len(self.lines)}, above line {at}"
        return f"the lines from {at + 1} on are taken by another hunk"


def _difference(number: int, found: bytes, wanted: bytes) -> str:
    if found.rstrip(b"\r\n") != wanted.rstrip(b"\r\n"):
        return f"line {number} is `{shown(found)}` and the patch has `{shown(wanted)}`"
    if found.endswith(LF) != wanted.endswith(LF):
        which = "the file" if found.endswith(LF) else "the patch"
        return f"line {number} has a line end only in {which}"
    ends = "CRLF and the patch has LF" if found.endswith(CRLF) else "LF and the patch has CRLF"
    return f"line {number} ends in {ends}"


def apply_hunks(patch: FilePatch, before: bytes) -> bytes:
    """Return a file's content with all hunks of its diff in place."""
    finder = Finder(split(before))
    to_lf = patch.crlf and CRLF not in before and LF in before
    pieces: list[bytes] = []
    cursor = drift = 0
    for hunk in patch.hunks:
        old, new = hunk.old, hunk.new
        if to_lf:
            old, new = _as_lf(old), _as_lf(new)
        at = _place(patch, hunk, old, finder, cursor, hunk.start + drift)
        pieces += finder.lines[cursor:at]
        pieces += new
        cursor, drift = at + len(old), at - hunk.start
    pieces += finder.lines[cursor:]
    _refuse_inner_end(patch, pieces)
    return b"".join(pieces)


def _as_lf(lines: list[bytes]) -> list[bytes]:
    return [line.replace(CRLF, LF) for line in lines]


def _place(
    patch: FilePatch, hunk: PatchHunk, old: list[bytes], finder: Finder, cursor: int, wanted: int
) -> int:
    """Return the line where a hunk goes."""
    if cursor <= wanted <= len(finder.lines) and finder.matches(old, wanted):
        return wanted
    places = list(finder.all(old, cursor)) if old else []
    if not places:
        raise unfit(patch.path, hunk, finder.mismatch(old, max(cursor, wanted)))
    nearest = sorted(places, key=lambda place: abs(place - wanted))[:2]
    alone = len(nearest) == 1
    # A hunk from the edge of a file has context on one side only, so away from the edge its
    # place must not be a matter of distance.
    if not alone and (_from_edge(hunk) or _as_far(nearest, wanted)):
        lines = " and ".join(str(place + 1) for place in sorted(nearest))
        raise unfit(patch.path, hunk, f"it matches in more than one place, at lines {lines}")
    return nearest[0]


def _as_far(places: list[int], wanted: int) -> bool:
    return abs(places[0] - wanted) == abs(places[1] - wanted)


def _from_edge(hunk: PatchHunk) -> bool:
    marks = [mark for mark, _ in hunk.lines]
    above = next((n for n, mark in enumerate(marks) if mark is not LineMark.KEEP), len(marks))
    below = next((n for n, mark in enumerate(marks[::-1]) if mark is not LineMark.KEEP), len(marks))
    return above != below


def _refuse_inner_end(patch: FilePatch, pieces: list[bytes]) -> None:
    """A line without an end that is not the last would be glued to the next."""
    for piece in pieces[:-1]:
        if not piece.endswith(LF):
            because = f"`{shown(piece)}` has no line end and is not the last line"
            raise unfit(patch.path, patch.hunks[-1], because)
