"""Take standard input and output for the protocol alone.

Done before any library is loaded, because one that prints while it is imported would already
break the protocol.
Always true: after `taken`, descriptor 1 is stderr and descriptor 0 is empty, for this process
and for every child of it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Wire:
    """The two descriptors that the client holds the other ends of."""

    read: int
    write: int

    def more(self, most: int) -> bytes:
        """Return some more bytes of the client's, none at the end."""
        return os.read(self.read, most)

    def send(self, data: bytes) -> None:
        """Send all of some bytes. Raises BrokenPipeError when the client is gone."""
        left = memoryview(data)
        while left:
            left = left[os.write(self.write, left) :]


def taken() -> Wire:
    """Take both descriptors away from everybody else."""
    wire = Wire(read=os.dup(0), write=os.dup(1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(_talk(), 1)
    return wire


def _talk() -> int:
    """Return where prints go: stderr, or nowhere when there is none."""
    try:
        os.fstat(2)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY)
    return 2
