"""Bring a change made from an older base onto what the file has become: a three-way merge.

Changes of both sides that stay clear of each other are both taken, and so is what both sides
changed alike. Where they touch, nothing is guessed: the result is the list of conflicts. Only for
looking at, `carried` leaves out what cannot be brought over, and says what that was.
Always true: there is content exactly when there is no conflict, and the sides can be swapped.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from penstock.core.diff.hunks import hunks
from penstock.core.model import Hunk
from penstock.core.text.line_endings import LF, split

NOWHERE = 1 << 62
# Marks a last line without an end while the lines stand in the opposite order.
NO_END = b"\0\n"


class Conflict(Struct, frozen=True, kw_only=True):
    """One place that both sides changed: half-open, 0-based line ranges in all three texts."""

    base_start: int
    base_end: int
    theirs_start: int
    theirs_end: int
    ours_start: int
    ours_end: int


class RebaseResult(Struct, frozen=True, kw_only=True):
    """The merged content, or None and the conflicts that stand in its way."""

    content: bytes | None
    conflicts: tuple[Conflict, ...] = ()


def rebase(base: bytes, theirs: bytes, ours: bytes) -> RebaseResult:
    """Return `ours`, which was made from `base`, as if it had been made from `theirs`."""
    if theirs in (base, ours):
        return RebaseResult(content=ours)
    if base == ours:
        return RebaseResult(content=theirs)
    if any(b"\0" in text for text in (base, theirs, ours)):
        return RebaseResult(content=None, conflicts=(_whole(base, theirs, ours),))
    merged, certain, _ = _merged(base, theirs, ours)
    # Repeated lines can be paired in more than one way. Read from the end, the pairing leans
    # the other way, and a merge that depends on it would be a guess.
    if merged.content is not None and not certain:
        back, _, _ = _merged(_backwards(base), _backwards(theirs), _backwards(ours))
        if back.content != _backwards(merged.content):
            return RebaseResult(content=None, conflicts=(_whole(base, theirs, ours),))
    return merged


def carried(base: bytes, theirs: bytes, ours: bytes) -> tuple[bytes, tuple[Conflict, ...]]:
    """Return `theirs` with the changes of `ours` that do not touch its own, and what does.

    For looking at what changed since; never for writing.
    """
    merged = rebase(base, theirs, ours)
    if merged.content is not None:
        return merged.content, ()
    if any(b"\0" in text for text in (base, theirs, ours)):
        return theirs, merged.conflicts
    found, _, kept = _merged(base, theirs, ours)
    return kept, found.conflicts or merged.conflicts


def _backwards(text: bytes) -> bytes:
    lines = [line if line.endswith(LF) else line + NO_END for line in split(text)]
    return b"".join(reversed(lines))


def _whole(base: bytes, theirs: bytes, ours: bytes) -> Conflict:
    """Return all that is not the same in three texts as one conflict."""
    texts = [split(text) for text in (base, theirs, ours)]
    top = _alike(texts)
    bottom = _alike([text[top:][::-1] for text in texts])
    ends = [len(text) - bottom for text in texts]
    return Conflict(
        base_start=top,
        base_end=ends[0],
        theirs_start=top,
        theirs_end=ends[1],
        ours_start=top,
        ours_end=ends[2],
    )


def _alike(texts: list[list[bytes]]) -> int:
    """Return how many lines some texts share from their beginning."""
    rows = zip(*texts, strict=False)
    shortest = min(map(len, texts))
    return next((n for n, (one, *more) in enumerate(rows) if more != [one, one]), shortest)


class _Side:
    """What one side made of the base, and how far its changes have been used."""

    def __init__(self, base: list[bytes], old: bytes, text: bytes) -> None:
        self.lines = split(text)
        self.hunks = hunks(old, text)
        self.reach = list(_reach(base, self.lines, self.hunks))
        self.next = 0
        self.drift = 0  # how much further down a line of the base stands on this side
        self.certain = _certain(base, self.lines, self.hunks)

    @property
    def start(self) -> int:
        """The base line where the next change may begin, or a line below everything."""
        return self.reach[self.next][0] if self.next < len(self.reach) else NOWHERE

    def take(self) -> int:
        """Use the next change and return the base line where it may end."""
        hunk, (_, end) = self.hunks[self.next], self.reach[self.next]
        self.next += 1
        self.drift = hunk.after_end - hunk.before_end
        return end


def _certain(base: list[bytes], lines: list[bytes], changes: tuple[Hunk, ...]) -> bool:
    """Return whether there is one way only to pair the lines that stayed.

    It is so when no line that went is like one that is there, and none that came is like one
    that was: then all others are paired, and in their order.
    """
    gone = {line for hunk in changes for line in base[hunk.before_start : hunk.before_end]}
    came = {line for hunk in changes for line in lines[hunk.after_start : hunk.after_end]}
    return gone.isdisjoint(lines) and came.isdisjoint(base)


def _reach(
    base: list[bytes], lines: list[bytes], changes: tuple[Hunk, ...]
) -> Iterator[tuple[int, int]]:
    """Yield the base lines that each change may be about.

    A line put among others like it could stand above or below them: the change slides, and
    each of its places is as good as the other.
    """
    above = 0
    for number, hunk in enumerate(changes):
        below = changes[number + 1].before_start if number + 1 < len(changes) else len(base)
        moved, start, end = _sliding(base, lines, hunk)
        up = down = 0
        while (
            moved
            and hunk.before_start - up > above
            and moved[start - up - 1] == moved[end - up - 1]
        ):
            up += 1
        while moved and hunk.before_end + down < below and moved[start + down] == moved[end + down]:
            down += 1
        yield hunk.before_start - up, hunk.before_end + down
        above = hunk.before_end + 1


def _sliding(base: list[bytes], lines: list[bytes], hunk: Hunk) -> tuple[list[bytes], int, int]:
    """Return the text in which a change slides and where: only added or only removed lines do."""
    if hunk.before_start == hunk.before_end:
        return lines, hunk.after_start, hunk.after_end
    if hunk.after_start == hunk.after_end:
        return base, hunk.before_start, hunk.before_end
    return [], 0, 0


def _merged(old: bytes, one: bytes, two: bytes) -> tuple[RebaseResult, bool, bytes]:
    """Return the merge, whether its lines could be paired in one way only, and what is kept of it.

    What is kept has the first side's lines wherever there is a conflict.
    """
    base = split(old)
    theirs, ours = _Side(base, old, one), _Side(base, old, two)
    pieces: list[bytes] = []
    conflicts: list[Conflict] = []
    done = 0
    while (start := min(theirs.start, ours.start)) < NOWHERE:
        place = _place(start, theirs, ours)
        pieces += base[done:start]
        done = place.base_end
        left = theirs.lines[place.theirs_start : place.theirs_end]
        right = ours.lines[place.ours_start : place.ours_end]
        same = base[start:done]
        if right in (left, same):
            pieces += left
        elif left == same:
            pieces += right
        else:
            conflicts.append(place)
            pieces += left
    certain, kept = theirs.certain and ours.certain, b"".join([*pieces, *base[done:]])
    if conflicts:
        return RebaseResult(content=None, conflicts=tuple(conflicts)), certain, kept
    return RebaseResult(content=kept), certain, kept


def _place(start: int, theirs: _Side, ours: _Side) -> Conflict:
    """Use up all changes that touch each other from a line on; return where they stand.

    Changes touch when not a single line lies between them: what one side puts next to a line
    that the other changes may well depend on it.
    """
    before = theirs.drift, ours.drift
    end = start
    while True:
        side = min((theirs, ours), key=lambda side: side.start)
        if side.start > end:
            break
        end = max(end, side.take())
    return Conflict(
        base_start=start,
        base_end=end,
        theirs_start=start + before[0],
        theirs_end=end + theirs.drift,
        ours_start=start + before[1],
        ours_end=end + ours.drift,
    )
