"""Listen on loopback, serve connections, stop in good order.

What is answered is the routes' business. `also` are other listeners of the same process, such
as the Unix socket that cold hooks ask.
Always true: only loopback addresses are bound; a stop (SIGTERM, SIGINT) lets what is being
answered go out and ends within `STOP_WITHIN` seconds.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from email.utils import formatdate

from penstock.app import loopback
from penstock.core.errors import InputError
from penstock.core.loopback import ADDRESS, PORT
from penstock.doors.http.connection import Bounds, Connection
from penstock.doors.http.routes import Rest, Route, Routes
from penstock.doors.http.talk import Say, say
from penstock.doors.http.wire import Head

BACKLOG = 512
TIDY_EVERY = 0.2
STOP_WITHIN = 5.0
SWITCH = 0.0005  # seconds that a thread may keep this one from answering
MOST_LINES = 20  # of the log, a second: nobody fills a disk by asking
FIRST_PASSED = 3  # where systemd puts the first socket it hands over

Listener = Callable[[], AbstractAsyncContextManager[object]]


class Server:
    """The connections and what they share."""

    def __init__(
        self,
        routes: Iterable[Route],
        *,
        rest: Rest | None = None,
        bounds: Bounds = Bounds(),  # noqa: B008 - frozen
        tell: Say = say,
    ) -> None:
        self.routes = Routes(routes, rest=rest)
        self.bounds = bounds
        self.stopping = False
        self.date = b""
        self.say = tell
        self._said = 0
        self._connections: set[Connection] = set()
        self.renew()

    def renew(self) -> None:
        """What is true for a second: the date, and how much may be logged."""
        self.date = f"Date: {formatdate(usegmt=True)}\r\n".encode()
        self._said = 0

    def joined(self, connection: Connection) -> bool:
        """Count a new connection; False when there are too many."""
        self._connections.add(connection)
        return len(self._connections) <= self.bounds.connections and not self.stopping

    def left(self, connection: Connection) -> None:
        """Forget a connection."""
        self._connections.discard(connection)

    def tell(self, status: int, head: Head | None, why: str) -> None:
        """Log an error: its status, the method and the path, never a body or a header."""
        self._said += 1
        if self._said > MOST_LINES:
            return
        asked = f" {head.method[:16]} {head.path[:100]}" if head else ""
        facts = {"method": head.method[:16], "path": head.path[:100]} if head else {}
        said = f"{status}{asked}{f' ({why})' if why else ''}"
        self.say(said, level="error", status=status, code=why, **facts)

    async def tidy(self) -> None:
        """End what takes too long, for ever."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(TIDY_EVERY)
            self.renew()
            for connection in tuple(self._connections):
                connection.tidy(loop.time())

    async def stop(self) -> None:
        """Let what is being answered go out, for a bounded time."""
        self.stopping = True
        end = asyncio.get_running_loop().time() + STOP_WITHIN
        while self._connections and asyncio.get_running_loop().time() < end:
            for connection in tuple(self._connections):
                connection.stop()
            await asyncio.sleep(0.01)


def bound(port: int) -> socket.socket:
    """Return a socket that listens on loopback; port 0 takes a free one."""
    hint = "is `penstock serve` running already? choose another with --port"
    return loopback.listening(ADDRESS, port, backlog=BACKLOG, hint=hint)


def passed() -> socket.socket | None:
    """Return the socket that a service manager opened for us, or None."""
    if os.environ.get("LISTEN_PID") != str(os.getpid()) or not os.environ.get("LISTEN_FDS"):
        return None
    made = socket.socket(fileno=FIRST_PASSED)
    name = made.getsockname()
    if made.family != socket.AF_INET or name[0] != ADDRESS:
        raise InputError(
            "not-loopback",
            f"the socket that was handed over is not on {ADDRESS}",
            hint=f"let the socket unit say ListenStream={ADDRESS}:{PORT}",
        )
    return made


@asynccontextmanager
async def listening(server: Server, on: socket.socket) -> AsyncIterator[None]:
    """Accept connections inside the block; leaving it stops them in good order."""
    loop = asyncio.get_running_loop()
    accepting = await loop.create_server(
        lambda: Connection(server, loop.time), sock=on, backlog=BACKLOG
    )
    tidying = asyncio.ensure_future(server.tidy())
    try:
        yield
    finally:
        accepting.close()
        await server.stop()
        tidying.cancel()


async def serve(
    server: Server,
    on: socket.socket,
    *,
    also: Sequence[Listener] = (),
    ready: Callable[[], None] | None = None,
) -> None:
    """Serve until a signal says stop; `ready` is called once clients are answered."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for one in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(one, stopped.set)
    async with AsyncExitStack() as stack:
        for listener in also:
            await stack.enter_async_context(listener())
        await stack.enter_async_context(listening(server, on))
        host, port = on.getsockname()[:2]
        # What was loaded until here stays; looking at it again and again costs a tenth.
        gc.collect()
        gc.freeze()
        server.say(f"listening on http://{host}:{port} (pid {os.getpid()})", level="info")
        if ready is not None:
            ready()
        await stopped.wait()
    server.say("stopped", level="info")


def run(
    server: Server,
    on: socket.socket,
    *,
    also: Sequence[Listener] = (),
    ready: Callable[[], None] | None = None,
) -> None:
    """Serve in this thread, on the quicker loop where it is installed."""
    sys.setswitchinterval(SWITCH)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(serve(server, on, also=also, ready=ready))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory
