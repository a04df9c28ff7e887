"""Remember the end of the record in a place of its own, outside of what an agent works in.

One small file with the number and the hash of the last line that reached the disk. It lets the
next writer notice that the log was deleted or cut, and the verifier that it ends too early.
Always true: what is remembered only goes forward, except where a restart of the chain was
written into the chain itself.
"""

from __future__ import annotations

import os
import re

from penstock.core.audit.evidence import LogHead
from penstock.stores.audit.file import take_lock
from penstock.stores.system.os_errors import is_there, shut, telling

RECORD = re.compile(rb"(\d{20}) (sha256:[0-9a-f]{64})\n")
WAIT = 5.0
FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class HeadMemory:
    """The remembered head of one log."""

    def __init__(self, path: str) -> None:
        self.path = path

    def recall(self) -> LogHead | None:
        """Return what is remembered, or None."""
        with telling(self.path):
            if not is_there(self.path):
                return None
            fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                return _parsed(os.pread(fd, 128, 0))
            finally:
                shut(fd)

    def remember(self, head: LogHead) -> None:
        """Move the memory forward to this head; an older one changes nothing."""
        self._put(head, only_forward=True)

    def restart(self, head: LogHead) -> None:
        """Remember the head of a chain that had to start anew."""
        self._put(head, only_forward=False)

    def _put(self, head: LogHead, *, only_forward: bool) -> None:
        with telling(self.path):
            fd = os.open(self.path, FLAGS, 0o600)
            try:
                take_lock(fd, self.path, wait=WAIT)
                known = _parsed(os.pread(fd, 128, 0))
                if not (only_forward and known is not None and known.seq >= head.seq):
                    os.pwrite(fd, b"%020d %b\n" % (head.seq, head.event_hash.encode()), 0)
            finally:
                shut(fd)


def _parsed(data: bytes) -> LogHead | None:
    match = RECORD.fullmatch(data)
    return None if match is None else LogHead(seq=int(match[1]), event_hash=match[2].decode())
