"""`GET /health`, `/healthz` and `/readyz`: that we run, and that we can do our work.

`/health` tells the version and whether the rules can be read, `/healthz` that this process
answers at all, `/readyz` whether the state can be written: without a record nothing is allowed.
Nobody is asked for a token, so nothing is told that would help anybody: no path, no project,
no name.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator

from penstock.doors.http.routes import Handle, Route
from penstock.doors.http.wire import Head, Response

LARGEST = 0  # bytes of a body
EVERY = 1.0  # seconds between two looks at the rules


class Health:
    """The endpoint. `broken` tells why rules are not in force, for each that are not."""

    def __init__(
        self,
        version: str,
        broken: Callable[[], Iterable[str]],
        *,
        writable: Callable[[], bool] = lambda: True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._version = version
        self._broken = broken
        self._clock = clock
        self._writable = writable
        self._known: tuple[float, int] | None = None

    def __call__(self, head: Head, body: bytes) -> Response:
        """Answer."""
        count = self._count()
        told = {
            "status": "ok" if not count else "degraded",
            "version": self._version,
            "policy": "ok" if not count else "broken",
        }
        return Response(200, json.dumps(told).encode())

    def _count(self) -> int:
        now = self._clock()
        if self._known is None or now - self._known[0] >= EVERY:
            self._known = (now, sum(1 for why in self._broken() if why))
        return self._known[1]

    def alive(self, head: Head, body: bytes) -> Response:
        """Answer that this process answers."""
        return Response(200, b'{"status": "ok"}')

    def ready(self, head: Head, body: bytes) -> Response:
        """Answer whether calls can be judged and recorded."""
        if self._writable():
            return Response(200, b'{"status": "ok"}')
        return Response(503, b'{"status": "not-ready", "because": "the state cannot be written"}')

    def routes(self) -> Iterator[Route]:
        """Yield where each is asked for."""
        ways: tuple[tuple[str, Handle], ...] = (
            ("/health", self),
            ("/healthz", self.alive),
            ("/readyz", self.ready),
        )
        for path, handle in ways:
            yield Route(method="GET", path=path, handle=handle, largest=LARGEST)
