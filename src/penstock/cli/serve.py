"""`penstock serve`: the resident process, or the unit that has it started."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import click

from penstock.cli import OK
from penstock.cli.output import tell, workspace_option
from penstock.core.distribution import pip_install
from penstock.core.loopback import PORT
from penstock.doors.http.talk import SAY, Say
from penstock.doors.http.units import UNITS

if TYPE_CHECKING:
    from penstock.doors.hook.engine import Engine
    from penstock.doors.hook.warm import Warm
    from penstock.doors.http.routes import Route
    from penstock.doors.web.world import World

NO_PAGES = f"the approval page needs the extra `web`: {pip_install('web')}"
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
    "--log-format",
    type=click.Choice(list(SAY)),
    default="text",
    show_default=True,
    help="How to log on stderr; json adds a line for each request of a page.",
)
@click.option("--link/--no-link", default=True, help="Print a one-time link to the page.")
@workspace_option
@click.option(
    "--print-service",
    type=click.Choice(list(UNITS)),
    help="Print the unit that starts it, to be installed by you, and stop.",
)
def command(
    port: int, print_service: str | None, log_format: str, link: bool, workspace: str | None
) -> int:
    """Answer hooks, the JSON API and the approval page from one process that stays.

    A link that opens the page once is printed; `penstock open` prints another.
    """
    if print_service:
        # A link belongs into a terminal, not into a journal.
        argv = [sys.executable, "-m", "penstock.cli", "serve", "--port", str(port), "--no-link"]
        click.echo(UNITS[print_service](argv, port, os.environ), nl=False)
        tell("put it where its first line says; nothing was installed")
        return OK
    _serve(port, log_format, link=link, workspace=workspace)
    return OK


def _serve(port: int, log_format: str, *, link: bool, workspace: str | None) -> None:
    from penstock.app import notify
    from penstock.app.serving import left, listens
    from penstock.doors.hook.engine import Engine
    from penstock.doors.hook.warm import Warm
    from penstock.doors.http import server

    say = SAY[log_format]
    listening = server.passed() or server.bound(port)
    at = listening.getsockname()[1]
    engine = Engine(signs=True)
    warm = Warm(engine)
    pages = Served(at, say, workspace)
    made = server.Server(_routes(warm), rest=pages.rest, tell=say)
    stopped = threading.Event()
    notify.start(stopped)
    try:
        listens(at)
        also = [partial(_cold_hooks, engine)]
        server.run(made, listening, also=also, ready=pages.invite if link else None)
    finally:
        stopped.set()
        left()
        warm.close()


@asynccontextmanager
async def _cold_hooks(engine: Engine) -> AsyncIterator[None]:
    """Serve the socket that hooks ask which start cold; another process may hold it already."""
    from penstock.doors.hook.resident import serve

    ready = threading.Event()
    keeping = {"idle": float("inf"), "ready": ready}
    threading.Thread(target=serve, args=(engine,), kwargs=keeping, daemon=True).start()
    await asyncio.to_thread(ready.wait, SOCKET_WITHIN)
    yield


class Served:
    """The approval page behind the same port, if what it needs is installed."""

    def __init__(self, port: int, say: Say, workspace: str | None) -> None:
        from penstock.doors.http.asgi import Pages, instead, unlogged

        self._say = say
        self._world: World | None = None
        try:
            from penstock.doors.web.app import make_app
        except ModuleNotFoundError as missing:
            if (missing.name or "").startswith("penstock"):
                raise
            self.rest = Pages(instead(NO_PAGES))
            return
        world = self._world = _world(port, workspace)
        log = unlogged if say is SAY["text"] else say
        self.rest = Pages(make_app(world), known=world.knows, log=log)

    def invite(self) -> None:
        """Print the link, unless an agent would read it."""
        from penstock.app.workspace import inside_agent

        if self._world is None:
            self._say(NO_PAGES, level="info")
        elif inside_agent():
            self._say("run `penstock open` in a terminal of your own to see the page")
        else:
            self._say(f"open {self._world.link()} (works once, for two minutes)", level="info")


def _world(port: int, workspace: str | None) -> World:
    """Return what the pages stand on: the workspace of this directory, and all with a state."""
    from penstock.app.serving import known_workspaces, served_first, state_home
    from penstock.doors.http.tokens import admin_token, hook_token
    from penstock.doors.web.world import World

    home = state_home()
    world = World(
        served_first(workspace),
        token=admin_token(home),
        hook_token=hook_token(home),
        more=known_workspaces,
    )
    world.origin = f"http://127.0.0.1:{port}"
    world.look_around()
    return world


def _routes(warm: Warm) -> Iterator[Route]:
    """Yield what is answered to agents and watchdogs."""
    from penstock import __version__
    from penstock.app.places import state_home
    from penstock.doors.hook.agents import NAMES
    from penstock.doors.http.health import Health
    from penstock.doors.http.hook import Desk, Hook
    from penstock.doors.http.routes import Route
    from penstock.doors.http.tokens import hook_token

    home = state_home()
    yield from Health(__version__, warm.broken, writable=lambda: _writable(home)).routes()
    # Which agent asks, and where its project is, a request tells; not who started us.
    agents = tuple(name.upper() for name in NAMES)
    environ = {name: value for name, value in os.environ.items() if not name.startswith(agents)}
    desk, token = Desk(warm, environ), hook_token(home)
    for name in NAMES:
        yield Route(method="POST", path=f"/hook/{name}", handle=Hook(name, desk), token=token)


def _writable(home: str) -> bool:
    return os.access(home, os.W_OK | os.X_OK)
