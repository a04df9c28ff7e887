"""Ask for syntax colours, and go without them when they are late.

How text is coloured is `worker`'s work, in a process of its own.
Always true: a page waits a bounded time for its colours; a text that takes longer gets none,
then and later, and the process that was busy with it is ended.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from functools import lru_cache

LARGEST = 256 * 1024
WITHIN = 0.6  # seconds for one text, once the child is there
STARTING = 4.0  # seconds more for the first
REMEMBERED = 64
CHILD = (sys.executable, "-I", "-m", "penstock.doors.colours.worker")

Spans = Sequence[tuple[int, str]]  # of a line: characters and their class, one after the other
Coloured = Sequence[Spans]
NONE: Coloured = ()


class Colours:
    """The child that colours, started at the first need, and what it said lately."""

    def __init__(self, *, within: float = WITHIN, argv: Sequence[str] = CHILD) -> None:
        self._within, self._argv = within, argv
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        # A text that was late once is late again: that it has no colours is remembered, too.
        self._coloured = lru_cache(REMEMBERED)(self._ask)

    def of(self, name: str, text: str) -> Coloured:
        """Return the colours of a text by its lines; nothing where there are none in time."""
        if not text or len(text) > LARGEST:
            return NONE
        with self._lock:
            return self._coloured(os.path.basename(name), text)

    def close(self) -> None:
        """End the child."""
        with self._lock:
            self._end()

    def _ask(self, name: str, text: str) -> Coloured:
        fresh = self._child is None or self._child.poll() is not None
        try:
            child = self._start() if fresh else self._child
            assert child is not None
            until = time.monotonic() + self._within + (STARTING if fresh else 0)
            answer = self._talk(child, name, text, until)
        except OSError:
            answer = b""
        if not answer.endswith(b"\n"):
            self._end()
            return NONE
        found: Coloured = json.loads(answer)
        return found

    def _start(self) -> subprocess.Popen[bytes]:
        self._end()
        atexit.register(self.close)  # once is enough, and again does no harm
        self._child = subprocess.Popen(  # noqa: S603 - our own module
            list(self._argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._child.stdin is not None
        os.set_blocking(self._child.stdin.fileno(), False)
        return self._child

    def _talk(self, child: subprocess.Popen[bytes], name: str, text: str, until: float) -> bytes:
        """Send a request and read its answer, both within the time."""
        assert child.stdin is not None
        assert child.stdout is not None
        request = json.dumps({"name": name, "text": text}).encode() + b"\n"
        sent, got, answer = child.stdin.fileno(), child.stdout.fileno(), b""
        waiting = select.poll()
        waiting.register(got, select.POLLIN)
        waiting.register(sent, select.POLLOUT)
        while not answer.endswith(b"\n"):
            ready = {number for number, _ in waiting.poll(max(until - time.monotonic(), 0) * 1000)}
            if not ready:
                return b""
            if sent in ready:
                request = request[os.write(sent, request[:65536]) :]
                if not request:
                    waiting.unregister(sent)
            if got in ready:
                part = os.read(got, 1 << 20)
                if not part:
                    return b""
                answer += part
        return answer

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                pipe.close()
        child.wait()
