"""Start uvicorn on loopback, for every door that speaks HTTP, and stop it in good order.

What is answered is the application's business, who is admitted that of `routes`.
Always true: only loopback addresses are bound; a stop (SIGTERM, SIGINT) lets what is being
answered go out and ends within `STOP_WITHIN` seconds.
"""

from __future__ import annotations

import math
import os
import socket
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Literal, cast

import uvicorn

from penstock.app import listen
from penstock.core.errors import InputError
from penstock.core.loopback import ADDRESS, PORT
from penstock.doors.http.connection import Admit, Bounds, Connection
from penstock.doors.http.talk import Log

if TYPE_CHECKING:
    from types import FrameType

    from starlette.types import ASGIApp

BACKLOG = 512
STOP_WITHIN = 5
SWITCH = 0.0005  # seconds that a thread may keep this one from answering
FIRST_PASSED = 3  # where systemd puts the first socket it hands over


class Server(uvicorn.Server):
    """uvicorn with our connections. `ready` is called once clients are answered."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        admit: Admit,
        bounds: Bounds = Bounds(),  # noqa: B008 - frozen
        log: Log | None = None,
        lifespan: Literal["on", "off"] = "off",
        ready: Callable[[], None] = lambda: None,
    ) -> None:
        made = partial(Connection, admit=admit, bounds=bounds, log=log or Log())
        config = uvicorn.Config(
            app,
            http=cast("type[Connection]", made),
            ws="none",
            interface="asgi3",
            lifespan=lifespan,
            log_config=None,
            log_level="critical",  # what went wrong is told by `Log`, without a trace
            access_log=False,
            proxy_headers=False,
            server_header=False,
            backlog=BACKLOG,
            timeout_keep_alive=math.ceil(bounds.idle),
            timeout_graceful_shutdown=STOP_WITHIN,
        )
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        self._ready()

    async def on_tick(self, counter: int) -> bool:
        """End what takes too long."""
        for connection in tuple(self.server_state.connections):
            cast("Connection", connection).tidy()
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop; a stop that was asked for is a success, so the signal is not raised again."""
        self.should_exit = True


def bound(port: int) -> socket.socket:
    """Return a socket that listens on loopback; port 0 takes a free one."""
    hint = "is `penstock serve` running already? choose another with --port"
    return listen.listening(ADDRESS, port, backlog=BACKLOG, hint=hint)


def passed() -> socket.socket | None:
    """Return the socket that a service manager opened for us, or None."""
    if os.environ.get("LISTEN_PID") != str(os.getpid()) or not os.environ.get("LISTEN_FDS"):
        return None
    made = socket.socket(fileno=FIRST_PASSED)
    name = made.getsockname()
    if made.family != socket.AF_INET or name[0] != ADDRESS:
        raise InputError(
            "not-loopback",
            f"the inherited socket is not on {ADDRESS}",
            hint=f"set ListenStream={ADDRESS}:{PORT} in the socket unit",
        )
    return made


def run(server: Server, on: socket.socket) -> None:
    """Serve in this thread until a signal says stop, on the quicker loop where it is installed."""
    sys.setswitchinterval(SWITCH)
    server.run(sockets=[on])
