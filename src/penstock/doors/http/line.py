"""The way back to a client that is answered piece by piece.

What the pieces are is settled by whoever writes them (`asgi`); the connection sends them.
Always true: nobody writes faster than the client reads; whoever waits for the end is told when
we stop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

Put = Callable[[bytes], bool]


class Serving(Protocol):
    """What a line needs to know of its server."""

    date: bytes
    stopping: bool


class OpenLine:
    """One response on its way. `put` sends a piece and says whether the client takes more."""

    __slots__ = ("_host", "_put", "begun", "complete", "flows", "keep", "left")

    def __init__(self, put: Put, host: Serving, *, keep: bool) -> None:
        self._put = put
        self._host = host
        self.keep = keep and not host.stopping
        self.begun = False
        self.complete = False
        self.flows = asyncio.Event()
        self.left = asyncio.Event()

    @property
    def date(self) -> bytes:
        """The header line of the date."""
        return self._host.date

    async def write(self, data: bytes, *, last: bool = False) -> None:
        """Send bytes; waits for a client that is slow. Raises OSError when it is gone."""
        self.begun = True
        self.complete = last
        self.keep = self.keep and not self._host.stopping
        self.flows.clear()
        if not self._put(data) and not last:
            await self.flows.wait()

    async def ended(self) -> None:
        """Wait until we stop; a client that goes ends the whole answer."""
        await self.left.wait()
