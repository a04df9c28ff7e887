"""Measure one file's before and after: what kind of change it is, and how much would be lost.

Counting what two contents share is `align`'s work, reading them in blocks `lines`'s; what
people should be told besides is in `notes`. Whether a change may happen is decided
elsewhere.
Always true: counts are those of a minimal line diff, or bounds that say so; where bounds
straddle the threshold the kind is REPLACE, because in doubt somebody looks.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from penstock.core import align
from penstock.core.lines import (
    NO_FACTS,
    Facts,
    OldMac,
    as_source,
    common_end,
    common_start,
    differing,
    numbers,
    survey,
)
from penstock.core.model import Change, ChangeKind, Source
from penstock.core.notes import notes_on

Content = Source | bytes | None
Told = Callable[[int, int], None]

SHOWN_FROM = 10_000  # lines from which progress is worth telling


def measure(
    before: Content,
    after: Content,
    *,
    change_threshold: float = 0.5,
    progress: Told | None = None,
) -> Change:
    """Return the measured change from `before` to `after`; None stands for no file.

    `progress` is called with (bytes done, bytes in all) while large contents are read.
    """
    step = _steps(before, after, progress)
    old = None if before is None else as_source(before)
    new = None if after is None else as_source(after)
    was = survey(old, step) if old else NO_FACTS
    will = survey(new, step) if new else NO_FACTS
    if old is None or new is None:
        return _whole(old, new, was, will)
    if not (was.text and will.text):
        return _in_bytes(old, new, was, will, change_threshold)
    return _in_lines(old, new, was, will, change_threshold, step)


def _steps(before: Content, after: Content, progress: Told | None) -> Callable[[int], None] | None:
    """Return what counts the bytes read; contents are read twice at most."""
    if progress is None:
        return None
    total = 2 * sum(as_source(c).size for c in (before, after) if c is not None)
    done = 0

    def step(count: int) -> None:
        nonlocal done
        done += count
        progress(min(done, total), total)

    return step


def _whole(old: Source | None, new: Source | None, was: Facts, will: Facts) -> Change:
    """A file that is created or removed: every line of it is new or lost."""
    if old is None:
        return Change(
            kind=ChangeKind.NEW,
            new_lines=will.lines,
            lines_added=will.lines,
            after_size=will.size,
            notes=notes_on(None, new, was, will),
        )
    return Change(
        kind=ChangeKind.DELETE,
        existing_lines=was.lines,
        lines_deleted=was.lines,
        least_deleted=was.lines,
        change_ratio=1.0 if was.lines else 0.0,
        before_size=was.size,
    )


def _in_lines(
    old: Source,
    new: Source,
    was: Facts,
    will: Facts,
    threshold: float,
    step: Callable[[int], None] | None,
) -> Change:
    a, b = (OldMac(old) if was.old_mac else old), (OldMac(new) if will.old_mac else new)
    span = differing(a, b)
    pairs = bool(was.pairs or will.pairs)
    lost = numbers(a, span.start, span.before_end, pairs=pairs, told=step)
    gained = numbers(b, span.start, span.after_end, pairs=pairs, told=step)
    before_count, after_count = len(lost), len(gained)
    common = align.common(lost, gained)
    deleted, least = before_count - common.least, before_count - common.most
    ratio = deleted / was.lines if was.lines else 0.0
    return Change(
        kind=_kind(ratio, was.lines, threshold),
        existing_lines=was.lines,
        new_lines=will.lines,
        lines_deleted=deleted,
        lines_added=after_count - common.least,
        change_ratio=ratio,
        before_size=was.size,
        after_size=will.size,
        exact=deleted == least,
        least_deleted=least,
        notes=(*_bounds(deleted, least), *notes_on(old, new, was, will)),
    )


def _bounds(deleted: int, least: int) -> tuple[str, ...]:
    if deleted == least:
        return ()
    return (f"counts are bounds: between {least} and {deleted} lines would be lost",)


def _in_bytes(old: Source, new: Source, was: Facts, will: Facts, threshold: float) -> Change:
    """Binary content has no lines: count the bytes between what is shared at both ends."""
    shorter = min(old.size, new.size)
    head = common_start(old, new, end=shorter)
    tail = common_end(old, new, end=shorter - head)
    deleted, added = old.size - head - tail, new.size - head - tail
    ratio = deleted / old.size if old.size else 0.0
    return Change(
        kind=_kind(ratio, old.size, threshold),
        existing_lines=old.size,
        new_lines=new.size,
        lines_deleted=deleted,
        lines_added=added,
        change_ratio=ratio,
        before_size=old.size,
        after_size=new.size,
        least_deleted=deleted,
        unit="bytes",
        notes=("measured in bytes: not text", *notes_on(old, new, was, will)),
    )


def _kind(ratio: float, existing: int, threshold: float) -> ChangeKind:
    return ChangeKind.REPLACE if existing and ratio >= threshold else ChangeKind.MODIFY


def lost_lines(before: bytes, after: bytes, *, limit: int = 200) -> tuple[tuple[int, bytes], ...]:
    """Return the lines that would be lost, each with its number (1 is the first).

    At most `limit` of them; `measure` says how many there are in all.
    """
    from penstock.core.diff import hunks, split_lines

    old = split_lines(before)
    found = (
        (at + 1, old[at])
        for hunk in hunks(before, after)
        for at in range(hunk.before_start, hunk.before_end)
    )
    return tuple(islice(found, limit))
