"""`penstock mcp`: the MCP server, on standard input and output or over HTTP on loopback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from penstock.cli import OK
from penstock.cli.extras import need
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.output import workspace_option

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server


@click.command(cls=PlainCommand, examples=("penstock mcp", "penstock mcp --http 127.0.0.1:7718"))
@click.option(
    "--http",
    "address",
    metavar="HOST:PORT",
    help="Serve streamable HTTP at /mcp on loopback instead of stdio (port 0: any free port).",
)
@click.option(
    "--page",
    metavar="URL",
    default="",
    help="Review page to link to when a write needs approval; {id} is the proposal.",
)
@workspace_option
def command(address: str | None, page: str, workspace: str | None) -> int:
    """Run the MCP server (Model Context Protocol) for this project.

    Agents can read, search and propose changes. What the rules allow is written at once, the rest
    needs approval; no tool approves or applies.
    """
    if page and not page.startswith(("http://", "https://")):
        raise click.UsageError(f"`--page`: `{page}` is not an http or https address")
    if address is None:
        _over_stdio(workspace, page)
    else:
        _over_http(address, workspace, page)
    return OK


def _over_stdio(workspace: str | None, page: str) -> None:
    # Taken before a library is loaded: one that prints would break the protocol.
    from penstock.doors.mcp.framing import taken

    wire = taken()
    server = _server(workspace, page)
    import anyio

    from penstock.doors.mcp.stdio import serve

    anyio.run(serve, server, wire)


def _over_http(address: str, workspace: str | None, page: str) -> None:
    from penstock.doors.mcp.address import bound, host_and_port

    on = bound(*host_and_port(address))
    server = _server(workspace, page)
    from penstock.doors.mcp.http import serve

    serve(server, on)


def _server(workspace: str | None, page: str) -> Server[object]:
    need("mcp", "penstock mcp")
    from penstock.app import open_workspace
    from penstock.doors.mcp.server import made

    here = open_workspace(workspace)
    here.gate  # noqa: B018 - what a crash left in the middle is finished before anybody asks
    return made(here, page=page)
