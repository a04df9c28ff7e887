"""Counts, durations, sizes and changes as every surface writes them: `2 files`, `59 min`, `5 MiB`.

The command line, the page, the full screen, notifications and messages to agents all use these.
Always true: one of something is singular, and a number of bytes is never called lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from penstock.core.model import Change, ChangeKind

MINUTE, HOUR, DAY = 60, 3600, 86400
SIZES = ("bytes", "KiB", "MiB", "GiB", "TiB")


def counted(count: int, word: str, many: str = "") -> str:
    """Return `1 file`, `2 files`, `1,204 entries`; `many` where the plural is not just an s."""
    return f"{count:,} {word if count == 1 else many or word + 's'}"


def entries(count: int) -> str:
    """Return `1 entry`, `1,204 entries` of the audit log."""
    return counted(count, "entry", "entries")


def duration(seconds: float) -> str:
    """Return a length of time in its largest unit that still says something: `59 min`, `3 h`."""
    whole = max(int(seconds), 0)
    if whole < 2 * MINUTE:
        return f"{whole} s"
    if whole < 2 * HOUR:
        return f"{whole // MINUTE} min"
    if whole < 2 * DAY:
        return f"{whole // HOUR} h"
    return f"{whole // DAY} days"


def ago(seconds: float) -> str:
    """Return how long ago something was: `4 min ago`, `just now`."""
    return "just now" if seconds < 1 else f"{duration(seconds)} ago"


def size(count: int) -> str:
    """Return a number of bytes: `1 byte`, `1.5 KiB`, `512 MiB`."""
    if count < 1024:
        return counted(count, "byte")
    value, at = float(count), 0
    while value >= 1024 and at < len(SIZES) - 1:
        value, at = value / 1024, at + 1
    return f"{value:.1f}".removesuffix(".0") + f" {SIZES[at]}"


def listing(names: Sequence[str], *, most: int = 8) -> str:
    """Return names as a sentence has them: `a, b and c`, `a, b and 3 more`."""
    shown = list(names) if len(names) <= most else [*names[:most], f"{len(names) - most:,} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


def change_counts(change: Change) -> str:
    """Return how much a change changes: `1 line changed (−1 +1 of 491)`, `new file, 12 lines`."""
    in_lines = change.unit == "lines"
    if change.kind is ChangeKind.NEW:
        new = counted(change.lines_added, "line") if in_lines else size(change.after_size)
        return f"new file, {new}"
    if change.kind is ChangeKind.DELETE:
        gone = counted(change.lines_deleted, "line") if in_lines else size(change.before_size)
        return f"file deleted, {gone}"
    return _line_counts(change) if in_lines else _byte_counts(change)


def _line_counts(change: Change) -> str:
    """Count the lines that a reader would call changed; the others are said beside them."""
    blank = min(change.white_space, change.lines_deleted, change.lines_added)
    gone, new, had = change.lines_deleted - blank, change.lines_added - blank, change.existing_lines
    if not blank:
        return _words_of(change, gone, new, had)
    if not gone and not new:
        return f"{counted(blank, 'line')} changed only in white space (of {had:,})"
    return f"{_words_of(change, gone, new, had)}; {blank:,} more only in white space"


def _words_of(change: Change, gone: int, new: int, had: int) -> str:
    about = "" if change.exact else "up to "
    if change.kind is ChangeKind.REPLACE or (gone and not new):
        added = f", {new:,} added" if new else ""
        return f"{about}{gone:,} of {counted(had, 'line')} removed{added}"
    if not gone:
        return f"{counted(new, 'line')} added" if new else "no line changed"
    return f"{about}{counted(max(gone, new), 'line')} changed (−{gone:,} +{new:,} of {had:,})"


def _byte_counts(change: Change) -> str:
    return f"binary file changed, {size(change.before_size)} to {size(change.after_size)}"
