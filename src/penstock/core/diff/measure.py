r"""Measure what becomes of a file: how many lines go, how many come, how much of it changes.

A line that is replaced is one deleted and one added, counted as `git diff --minimal` counts,
except that `\r\n` and `\n` end a line alike: a change of line ends is told, not counted. What
the counts mean for a request is for the rules to say; the lines themselves are in `hunks`.
Always true: the counts are exact, or `exact` is false and the truth lies between
`least_deleted` and `lines_deleted`; `kind` then goes by the worse of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import chain, islice

from msgspec import Struct

from penstock.core.diff import align
from penstock.core.diff import remarks as notes
from penstock.core.diff.cuts import Common
from penstock.core.diff.hunks import hunks
from penstock.core.diff.remarks import NotePrefix
from penstock.core.diff.walk import walked
from penstock.core.errors import InputError
from penstock.core.model import Change, ChangeKind, Source
from penstock.core.text.lines import (
    NO_FACTS,
    ChangeSpan,
    ContentFacts,
    OldMac,
    as_source,
    common_end,
    common_start,
    differing,
    feeds_between,
    line_list,
    numbers,
    survey,
)

# What is at most so many bytes and lines, both sides together, may be held at once.
FEW_BYTES, FEW_LINES = 8 << 20, 1 << 18
# More differing lines than this, both sides together, would not fit the memory allowed.
MOST_LINES = 8_000_000
# Content with more lines than this is worth telling how far one is.
SLOW_LINES = 10_000

Tell = Callable[[int, int], None]


def measure(
    before: Source | bytes | None,
    after: Source | bytes | None,
    *,
    change_threshold: float = 0.5,
    progress: Tell | None = None,
) -> Change:
    """Measure one file's change. None stands for a file that is not there.

    `progress` is called with the bytes read and the bytes to read in all, for large files.
    """
    old = None if before is None else as_source(before)
    new = None if after is None else as_source(after)
    told = _Progress(progress, 2 * sum(side.size for side in (old, new) if side is not None))
    if old is not None and new is not None:
        change = _changed(old, new, change_threshold, told)
    elif new is not None:
        change = _created(survey(new, told))
    elif old is not None:
        change = _deleted(survey(old, told))
    else:
        raise InputError(
            "nothing-to-measure",
            "there is no content before or after",
            hint="give the content of at least one side",
        )
    told.finish()
    return change


class _Progress:
    """Adds up bytes and tells them, once some content has turned out to be large."""

    def __init__(self, tell: Tell | None, total: int) -> None:
        self.tell, self.total = tell, total
        self.done, self.large = 0, False

    def __call__(self, size: int, lines: int) -> None:
        self.done += size
        self.large = self.large or lines > SLOW_LINES
        if self.tell and self.large:
            self.tell(self.done, self.total)

    def finish(self) -> None:
        if self.tell and self.large and self.done < self.total:
            self.tell(self.total, self.total)


def _created(now: ContentFacts) -> Change:
    return Change(
        kind=ChangeKind.NEW,
        new_lines=_units(now, now.text),
        lines_added=_units(now, now.text),
        after_size=now.size,
        unit=_unit(now.text),
        notes=(*notes.in_bytes(NO_FACTS, now), *notes.one_line(NO_FACTS, now)),
    )


def _deleted(was: ContentFacts) -> Change:
    lines = _units(was, was.text)
    return Change(
        kind=ChangeKind.DELETE,
        existing_lines=lines,
        lines_deleted=lines,
        least_deleted=lines,
        change_ratio=1.0 if lines else 0.0,
        before_size=was.size,
        unit=_unit(was.text),
        notes=tuple(notes.in_bytes(was, NO_FACTS)),
    )


def _units(facts: ContentFacts, text: bool) -> int:
    return facts.lines if text else facts.size


def _unit(text: bool) -> str:
    return "lines" if text else "bytes"


def _changed(before: Source, after: Source, threshold: float, told: _Progress) -> Change:
    """Measure a file that is there before and after."""
    was, now = survey(before, told), survey(after, told)
    text = was.text and now.text
    counted = _in_lines(before, was, after, now, told) if text else _in_bytes(before, after)
    existing = _units(was, text)
    ratio = counted.deleted / existing if existing else 0.0
    replaced = existing > 0 and ratio >= threshold
    return Change(
        kind=ChangeKind.REPLACE if replaced else ChangeKind.MODIFY,
        existing_lines=existing,
        new_lines=_units(now, text),
        lines_deleted=counted.deleted,
        lines_added=counted.added,
        change_ratio=ratio,
        before_size=was.size,
        after_size=now.size,
        exact=counted.least == counted.deleted,
        least_deleted=counted.least,
        unit=_unit(text),
        notes=() if counted.identical else tuple(_notes(before, was, after, now, counted)),
        identical=counted.identical,
    )


class _Counts(Struct, frozen=True, kw_only=True):
    """What was counted: `deleted` at most, `least` of it for certain."""

    deleted: int
    least: int
    added: int
    identical: bool


def _in_bytes(before: Source, after: Source) -> _Counts:
    """Count the bytes from the first to the last that differs."""
    shorter = min(before.size, after.size)
    start = common_start(before, after, end=shorter)
    shared = start + common_end(before, after, end=shorter - start)
    deleted, added = before.size - shared, after.size - shared
    return _Counts(deleted=deleted, least=deleted, added=added, identical=deleted == added == 0)


def _in_lines(
    before: Source, was: ContentFacts, after: Source, now: ContentFacts, told: _Progress
) -> _Counts:
    """Count the lines that go and come."""
    old = OldMac(before) if was.old_mac else before
    new = OldMac(after) if now.old_mac else after
    span = differing(old, new)
    # One side in old Mac style reads like the other and yet has other bytes.
    identical = span.start == was.size == now.size and was.old_mac == now.old_mac
    if _ends_alike(was, now) and (found := walked(old, new, span)) is not None:
        deleted = sum(hunk.before_end - hunk.before_start for hunk in found)
        added = sum(hunk.after_end - hunk.after_start for hunk in found)
        return _Counts(deleted=deleted, least=deleted, added=added, identical=identical)
    rows, columns, common = _common(old, was, new, now, span, told)
    return _Counts(
        deleted=rows - common.least,
        least=rows - common.most,
        added=columns - common.least,
        identical=identical,
    )


def _ends_alike(was: ContentFacts, now: ContentFacts) -> bool:
    r"""Say whether all lines of both contents end in `\n`, or all in `\r\n`."""
    pairs = was.pairs + now.pairs
    return pairs in (0, was.feeds + now.feeds)


def _common(
    old: Source,
    was: ContentFacts,
    new: Source,
    now: ContentFacts,
    span: ChangeSpan,
    told: _Progress,
) -> tuple[int, int, Common]:
    """Return how many lines differ as they stand on each side, and what they have in common."""
    if was.lines + now.lines > MOST_LINES:
        rows = _lines_between(old, span.start, span.before_end)
        columns = _lines_between(new, span.start, span.after_end)
        if rows + columns > MOST_LINES:
            return rows, columns, Common(0, min(rows, columns))
    pairs = was.pairs > 0 or now.pairs > 0
    differ = span.before_end + span.after_end - 2 * span.start
    if differ <= FEW_BYTES and was.lines + now.lines <= FEW_LINES:
        x = line_list(old, span.start, span.before_end, pairs=pairs)
        y = line_list(new, span.start, span.after_end, pairs=pairs)
        return len(x), len(y), align.common_of_few(x, y)
    a = numbers(old, span.start, span.before_end, pairs=pairs, told=told)
    b = numbers(new, span.start, span.after_end, pairs=pairs, told=told)
    rows, columns = len(a), len(b)
    return rows, columns, align.common(a, b)


def _lines_between(source: Source, start: int, end: int) -> int:
    """Return how many lines there are between two offsets; one without its end counts."""
    open_end = end == source.size > start and source.read(end - 1, 1) != b"\n"
    return feeds_between(source, start, end) + open_end


def _notes(
    before: Source, was: ContentFacts, after: Source, now: ContentFacts, counted: _Counts
) -> Iterator[str]:
    """Yield what is to be told about content that changes."""
    if not (was.text and now.text):
        yield from notes.in_bytes(was, now)
        yield from notes.emptied(was, after, now)
        return
    found = list(notes.about_text(before, was, after, now))
    yield from found
    if not (found or counted.deleted or counted.added):
        yield f"{NotePrefix.LINE_ENDS}: only line endings change"
    if counted.least < counted.deleted:
        yield (
            f"{NotePrefix.BOUNDS}: {counted.least} to {counted.deleted} lines removed;"
            " exact counts would take too long"
        )


class LineLoss(Struct, frozen=True, kw_only=True):
    """The lines that a change takes away: the first of them, and how many more there are."""

    lines: tuple[tuple[int, bytes], ...]
    hidden: int


def lost(before: bytes, after: bytes, *, limit: int = 200, white_space: bool = True) -> LineLoss:
    r"""Return the lost lines with their numbers, counted from 1, at most `limit` of them.

    Lines come without their ends; one that only changes `\r\n` for `\n` is not lost, nor, with
    `white_space=False`, one that comes again with other white space.
    """
    before, after = _with_feeds(before), _with_feeds(after)
    gone = [h.before for h in hunks(before, after, line_ends=False, white_space=white_space)]
    wanted = list(islice(chain.from_iterable(gone), max(limit, 0)))
    lines = _lines_at(before, wanted)
    return LineLoss(lines=lines, hidden=sum(map(len, gone)) - len(lines))


def _with_feeds(content: bytes) -> bytes:
    r"""Return a content that ends its lines with `\r` alone as if it ended them with `\n`."""
    old_mac = b"\r" in content and b"\n" not in content
    return content.replace(b"\r", b"\n") if old_mac else content


def lost_lines(
    before: bytes, after: bytes, *, limit: int = 200, white_space: bool = True
) -> tuple[tuple[int, bytes], ...]:
    """Return the lost lines with their numbers; `lost` also tells how many more there are."""
    return lost(before, after, limit=limit, white_space=white_space).lines


def _lines_at(content: bytes, places: list[int]) -> tuple[tuple[int, bytes], ...]:
    """Return some lines of a content by their places, which are in order."""
    wanted, found = iter(places), []
    place = next(wanted, -1)
    for at, line in enumerate(BytesIO(content)):
        if place < 0:
            break
        if at == place:
            found.append((at + 1, line.removesuffix(b"\n").removesuffix(b"\r")))
            place = next(wanted, -1)
    return tuple(found)
