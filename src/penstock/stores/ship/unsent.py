"""The entries of a log that a sink does not have yet.

Where the file is known in which the last one ends, and that entry is still there, reading goes on
behind it. Otherwise the log is searched for that entry, and read from the start where it is gone:
a sink knows entries by their hashes and can leave out what it has.
Always true: an unfinished last line is no entry; memory stays that of a block.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from penstock.core.audit.chain import place
from penstock.core.audit.query import parse_line
from penstock.core.ship.batch import ShipCursor, UnsentEntry
from penstock.stores.audit.segments import (
    Segment,
    blocks_of,
    files_of,
    first_number,
    open_to_read,
)
from penstock.stores.system.os_errors import shut, telling

LONGEST_LINE = 1 << 20


def unsent(path: str, cursor: ShipCursor) -> Iterator[UnsentEntry]:
    """Yield the entries behind a cursor, oldest first."""
    files = [(segment, _first(segment)) for segment in files_of(path)]
    here = _index(files, cursor)
    start = cursor.at if here >= 0 else 0
    seq = cursor.seq if here >= 0 else -1
    for segment, first in files[max(here, 0) :]:
        yield from _entries(segment, first, start, max(seq, first - 1))
        start, seq = 0, -1


def has_lost(path: str, cursor: ShipCursor) -> bool:
    """Say whether the log no longer holds the entry that a sink was sent last."""
    if cursor.seq < 0:
        return False
    return _index([(segment, _first(segment)) for segment in files_of(path)], cursor) < 0


def _index(files: list[tuple[Segment, int]], cursor: ShipCursor) -> int:
    """Return which file holds the last entry that was sent, where the cursor says; -1 for none."""
    for at, (segment, first) in enumerate(files):
        if cursor.seq >= 0 and first == cursor.first and _ends_there(segment.path, cursor):
            return at
    return -1


def _first(segment: Segment) -> int:
    fd = open_to_read(segment.path)
    try:
        with telling(segment.path):
            return first_number(fd)
    finally:
        shut(fd)


def _ends_there(path: str, cursor: ShipCursor) -> bool:
    """Say whether the line that ends at the cursor is the one it names."""
    fd = open_to_read(path)
    try:
        with telling(path):
            size = min(LONGEST_LINE, cursor.at)
            data = os.pread(fd, size, cursor.at - size)
    finally:
        shut(fd)
    if not data.endswith(b"\n"):
        return False
    return _hash(data[:-1].rpartition(b"\n")[2]) == cursor.head


def _entries(segment: Segment, first: int, start: int, seq: int) -> Iterator[UnsentEntry]:
    at = start
    before = b""
    for block in blocks_of(segment.path, start):
        for line in before.split(b"\n")[:-1]:
            at, numbered = at + len(line) + 1, place(line)[1]
            seq = numbered if numbered >= 0 else seq + 1
            if line:
                after = ShipCursor(seq=seq, head=_hash(line), first=first, at=at)
                yield UnsentEntry(line=line, after=after)
        before = block  # the last one is what stands unfinished at the end


def _hash(line: bytes) -> str:
    event = parse_line(line)
    return str(event.get("event_hash", "")) if event else ""
