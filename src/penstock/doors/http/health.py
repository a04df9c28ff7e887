"""`GET /health`, `/healthz` and `/readyz`: that we run, and that we can do our work.

`/health` tells the version and whether the rules can be read, `/healthz` that this process
answers at all, `/readyz` whether the state can be written: without a record nothing is allowed.
Nobody is asked for a token, so nothing is told that would help anybody: no path, no project,
no name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from penstock.doors.http.routes import Route, as_json

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

LARGEST = 0  # bytes of a body


class Health:
    """The endpoint. `broken` tells why rules are not in force, for each that are not."""

    def __init__(
        self,
        version: str,
        broken: Callable[[], Iterable[str]],
        *,
        writable: Callable[[], bool] = lambda: True,
    ) -> None:
        self._version = version
        self._broken = broken
        self._writable = writable

    def told(self) -> Response:
        """Answer how the rules are."""
        broken = any(self._broken())
        told = {
            "status": "degraded" if broken else "ok",
            "version": self._version,
            "policy": "broken" if broken else "ok",
        }
        return as_json(json.dumps(told).encode())

    def alive(self) -> Response:
        """Answer that this process answers."""
        return as_json(b'{"status": "ok"}')

    def ready(self) -> Response:
        """Answer whether calls can be judged and recorded."""
        if self._writable():
            return as_json(b'{"status": "ok"}')
        told = b'{"status": "not-ready", "because": "the state cannot be written"}'
        return as_json(told, 503)

    def routes(self) -> Iterator[Route]:
        """Yield where each is asked for."""
        ways = {"/health": self.told, "/healthz": self.alive, "/readyz": self.ready}
        for path, way in ways.items():
            yield Route(method="GET", path=path, app=_application(way), largest=LARGEST)


def _application(way: Callable[[], Response]) -> ASGIApp:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await way()(scope, receive, send)

    return answer
