"""The three standard descriptors of a command, so that none of them opens a real file.

A descriptor of a file can be opened again through `/proc/self/fd`, for writing too where only
reading was meant. So a file, as in `run -- agent < prompt.txt > answer.txt`, is passed through a
pipe: we read and write it, the command sees a pipe. Terminals, pipes and sockets stay as they are.
Always true: bytes keep their order within a stream; two descriptors of one file share a pipe.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

PIECE = 65536
OPENED_AGAIN = (stat.S_ISREG, stat.S_ISDIR, stat.S_ISBLK)


def needs_pipe(descriptor: int) -> bool:
    """Say whether what a descriptor stands for could be opened again by its name."""
    try:
        mode = os.fstat(descriptor).st_mode
    except OSError:  # it is closed
        return False
    return any(kind(mode) for kind in OPENED_AGAIN)


class Streams:
    """Pipes in the place of files on descriptors 0 to 2; processes of ours pass the bytes on."""

    def __init__(self, given: Mapping[int, int] | None = None) -> None:
        """Look at our own descriptors; `given` ones, which must be no files, are taken instead."""
        self.replaced: dict[int, int] = dict(given or {})  # a standard one, and the command's end
        self._copies: list[tuple[int, int, int]] = []  # from, to, and which of them is our end
        self._children: list[int] = []
        if given is None:
            self._look()

    def _look(self) -> None:
        if needs_pipe(0):
            self.replaced[0], ours = os.pipe()
            self._copies.append((0, ours, ours))
        seen: dict[tuple[int, int], int] = {}
        for number in (1, 2):
            if needs_pipe(number):
                status = os.fstat(number)
                known = (status.st_dev, status.st_ino)
                seen[known] = self.replaced[number] = seen.get(known) or self._drain(number)

    def _drain(self, number: int) -> int:
        ours, theirs = os.pipe()
        self._copies.append((ours, number, ours))
        return theirs

    def take(self) -> None:
        """In the command's process: put the pipes in place."""
        for number, other in self.replaced.items():
            os.dup2(other, number)

    def pump(self) -> None:
        """In our process, once the command's has its ends: begin to pass bytes on."""
        for other in set(self.replaced.values()):
            os.close(other)
        self._children = [self._copier(at) for at in range(len(self._copies))]
        for _, _, ours in self._copies:
            os.close(ours)

    def _copier(self, at: int) -> int:
        child = os.fork()
        if child:
            return child
        try:
            # An end that a second process holds would keep the other side from seeing its end.
            for other, (_, _, ours) in enumerate(self._copies):
                if other != at:
                    os.close(ours)
            _copy(*self._copies[at][:2])
        finally:
            os._exit(0)

    def finish(self) -> None:
        """Wait until what the command wrote is in its files."""
        for child in self._children:
            os.waitpid(child, 0)

    def drop(self) -> None:
        """Close everything, where there is no command."""
        for one in {*self.replaced.values(), *(ours for _, _, ours in self._copies)}:
            os.close(one)


def _copy(source: int, target: int) -> None:
    """Pass bytes on until there are no more, or nobody takes them."""
    while piece := os.read(source, PIECE):
        while piece:
            piece = piece[os.write(target, piece) :]
