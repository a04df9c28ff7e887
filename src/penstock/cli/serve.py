"""`penstock serve`: the resident process, or the unit that has it started."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import click

from penstock.cli import OK
from penstock.cli.output import tell
from penstock.doors.http.units import UNITS

if TYPE_CHECKING:
    from penstock.doors.hook.warm import Warm
    from penstock.doors.http.routes import Route

PORT = 7717
SOCKET_WITHIN = 0.5  # seconds; where another process holds the socket nobody says so


@click.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="Where to listen on 127.0.0.1; 0 takes a free port and says which.",
)
@click.option(
    "--print-service",
    type=click.Choice(list(UNITS)),
    help="Print the unit that starts it, to be installed by you, and stop.",
)
def command(port: int, print_service: str | None) -> int:
    """Answer hooks from one process that stays: `POST /hook/AGENT`, `GET /health`."""
    if print_service:
        argv = [sys.executable, "-m", "penstock.cli", "serve", "--port", str(port)]
        click.echo(UNITS[print_service](argv, port, os.environ), nl=False)
        tell("put it where its first line says; nothing was installed")
        return OK
    _serve(port)
    return OK


def _serve(port: int) -> None:
    from penstock.doors.hook.engine import Engine
    from penstock.doors.hook.warm import Warm
    from penstock.doors.http import server

    listening = server.passed() or server.bound(port)
    engine = Engine(signs=True)
    warm = Warm(engine)

    @asynccontextmanager
    async def cold_hooks() -> AsyncIterator[None]:
        """The socket that hooks ask which start cold; another process may hold it already."""
        from penstock.doors.hook.resident import serve

        ready = threading.Event()
        keeping = {"idle": float("inf"), "ready": ready}
        threading.Thread(target=serve, args=(engine,), kwargs=keeping, daemon=True).start()
        await asyncio.to_thread(ready.wait, SOCKET_WITHIN)
        yield

    try:
        server.run(server.Server(_routes(warm)), listening, also=[cold_hooks])
    finally:
        warm.close()


def _routes(warm: Warm) -> Iterator[Route]:
    """Yield what is answered. The approval page joins here."""
    from importlib.metadata import version

    from penstock.doors.hook.agents import NAMES
    from penstock.doors.http.health import Health
    from penstock.doors.http.hook import Desk, Hook
    from penstock.doors.http.routes import Route
    from penstock.doors.http.tokens import hook_token
    from penstock.stores.places import state_home

    yield Health(version("penstock"), warm.broken).route()
    # Which agent asks, and where its project is, a request tells; not who started us.
    agents = tuple(name.upper() for name in NAMES)
    environ = {name: value for name, value in os.environ.items() if not name.startswith(agents)}
    desk, token = Desk(warm, environ), hook_token(state_home())
    for name in NAMES:
        yield Route(method="POST", path=f"/hook/{name}", handle=Hook(name, desk), token=token)
