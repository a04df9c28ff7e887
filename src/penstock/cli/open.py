"""`penstock open`: a new link to the approval page of the server that runs."""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlencode

import click

from penstock.cli import OK
from penstock.cli.output import json_option, print_json, tell, workspace_option
from penstock.core.errors import StoreError

SECONDS = 10.0


@click.command()
@click.argument("id_", metavar="[ID]", default="")
@click.option("--port", type=click.IntRange(1, 65535), help="Where it listens, if it is not found.")
@click.option("--browser", is_flag=True, help="Open it in your browser, too.")
@workspace_option
@json_option
def command(id_: str, port: int | None, browser: bool, workspace: str | None, as_json: bool) -> int:
    """Print a link that opens the approval page once, within two minutes.

    With the ID of a proposal or a set it leads there.
    """
    from penstock.app import open_workspace
    from penstock.app.servers import found
    from penstock.cli.proof import refuse_inside_agent

    refuse_inside_agent(open_workspace(workspace))
    running = found()
    if port is None and running is None:
        raise StoreError(
            "not-serving", "no server runs here", hint="start one with `penstock serve`"
        )
    url = _asked(port or (running.port if running else 0))
    if id_:
        url += f"&{urlencode({'to': f'/proposals/{id_}'})}"
    if as_json:
        print_json({"url": url})
    else:
        click.echo(url)
        tell("it works once, for two minutes")
    if browser:
        click.launch(url)
    return OK


def _asked(port: int) -> str:
    """Ask the server for a link, with the token that only a person's commands use."""
    from penstock.app.servers import state_home
    from penstock.doors.http.tokens import admin_token

    client = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    token = {"Authorization": f"Bearer {admin_token(state_home())}"}
    try:
        client.request("POST", "/api/v1/links", headers=token)
        response = client.getresponse()
        said = response.read(65536)
        if response.status == 200:
            return str(json.loads(said)["url"])
    except (OSError, http.client.HTTPException, ValueError, KeyError) as fault:
        raise _no_link(port, str(fault) or type(fault).__name__) from None
    finally:
        client.close()
    raise _no_link(port, said.decode("utf-8", "replace").strip()[:200])


def _no_link(port: int, because: str) -> StoreError:
    return StoreError(
        "no-link",
        f"the server at port {port} gave no link",
        because=because,
        hint="start it again: penstock serve",
    )
