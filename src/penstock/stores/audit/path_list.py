"""The paths of a rotated file of the record, listed beside it: where each entry about one begins.

A rotated file never changes again, and its list is a fraction of its size, so that the entries
about one path are found without reading the rest. The list is made from the file at the first
need; the live log has none.
Always true: the list only says where to look, and what is there is read and judged anew. A list
that is damaged, of another file, or that points anywhere but at the start of a line is not used
and is made again. Whoever may write here can make one that leaves entries out: `verify` finds it.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress

from penstock.core.errors import StoreError
from penstock.stores.audit.segments import Segment, whole_blocks
from penstock.stores.system.private import read_file, write_file

SUFFIX = ".paths"
PATH = re.compile(rb'"path"\s*:\s*"((?:[^"\\]|\\.)*)"')
MOST = 256 << 20


def lines_naming(segment: Segment, fd: int, name: bytes) -> Iterator[bytes]:
    """Yield the lines of a rotated file whose path may hold some bytes, oldest first."""
    listed = _listed(segment, fd)
    lines = None if listed is None else _pointed(fd, listed, name)
    if lines is None:
        lines = _pointed(fd, _kept(segment, fd), name) or []
    yield from lines


def misleads(segment: Segment, fd: int) -> bool:
    """True when the list beside a file passes for its own and says something else than it does."""
    listed = _listed(segment, fd)
    return listed is not None and listed != b"".join(_entries(segment))


def _listed(segment: Segment, fd: int) -> bytes | None:
    """Return the list beside a file, or None where there is none that is whole and its own."""
    try:
        data = read_file(segment.path + SUFFIX, limit=MOST) or b""
    except (OSError, StoreError):
        return None
    head, _, body = data.partition(b"\n")
    return body if head == _head(fd, body) else None


def _head(fd: int, body: bytes) -> bytes:
    """Return what binds a list to one state of a file, and to its own bytes."""
    about = os.fstat(fd)
    return b"paths 1 %d %d %d %08x" % (
        about.st_size, about.st_ino, about.st_mtime_ns, zlib.crc32(body)
    )  # fmt: skip


def _kept(segment: Segment, fd: int) -> bytes:
    """Make the list of a file and keep it, if one may write there."""
    body = b"".join(_entries(segment))
    folder, name = os.path.split(segment.path)
    with suppress(OSError, StoreError):
        write_file(folder, name + SUFFIX, _head(fd, body) + b"\n" + body, replace=True)
    return body


def _entries(segment: Segment) -> Iterator[bytes]:
    """Yield an offset and a path, as its line has it, for each entry that has one."""
    at = 0
    for block in whole_blocks([segment]):
        for line in block.split(b"\n")[:-1]:
            found = PATH.findall(line)
            if found:
                yield b"%d %b\n" % (at, b"\0".join(found))
            elif b"\\u" in line:  # a stranger may have written the name of a field so
                yield b"%d %b\n" % (at, line)
            at += len(line) + 1


def _pointed(fd: int, listed: bytes, name: bytes) -> list[bytes] | None:
    """Return the lines that a list points at; None when it points at what is none."""
    lines: list[bytes] = []
    at = listed.find(name)
    while at >= 0:
        start = listed.rfind(b"\n", 0, at) + 1
        line = _line(fd, listed[start : listed.index(b" ", start)])
        if line is None:
            return None
        lines.append(line)
        at = listed.find(name, listed.index(b"\n", at))
    return lines


def _line(fd: int, offset: bytes) -> bytes | None:
    """Return the line that begins at an offset, or None when none begins there."""
    start = int(offset) - 1 if offset.isdigit() else -2
    size, before = 4096, b"\n" if start == -1 else b""
    while start >= -1:
        data = before + os.pread(fd, size, max(start, 0))
        end = data.find(b"\n", 1)
        if data[:1] != b"\n":
            return None
        if end > 0:
            return data[1:end]
        if len(data) < size:
            return None
        size *= 4
    return None
