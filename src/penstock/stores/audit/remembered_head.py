"""Remember the end of the log in a place of its own, outside of what an agent works in.

One small file (`core/audit/head_slots`) with the last entry that was written, the last one that
reached the disk, and how far the last attempt to sign went. It lets the next writer and the
verifier notice that the log was cut, rewritten or deleted, and every writer that a checkpoint is
due, whoever wrote the entries since.
Always true: `latest` is moved only by who holds the log's lock, with each entry; what is durable
only goes forward, except where a restart of the chain was written into the chain itself. What
was written before the machine stopped and never reached the disk is not counted as missing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from penstock.core.audit import head_slots as slots
from penstock.core.audit.log_head import LogHead
from penstock.stores.audit.file import take_lock
from penstock.stores.audit.segments import open_to_read
from penstock.stores.system.os_errors import is_there, shut, telling

HEAD = re.compile(rb"(\d{20}) (sha256:[0-9a-f]{64})")
WAIT = 5.0
MOST_READS = 5
FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
BOOT_ID = "/proc/sys/kernel/random/boot_id"


class RememberedHead(Struct, frozen=True, kw_only=True):
    """What is remembered. `current` says that the machine has not restarted since `latest`."""

    durable: LogHead | None = None
    latest: LogHead | None = None
    current: bool = False
    signed: tuple[int, int] | None = None

    def expected(self, end: int) -> LogHead | None:
        """Return the entry that a log whose last number is `end` must hold."""
        known = [head for head in (self.durable, self.latest) if head is not None]
        if self.lost(end):
            known = known[:-1]
        return max(known, key=lambda head: head.seq, default=None)

    @property
    def is_empty(self) -> bool:
        """Say that no end of the log is remembered at all."""
        return self.durable is None and self.latest is None

    def unremembered(self, end: int) -> int:
        """Return how many entries follow the last one that is remembered as written.

        The head moves with each entry, under the log's lock: there are none between two writes,
        unless a writer was killed just then, or somebody else added them.
        """
        return max(0, end - self.latest.seq) if self.latest is not None else 0

    def lost(self, end: int) -> int:
        """Return how many entries were written, but not to the disk, when the machine stopped."""
        if self.latest is None or self.current:
            return 0
        return max(0, self.latest.seq - end)


class HeadMemory:
    """The remembered head of one log."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._fd = -1
        self._boot = b""

    def __del__(self) -> None:
        """Give the descriptor back: a server opens many logs in its life."""
        self.close()

    def close(self) -> None:
        """Give the file back; the next call opens it again."""
        if self._fd >= 0:
            shut(self._fd)
        self._fd = -1

    # --- reading ---------------------------------------------------------------------------

    def facts(self) -> RememberedHead:
        """Return what is remembered; whatever cannot be read is not."""
        self.close()  # the name may lead to another file by now
        with telling(self.path):
            if not is_there(self.path):
                return RememberedHead()
            fd = open_to_read(self.path)
            try:
                return self._parsed(_settled(fd))
            finally:
                shut(fd)

    def recall(self) -> LogHead | None:
        """Return the last entry that counts, wherever the log ends."""
        return self.facts().expected(-1)

    def _parsed(self, data: bytes) -> RememberedHead:
        boot = data[slots.SIGNED - slots.BOOT - 1 : slots.SIGNED - 1].strip()
        return RememberedHead(
            durable=_head(data[: slots.LATEST]),
            latest=_head(data[slots.LATEST : slots.SIGNED]),
            current=boot == self._this_boot(),
            signed=slots.read_signed(data),
        )

    def _this_boot(self) -> bytes:
        """Return what tells this start of the machine from others; b"" where nothing does."""
        if not self._boot:
            try:
                with open(BOOT_ID, "rb") as file:
                    self._boot = file.read(slots.BOOT)
            except OSError:
                self._boot = b""
        return self._boot

    # --- writing ---------------------------------------------------------------------------

    def move(self, head: LogHead) -> None:
        """Remember the entry that was just written. Only for who holds the log's lock."""
        with telling(self.path):
            if self._fd < 0:
                self._fd = os.open(self.path, FLAGS, 0o600)
            slot = slots.latest_slot(head.seq, head.event_hash, self._this_boot())
            os.pwrite(self._fd, slot, slots.LATEST)

    def restart(self, head: LogHead) -> None:
        """Remember the head of a chain that had to start anew. Only under the log's lock."""
        self.move(head)
        with self._alone() as fd:
            os.pwrite(fd, slots.durable_slot(head.seq, head.event_hash), slots.DURABLE)

    def remember(self, head: LogHead) -> None:
        """Remember an entry that reached the disk; an older one changes nothing."""
        with self._alone() as fd:
            known = _head(os.pread(fd, slots.LATEST, slots.DURABLE))
            if known is None or known.seq < head.seq:
                os.pwrite(fd, slots.durable_slot(head.seq, head.event_hash), slots.DURABLE)

    # --- checkpoints -----------------------------------------------------------------------

    def signed(self) -> tuple[int, int] | None:
        """Return the size and the second of the last attempt to sign."""
        return self.facts().signed

    def claim(self, size: int, at: int, *, seen: tuple[int, int] | None) -> bool:
        """Note an attempt to sign; False when another began one since what was `seen`."""
        with self._alone() as fd:
            if slots.read_signed(os.pread(fd, slots.END, 0)) != seen:
                return False
            os.pwrite(fd, slots.signed_slot(size, at), slots.SIGNED)
        return True

    def mark(self, size: int, at: int) -> None:
        """Note how far an attempt to sign went, with what it told of itself."""
        with self._alone() as fd:
            os.pwrite(fd, slots.signed_slot(size, at), slots.SIGNED)

    @contextmanager
    def _alone(self) -> Iterator[int]:
        with telling(self.path):
            fd = os.open(self.path, FLAGS, 0o600)
            try:
                take_lock(fd, self.path, wait=WAIT)
                yield fd
            finally:
                shut(fd)


def _settled(fd: int) -> bytes:
    """Read the file as it is between two writes: two looks that agree."""
    data = os.pread(fd, slots.END, 0)
    for _ in range(MOST_READS):
        again = os.pread(fd, slots.END, 0)
        if again == data:
            break
        data = again
    return data


def _head(slot: bytes) -> LogHead | None:
    match = HEAD.match(slot)
    return None if match is None else LogHead(seq=int(match[1]), event_hash=match[2].decode())
