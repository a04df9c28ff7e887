"""`penstock approver`: the key that signs approvals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from penstock.cli import OK
from penstock.cli.shape import CommandGroup
from penstock.cli.terminal.output import console, json_option, print_json, tell, workspace_option

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.app.proof import ApproverPublicKey


@click.group(cls=CommandGroup)
def command() -> None:
    """Manage the key that signs your approvals.

    Once there is a key, approving needs its passphrase; no program can approve without it.
    """


@command.command(examples=("penstock approver init",))
@workspace_option
@json_option
def init(workspace: str | None, as_json: bool) -> int:
    """Create an approver key, protected by a passphrase.

    From then on only this key approves changes, and the passkeys that you register with it.
    """
    from penstock.app import open_workspace
    from penstock.cli.terminal.proof import refuse_inside_agent

    here = open_workspace(workspace)
    refuse_inside_agent(here)
    made = make(here)
    _told({"key_id": made.id, "public": made.text, "path": here.keys.path}, as_json=as_json)
    return OK


def make(here: Workspace) -> ApproverPublicKey:
    """Ask for a passphrase, make the key that it seals, and log it."""
    from penstock.cli.terminal.proof import passphrase

    made = here.keys.init(passphrase(confirm=True))
    _recorded(here, made)
    if len(here.keys.known()) > 1:
        tell("this replaces an earlier key; `penstock audit verify` will report the exchange")
    return made


@command.command(examples=("penstock approver replace",))
@workspace_option
@json_option
def replace(workspace: str | None, as_json: bool) -> int:
    """Replace the key with a new one; the passphrase stays the same.

    The old key signs the replacement, so that `penstock audit verify` accepts it. Passkeys that
    were registered with the old key have to be registered again.
    """
    from penstock.app import open_workspace
    from penstock.cli.terminal.proof import code_if_needed, passphrase, refuse_inside_agent

    here = open_workspace(workspace)
    refuse_inside_agent(here)
    here.keys.current()
    words = passphrase()
    made, old, signature = here.keys.succeed(words, code=code_if_needed(here))
    _recorded(here, made, replaces=old, signature=signature)
    facts: dict[str, object] = {"key_id": made.id, "public": made.text, "replaces": old}
    _told(facts, as_json=as_json)
    return OK


def _recorded(here: Workspace, made: ApproverPublicKey, **facts: str) -> None:
    """Log a key, so that old approvals can still be verified and an exchange is noticed."""
    event = {"op": "key_made", "path": "", "status": "done", "key_id": made.id}
    here.record.log.append({**event, "approver": made.text, **facts}, durable=True)


@command.command(examples=("penstock approver show",))
@workspace_option
@json_option
def show(workspace: str | None, as_json: bool) -> int:
    """Show the id and the public key; needs no passphrase."""
    from penstock.app import open_workspace
    from penstock.core.errors import InputError

    keys = open_workspace(workspace).keys
    public = keys.public()
    if public is None:
        raise InputError(
            "no-key", "there is no approver key", hint="create one with `penstock approver init`"
        )
    _told({"key_id": public.id, "public": public.text, "path": keys.path}, as_json=as_json)
    return OK


@command.command(examples=("penstock approver totp",))
@workspace_option
def totp(workspace: str | None) -> int:
    """Require a one-time code besides the passphrase.

    Prints the secret for your authenticator app.
    """
    from penstock.app import open_workspace
    from penstock.cli.terminal.proof import passphrase, refuse_inside_agent

    here = open_workspace(workspace)
    refuse_inside_agent(here)
    click.echo(here.keys.add_totp(passphrase()))
    return OK


@command.command(name="passphrase", examples=("penstock approver passphrase",))
@workspace_option
def change_passphrase(workspace: str | None) -> int:
    """Change the passphrase of the key."""
    from penstock.app import open_workspace
    from penstock.cli.terminal.proof import passphrase, refuse_inside_agent

    here = open_workspace(workspace)
    refuse_inside_agent(here)
    old = passphrase()
    here.keys.change_passphrase(old, passphrase(confirm=True))
    return OK


@command.command(examples=("penstock approver passkey",))
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
@workspace_option
@json_option
def passkey(port: int | None, browser: bool | None, workspace: str | None, as_json: bool) -> int:
    """Register a passkey that approves in place of the passphrase.

    A passkey is made by a browser, so this prints a link to the page for it and opens it. The page
    asks for the passphrase, and needs a running server: start it with `penstock serve`.
    """
    from penstock.app import open_workspace
    from penstock.cli.review.open import invite
    from penstock.cli.terminal.proof import refuse_inside_agent

    here = open_workspace(workspace)
    refuse_inside_agent(here)
    here.keys.current()
    invite("/passkeys", port=port, browser=browser, as_json=as_json)
    return OK


@command.command(examples=("penstock approver passkeys",))
@workspace_option
@json_option
def passkeys(workspace: str | None, as_json: bool) -> int:
    """List the registered passkeys; needs no passphrase."""
    from penstock.app import open_workspace
    from penstock.core.timestamps import stamp

    keys = open_workspace(workspace).keys
    own = keys.own_passkeys()
    found = [
        {
            "id": one.id,
            "label": one.label,
            "origin": one.origin,
            "since": stamp(one.since),
            "approves": one in own,
        }
        for one in keys.passkeys.added()
    ]
    if as_json:
        print_json({"passkeys": found})
        return OK
    for one in found:
        note = "" if one["approves"] else "  (not signed by your key: approves nothing)"
        text = f"{one['id']}  {one['label']}  {one['origin']}  since {one['since']}{note}"
        console().print(text, markup=False)
    if not found:
        tell("no passkey is registered; add one with `penstock approver passkey`")
    return OK


@command.command(name="remove-passkey", examples=("penstock approver remove-passkey 3f2a1c9e",))
@click.argument("id_", metavar="ID")
@workspace_option
def remove_passkey(id_: str, workspace: str | None) -> int:
    """Remove a passkey; ID is the beginning of its id, or its label."""
    from penstock.app import open_workspace
    from penstock.app.proof import named_passkey
    from penstock.app.proof import remove_passkey as remove
    from penstock.cli.terminal.proof import code_if_needed, passphrase, refuse_inside_agent

    here = open_workspace(workspace)
    refuse_inside_agent(here)
    gone = named_passkey(here, id_)
    words = passphrase()
    remove(here, gone, words, code_if_needed(here), command="approver remove-passkey")
    tell(f"removed the passkey `{gone.label}`")
    return OK


def _told(facts: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        print_json(facts)
        return
    for name, value in facts.items():
        console().print(f"{name:8} {value}", markup=False)
