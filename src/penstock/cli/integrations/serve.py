"""`penstock serve`: the background server, or the unit that starts it."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import click

from penstock.cli import OK
from penstock.cli.extras import need
from penstock.cli.integrations.units import UNITS
from penstock.cli.shape import OneOf, PlainCommand
from penstock.cli.terminal.output import tell, workspace_option
from penstock.core.errors import RefusedError
from penstock.core.loopback import ADDRESS, PORT, page_origin
from penstock.doors.http.talk import SAY, Log, Say

if TYPE_CHECKING:
    from penstock.app.phone import OpenPhone
    from penstock.doors.hook.engine import Engine
    from penstock.doors.hook.fast_path_warm import Warm
    from penstock.doors.http.routes import Route
    from penstock.doors.http.tls_listener import TlsListener
    from penstock.doors.web.context import World

SOCKET_WITHIN = 0.5  # seconds; where another process holds the socket nobody says so


@click.command(
    cls=PlainCommand,
    examples=(
        "penstock serve",
        "penstock serve --port 0",
        "penstock serve --address laptop.local",
        "penstock serve --print-service systemd > ~/.config/systemd/user/penstock.service",
    ),
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    metavar="PORT",
    help="Port on localhost (0: any free port).",
)
@click.option(
    "--address",
    metavar="NAME[:PORT]",
    help="Also serve the review page to your phone at this host name, by TLS and passkeys only.",
)
@click.option("--bind", metavar="IP", help="Listen for --address on this LAN or tailnet address.")
@click.option("--certificate", metavar="FILE", help="TLS certificate for --address, in PEM.")
@click.option("--certificate-key", metavar="FILE", help="Key of that certificate, in PEM.")
@click.option(
    "--log-format",
    type=OneOf(SAY),
    metavar="FORMAT",
    default="text",
    show_default=True,
    help="Log format on stderr: text, or json with page requests.",
)
@click.option(
    "--link/--no-link",
    default=True,
    help="Print a link to the review page (default: yes).",
)
@workspace_option
@click.option(
    "--print-service",
    type=OneOf(UNITS),
    metavar="KIND",
    help=f"Print a service definition to install: {', '.join(UNITS)}.",
)
def command(
    port: int,
    print_service: str | None,
    log_format: str,
    link: bool,
    workspace: str | None,
    **phone: str | None,
) -> int:
    """Run the server: review page, HTTP hooks and JSON API, for this machine only.

    Prints a link that opens the review page once; `penstock open` prints another. With --address
    the review page, and nothing else, is also served to other devices in your network; `penstock
    open --qr` signs a phone in. Stop it with Ctrl-C.
    """
    if print_service:
        # A link belongs into a terminal, not into a journal.
        argv = [sys.executable, "-m", "penstock.cli", "serve", "--port", str(port), "--no-link"]
        for name, value in phone.items():
            argv += [f"--{name.replace('_', '-')}", value] if value else []
        click.echo(UNITS[print_service](argv, port, os.environ), nl=False)
        tell("nothing was installed; save this where its first line says")
        return OK
    _serve(port, log_format, link=link, workspace=workspace, phone=_opened_phone(phone))
    return OK


def _opened_phone(given: Mapping[str, str | None]) -> OpenPhone | None:
    """Open the address for other devices, where its owner asked for one."""
    from penstock.app.phone import PhoneOptions, open_phone

    said = {name: value or "" for name, value in given.items()}
    address, key = said.pop("address"), said.pop("certificate_key")
    if not address:
        if key or any(said.values()):
            raise click.UsageError("--bind, --certificate and --certificate-key need --address")
        return None
    need("web", "penstock serve")
    _refuse_inside_agent()
    return open_phone(PhoneOptions(address=address, key=key, **said))


def _refuse_inside_agent() -> None:
    from penstock.app.workspace import inside_agent

    if why := inside_agent():
        raise RefusedError(
            "inside-agent",
            "an agent can't open the review page to other devices",
            because=why,
            hint="run `penstock serve --address` in your own terminal",
        )


def _serve(
    port: int, log_format: str, *, link: bool, workspace: str | None, phone: OpenPhone | None
) -> None:
    need("web", "penstock serve")
    from penstock.app import leftovers
    from penstock.app.bundle.refresh import start_refreshing
    from penstock.app.servers import known_workspaces, left, listens
    from penstock.app.ship import start_shipping
    from penstock.doors.hook.engine import Engine
    from penstock.doors.hook.fast_path_warm import Warm
    from penstock.doors.http import server
    from penstock.doors.http.routes import Routes
    from penstock.doors.web.app import make_app

    say = SAY[log_format]
    log = Log(say)
    listening = server.for_pages(port)
    at = listening[0].getsockname()[1]
    engine = Engine(signs=True)
    warm = Warm(engine)
    world = _world(at, workspace)

    def ready() -> None:
        say(f"listening on http://{ADDRESS}:{at} (pid {os.getpid()})", level="info")
        if phone:
            _say_phone(phone, say)
        if link:
            _invite(world, say)

    routes = Routes(_routes(warm), rest=make_app(world), known=world.knows, log=log)
    guests = _guests(world, phone, log) if phone else None
    made = server.Server(routes, admit=routes.admit, log=log, guests=guests, ready=ready)
    stopped = threading.Event()
    leftovers.start(stopped)
    start_shipping(known_workspaces, stopped, lambda text: say(text, level="warning"))
    start_refreshing(stopped, lambda text: say(text, level="warning"))
    try:
        listens(at)
        _cold_hooks(engine)
        server.run(made, *listening)
        say("stopped", level="info")
    finally:
        stopped.set()
        left()


def _guests(world: World, phone: OpenPhone, log: Log) -> TlsListener:
    """Return what takes other devices in: to the pages, and to nothing else."""
    from penstock.doors.http.routes import Routes
    from penstock.doors.http.tls_listener import TlsListener
    from penstock.doors.web.app import make_app

    made = world.open_phone(phone.at.origin, phone.certificate.authority)
    routes = Routes([], rest=make_app(made), known=made.knows, named=made.answers_to, log=log)
    return TlsListener(phone.sockets, phone.context, admit=routes.admit)


def _say_phone(phone: OpenPhone, say: Say) -> None:
    numbers = ", ".join(one.getsockname()[0] for one in phone.sockets)
    say(f"serving other devices at {phone.at.origin} ({numbers})", level="info")
    which = "self-made certificate" if phone.certificate.authority else "certificate"
    say(f"{which}, SHA-256 {phone.certificate.fingerprint}", level="info")


def _cold_hooks(engine: Engine) -> None:
    """Serve the socket that hooks ask which start cold; another process may hold it already."""
    from penstock.doors.hook.daemon import serve

    ready = threading.Event()
    keeping = {"idle": float("inf"), "ready": ready}
    threading.Thread(target=serve, args=(engine,), kwargs=keeping, daemon=True).start()
    ready.wait(SOCKET_WITHIN)


def _invite(world: World, say: Say) -> None:
    """Print the link, unless an agent would read it."""
    from penstock.app.workspace import inside_agent

    if inside_agent():
        say("to open the review page, run `penstock open` in your own terminal")
    else:
        say(f"open {world.link()} (works once, for two minutes)", level="info")


def _world(port: int, workspace: str | None) -> World:
    """Return what the pages stand on: the workspace of this directory, and all with a state."""
    from penstock.app.servers import known_workspaces, served_first, state_home
    from penstock.doors.http.tokens import admin_token, hook_token
    from penstock.doors.web.context import World

    home = state_home()
    world = World(
        served_first(workspace),
        token=admin_token(home),
        hook_token=hook_token(home),
        more=known_workspaces,
    )
    world.origin = page_origin(port)
    world.look_around()
    return world


def _routes(warm: Warm) -> Iterator[Route]:
    """Yield what is answered to agents and watchdogs."""
    from penstock import __version__
    from penstock.app.places import state_home
    from penstock.doors.hook.agents import NAMES
    from penstock.doors.http.health import Health
    from penstock.doors.http.hook_endpoint import Desk, Hook
    from penstock.doors.http.routes import Route
    from penstock.doors.http.tokens import hook_token

    home = state_home()
    yield from Health(__version__, warm.broken, writable=lambda: _writable(home)).routes()
    # Which agent asks, and where its project is, a request tells; not who started us.
    agents = tuple(name.upper() for name in NAMES)
    environ = {name: value for name, value in os.environ.items() if not name.startswith(agents)}
    desk, token = Desk(warm, environ), hook_token(home)
    for name in NAMES:
        yield Route(method="POST", path=f"/hook/{name}", app=Hook(name, desk), token=token)


def _writable(home: str) -> bool:
    return os.access(home, os.W_OK | os.X_OK)
