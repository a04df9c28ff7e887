"""Which parts of a change were shown, and how the others are named.

A surface (page, full screen, prompt, API) marks what it shows; whether an approval goes on
without the rest is settled here, in `require_shown`, for all of them.
Always true: a part counts as shown only where a surface marked all of it; what was never opened
is named as a whole; an acknowledgement holds for exactly the parts that it was given for.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct, field

from penstock.core.digest import digest
from penstock.core.errors import RefusedError
from penstock.core.model import Change, Hunk
from penstock.core.text.display import spoken
from penstock.core.text.quantities import counted

BEFORE, AFTER = "before", "after"
SIDES = (BEFORE, AFTER)
MOST_PLACES = 4  # of one side that are named
MOST_FILES = 8  # that a message names; a list beside it has them all

Ranges = tuple[range, ...]
NONE: Ranges = ()


class Runs(Struct):
    """Whole numbers as runs, in order and apart from each other."""

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def add(self, start: int, end: int) -> None:
        """Take in the numbers from `start` up to `end`; runs that touch become one."""
        if start >= end:
            return
        first = bisect_left(self.ends, start)
        last = bisect_right(self.starts, end)
        if first < last:
            start = min(start, self.starts[first])
            end = max(end, self.ends[last - 1])
        self.starts[first:last] = [start]
        self.ends[first:last] = [end]

    def missing(self, within: range) -> Ranges:
        """Return the numbers of a range that are not in here."""
        found: list[range] = []
        at = within.start
        for run in range(bisect_right(self.ends, at), len(self.starts)):
            if at >= within.stop or self.starts[run] >= within.stop:
                break
            if self.starts[run] > at:
                found.append(range(at, self.starts[run]))
            at = self.ends[run]
        if at < within.stop:
            found.append(range(at, within.stop))
        return tuple(found)


class Unit(StrEnum):
    """What the parts of a change are counted in."""

    LINES = "lines"
    BYTES = "bytes"


class ChangedParts(Struct, frozen=True, kw_only=True):
    """What of a change there is to see: the lines or bytes of each side that differ."""

    unit: Unit
    before: Ranges = NONE
    after: Ranges = NONE

    def of(self, side: str) -> Ranges:
        """Return those of one side."""
        return self.before if side == BEFORE else self.after

    def count(self, side: str) -> int:
        """Return how many there are on one side."""
        return sum(map(len, self.of(side)))


def line_parts(hunks: Iterable[Hunk]) -> ChangedParts:
    """Return what there is to see of a text: every line that goes, and every line that comes."""
    found = tuple(hunks)
    return ChangedParts(
        unit=Unit.LINES,
        before=tuple(hunk.before for hunk in found if hunk.before),
        after=tuple(hunk.after for hunk in found if hunk.after),
    )


def byte_parts(before: bytes | None, after: bytes | None, *, first: int = 0) -> ChangedParts:
    """Return what there is to see of what is no text: all bytes from the first that differs."""
    sides = [range(min(first, len(side)), len(side)) for side in (before or b"", after or b"")]
    old, new = (tuple(each for each in (side,) if each) for side in sides)
    return ChangedParts(unit=Unit.BYTES, before=old, after=new)


def counted_parts(change: Change) -> ChangedParts:
    """Return how much there is to see of a change that nobody has opened, from its counts."""
    unit = Unit.LINES if change.unit == "lines" else Unit.BYTES
    return ChangedParts(
        unit=unit,
        before=(range(change.lines_deleted),) if change.lines_deleted else NONE,
        after=(range(change.lines_added),) if change.lines_added else NONE,
    )


class _Line(Struct):
    """A long line of which only pieces were shown so far."""

    length: int
    pieces: Runs = field(default_factory=Runs)

    @property
    def missing(self) -> Ranges:
        return self.pieces.missing(range(self.length))


class Coverage:
    """What was shown of one change so far. Lines and bytes are counted from 0."""

    def __init__(self, parts: ChangedParts) -> None:
        self.parts = parts
        self._whole: Mapping[str, Runs] = {side: Runs() for side in SIDES}
        self._cut: dict[tuple[str, int], _Line] = {}

    def show(self, side: str, start: int, end: int) -> None:
        """Mark lines or bytes that were shown whole."""
        self._whole[side].add(start, end)

    def show_piece(self, side: str, line: int, start: int, end: int, *, length: int) -> None:
        """Mark a piece of a long line; once all its pieces were shown the line was."""
        known = self._cut.setdefault((side, line), _Line(length))
        known.pieces.add(start, min(end, length))
        if not known.missing:
            del self._cut[side, line]
            self.show(side, line, line + 1)

    def show_all(self) -> None:
        """Mark everything."""
        for side in SIDES:
            for part in self.parts.of(side):
                self.show(side, part.start, part.stop)

    def unseen(self, path: str) -> Unseen | None:
        """Return what was not shown yet; None where nothing is left."""
        missing = {
            side: tuple(gap for part in self.parts.of(side) for gap in runs.missing(part))
            for side, runs in self._whole.items()
        }
        if not any(missing.values()):
            return None
        cut = tuple(
            CutLine(side=side, line=line, missing=known.missing, length=known.length)
            for (side, line), known in sorted(self._cut.items())
            if self._whole[side].missing(range(line, line + 1))
        )
        return Unseen(path=path, parts=self.parts, missing=missing, cut=cut)


# -- what was not shown ----------------------------------------------------------------------------


class CutLine(Struct, frozen=True, kw_only=True):
    """A long line of which some characters were not shown."""

    side: str
    line: int
    missing: Ranges
    length: int


class Unseen(Struct, frozen=True, kw_only=True):
    """The parts of one file's change that were not shown."""

    path: str
    parts: ChangedParts
    missing: Mapping[str, Ranges]
    cut: tuple[CutLine, ...] = ()

    @property
    def all_of_it(self) -> bool:
        """True when none of it was shown."""
        return not self.cut and all(self.missing[side] == self.parts.of(side) for side in SIDES)

    @property
    def words(self) -> str:
        """Name the parts, as a person looks for them."""
        return f"`{spoken(self.path)}`: {self.places}"

    @property
    def places(self) -> str:
        """Name the parts without the file."""
        if self.all_of_it:
            return f"none of it was shown ({_amounts(self.parts)})"
        whole = {side: self._without_cut(side) for side in SIDES}
        said = [_named(whole[side], side, self.parts.unit) for side in SIDES if whole[side]]
        said += [_of_line(line) for line in self.cut[:MOST_PLACES]]
        if len(self.cut) > MOST_PLACES:
            said.append(f"{counted(len(self.cut) - MOST_PLACES, 'more long line')}")
        return "; ".join(said)

    def _without_cut(self, side: str) -> Ranges:
        """Return the missing lines that were not shown at all."""
        lines = Runs()
        for cut in self.cut:
            if cut.side == side:
                lines.add(cut.line, cut.line + 1)
        return tuple(gap for part in self.missing[side] for gap in lines.missing(part))

    @property
    def exactly(self) -> str:
        """Return every place of it, for a fingerprint."""
        gaps = [f"{side}{gap.start}-{gap.stop}" for side in SIDES for gap in self.missing[side]]
        pieces = [
            f"{cut.side}{cut.line}:{gap.start}-{gap.stop}"
            for cut in self.cut
            for gap in cut.missing
        ]
        return f"{self.path}\0{','.join(gaps)}\0{','.join(pieces)}"


def never_opened(path: str, parts: ChangedParts) -> Unseen:
    """Return what was not shown of a change that nobody has opened: all of it."""
    return Unseen(path=path, parts=parts, missing={side: parts.of(side) for side in SIDES})


def fingerprint(unseen: Sequence[Unseen]) -> str:
    """Return by what an acknowledgement names exactly these parts; empty where there are none."""
    if not unseen:
        return ""
    return digest("\0\0".join(one.exactly for one in unseen).encode("utf-8", "surrogatepass"))


def require_shown(unseen: Sequence[Unseen], *, acknowledged: str, hint: str) -> str:
    """Refuse what was not shown, unless these very parts were acknowledged.

    Return what the audit log says of an approval that goes on without them; empty for none.
    """
    if not unseen:
        return ""
    names = listed(unseen)
    if acknowledged != fingerprint(unseen):
        raise RefusedError("not-shown", _how_many(unseen), because=names, hint=hint)
    return f"approved without being shown: {names}"


def listed(unseen: Sequence[Unseen]) -> str:
    """Name the parts of several files in one sentence."""
    more = len(unseen) - MOST_FILES
    said = [one.words for one in unseen[:MOST_FILES]]
    return ". ".join([*said, *([f"{counted(more, 'more file')}"] if more > 0 else [])])


def _how_many(unseen: Sequence[Unseen]) -> str:
    if len(unseen) == 1:
        return f"a part of `{unseen[0].path}` was never shown"
    return f"parts of {len(unseen):,} files were never shown"


def _amounts(parts: ChangedParts) -> str:
    """Say how much there is on both sides."""
    unit = str(parts.unit).removesuffix("s")
    counts = {"removed": parts.count(BEFORE), "new": parts.count(AFTER)}
    said = [f"{count:,} {word} {_plural(unit, count)}" for word, count in counts.items() if count]
    return ", ".join(said) or "an empty file"


def _named(gaps: Ranges, side: str, unit: Unit) -> str:
    word = "removed" if side == BEFORE else "new"
    total = sum(map(len, gaps))
    places = [_from_to(gap) for gap in gaps[:MOST_PLACES]]
    more = f" and {len(gaps) - MOST_PLACES:,} more places" if len(gaps) > MOST_PLACES else ""
    noun = _plural(str(unit).removesuffix("s"), total)
    return f"{total:,} {word} {noun} ({', '.join(places)}{more})"


def _of_line(cut: CutLine) -> str:
    word = "removed" if cut.side == BEFORE else "new"
    places = ", ".join(_from_to(gap) for gap in cut.missing[:MOST_PLACES])
    return f"{word} line {cut.line + 1:,}, characters {places} of {cut.length:,}"


def _from_to(gap: range) -> str:
    return f"{gap.start + 1:,}" if len(gap) == 1 else f"{gap.start + 1:,} to {gap.stop:,}"


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
