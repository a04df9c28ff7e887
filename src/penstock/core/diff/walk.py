"""The hunks of contents that differ in few places, for counts and for diffs alike.

Proposing one change asks for its counts, its hunks and its flags, each from the same contents; so
the last answers about small contents are kept. How the hunks are found is settled in `gaps` and
`settle`.
Always true: the hunks have as few lines as can be; None says that another way has to be taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import compress

from penstock.core.diff.gaps import gaps
from penstock.core.diff.settle import settled
from penstock.core.model import Bytes, Hunk, Source
from penstock.core.text.lines import ChangeSpan, line_list

# Bytes that differ, of both contents, below which splitting them into lines costs as little.
FEWEST = 1 << 14
# Bytes that differ, of both contents, that may be held as lines.
FEW_BYTES = 1 << 21
# Bytes of both contents up to which answers are kept, and how many answers.
KEPT_BYTES, KEPT = 1 << 21, 4


def walked(before: Source, after: Source, span: ChangeSpan) -> tuple[Hunk, ...] | None:
    """Return the hunks of a span, lines counted from its start."""
    if span.before_end + span.after_end - 2 * span.start < FEWEST:
        return None
    if isinstance(before, Bytes) and isinstance(after, Bytes):
        return _in_memory(before, after, span)
    return _walked(before, after, span)


def _in_memory(before: Bytes, after: Bytes, span: ChangeSpan) -> tuple[Hunk, ...] | None:
    small = before.size + after.size <= KEPT_BYTES
    return _kept(before, after, span) if small else _walked(before, after, span)


def _walked(before: Source, after: Source, span: ChangeSpan) -> tuple[Hunk, ...] | None:
    found = gaps(before, after, span)
    best = None if found is None else settled(found, before, after, span)
    if best is None:
        return _of_own_lines(before, after, span)
    return tuple(
        Hunk(
            before_start=gap.top,
            before_end=gap.bottom,
            after_start=gap.left,
            after_end=gap.right,
        )
        for gap in best
    )


def _of_own_lines(before: Source, after: Source, span: ChangeSpan) -> tuple[Hunk, ...] | None:
    """Return the hunks where nothing but equal lines is left once each side's own are out."""
    if span.before_end + span.after_end - 2 * span.start > FEW_BYTES:
        return None
    a = line_list(before, span.start, span.before_end, pairs=False)
    b = line_list(after, span.start, span.after_end, pairs=False)
    in_a, in_b = bytes(map(set(b).__contains__, a)), bytes(map(set(a).__contains__, b))
    if list(compress(a, in_a)) != list(compress(b, in_b)):
        return None
    return tuple(runs(in_a, in_b))


def runs(in_a: bytes, in_b: bytes) -> Iterator[Hunk]:
    """Yield what lies between pairs: flags tell for each side which lines are paired, in order."""
    top = left = 0
    while True:
        bottom, right = in_a.find(1, top), in_b.find(1, left)
        if bottom < 0:
            bottom, right = len(in_a), len(in_b)
        if bottom > top or right > left:
            yield Hunk(before_start=top, before_end=bottom, after_start=left, after_end=right)
        gone, come = in_a.find(0, bottom), in_b.find(0, right)
        if gone < 0 and come < 0:
            return
        same = min(at - start for at, start in ((gone, bottom), (come, right)) if at >= 0)
        top, left = bottom + same, right + same


@lru_cache(maxsize=KEPT)
def _kept(before: Bytes, after: Bytes, span: ChangeSpan) -> tuple[Hunk, ...] | None:
    return _walked(before, after, span)


def forget() -> None:
    """Drop the answers that are kept, for those who measure."""
    _kept.cache_clear()
