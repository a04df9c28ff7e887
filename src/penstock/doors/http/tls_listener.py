"""Take clients of other devices in: few at a time, and only by TLS.

Everybody in the network can knock, so what that costs is bounded before the first byte is read.
Who may ask for what is settled by the `admit` of these connections.
Always true: a client that speaks no TLS gets no answer; the clients here leave room for those of
this machine; none of them stays without a handshake for longer than `HANDSHAKE` seconds.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from penstock.doors.http.connection import Admit, Connection

MOST, MOST_OF_ONE = 64, 24  # connections of all, and of one address
HANDSHAKE = 5.0
PAUSE = 0.2  # seconds after a failure to take somebody in


class Guest(Connection):
    """A client of another device; `gone` is called when it leaves."""

    def __init__(self, *, gone: Callable[[], None], **given: Any) -> None:
        super().__init__(**given)
        self._gone = gone

    def connection_lost(self, exc: Exception | None) -> None:
        """Make room for another."""
        super().connection_lost(exc)
        self._gone()


class TlsListener:
    """Sockets that other devices reach."""

    def __init__(
        self, sockets: Sequence[socket.socket], context: ssl.SSLContext, *, admit: Admit
    ) -> None:
        self.admit = admit
        self._sockets = sockets
        self._context = context
        self._inside: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, make: Callable[[Callable[[], None]], Guest]) -> None:
        """Take clients in from now on."""
        for one in self._sockets:
            one.setblocking(False)
            self._keep(asyncio.create_task(self._accept(one, make)))

    def stop(self) -> None:
        """Take nobody in any more."""
        for task in tuple(self._tasks):
            task.cancel()
        for one in self._sockets:
            one.close()

    async def _accept(self, on: socket.socket, make: Callable[[Callable[[], None]], Guest]) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                client, peer = await loop.sock_accept(on)
            except OSError:
                await asyncio.sleep(PAUSE)
                continue
            who = str(peer[0])
            if self._inside.total() >= MOST or self._inside[who] >= MOST_OF_ONE:
                client.close()
                continue
            self._inside[who] += 1
            self._keep(asyncio.create_task(self._greet(client, who, make)))

    async def _greet(
        self, client: socket.socket, who: str, make: Callable[[Callable[[], None]], Guest]
    ) -> None:
        """Have TLS agreed upon; whoever fails at it is gone."""
        left = False

        def gone() -> None:
            nonlocal left
            if not left:
                left = True
                self._inside -= Counter({who: 1})

        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: make(gone), client, ssl=self._context, ssl_handshake_timeout=HANDSHAKE
            )
        except (OSError, ValueError):  # an SSLError is an OSError
            gone()
            with suppress(OSError):
                client.close()
        except asyncio.CancelledError:
            gone()
            raise

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
