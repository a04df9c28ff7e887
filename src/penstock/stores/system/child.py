"""Run a program with something on its stdin, and take what it says, within a time.

The standard library has more than this, and importing it takes as long as several programs.
Always true: a program that was started is waited for, or ended and waited for; nothing that it
says is kept from it by a full pipe, and nothing that we open is left open.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Mapping
from contextlib import suppress

PIECE = 1 << 16
MOST = 256 * 1024 * 1024


class Child:
    """One program that was started; `argv[0]` is its absolute path."""

    def __init__(self, argv: list[str | bytes], environ: Mapping[str, str], stdin: bytes) -> None:
        self._left = memoryview(stdin)
        self._said: dict[int, bytearray] = {}
        # These ends are closed in every program that is started, but where it gets a number.
        (theirs, self._stdin), (self._stdout, out), (self._stderr, err) = (
            os.pipe(),
            os.pipe(),
            os.pipe(),
        )
        try:
            self._pid = os.posix_spawn(
                argv[0],
                argv,
                environ,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, theirs, 0),
                    (os.POSIX_SPAWN_DUP2, out, 1),
                    (os.POSIX_SPAWN_DUP2, err, 2),
                ],
                setsigdef=[signal.SIGPIPE],
            )
        except BaseException:
            _close(self._stdin, self._stdout, self._stderr)
            raise
        finally:
            _close(theirs, out, err)
        self._said = {self._stdout: bytearray(), self._stderr: bytearray()}

    def ended(self, seconds: float) -> tuple[int, bytes, bytes]:
        """Wait for the end; return exit code, stdout and stderr. OSError when it takes longer."""
        try:
            self._talk(time.monotonic() + seconds)
        except BaseException:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
            raise
        finally:
            _close(self._stdin, self._stdout, self._stderr)
        code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        out, err = self._said.values()
        return code, bytes(out), bytes(err)

    def _talk(self, end: float) -> None:
        """Write and read whatever is ready, until the program has closed both its ends."""
        poll = select.poll()
        for descriptor in self._said:
            poll.register(descriptor, select.POLLIN)
        os.set_blocking(self._stdin, False)
        poll.register(self._stdin, select.POLLOUT)
        reading = {*self._said}
        if not self._left:
            self._no_more(poll)
        while reading:
            ready = poll.poll(max(0.0, end - time.monotonic()) * 1000)
            if not ready:
                raise TimeoutError("it took longer than it may")
            for descriptor, _ in ready:
                if descriptor == self._stdin:
                    self._write(poll)
                elif not self._read(descriptor):
                    poll.unregister(descriptor)
                    reading.discard(descriptor)

    def _write(self, poll: select.poll) -> None:
        try:
            self._left = self._left[os.write(self._stdin, self._left[:PIECE]) :]
        except BlockingIOError:
            return
        except OSError:  # it wants no more of it
            self._left = self._left[:0]
        if not self._left:
            self._no_more(poll)

    def _no_more(self, poll: select.poll) -> None:
        poll.unregister(self._stdin)
        _close(self._stdin)
        self._stdin = -1

    def _read(self, descriptor: int) -> bool:
        data = os.read(descriptor, PIECE)
        if len(self._said[descriptor]) + len(data) > MOST:
            raise OSError("it says more than can be kept")
        self._said[descriptor] += data
        return bool(data)


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        if descriptor >= 0:
            with suppress(OSError):
                os.close(descriptor)
