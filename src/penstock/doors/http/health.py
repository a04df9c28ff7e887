"""`GET /health`: that we run, which version, and whether the rules can be read.

Nobody is asked for a token, so nothing is told that would help anybody: no path, no project,
no name.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable

from penstock.doors.http.routes import Route
from penstock.doors.http.wire import Head, Response

LARGEST = 0  # bytes of a body
EVERY = 1.0  # seconds between two looks at the rules


class Health:
    """The endpoint. `broken` tells why rules are not in force, for each that are not."""

    def __init__(
        self,
        version: str,
        broken: Callable[[], Iterable[str]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._version = version
        self._broken = broken
        self._clock = clock
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

    def route(self) -> Route:
        """Return where it is asked for."""
        return Route(method="GET", path="/health", handle=self, largest=LARGEST)
