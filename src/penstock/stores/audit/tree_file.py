"""Keep the record's tree on the disk, so that growing and proving it need not read the record.

`nodes` holds every finished subtree in the order in which leaves finish them, 32 bytes each;
`tree` says how many lines that is and where in the log the next one begins.
Always true: these files are a convenience. What they say is checked against the last signature
and against the log, and thrown away where it does not fit.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence

from msgspec import Struct, to_builtins

from penstock.core.audit import chain
from penstock.core.audit.merkle import HASH_SIZE, finished, root_over, stored_index
from penstock.stores.audit.segments import Segment, blocks_of, files_of, first_number, open_to_read
from penstock.stores.system.os_errors import shut, telling


class TreePosition(Struct, frozen=True, kw_only=True):
    """How far the tree reaches: so many lines, the last one's hash, and where the next begins.

    `first` is the number of the first line of the file that `offset` is in.
    """

    size: int = 0
    hash: str = chain.GENESIS
    first: int = 0
    offset: int = 0


class LineBatch(Struct, frozen=True, kw_only=True):
    """Some lines of the log, and where the next one begins."""

    block: bytes
    first: int
    offset: int


class TreeFile:
    """The stored tree of one log."""

    def __init__(self, folder: str, log: str) -> None:
        self._nodes = os.path.join(folder, "nodes")
        self._tree = os.path.join(folder, "tree")
        self._log = log

    def place(self) -> TreePosition:
        """Return how far the tree reaches; nowhere when its files do not fit together."""
        try:
            with open(self._tree, "rb") as file:
                found = TreePosition(**json.loads(file.read(4096)))
            whole = os.stat(self._nodes).st_size
        except (OSError, ValueError, TypeError):
            return TreePosition()
        numbers = (found.size, found.first, found.offset)
        if not all(type(number) is int and 0 <= number < 2**60 for number in numbers):
            return TreePosition()
        # A crash may leave more nodes than `tree` tells of; those are written over.
        return found if whole >= stored_index(0, found.size) * HASH_SIZE else TreePosition()

    def pieces_after(self, place: TreePosition) -> Iterator[LineBatch] | None:
        """Return the log's lines after a place; None when that place is not there any more."""
        files = files_of(self._log)
        if place.size == 0:
            return _pieces(files, 0)
        for at, segment in enumerate(files):
            if _holds(segment.path, place):
                return _pieces(files[at:], place.offset)
        return None

    def node(self, level: int, index: int) -> bytes:
        """Read one stored node."""
        with telling(self._nodes), open(open_to_read(self._nodes), "rb") as file:
            return os.pread(file.fileno(), HASH_SIZE, stored_index(level, index) * HASH_SIZE)

    def root(self, size: int) -> bytes:
        """Return the root over the first lines."""
        return root_over(self.node, 0, size)

    def add(self, size: int, leaves: Sequence[bytes]) -> int:
        """Store leaf hashes after the first `size`, with all that they finish."""
        base = stored_index(0, size)
        added: list[bytes] = []

        def known(level: int, index: int) -> bytes:
            at = stored_index(level, index)
            return added[at - base] if at >= base else self.node(level, index)

        for leaf in leaves:
            added += finished(size, leaf, known)
            size += 1
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        with telling(self._nodes), open(os.open(self._nodes, flags, 0o600), "r+b") as file:
            file.seek(base * HASH_SIZE)
            file.write(b"".join(added))
        return size

    def keep(self, place: TreePosition) -> None:
        """Remember how far the tree reaches now."""
        new = self._tree + ".new"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
        with telling(self._tree):
            with open(os.open(new, flags, 0o600), "wb") as file:
                file.write(json.dumps(to_builtins(place)).encode())
            os.replace(new, self._tree)


def _pieces(files: Sequence[Segment], offset: int) -> Iterator[LineBatch]:
    for segment in files:
        first = -1
        for block in blocks_of(segment.path, offset):
            if first < 0:
                first = _first_of(segment.path)
            offset += len(block)
            if block.endswith(b"\n"):
                yield LineBatch(block=block, first=first, offset=offset)
        offset = 0


def _first_of(path: str) -> int:
    fd = open_to_read(path)
    try:
        with telling(path):
            return first_number(fd)
    finally:
        shut(fd)


def _holds(path: str, place: TreePosition) -> bool:
    """Say whether this is the file, and the line before the place is still the same."""
    fd = open_to_read(path)
    try:
        with telling(path):
            if first_number(fd) != place.first or place.offset < chain.TAIL:
                return False
            before = os.pread(fd, chain.TAIL + 1, place.offset - chain.TAIL - 1)
        return before.endswith(b"\n") and chain.stated_hash(before[:-1]) == place.hash
    finally:
        shut(fd)
