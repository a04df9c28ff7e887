"""Start uvicorn on loopback, for every door that speaks HTTP, and stop it in good order.

What is answered is the application's business, who is admitted that of `routes`. Other devices
come in by `guests`, where there are any.
Always true: only loopback addresses are bound here; a stop (SIGTERM, SIGINT) lets what is being
answered go out and ends within `STOP_WITHIN` seconds.
"""

from __future__ import annotations

import math
import os
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Literal, cast

import uvicorn

from penstock.app import listen
from penstock.core.errors import InputError, StoreError
from penstock.core.loopback import ADDRESS, ADDRESS6, PORT
from penstock.doors.http.connection import Admit, Bounds, Connection
from penstock.doors.http.talk import Log
from penstock.doors.http.tls_listener import Guest, TlsListener

if TYPE_CHECKING:
    from types import FrameType

    from starlette.types import ASGIApp

BACKLOG = 512
STOP_WITHIN = 5
SWITCH = 0.0005  # seconds that a thread may keep this one from answering
FIRST_PASSED = 3  # where systemd puts the first socket it hands over
MOST_PASSED = 8
MOST_PORTS = 16  # that are tried where any free one will do


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
        guests: TlsListener | None = None,
        ready: Callable[[], None] = lambda: None,
    ) -> None:
        log = log or Log()
        made = partial(Connection, admit=admit, bounds=bounds, log=log)
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
        self._guests = guests
        self._guest = partial(Guest, bounds=bounds, log=log)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        if self._guests is not None:
            self._guests.start(partial(self._make_guest, self._guests.admit))
        self._ready()

    def _make_guest(self, admit: Admit, gone: Callable[[], None]) -> Guest:
        return self._guest(
            admit=admit,
            gone=gone,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take nobody in any more, and let what is being answered go out."""
        if self._guests is not None:
            self._guests.stop()
        await super().shutdown(sockets)

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


def for_pages(port: int) -> list[socket.socket]:
    """Return what the page listens on: sockets that a service manager opened, or our own.

    A browser looks for `localhost` at ::1, too: whoever listened there would be taken for us.
    """
    given = passed()
    if given:
        return [*given, *_beside(given)]
    for _ in range(MOST_PORTS - 1 if port == 0 else 0):
        with suppress(StoreError):
            return _both(0)
    return _both(port)


def _both(port: int) -> list[socket.socket]:
    first = bound(port)
    try:
        return [first, *_beside([first])]
    except StoreError:
        first.close()
        raise


def _beside(on: Sequence[socket.socket]) -> list[socket.socket]:
    """Return a socket for the same port at ::1, where there is none yet."""
    if any(one.family == socket.AF_INET6 for one in on) or not listen.has_ipv6():
        return []
    port = on[0].getsockname()[1]
    hint = f"another program listens on [{ADDRESS6}]:{port}; stop it, or choose another port"
    return [listen.listening(ADDRESS6, port, backlog=BACKLOG, hint=hint)]


def passed() -> list[socket.socket]:
    """Return the sockets that a service manager opened for us, the one on 127.0.0.1 first."""
    count = os.environ.get("LISTEN_FDS", "")
    if os.environ.get("LISTEN_PID") != str(os.getpid()) or not count.isdecimal():
        return []
    made = [socket.socket(fileno=FIRST_PASSED + at) for at in range(min(int(count), MOST_PASSED))]
    if not made:
        return []
    made.sort(key=lambda one: one.family != socket.AF_INET)
    names = [one.getsockname()[:2] for one in made]
    port = names[0][1]
    if names != [(ADDRESS, port), (ADDRESS6, port)][: len(made)]:
        raise InputError(
            "not-loopback",
            f"the inherited sockets are not on {ADDRESS} and [{ADDRESS6}]",
            because="they are on " + ", ".join(str(name[0]) for name in names),
            hint=f"set ListenStream={ADDRESS}:{PORT} in the socket unit",
        )
    return made


def run(server: Server, *on: socket.socket) -> None:
    """Serve in this thread until a signal says stop, on the quicker loop where it is installed."""
    sys.setswitchinterval(SWITCH)
    server.run(sockets=list(on))
