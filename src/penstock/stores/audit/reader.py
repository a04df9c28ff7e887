"""Read the record's files back: all of it, a span of time, or the newest lines.

Each file is sorted by time (`jsonl` sees to that), so a span is found by halving byte offsets,
without an index; within it, lines are searched as bytes before any of them is parsed. Entries about
paths are found by lists beside the rotated files, where one may keep them (`path_list`).
Always true: memory stays that of a block, however long the record; an unfinished last line is
left out; a file whose lines do not begin with their time is read as a whole.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from penstock.core.audit.chain import place
from penstock.core.audit.query import EVERYTHING, Query
from penstock.stores.audit.path_list import lines_naming
from penstock.stores.audit.segments import Segment, files_of, open_to_read, whole_blocks
from penstock.stores.system.os_errors import shut, telling

READ = 128 * 1024
MOST_LINE = 16 << 20
NEAR = 16 * 1024  # below this, reading on is quicker than halving

Told = Callable[[int, int], None]


def quiet(done: int, size: int) -> None:
    """Tell nobody how far it is."""


def read_lines(path: str, query: Query = EVERYTHING, *, listed: bool = False) -> Iterator[bytes]:
    """Yield the lines that a query asks for, oldest first, without their newlines.

    `listed` says that lists of paths may be kept beside rotated files (`path_list`).
    """
    if query.last > 0:
        yield from reversed(list(_newest(path, query, listed)))
        return
    for segment in files_of(path):
        fd = open_to_read(segment.path)
        try:
            with telling(segment.path):
                if listed and _has_list(segment, query):
                    yield from filter(query.fits, lines_naming(segment, fd, query.path_needle()))
                else:
                    yield from _chosen(fd, query)
        finally:
            shut(fd)


def _has_list(segment: Segment, query: Query) -> bool:
    """Say whether the list of a rotated file can answer a query."""
    return segment.first >= 0 and bool(query.path_needle())


def _chosen(fd: int, query: Query) -> Iterator[bytes]:
    low, high = span(fd, query)
    needle = query.needle()
    for block in _blocks(fd, low, high):
        yield from filter(query.fits, _holding(block, needle))


def _holding(block: bytes, needle: bytes) -> Iterator[bytes]:
    """Yield the lines of a block that hold some bytes; all of them for b""."""
    if not needle:
        yield from block.split(b"\n")[:-1]
        return
    at = block.find(needle)
    while at >= 0:
        end = block.index(b"\n", at)
        yield block[block.rfind(b"\n", 0, at) + 1 : end]
        at = block.find(needle, end)


def _newest(path: str, query: Query, listed: bool) -> Iterator[bytes]:
    """Yield up to `query.last` fitting lines, newest first."""
    left, needle = query.last, query.needle()
    lines: Iterator[bytes]
    for segment in reversed(files_of(path)):
        fd = open_to_read(segment.path)
        try:
            with telling(segment.path):
                if listed and _has_list(segment, query):
                    lines = reversed(list(lines_naming(segment, fd, query.path_needle())))
                else:
                    lines = backwards(fd, *span(fd, query))
                for line in lines:
                    if left and needle in line and query.fits(line):
                        left -= 1
                        yield line
                    if not left:
                        return
        finally:
            shut(fd)


def read_end(path: str, size: int, needles: Sequence[bytes]) -> Iterator[bytes]:
    """Yield the lines within the last `size` bytes that hold one of some bytes, oldest first."""
    found: list[bytes] = []
    for segment in reversed(files_of(path)):
        fd = open_to_read(segment.path)
        try:
            with telling(segment.path):
                end = _end_of_lines(fd)
                # The line that the cut goes through is no line any more, and reads as none.
                lines = backwards(fd, max(0, end - size), end)
                found += [line for line in lines if any(needle in line for needle in needles)]
        finally:
            shut(fd)
        size -= end
        if size <= 0:
            break
    return reversed(found)


# --- bytes ---------------------------------------------------------------------------------


def _blocks(fd: int, low: int, high: int) -> Iterator[bytes]:
    """Yield the bytes between two line starts in blocks of whole lines."""
    size = READ
    while low < high:
        data = os.pread(fd, min(size, high - low), low)
        cut = data.rfind(b"\n") + 1
        if cut:
            yield data[:cut]
            low, size = low + cut, READ
        elif len(data) < size:
            return
        else:
            size *= 2  # a line longer than that; `high` is the end of one


def backwards(fd: int, low: int, high: int, told: Told = quiet) -> Iterator[bytes]:
    """Yield the lines between two line starts, last first; `told` hears how far it is."""
    rest, at = b"", high
    while at > low:
        start = max(low, at - READ)
        rest, *lines = (os.pread(fd, at - start, start) + rest).split(b"\n")
        at = start
        yield from (line for line in reversed(lines) if line)
        told(high - at, high - low)
        if len(rest) > MOST_LINE:
            rest = b"\xff"  # nothing that was ever a line, and nothing that could be read as one
    if rest:
        yield rest


# --- times ---------------------------------------------------------------------------------


def span(fd: int, query: Query) -> tuple[int, int]:
    """Return the offsets between which the lines of a query's time lie."""
    end = _end_of_lines(fd)
    if not end or not _ts_at(fd, 0, end):
        return 0, end
    low = _first_since(fd, query.since, end) if query.since else 0
    high = _first_since(fd, query.until, end) if query.until else end
    return low, max(low, high)


def _end_of_lines(fd: int) -> int:
    size = os.fstat(fd).st_size
    at = size
    while at > 0:
        start = max(0, at - 4096)
        newline = os.pread(fd, at - start, start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        at = start
    return 0


def _first_since(fd: int, ts: str, end: int) -> int:
    """Return where the first line that is not before `ts` begins; `end` where none is."""
    low, high = 0, end
    while high - low > NEAR:
        middle = _line_start(fd, (low + high) // 2, high)
        if middle >= high:
            break
        if _ts_at(fd, middle, end) < ts:
            low = middle
        else:
            high = middle
    at = low
    while at < end and _ts_at(fd, at, end) < ts:
        at = _line_start(fd, at + 1, end)
    return at


def _line_start(fd: int, at: int, end: int) -> int:
    """Return where the next line begins at or after `at`; a line begins after a newline."""
    at -= 1
    while at < end:
        data = os.pread(fd, min(4096, end - at), at)
        newline = data.find(b"\n")
        if newline >= 0:
            return at + newline + 1
        if not data:
            break
        at += len(data)
    return end


def _ts_at(fd: int, at: int, end: int) -> str:
    """Return the time of the line that begins here; "" when it does not begin with one."""
    head = os.pread(fd, min(28, end - at), at)
    if head[:7] != b'{"ts":"' or head[27:28] != b'"':
        return ""
    return head[7:27].decode("ascii", "replace")


def line_at(path: str, number: int) -> bytes:
    """Return line `number` of a whole record, 1 being the first; b"" where it has fewer."""
    seen = 0
    for block in whole_blocks(files_of(path)):
        lines = block.count(b"\n")
        if seen + lines >= number:
            return block.split(b"\n")[number - seen - 1]
        seen += lines
    return b""


def line_numbered(path: str, seq: int) -> bytes:
    """Return the entry that says it has a number, looked for from the end; b"" for none.

    Entries without numbers, which others wrote, are counted from the beginning.
    """
    for segment in reversed(files_of(path)):
        fd = open_to_read(segment.path)
        try:
            with telling(segment.path):
                for line in backwards(fd, 0, os.fstat(fd).st_size):
                    found = place(line)[1]
                    if found < 0:
                        return line_at(path, seq + 1)
                    if found <= seq:
                        return line if found == seq else b""
        finally:
            shut(fd)
    return b""
