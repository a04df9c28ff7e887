"""Find and read the files of one record: the log and the segments rotated out of it.

A segment keeps the log's name with the numbers of its first and last line in it
(`audit.jsonl` -> `audit.0000000000-0000018231.jsonl`). Names are only for finding and for
order; what the lines say is checked by whoever verifies.
Always true: nothing here writes, and a link in place of the log is never followed.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence

from msgspec import Struct

from penstock.core.audit import chain
from penstock.stores.system.os_errors import is_there, not_a_file, shut, telling

BLOCK = 64 * 1024  # with what is made of it, this stays in a core's own cache
MOST_LINE = 16 * 1024 * 1024  # of what a stranger may have put there
MOST_SEGMENTS = 100_000


class Segment(Struct, frozen=True, kw_only=True):
    """One file of a record. The log itself has no numbers in its name."""

    path: str
    first: int = -1
    last: int = -1


class Tail(Struct, frozen=True, kw_only=True):
    """The end of a file: its last whole line, and what stands unfinished after it."""

    line: bytes
    torn: bytes
    end: int
    """Where the last whole line ends, newline included."""


def segment_name(path: str, first: int, last: int) -> str:
    """Return the name that a log gets when it is rotated out."""
    stem, dot = (path[:-6], ".jsonl") if path.endswith(".jsonl") else (path, "")
    return f"{stem}.{first:010d}-{last:010d}{dot}"


def rotated(path: str) -> list[Segment]:
    """Return the segments rotated out of a log, oldest first."""
    return [segment for segment in _named_like_segments(path) if _is_plain(segment.path)]


def strangers(path: str) -> list[str]:
    """Return what has the name of a segment and is no plain file; we make no such thing."""
    return [each.path for each in _named_like_segments(path) if not _is_plain(each.path)]


def _is_plain(path: str) -> bool:
    with telling(path):
        try:
            return stat.S_ISREG(os.stat(path, follow_symlinks=False).st_mode)
        except FileNotFoundError:
            return False


def _named_like_segments(path: str) -> list[Segment]:
    folder, name = os.path.split(path)
    stem, dot = (name[:-6], ".jsonl") if name.endswith(".jsonl") else (name, "")
    pattern = re.compile(re.escape(stem) + r"\.(\d{10,18})-(\d{10,18})" + re.escape(dot))
    found: list[Segment] = []
    with telling(path):
        for entry in os.listdir(folder or "."):
            match = pattern.fullmatch(entry)
            if match and len(found) < MOST_SEGMENTS:
                full = os.path.join(folder, entry)
                found.append(Segment(path=full, first=int(match[1]), last=int(match[2])))
    return sorted(found, key=lambda segment: (segment.first, segment.last))


def files_of(path: str) -> list[Segment]:
    """Return every file of a record in the order of its lines; none where none was begun."""
    with telling(path):
        if not is_there(os.path.dirname(path) or "."):
            return []
        current = [Segment(path=path)] if is_there(path) else []
    return [*rotated(path), *current]


def open_to_read(path: str) -> int:
    """Open a file of the record; raises AuditError for what is no plain file."""
    with telling(path):
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            require_plain(fd, path)
        except BaseException:
            shut(fd)
            raise
    return fd


def require_plain(fd: int, path: str) -> os.stat_result:
    """Return the status of an open file; raises AuditError unless it is a regular file."""
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        raise not_a_file(path)
    return status


def read_tail(fd: int, size: int) -> Tail:
    """Return the last whole line of an open file of this size, and what is torn after it.

    A crash of the machine may leave zero bytes where a line should be; they are torn, too.
    """
    window = 4096
    while True:
        start = max(0, size - window)
        data = os.pread(fd, size - start, start)
        whole = data.rfind(b"\n") + 1
        above = data.rfind(b"\n", 0, max(whole - 1, 0)) + 1
        if above or start == 0:
            line = data[above : whole - 1] if whole else b""
            return Tail(line=line, torn=data[whole:], end=start + whole)
        window *= 8


def last_line(path: str) -> bytes:
    """Return the last whole line of a file, without its newline."""
    fd = open_to_read(path)
    try:
        with telling(path):
            return read_tail(fd, os.fstat(fd).st_size).line
    finally:
        shut(fd)


def first_number(fd: int) -> int:
    """Return the number of the first line of an open file; 0 where it has none."""
    return max(chain.place(os.pread(fd, 200, 0))[1], 0)


def blocks_of(path: str, start: int = 0, end: int | None = None) -> Iterator[bytes]:
    """Yield a file's bytes from `start` to `end` in blocks; all but the last end with a newline.

    The last is what stands after the last newline, b"" when nothing does. A line longer than
    any line can be is not held: its beginning stands for it, which is no event either.
    """
    fd = open_to_read(path)
    try:
        with telling(path):
            stop = os.fstat(fd).st_size if end is None else end
            size = BLOCK
            while start < stop:
                data = os.pread(fd, min(size, stop - start), start)
                cut = data.rfind(b"\n") + 1
                if cut:
                    yield data[:cut]
                    start, size = start + cut, BLOCK
                elif len(data) < size:
                    break
                elif size < MOST_LINE:
                    size *= 4
                else:
                    after = _after_newline(fd, start + len(data), stop)
                    if after < 0:
                        break
                    yield data[:1000] + b"\n"
                    start, size = after, BLOCK
            yield os.pread(fd, min(MOST_LINE, max(stop - start, 0)), start)
    finally:
        shut(fd)


def _after_newline(fd: int, at: int, stop: int) -> int:
    """Return where the next line begins; -1 where none does."""
    while at < stop:
        data = os.pread(fd, min(BLOCK, stop - at), at)
        newline = data.find(b"\n")
        if newline >= 0:
            return at + newline + 1
        at += len(data) or stop
    return -1


def whole_blocks(files: Sequence[Segment]) -> Iterator[bytes]:
    """Yield all whole lines of a record in blocks; the unfinished end of the log is left out.

    A segment that does not end with a newline was not left so by us; its end counts as a line.
    """
    for at, segment in enumerate(files):
        before = b""
        for block in blocks_of(segment.path):
            if before:
                yield before
            before = block
        if before and at < len(files) - 1:
            yield before + b"\n"
