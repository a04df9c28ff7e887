"""A diff as the API gives it: lines of text from an offset on, and what of the change they show.

Always true: a changed line counts as given only where its bytes come through JSON as they are;
what is no text is not given at all, and so is never counted as shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from penstock.core.diff.coverage import AFTER, BEFORE, ChangedParts, byte_parts, line_parts
from penstock.core.diff.hunks import hunks, unified
from penstock.doors.web.reader import Mark, PageReader
from penstock.gate.views import ChangeKey


def given_diff(
    reader: PageReader,
    key: ChangeKey,
    before: bytes | None,
    after: bytes | None,
    first: int,
    most: int,
) -> dict[str, Any]:
    """Return some lines of a diff, and mark what they show."""
    lines = unified(before, after, path=key[0]).split(b"\n")
    kept = lines[first : first + most]
    reader.show(key, _parts(before, after), _marks(lines, range(first, first + len(kept))))
    return {
        "path": key[0],
        "diff": b"\n".join(kept).decode("utf-8", "replace"),
        "offset": first,
        "lines": len(lines),
        "more": first + len(kept) < len(lines),
    }


def _parts(before: bytes | None, after: bytes | None) -> ChangedParts:
    if b"\0" in (before or b"") or b"\0" in (after or b""):
        return byte_parts(before, after)
    return line_parts(hunks(before or b"", after or b""))


def _marks(lines: list[bytes], given: range) -> Iterator[Mark]:
    """Yield the changed lines of a unified diff that are given, by their places in the files."""
    old = new = left_old = left_new = 0
    for at, line in enumerate(lines[: given.stop]):
        if not left_old and not left_new:
            if line.startswith(b"@@ "):
                (old, left_old), (new, left_new) = (_range(word) for word in line.split()[1:3])
            continue
        sign = line[:1]
        if sign == b"\\":
            continue
        if at in given and sign in b"-+" and _comes_through(line):
            yield (BEFORE, old, 1, 1) if sign == b"-" else (AFTER, new, 1, 1)
        if sign != b"+":
            old, left_old = old + 1, left_old - 1
        if sign != b"-":
            new, left_new = new + 1, left_new - 1


def _range(word: bytes) -> tuple[int, int]:
    """Return from which line on, counted from 0, and how many: `-12,3` or `+4`."""
    start, _, count = word[1:].partition(b",")
    length = int(count) if count else 1
    return (int(start) - 1 if length else int(start)), length


def _comes_through(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
