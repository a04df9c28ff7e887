"""`penstock open`: a new link to the review page of the running server."""

from __future__ import annotations

import http.client
import json
import os
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import click

from penstock.cli import OK
from penstock.cli.extras import need
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.complete import proposal_ids
from penstock.cli.terminal.output import json_option, print_json, tell, workspace_option
from penstock.core.errors import InputError, PenstockError, StoreError

if TYPE_CHECKING:
    from penstock.gate import Gate

SECONDS = 10.0


@click.command(
    cls=PlainCommand,
    examples=("penstock open", "penstock open 3f2a1c9e --no-browser", "penstock open --qr"),
)
@click.argument("id_", metavar="[ID]", default="", shell_complete=proposal_ids)
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    metavar="PORT",
    help="Port of the server (default: detected).",
)
@click.option(
    "--browser/--no-browser",
    default=None,
    help="Open the browser (default: at a terminal with a desktop).",
)
@click.option("--qr", is_flag=True, help="Print a QR code that signs your phone in.")
@workspace_option
@json_option
def command(
    id_: str,
    port: int | None,
    browser: bool | None,
    qr: bool,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Open the review page in the browser, and print its link.

    The link works once, for two minutes. With the ID of a pending change or change set it leads
    there. The page needs a running server: start it with `penstock serve`.

    With --qr the link is for your phone, and is printed as a QR code as well. The server needs an
    address for it: `penstock serve --address NAME`.
    """
    from penstock.app import open_workspace
    from penstock.cli.terminal.proof import refuse_inside_agent

    here = open_workspace(workspace)
    refuse_inside_agent(here)
    target = _target(here.gate, id_) if id_ else ""
    to = f"/proposals/{target}" if target else ""
    if qr:
        need("web", "penstock open --qr")
        browser = False
    invite(to, port=port, browser=browser, as_json=as_json, qr=qr)
    return OK


def invite(
    to: str, *, port: int | None, browser: bool | None, as_json: bool, qr: bool = False
) -> None:
    """Print a new link that leads to a page, and open it where somebody has a desktop."""
    from penstock.app.servers import found

    running = found()
    if port is None and running is None:
        raise StoreError(
            "not-serving",
            "the Penstock server is not running",
            hint="start it in another terminal with `penstock serve`",
        )
    url = _asked(port or (running.port if running else 0), "phone" if qr else "computer")
    if to:
        url += f"&{urlencode({'to': to})}"
    if as_json:
        print_json({"url": url})
    else:
        if qr:
            _draw(url)
        click.echo(url)
        tell("this link works once, for two minutes")
    if browser or (browser is None and not as_json and _has_desktop()):
        click.launch(url)


def _target(gate: Gate, text: str) -> str:
    """Return the whole id that a short one names: a set's where it names several files."""
    from penstock.gate.lookup import named

    found = named(gate, text)
    return found[0].set_id if len(found) > 1 else found[0].id


def _has_desktop() -> bool:
    """Say whether somebody sits at this terminal who has a desktop."""
    shown = sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
    return shown and sys.stdout.isatty()


def _draw(url: str) -> None:
    """Print a QR code, as small as a terminal allows; light on dark is read as well."""
    import segno

    segno.make_qr(url, error="l").terminal(out=sys.stdout, compact=True, border=2)


def _asked(port: int, device: str) -> str:
    """Ask the server for a link, with the token that only a person's commands use."""
    from penstock.app.servers import state_home
    from penstock.doors.http.tokens import admin_token

    client = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    token = {"Authorization": f"Bearer {admin_token(state_home())}"}
    try:
        client.request("POST", f"/api/v1/links?device={device}", headers=token)
        response = client.getresponse()
        said = response.read(65536)
        if response.status == 200:
            return str(json.loads(said)["url"])
    except (OSError, http.client.HTTPException, ValueError, KeyError) as fault:
        raise _no_link(port, str(fault) or type(fault).__name__) from None
    finally:
        client.close()
    raise _refused(said) or _no_link(port, said.decode("utf-8", "replace").strip()[:200])


def _refused(said: bytes) -> PenstockError | None:
    """Return the server's own words, where it has no address for a phone."""
    try:
        error = json.loads(said)["error"]
        parts = {name: str(error[name]) for name in ("code", "message", "because", "try")}
    except (ValueError, KeyError, TypeError):
        return None
    if parts["code"] != "no-phone-address":
        return None
    words = parts["message"], parts["because"], parts["try"]
    return InputError(parts["code"], words[0], because=words[1], hint=words[2])


def _no_link(port: int, because: str) -> StoreError:
    return StoreError(
        "no-link",
        f"the server on port {port} returned no link",
        because=because,
        hint="restart it with `penstock serve`",
    )
